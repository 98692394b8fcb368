package tactics

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"

	"damier/rules"
)

// Tactic is a combination with its proof.
type Tactic struct {
	Variant *rules.Variant
	Start   rules.Position // the solver is to move
	// The solver's moves and the longest replies, from the sacrifice to the last capture.
	Line []rules.Move
	// Depth in quiet moves of the proof of the gain, and of the refutation of every other first
	// move.
	Depth int
	Gain  int // in half men, against every reply; Won for the game
	// Visits after which the network prefers the first move for good; 0: not known, -1: not within
	// [MostVisits].
	Visits int
	Nodes  int     // positions that the alpha-beta needs, see [AskNodes]; 0 not known, -1 not found
	Level  int     // difficulty, 1 to 5, see [Tactic.Rate]
	Themes []Theme // themes of the line
	Source string  // origin, such as "self-play, generation 120"; no tab and no line break
}

// Solver returns the side that wins.
func (t *Tactic) Solver() rules.Color { return t.Start.Turn }

// ID returns the id of the tactic, a hash of its variant and position: eight hexadecimal digits.
func (t *Tactic) ID() string {
	h := fnv.New32a()
	h.Write([]byte(t.Variant.String() + " " + t.Variant.FEN(t.Start)))
	return hex.EncodeToString(h.Sum(nil))
}

// Moves returns the number of the solver's moves.
func (t *Tactic) Moves() int { return (len(t.Line) + 1) / 2 }

// Sacrifices returns the number of the solver's moves that are no captures.
func (t *Tactic) Sacrifices() int {
	n := 0
	for i := 0; i < len(t.Line); i += 2 {
		if !t.Line[i].IsCapture() {
			n++
		}
	}
	return n
}

// Given returns the number of pieces that the solver sacrifices in the line.
func (t *Tactic) Given() int {
	n := 0
	for i := 1; i < len(t.Line); i += 2 {
		n += t.Line[i].Captured().Len()
	}
	return n
}

// Positions returns the position before each move of the line, and the last one.
func (t *Tactic) Positions() []rules.Position {
	all := []rules.Position{t.Start}
	for _, m := range t.Line {
		all = append(all, t.Variant.Play(all[len(all)-1], m))
	}
	return all
}

// Rate sets the level, 1 to 5: one for each of the solver's sacrifices, one more if the network
// does not prefer the first move at one visit, and another one if it needs hundreds of visits.
func (t *Tactic) Rate() {
	t.Level = t.Sacrifices()
	if t.Visits > 64 || t.Visits < 0 {
		t.Level++
	}
	if t.Given() > 3 {
		t.Level++
	}
	t.Level = min(max(t.Level, 1), 5)
}

// Check plays the line with the slow twin of the move generator and returns an error if something
// is wrong: illegal moves, a first move that is no sacrifice, a reply that is not a forced
// capture, an end with a capture to make, a balance below the gain, or other themes.
func (t *Tactic) Check() error {
	v, p := t.Variant, t.Start
	fail := func(format string, args ...any) error {
		return fmt.Errorf("tactic %s, %s: %s", t.ID(), v.FEN(t.Start), fmt.Sprintf(format, args...))
	}
	if len(t.Line) < 3 {
		return fail("a line has a sacrifice, a reply and a move that wins, this one has %d moves", len(t.Line))
	}
	before := Balance(v, p, t.Solver())
	for i, m := range t.Line {
		legal := referenceMoves(v, p)
		found := false
		for _, l := range legal {
			found = found || l == m
		}
		switch {
		case !found:
			return fail("move %d, %s, is not legal", i+1, v.FormatMove(m))
		case i == 0 && m.IsCapture():
			return fail("the first move is a capture")
		case i%2 == 1 && !m.IsCapture():
			return fail("the reply %s is not forced", v.FormatMove(m))
		}
		p = v.Play(p, m)
	}
	last := referenceMoves(v, p)
	switch {
	case t.Gain == Won && len(last) > 0:
		return fail("the game goes on")
	case len(last) > 0 && last[0].IsCapture():
		return fail("captures are left at the end")
	case t.Gain != Won && Balance(v, p, t.Solver())-before < t.Gain:
		return fail("the balance is %d and was %d, a gain of %d is said", Balance(v, p, t.Solver()), before, t.Gain)
	}
	themes := Themes(v, t.Start, t.Line)
	if fmt.Sprint(themes) != fmt.Sprint(t.Themes) {
		return fail("the themes are %v, said are %v", themes, t.Themes)
	}
	return nil
}

// referenceMoves returns the moves of the slow generator, or those of the fast one if that takes
// too long.
func referenceMoves(v *rules.Variant, p rules.Position) []rules.Move {
	if moves, ok := v.BoundedReferenceMoves(p, 1<<16); ok {
		return moves
	}
	return v.AppendMoves(nil, p)
}
