package mcts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// write appends the subtree of node id as text: one line for each visited edge.
func (s *Search) write(w *strings.Builder, id int32, indent string) {
	n := &s.nodes[id]
	for _, e := range s.edgesOf(n) {
		if e.child() == noNode {
			continue
		}
		c := &s.nodes[e.child()]
		m := rules.International.AppendMoves(nil, s.position(id))[e.number()]
		line := []string{rules.International.FormatMove(m)}
		for _, m := range s.appendForced(nil, id, e.child(), m) {
			line = append(line, rules.International.FormatMove(m))
		}
		end := ""
		if c.state == terminal {
			end = map[[2]float32]string{{0, 0}: " lost", {0.5, 1}: " drawn", {1, 0}: " won"}[[2]float32{c.own, c.draw()}] + " for " + c.turn.String()
		} else if c.proof != NotProved {
			end = map[Proof]string{ProvedLoss: " proved lost", ProvedDraw: " proved drawn", ProvedWin: " proved won"}[c.proof] + " for " + c.turn.String()
		}
		fmt.Fprintf(w, "%s%s  visits %d  value %.4f  prior %.4f%s\n", indent, strings.Join(line, " "), e.visits, e.score(), s.priorsOf(id)[e.number()], end)
		s.write(w, e.child(), indent+"    ")
	}
}

// TestGoldenTree compares small trees with testdata, where they can be read and followed by hand.
// The evaluator: the first move has twice the prior of any other, and a side's win and loss are
// its share of the pieces on the board, a king counting three.
func TestGoldenTree(t *testing.T) {
	eval := func(l *Leaf) {
		uniform(l)
		for i := range l.Priors {
			l.Priors[i] = 1 / float32(len(l.Priors)+1)
		}
		l.Priors[0] *= 2
		p := l.Position
		own := float32(p.Pieces(p.Turn).Len() + 2*p.Kings(p.Turn).Len())
		their := float32(p.Pieces(p.Turn.Opponent()).Len() + 2*p.Kings(p.Turn.Opponent()).Len())
		l.Value = rules.WDL{Win: own / (own + their), Loss: their / (own + their)}
	}
	var w strings.Builder
	for _, fen := range []string{
		"W:W35,41,47:B36",                // a win at once
		"W:W28,33,38:B17,19,23",          // captures, some of them forced
		"B:WK46,K47,35:BK1,15,25:H49",    // one ply from the 25-move rule
		"W:W31,32,37,K45:B16,21,22,26,2", // a king among men
	} {
		for _, root := range roots {
			s := NewSearch(rules.International, Config{Root: root, Candidates: 4})
			r := run(t, s, gameFrom(fen), Budget{Simulations: 24}, nil, eval, 1)
			fmt.Fprintf(&w, "%s %s: best %s, root win %.4f draw %.4f loss %.4f, policy %.4f\n", fen, root,
				rules.International.FormatMove(r.Moves[r.Best]), r.Root.Win, r.Root.Draw, r.Root.Loss, r.Policy)
			s.write(&w, rootID, "    ")
			w.WriteString("\n")
		}
	}
	path := filepath.Join("testdata", "tree.golden")
	if *update {
		if err := os.WriteFile(path, []byte(w.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.String(); got != string(want) {
		g, h := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range g {
			if i >= len(h) || g[i] != h[i] {
				t.Fatalf("line %d:\n%s\nwant\n%s", i+1, g[i], h[min(i, len(h)-1)])
			}
		}
		t.Fatal("the tree is shorter than the golden one")
	}
}
