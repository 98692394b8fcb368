package board

import (
	"cmp"
	"context"
	"slices"

	"damier/notation"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// Verdict is the result of a legal move in the endgame tables. A result is 1 for a win of the side
// that makes the move, 0 for a draw and -1 for a loss.
type Verdict struct {
	Move  rules.Move
	Known bool // whether the tables know the position after the move; otherwise the rest is zero

	Result int  // takes the draw counters into account if Sure
	Plies  int  // to the end of the game without draw counters, this move included; 0 for a draw
	Sure   bool // false if a draw counter may prevent the win or loss

	// Forbidden means that the draw would be Theory in Plies without the draw counters.
	Forbidden bool
	Theory    int
}

// rank orders verdicts by their value for the side that moves: higher kind first, then higher
// pace.
func (x Verdict) rank() (kind, pace int) {
	pace = -x.Theory * x.Plies // win fast, lose slowly
	switch {
	case !x.Known:
		return 0, 0
	case x.Result < 0 && x.Sure:
		return 1, pace
	case x.Result < 0: // at most a draw
		return 2, pace
	case x.Result == 0:
		return 4 + x.Theory, pace
	case !x.Sure: // at least a draw
		return 6, pace
	}
	return 7, pace
}

// compareVerdicts compares two verdicts for [slices.SortStableFunc], which then puts the best
// first.
func compareVerdicts(a, b Verdict) int {
	kindA, paceA := a.rank()
	kindB, paceB := b.rank()
	return cmp.Or(cmp.Compare(kindB, kindA), cmp.Compare(paceB, paceA))
}

// positionVerdict returns the verdict on a position, given those on all its moves, best first. It
// is unknown if a move is unknown and no move wins for sure.
func positionVerdict(moves []Verdict) Verdict {
	best := moves[0]
	if best.Result > 0 && best.Sure || moves[len(moves)-1].Known {
		return best
	}
	return Verdict{}
}

// verdictState is a verdict as sent to the page.
type verdictState struct {
	Text      string `json:"text,omitempty"`   // the move; "" for the position
	Result    string `json:"result,omitempty"` // win, draw or loss; "" if the tables do not know
	Plies     int    `json:"plies,omitempty"`
	Moves     int    `json:"moves,omitempty"` // number of plies that the side to move makes
	Sure      bool   `json:"sure"`
	Forbidden string `json:"forbidden,omitempty"` // win or loss: what a draw counter prevents
}

// verdictsState holds the verdicts on a position, for the side to move.
type verdictsState struct {
	Rev      int            `json:"rev"`
	Side     string         `json:"side"`               // the side to move
	Refused  string         `json:"refused,omitempty"`  // why none: over, unknown or failed
	Error    *web.Said      `json:"error,omitempty"`    // Refused as a text
	Position *verdictState  `json:"position,omitempty"` // nil if refused
	Moves    []verdictState `json:"moves,omitempty"`    // all legal moves, best first
}

// state returns a verdict as sent to the page; text is the move, "" for the position.
func (x Verdict) state(text string) verdictState {
	s := verdictState{Text: text, Sure: x.Sure, Plies: x.Plies}
	if !x.Known {
		return s
	}
	names := [...]string{"loss", "draw", "win"}
	s.Result = names[x.Result+1]
	switch { // The winner makes the last ply, so the loser makes one move less.
	case x.Theory > 0:
		s.Moves = (x.Plies + 1) / 2
	case x.Theory < 0:
		s.Moves = max(x.Plies/2, 1)
	}
	if x.Forbidden {
		s.Forbidden = names[x.Theory+1]
	}
	return s
}

// doVerdicts switches the verdicts of the endgame tables on or off.
func (b *board) doVerdicts(q request) (any, error) {
	if q.On && b.server.config.Verdicts == nil {
		return nil, web.Refuse(409, "tables",
			"this server has no endgame tables; start it with --egdb on")
	}
	b.verdicts = q.On
	return nil, nil
}

// judgeByTables stops the look-up in the endgame tables and, if it is wanted, starts a new one.
// The caller holds the lock.
func (b *board) judgeByTables() {
	if b.stopVerdicts != nil {
		b.stopVerdicts()
		b.stopVerdicts = nil
	}
	b.lastVerdicts = event{}
	if !b.verdicts || len(b.streams) == 0 {
		return // listen starts it
	}
	rev, side := b.rev, b.game.Position().Turn.String()
	publish := func(s verdictsState) {
		s.Rev, s.Side = rev, side
		b.lastVerdicts = event{"verdicts", web.Encode(s)}
		b.broadcast(b.lastVerdicts)
	}
	if b.over() {
		publish(refusedVerdicts("over", rules.ErrGameOver))
		return
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.stopVerdicts = cancel
	v, p := b.game.Variant(), b.game.Position()
	run := func(ctx context.Context, _ *searches.Worker) {
		moves, err := b.server.config.Verdicts(ctx, v, p)
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case ctx.Err() != nil || b.rev != rev:
		case err != nil:
			publish(refusedVerdicts("failed", err))
		default:
			publish(verdictsOf(v, p, moves))
		}
	}
	err := b.server.queue.Add(&searches.Job{Context: ctx, Background: true, Run: run})
	if err != nil {
		publish(refusedVerdicts("failed", err))
	}
}

// refusedVerdicts says why there are no verdicts.
func refusedVerdicts(kind string, err error) verdictsState {
	said := web.Failed(err)
	return verdictsState{Refused: kind, Error: &said}
}

// verdictsOf returns the verdicts on the legal moves of p as sent to the page.
func verdictsOf(v *rules.Variant, p rules.Position, moves []Verdict) verdictsState {
	if !slices.ContainsFunc(moves, func(x Verdict) bool { return x.Known }) {
		return refusedVerdicts("unknown",
			rules.Messagef("the endgame tables do not know this position"))
	}
	moves = slices.Clone(moves)
	slices.SortStableFunc(moves, compareVerdicts)
	whole := positionVerdict(moves).state("")
	s := verdictsState{Position: &whole}
	for _, x := range moves {
		s.Moves = append(s.Moves, x.state(notation.FormatMove(v, p, x.Move)))
	}
	return s
}
