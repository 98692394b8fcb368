package rules

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// familyFile is what testdata/family has for a variant: squares are numbered row by row from the
// top left.
type familyFile struct {
	Perft []struct {
		Position, FEN, Options string
		Depth                  int
		Leaves                 uint64
		Sources                []string
	}
	Moves []struct {
		ID, FEN, Options string
		ConfirmedBy      []string `json:"confirmed_by"`
		Moves            []struct {
			From, To Square
			Captured []int
			Promotes bool
			Paths    []string
		}
	}
	Draws []struct {
		ID, FEN  string
		Moves    []string
		Expected struct {
			Result          string
			Reason          Reason
			Ply             int
			LegalMovesAfter []string `json:"legal_moves_after"`
		}
	}
}

// readFamily reads the data of every variant but international, which has files of its own.
func readFamily(t *testing.T) map[string]familyFile {
	t.Helper()
	files := map[string]familyFile{}
	for _, name := range Names() {
		if name == "international" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("testdata", "family", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var f familyFile
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(f.Perft) == 0 {
			t.Fatalf("%s has no leaf counts", name)
		}
		files[name] = f
	}
	return files
}

// with returns the variant of that name with options as text.
func with(t testing.TB, name, options string) *Variant {
	t.Helper()
	o, err := ParseOptions(options)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Lookup(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// dataSquare returns the square that the files of testdata/family call s: those of German draughts
// are on the board whose bottom-left square plays.
func dataSquare(v *Variant, s Square) Square {
	if v.Name != "german" {
		return s
	}
	return (s-1)/4*4 + (3 - (s-1)%4) + 1
}

// dataPosition reads a FEN of testdata/family.
func dataPosition(t testing.TB, v *Variant, fen string) Position {
	t.Helper()
	plain := *v
	plain.Mirrored = false
	p, err := ParseDiagram(&plain, fen)
	if err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	turn := func(set Set) Set {
		var r Set
		for !set.Empty() {
			r = r.Or(v.Board.Set(dataSquare(v, v.Board.Pop(&set))))
		}
		return r
	}
	return NewPosition(turn(p.Pieces(White)), turn(p.Pieces(Black)), turn(p.Kings(White).Or(p.Kings(Black))), p.Turn)
}

// TestFamilyPerft counts the entries of testdata/family: up to five million leaves, all with
// DAMIER_LONG=1.
func TestFamilyPerft(t *testing.T) {
	for name, f := range readFamily(t) {
		for _, e := range f.Perft {
			v := with(t, name, e.Options)
			if e.Leaves > 5e6 && !long() {
				continue
			}
			p := dataPosition(t, v, e.FEN)
			if got := v.Perft(p, e.Depth); got != e.Leaves {
				t.Errorf("%s, %s %s at depth %d: %d leaves, want %d", v, e.Position, e.FEN, e.Depth, got, e.Leaves)
			}
			if e.Leaves > 5e6 {
				t.Logf("%s, %s at depth %d: %d leaves", v, e.Position, e.Depth, e.Leaves)
			}
			if e.Leaves < 2e4 {
				if got := v.perftReference(p, e.Depth); got != e.Leaves {
					t.Errorf("%s, %s %s at depth %d, slow twin: %d leaves, want %d", v, e.Position, e.FEN, e.Depth, got, e.Leaves)
				}
			}
		}
	}
}

// startCounts are leaf counts of start positions, as deep as was agreed to count them before a
// release.
var startCounts = []struct {
	name   string
	depth  int
	leaves uint64
}{
	{"frisian", 9, 15605069},
	{"english", 11, 85242128},
	{"russian", 10, 22444032},
	{"brazilian", 9, 4431766},
	{"pool", 9, 4570534},
	{"czech", 10, 18368918},
	{"spanish", 10, 17743464},
	{"portuguese", 10, 17743464}, // the same rules
	{"italian", 10, 17761384},
	{"german", 10, 18372649},
	{"canadian", 8, 31839056},
	{"turkish", 7, 10782308},
}

// TestStartCounts counts the leaves below the start of the variants to these depths: up to five
// million leaves, all with DAMIER_LONG=1.
func TestStartCounts(t *testing.T) {
	for _, c := range startCounts {
		v := with(t, c.name, "")
		if c.leaves > 5e6 && !long() {
			continue
		}
		began := time.Now()
		got := v.Perft(v.Start(), c.depth)
		if got != c.leaves {
			t.Errorf("%s at depth %d: %d leaves, want %d", v, c.depth, got, c.leaves)
		}
		t.Logf("%s at depth %d: %d leaves in %.1f s", v, c.depth, got, time.Since(began).Seconds())
	}
}

// TestFamilyMoves holds the generators against positions whose legal moves are known.
func TestFamilyMoves(t *testing.T) {
	for name, f := range readFamily(t) {
		for _, e := range f.Moves {
			v := with(t, name, e.Options)
			p := dataPosition(t, v, e.FEN)
			type known struct {
				move     Move
				promotes bool
				paths    []string
			}
			var want []known
			for _, m := range e.Moves {
				var taken Set
				for _, s := range m.Captured {
					taken = taken.Or(v.Board.Set(dataSquare(v, Square(s))))
				}
				want = append(want, known{NewMove(dataSquare(v, m.From), dataSquare(v, m.To), taken), m.Promotes, m.Paths})
			}
			slices.SortFunc(want, func(a, b known) int {
				if a.move.Less(b.move) {
					return -1
				}
				return 1
			})
			var moves []Move
			for _, w := range want {
				moves = append(moves, w.move)
			}
			if got := compareTwins(t, v, p); !slices.Equal(got, moves) {
				t.Errorf("%s %s %s:\n got %s\nwant %s", v, e.ID, e.FEN, formatMoves(v, got), formatMoves(v, moves))
				continue
			}
			walked := map[Move][]string{}
			if len(moves) > 0 && moves[0].IsCapture() {
				for _, c := range v.legalPaths((&reference{v: v, p: p, left: math.MaxInt}).all()) {
					var text []string
					for _, s := range c.path {
						text = append(text, dataSquare(v, s).String())
					}
					walked[c.move(v)] = append(walked[c.move(v)], strings.Join(text, "x"))
				}
			}
			for _, w := range want {
				if v.Board.Has(p.Men(p.Turn), w.move.From) {
					if king := v.Board.Has(v.Play(p, w.move).Kings(p.Turn), w.move.To); king != w.promotes {
						t.Errorf("%s %s: crowned after %s: %t", v, e.ID, v.FormatMove(w.move), king)
					}
				}
				paths := walked[w.move]
				for _, path := range w.paths {
					if !slices.Contains(paths, strings.ReplaceAll(path, ":", "x")) {
						t.Errorf("%s %s: path %s not found among %s", v, e.ID, path, paths)
					}
				}
			}
		}
	}
}

// squareText writes a move as the files of testdata/family do.
func squareText(m Move) string {
	sign := "-"
	if m.IsCapture() {
		sign = "x"
	}
	return strconv.Itoa(int(m.From)) + sign + strconv.Itoa(int(m.To))
}

// TestFamilyDraws plays the games of testdata/family.
func TestFamilyDraws(t *testing.T) {
	played := 0
	for name, f := range readFamily(t) {
		v := with(t, name, "")
		for _, e := range f.Draws {
			played++
			g := NewGameFrom(v, dataPosition(t, v, e.FEN))
			for i, text := range e.Moves {
				if g.Over() {
					t.Errorf("%s %s: over after %d plies of %d", v, e.ID, i, len(e.Moves))
					break
				}
				j := slices.IndexFunc(g.Legal(), func(m Move) bool { return squareText(m) == text })
				if j < 0 {
					t.Fatalf("%s %s: %s is not legal at ply %d", v, e.ID, text, i)
				}
				if err := g.Play(g.Legal()[j]); err != nil {
					t.Fatal(err)
				}
			}
			outcome, reason := g.Outcome()
			want := map[string]Outcome{"ongoing": Ongoing, "draw": Draw, "white wins": WhiteWins}[e.Expected.Result]
			if outcome != want || reason != e.Expected.Reason || want != Ongoing && g.Ply() != e.Expected.Ply {
				t.Errorf("%s %s: %s by %q at ply %d, want %s by %q at %d", v, e.ID, outcome, reason, g.Ply(), want, e.Expected.Reason, e.Expected.Ply)
			}
			if e.Expected.LegalMovesAfter != nil {
				var legal []string
				for _, m := range g.Legal() {
					legal = append(legal, squareText(m))
				}
				if !slices.Equal(legal, e.Expected.LegalMovesAfter) {
					t.Errorf("%s %s: legal are %s, want %s", v, e.ID, legal, e.Expected.LegalMovesAfter)
				}
			}
		}
	}
	if played < 8 {
		t.Errorf("%d games were played", played)
	}
}

// familyVariants are all variants, and those of their options that change the moves.
func familyVariants(t testing.TB) []*Variant {
	var all []*Variant
	for _, name := range Names() {
		all = append(all, with(t, name, ""))
	}
	return append(all, with(t, "canadian", "equal=king-first"), with(t, "frisian", "kings=strict"),
		with(t, "german", "landing=halt"), with(t, "turkish", "crown=at-once"))
}

// TestFamilyTwins compares the twins on random games and positions of every variant: 20,000 each
// with DAMIER_LONG=1.
func TestFamilyTwins(t *testing.T) {
	n := 2000
	if long() {
		n = 20000
	}
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(21, uint64(n)))
		most := v.Board.Squares() / 4 // the slow twin walks every path
		p := v.Start()
		for i := range n {
			switch i % 4 {
			case 0:
				compareTwins(t, v, randomPosition(v, rng, most, 0.12))
			case 1:
				compareTwins(t, v, randomPosition(v, rng, 5, 0.5))
			default:
				moves := compareTwins(t, v, p)
				if len(moves) == 0 || v.DrawByCount(p) != NoReason {
					p = v.Start()
					continue
				}
				p = v.Play(p, moves[rng.IntN(len(moves))])
			}
		}
	}
}
