package tui

import (
	"slices"
	"testing"

	"damier/rules"
)

// Every legal move of every variant can be entered leg by leg, on a flipped board too, and by its
// final square. If the final square is ambiguous, the move is among the options.
func TestEntryReachesEveryMove(t *testing.T) {
	asked := 0
	for _, name := range rules.Names() {
		v := variant(t, name)
		rng := generator(t, 1)
		for range 5 {
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 120 {
				legal := g.Legal()
				e := newEntry(v, g.Position(), legal)
				for _, w := range e.ways {
					if !reaches(v, g.Position(), legal, w.move, w.squares) {
						t.Fatalf("%s, %s: %v is not reached leg by leg, %v", name, v.FEN(g.Position()), v.FormatMove(w.move), w.squares)
					}
					if !reaches(v, g.Position(), legal, w.move, []rules.Square{w.move.From, w.move.To}) {
						asked++
						if len(w.squares) == 2 {
							t.Fatalf("%s, %s: %v is not reached", name, v.FEN(g.Position()), v.FormatMove(w.move))
						}
					}
				}
				for _, m := range legal {
					if !slices.ContainsFunc(e.ways, func(w way) bool { return w.move == m }) {
						t.Fatalf("%s, %s: no way for %v", name, v.FEN(g.Position()), v.FormatMove(m))
					}
				}
				if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d final squares were also the next leg of a longer way", asked)
}

// reaches enters squares and reports whether they give the move, or the move is among the options
// at the last square.
func reaches(v *rules.Variant, p rules.Position, legal []rules.Move, want rules.Move, squares []rules.Square) bool {
	e := newEntry(v, p, legal)
	for i, s := range squares {
		switch what, m, options := e.enter(s); what {
		case complete:
			return m == want
		case ambiguous:
			if slices.ContainsFunc(options, func(o option) bool { return o.step == rules.NoSquare && o.move == want }) {
				return true
			}
			j := slices.IndexFunc(options, func(o option) bool { return o.step == s })
			if j < 0 || i == len(squares)-1 {
				return false
			}
			e.step(s)
		case refused:
			return false
		}
	}
	return false
}

func TestEntry(t *testing.T) {
	v := rules.International
	g := position(t, v, "W:W47:B42,32,22")
	e := newEntry(v, g.Position(), g.Legal())
	if what, _, _ := e.enter(1); what != refused {
		t.Errorf("an empty square: %v", what)
	}
	if what, _, _ := e.enter(47); what != stepped || !slices.Equal(e.walked, []rules.Square{47}) {
		t.Errorf("the piece: %v, %v", what, e.walked)
	}
	next, final := e.targets()
	if !slices.Equal(next, []rules.Square{38}) || len(final) == 0 || slices.Contains(final, 38) {
		t.Errorf("targets %v and %v", next, final)
	}
	if what, _, _ := e.enter(47); what != stepped || len(e.walked) != 0 {
		t.Errorf("the piece again: %v, %v", what, e.walked)
	}
	e.enter(47)
	e.enter(38)
	if got := e.taken(); !slices.Equal(got, []rules.Square{42}) {
		t.Errorf("taken %v", got)
	}
	for i, want := range []bool{true, true, false} { // undo the leg, then the piece, then nothing
		if got := e.back(); got != want {
			t.Errorf("back, time %d: %v", i+1, got)
		}
	}
}
