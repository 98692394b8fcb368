package alphabeta

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
)

const combinationsFile = "testdata/combinations.txt"

// combination is a position in which one move, a sacrifice, wins material by force and no other
// does.
type combination struct {
	position rules.Position
	move     rules.Move
	proof    int   // depth at which a search of full width proves the gain
	gain     Score // at least this much, against the search of 2 plies
}

func readCombinations(t *testing.T) []combination {
	t.Helper()
	f, err := os.Open(combinationsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []combination
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 {
			t.Fatalf("%q has not four fields", lines.Text())
		}
		var c combination
		if c.position, err = rules.ParseFEN(rules.International, fields[0]); err != nil {
			t.Fatal(err)
		}
		if c.move, err = notation.ParseMove(rules.International, c.position, fields[1]); err != nil {
			t.Fatal(err)
		}
		if c.proof, err = strconv.Atoi(fields[2]); err != nil {
			t.Fatal(err)
		}
		gain, err := strconv.Atoi(fields[3])
		if err != nil {
			t.Fatal(err)
		}
		c.gain = Score(gain)
		all = append(all, c)
	}
	return all
}

// searchTo searches p alone, without the game before it.
func searchTo(c Config, p rules.Position, l Limits) Info {
	e, err := New(rules.International, c)
	must(err)
	r, err := e.Search(context.Background(), rules.NewGameFrom(rules.International, p), l, nil)
	must(err)
	return r
}

// TestSolvesCombinations: the engine finds every combination within 40,000 nodes. With
// DAMIER_LONG=1 it also proves each again by a search of full width without reductions.
func TestSolvesCombinations(t *testing.T) {
	all := readCombinations(t)
	if len(all) < 30 {
		t.Errorf("%d combinations, want at least 30", len(all))
	}
	for i, c := range all {
		fen := rules.International.FEN(c.position)
		if c.move.IsCapture() || !rules.International.HasCaptures(rules.International.Play(c.position, c.move)) {
			t.Errorf("%d, %s: the move is no sacrifice", i+1, fen)
		}
		r := searchTo(Config{TableBits: 16}, c.position, Limits{Nodes: 40_000})
		if r.PV[0] != c.move {
			t.Errorf("%d, %s: plays %s with score %d at depth %d, want %s", i+1, fen,
				rules.International.FormatMove(r.PV[0]), r.Score, r.Depth, rules.International.FormatMove(c.move))
		}
		if os.Getenv("DAMIER_LONG") != "1" {
			continue
		}
		before := searchTo(Config{NoReductions: true, TableBits: 20}, c.position, Limits{Depth: 2}).Score
		proof := searchTo(Config{NoReductions: true, TableBits: 20}, c.position, Limits{Depth: c.proof})
		if proof.PV[0] != c.move || proof.Score-before < c.gain {
			t.Errorf("%d, %s: no proof at depth %d: score %d after %d", i+1, fen, c.proof, proof.Score, before)
		}
	}
}

var update = flag.Bool("update", false, "make testdata/combinations.txt anew, which takes some minutes")

// TestMain makes the file of combinations first if asked.
func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		mineCombinations()
	}
	os.Exit(m.Run())
}

// mineCombinations writes the file of combinations: positions of games that the engine plays
// against itself at depth 2 with much randomness, in which a sacrifice wins material.
func mineCombinations() {
	const want, least = 40, Score(80)
	v := rules.International
	rng := rand.New(rand.NewPCG(2024, 1))
	player, err := New(v, Config{TableBits: 16, RandomTies: 15, Seed: 1})
	must(err)
	deep, err := New(v, Config{TableBits: 18})
	must(err)
	score := func(p rules.Position, depth int) Info {
		r, err := deep.Search(context.Background(), rules.NewGameFrom(v, p), Limits{Depth: depth}, nil)
		must(err)
		return r
	}
	seen := map[rules.Position]bool{}
	var lines []string
	for len(lines) < want {
		g := rules.NewGame(v)
		found := false
		for !g.Over() && g.Ply() < 120 && !found {
			p := g.Position()
			p.Quiet, p.Endgame = 0, 0
			if g.Ply() > 10 && !v.HasCaptures(p) && len(g.Legal()) > 1 && !seen[p] {
				seen[p] = true
				if c, ok := isCombination(v, score, p, least); ok {
					line := fmt.Sprintf("%s %s %d %d", v.FEN(p), notation.FormatMove(v, p, c.move), c.proof, c.gain)
					lines = append(lines, line)
					found = true
				}
			}
			m := g.Legal()[rng.IntN(len(g.Legal()))]
			if rng.IntN(6) > 0 {
				r, err := player.Search(context.Background(), g, Limits{Depth: 2}, nil)
				must(err)
				m = r.PV[0]
			}
			must(g.Play(m))
		}
	}
	text := "# Combinations: FEN, the only winning move, a sacrifice; the depth at which a search of full width proves it;\n" +
		"# what it wins at least, in hundredths of a man, against a search of 2 plies. Made by: go test ./alphabeta -update\n" +
		strings.Join(lines, "\n") + "\n"
	must(os.WriteFile(combinationsFile, []byte(text), 0o644))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// isCombination looks for a sacrifice that wins, and that is the only move to do so.
func isCombination(v *rules.Variant, score func(rules.Position, int) Info, p rules.Position, least Score) (combination, bool) {
	none := combination{}
	before := searchTo(Config{NoReductions: true, NoTable: true}, p, Limits{Depth: 2})
	r := score(p, 9)
	m := r.PV[0]
	if m == before.PV[0] || r.Score-before.Score < least || r.Score >= MateBound || len(r.PV) < 4 {
		return none, false
	}
	q := v.Play(p, m)
	if !v.HasCaptures(q) {
		return none, false
	}
	for _, other := range v.AppendMoves(nil, p) {
		if other == m {
			continue
		}
		next := v.Play(p, other)
		if len(v.AppendMoves(nil, next)) == 0 || -score(next, 8).Score > r.Score-least/2 {
			return none, false
		}
	}
	for depth := 4; depth <= 8; depth++ {
		proof := searchTo(Config{NoReductions: true, TableBits: 18}, p, Limits{Depth: depth})
		if gain := proof.Score - before.Score; proof.PV[0] == m && gain >= least {
			return combination{p, m, depth, least}, true
		}
	}
	return none, false
}
