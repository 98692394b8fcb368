package tactics

import (
	"fmt"

	"damier/rules"
)

// Man is the value of a man, in half men.
const Man = 2

// Won is the gain of a won game, greater than any gain of material.
const Won = 1000

// King returns the value of a king in v, in half men: three men if it flies, one and a half if
// not.
func King(v *rules.Variant) int {
	if v.KingFlies {
		return 3 * Man
	}
	return 3 * Man / 2
}

// Balance returns the material of side c minus that of its opponent, in half men.
func Balance(v *rules.Variant, p rules.Position, c rules.Color) int {
	o := c.Opponent()
	return Man*(p.Men(c).Len()-p.Men(o).Len()) + King(v)*(p.Kings(c).Len()-p.Kings(o).Len())
}

// Proof searches for wins of material. It may be reused, but only by one goroutine.
type Proof struct {
	// Moves is the move generator; nil means that of the variant. Tests set the slow twin.
	Moves func(dst []rules.Move, p rules.Position) []rules.Move

	// Limit is the largest number of positions that a call may visit, 0 for no limit. A call that
	// reaches it has proved nothing.
	Limit int

	// Forcing allows the solver only those quiet moves after which the opponent must capture. It
	// is fast, and finds combinations only. A win that it proves is a win, but it cannot refute
	// one.
	Forcing bool

	v      *rules.Variant
	solver rules.Color
	target int
	nodes  int
	frames [][]rules.Move
	table  []known
	age    uint32
}

// known is the result for a position in the table.
type known struct {
	key   uint64
	age   uint32
	depth int8
	holds bool
}

// tableBits gives the size of the table of a proof: 2^tableBits positions.
const tableBits = 16

// NewProof returns a proof for v.
func NewProof(v *rules.Variant) *Proof {
	return &Proof{v: v, table: make([]known, 1<<tableBits)}
}

// Nodes returns the number of positions that the last call visited.
func (s *Proof) Nodes() int { return s.nodes }

// Stopped reports whether the last call reached the limit.
func (s *Proof) Stopped() bool { return s.Limit > 0 && s.nodes >= s.Limit }

// Holds reports whether solver can force a balance of at least target from p within depth quiet
// moves of both sides. When these are used up, the balance counts as soon as neither side can
// capture, or the solver has moved and the opponent need not capture.
func (s *Proof) Holds(p rules.Position, solver rules.Color, target, depth int) bool {
	s.solver, s.target, s.nodes = solver, target, 0
	s.age++
	return s.visit(p, depth, 0) && !s.Stopped()
}

// maxPlies is longer than any line, because captures and quiet moves are limited.
const maxPlies = 120

func (s *Proof) visit(p rules.Position, depth, ply int) bool {
	s.nodes++
	if s.Stopped() || ply >= maxPlies {
		return false
	}
	if len(s.frames) <= ply {
		s.frames = append(s.frames, nil)
	}
	mine := p.Turn == s.solver
	moves := s.frames[ply][:0]
	if s.Moves != nil {
		moves = s.Moves(moves, p)
	} else {
		moves = s.v.AppendMoves(moves, p)
	}
	s.frames[ply] = moves
	if len(moves) == 0 {
		o, _ := s.v.Stuck(p)
		return o == rules.Win(s.solver)
	}
	if s.v.DrawByCount(p) != rules.NoReason {
		return false
	}
	if moves[0].IsCapture() {
		return s.anyOrAll(p, moves, mine, depth, ply)
	}
	enough := Balance(s.v, p, s.solver) >= s.target
	if depth <= 0 {
		if !mine || !s.threatened(p) {
			return enough
		}
		if !enough {
			return false // the solver's own pieces may be attacked
		}
		depth = 1
	} else if s.Forcing && (!mine || enough && !s.threatened(p)) {
		return enough
	}
	key := p.Key() ^ uint64(s.solver)
	at := &s.table[key>>(64-tableBits)]
	if at.key == key && at.age == s.age && int(at.depth) == depth {
		return at.holds
	}
	holds := s.anyOrAll(p, moves, mine, depth-1, ply)
	if !s.Stopped() {
		*at = known{key: key, age: s.age, depth: int8(depth), holds: holds}
	}
	return holds
}

// anyOrAll searches the moves of p: for the solver one move must hold, for the opponent all must.
// Moves after which there is a capture come first, because they decide soonest.
func (s *Proof) anyOrAll(p rules.Position, moves []rules.Move, mine bool, depth, ply int) bool {
	quiet := !moves[0].IsCapture()
	for _, loud := range [...]bool{true, false} {
		for _, m := range moves {
			q := s.v.Play(p, m)
			if quiet {
				if s.v.HasCaptures(q) != loud {
					continue
				}
			} else if !loud {
				continue
			}
			if s.visit(q, depth, ply+1) == mine {
				return mine
			}
			if s.Stopped() {
				return false
			}
		}
		if mine && s.Forcing {
			break
		}
	}
	return !mine
}

// threatened reports whether the side that is not to move could capture if it were its turn.
func (s *Proof) threatened(p rules.Position) bool {
	p.Turn = p.Turn.Opponent()
	return s.v.HasCaptures(p)
}

// Prove proves t again, by a full-width proof: the gain holds against every reply, and no other
// first move wins a man and the lead.
func (t *Tactic) Prove() error {
	s := NewProof(t.Variant)
	if err := t.proveGain(s, t.Depth); err != nil {
		return err
	}
	before := Balance(t.Variant, t.Start, t.Solver())
	for _, m := range t.Variant.AppendMoves(nil, t.Start) {
		if m != t.Line[0] && s.Holds(t.Variant.Play(t.Start, m), t.Solver(), max(before+Man, Man), t.Depth-1) {
			return fmt.Errorf("tactic %s: %s wins too", t.ID(), t.Variant.FormatMove(m))
		}
	}
	return nil
}

// proveGain proves that the first move of t wins its gain within depth quiet moves in total.
func (t *Tactic) proveGain(s *Proof, depth int) error {
	target := Won
	if t.Gain != Won {
		target = Balance(t.Variant, t.Start, t.Solver()) + t.Gain
	}
	if !s.Holds(t.Variant.Play(t.Start, t.Line[0]), t.Solver(), target, depth-1) {
		return fmt.Errorf("tactic %s: the gain is not proved to depth %d", t.ID(), depth)
	}
	return nil
}
