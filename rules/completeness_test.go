package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// flip changes one fact of a variant.
type flip struct {
	fact string
	has  func(*Variant) bool // whether the fact can matter in such a variant
	do   func(*Variant)
}

// flips are changes to every fact that decides about moves and ends, one at a time.
func flips(v *Variant) []flip {
	always := func(*Variant) bool { return true }
	kings := func(v *Variant) bool { return !v.FirstKingWins } // a game goes on with kings
	flying := func(v *Variant) bool { return v.KingFlies && kings(v) }
	// A king on the way to the most pieces, or the most value, goes on anyway.
	longest := func(v *Variant) bool {
		return slices.Contains(v.Priority, MostPieces) || slices.Contains(v.Priority, MostValue)
	}
	all := []flip{
		{"MoveLines", always, func(v *Variant) {
			if v.MoveLines[0].Orthogonal() {
				v.MoveLines = Diagonals
			} else {
				v.MoveLines = EveryDirection
			}
		}},
		{"CaptureLines", always, func(v *Variant) {
			if len(v.CaptureLines) == 4 && !v.CaptureLines[0].Orthogonal() {
				v.CaptureLines = EveryDirection
			} else {
				v.CaptureLines = Diagonals
			}
		}},
		{"ManCapturesBack", always, func(v *Variant) { v.ManCapturesBack = !v.ManCapturesBack }},
		{"MenSpareKings", kings, func(v *Variant) { v.MenSpareKings = !v.MenSpareKings }},
		{"KingFlies", kings, func(v *Variant) { v.KingFlies = !v.KingFlies }},
		{"Landing", flying, func(v *Variant) {
			if v.Landing == Anywhere {
				v.Landing = Behind
			} else {
				v.Landing = Anywhere
			}
		}},
		{"KingGoesOn", func(v *Variant) bool { return flying(v) && !longest(v) && v.Landing != Behind },
			func(v *Variant) { v.KingGoesOn = !v.KingGoesOn }},
		{"RemovedAtOnce", flying, func(v *Variant) { v.RemovedAtOnce = !v.RemovedAtOnce }},
		{"NoTurnBack", func(v *Variant) bool { return flying(v) && v.RemovedAtOnce }, func(v *Variant) { v.NoTurnBack = !v.NoTurnBack }},
		{"CrownedAtOnce", always, func(v *Variant) { v.CrownedAtOnce = !v.CrownedAtOnce }},
		{"KingValue", func(v *Variant) bool { return slices.Contains(v.Priority, MostValue) }, func(v *Variant) { v.KingValue = v.ManValue }},
		{"ManValue", func(v *Variant) bool { return slices.Contains(v.Priority, MostValue) }, func(v *Variant) { v.ManValue = v.KingValue }},
		{"KingMoveLimit", func(v *Variant) bool { return v.KingMoveLimit > 0 }, func(v *Variant) { v.KingMoveLimit = 0 }},
		{"FirstKingWins", always, func(v *Variant) { v.FirstKingWins = !v.FirstKingWins }},
		{"NoMovesWins", always, func(v *Variant) { v.NoMovesWins = !v.NoMovesWins }},
		{"Priority", func(v *Variant) bool { return len(v.Priority) == 0 }, func(v *Variant) { v.Priority = []Criterion{MostPieces} }},
	}
	for i := range v.Priority {
		all = append(all, flip{fmt.Sprintf("Priority, step %d", i+1), always, func(v *Variant) {
			v.Priority = slices.Delete(slices.Clone(v.Priority), i, i+1)
		}})
	}
	for _, d := range []struct {
		fact string
		rule func(*DrawRules) *int
	}{
		{"KingPlies", func(d *DrawRules) *int { return &d.KingPlies }},
		{"ThreePieces", func(d *DrawRules) *int { return &d.ThreePieces }},
		{"TwoPieces", func(d *DrawRules) *int { return &d.TwoPieces }},
		{"LongDiagonal", func(d *DrawRules) *int { return &d.LongDiagonal }},
		{"ManyKings", func(d *DrawRules) *int { return &d.ManyKings }},
		{"MainRoad", func(d *DrawRules) *int { return &d.MainRoad }},
		{"TwoKings", func(d *DrawRules) *int { return &d.TwoKings }},
		{"OneKing", func(d *DrawRules) *int { return &d.OneKing }},
		{"FourPieces", func(d *DrawRules) *int { return &d.FourPieces }},
		{"SixPieces", func(d *DrawRules) *int { return &d.SixPieces }},
	} {
		all = append(all, flip{"Draws." + d.fact, func(v *Variant) bool { return *d.rule(&v.Draws) != 0 }, func(v *Variant) { *d.rule(&v.Draws) = 0 }})
	}
	return append(all,
		flip{"Draws.ThreeKings", func(v *Variant) bool { return v.Draws.ThreeKings }, func(v *Variant) { v.Draws.ThreeKings = false }},
		flip{"Draws.OneEach", func(v *Variant) bool { return v.Draws.OneEach }, func(v *Variant) { v.Draws.OneEach = false }},
		flip{"Draws.Repetition", func(v *Variant) bool { return v.Draws.Repetition > 0 }, func(v *Variant) { v.Draws.Repetition = 0 }},
	)
}

// everyOption returns every variant with every value of each of its options, one option changed at
// a time.
func everyOption(t testing.TB) []*Variant {
	var all []*Variant
	for _, name := range Names() {
		all = append(all, with(t, name, ""))
	}
	for _, o := range []string{
		"international draws=immediate", "international draws=house-15-5", "international draws=three-kings", "international equal=king-first",
		"canadian draws=immediate", "canadian draws=house-15-5", "canadian draws=three-kings", "canadian equal=king-first",
		"frisian kings=strict", "frysk kings=strict", "german landing=halt", "thai first=white", "turkish crown=at-once", "turkish draws=25-move",
	} {
		name, option, _ := strings.Cut(o, " ")
		all = append(all, with(t, name, option))
	}
	return all
}

// TestEveryFactOfEveryVariantMatters flips the facts of every variant, each alone: on some
// position, or in a game that goes in a circle, something must then be different. The twins must
// agree with the flipped facts too, so the test holds the generators against rules that no variant
// has.
func TestEveryFactOfEveryVariantMatters(t *testing.T) {
	for _, v := range everyOption(t) {
		rng := rand.New(rand.NewPCG(60, 60))
		for _, f := range flips(v) {
			if !f.has(v) {
				continue
			}
			w := *v
			f.do(&w)
			w.prepare()
			if !differ(t, v, &w, rng) {
				t.Errorf("%s: nothing changes with another %s", v, f.fact)
			}
		}
	}
}

// differ looks for a position that comes out differently by two sets of facts.
func differ(t *testing.T, v, w *Variant, rng *rand.Rand) bool {
	if circle(t, v) != circle(t, w) {
		return true
	}
	if v.Name == "italian" { // random positions hardly ever need its third step
		p := dataPosition(t, v, "W:WK28,K2:B15,23,K6,K14")
		if compareTwins(t, w, p); told(v, p) != told(w, p) {
			return true
		}
	}
	for i := range 20000 {
		n, kings := 1+rng.IntN(7), 0.1
		if i%3 > 0 {
			n, kings = 1+i%4, 0.8
		}
		p := randomPosition(v, rng, n, kings)
		p.Quiet, p.Endgame, p.Road = 250*uint8(rng.IntN(2)), 250*uint8(rng.IntN(2)), 250*uint8(rng.IntN(2))
		for _, c := range [2]Color{White, Black} {
			if set := p.Kings(c); v.KingMoveLimit > 0 && !set.Empty() && !p.Men(c).Empty() {
				p = p.WithKingMoves(c, 1+rng.IntN(v.KingMoveLimit), v.Board.Pop(&set))
			}
		}
		if i%50 == 0 {
			compareTwins(t, w, p)
		}
		if told(v, p) != told(w, p) {
			compareTwins(t, w, p)
			return true
		}
	}
	return false
}

// told writes the moves of p, where they lead, and whether the game is over.
func told(v *Variant, p Position) string {
	g := NewGameFrom(v, p)
	outcome, reason := g.Outcome()
	text := []byte(outcome.String() + " " + string(reason))
	for _, m := range g.Legal() {
		q := v.Play(p, m)
		text = fmt.Appendf(text, " %d-%d %v %v", m.From, m.To, m.Captured(), q.Kings(p.Turn))
	}
	return string(text)
}

// circle plays a king of each side to and fro on a board with four kings and returns how that
// ends, and how a game stands in which the side to move has no piece.
func circle(t *testing.T, v *Variant) string {
	b := v.Board
	none, reason := NewGameFrom(v, NewPosition(b.Set(Square(b.Squares())), Set{}, Set{}, Black)).Outcome()
	rng := rand.New(rand.NewPCG(61, 61))
	for range 10000 {
		s := rng.Perm(b.Squares())
		white, black := b.Set(Square(s[0]+1), Square(s[1]+1)), b.Set(Square(s[2]+1), Square(s[3]+1))
		g := NewGameFrom(v, NewPosition(white, black, white.Or(black), White))
		if v.FirstKingWins {
			return fmt.Sprint(none, reason)
		}
		for !g.Over() && g.Ply() < 40 {
			m := g.Legal()[0]
			if n := g.Ply(); n >= 2 {
				m = NewMove(g.Moves()[n-2].To, g.Moves()[n-2].From, Set{})
			}
			if m.IsCapture() || g.Play(m) != nil {
				break
			}
		}
		if g.Ply() < 8 {
			continue // there is something to take
		}
		outcome, why := g.Outcome()
		return fmt.Sprint(none, reason, outcome, why, g.Ply())
	}
	t.Fatalf("%s: no four kings that let each other be", v)
	return ""
}
