package board

import (
	"context"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// threatEffort is the effort of the search for the threat.
var threatEffort = effort{Visits: 400, Depth: 8}

// threat is the move that the side not to move would play if it were its turn. The score is
// White's.
type threat struct {
	Rev     int         `json:"rev"`
	Side    string      `json:"side"`              // the side that threatens
	Refused string      `json:"refused,omitempty"` // why none: over, capture, none or failed
	Error   *web.Said   `json:"error,omitempty"`   // Refused as a text
	Text    string      `json:"text,omitempty"`    // the move
	Path    web.Squares `json:"path,omitempty"`    // its landing squares, start and end included
	Taken   int         `json:"taken,omitempty"`   // number of pieces captured
	Score   float64     `json:"score"`

	PV []string `json:"pv,omitempty"`
}

// doThreat switches the threat on or off.
func (b *board) doThreat(q request) (any, error) {
	b.threatening = q.On
	return nil, nil
}

// passTurn returns a new game from the position with the other side to move. If the side to move
// cannot pass, it returns why: as a word for the page and as an error.
func passTurn(g *rules.Game) (other *rules.Game, kind string, err error) {
	v, p := g.Variant(), g.Position()
	if g.Over() {
		return nil, "over", rules.Messagef("the game is over")
	}
	if legal := g.Legal(); legal[0].IsCapture() {
		return nil, "capture", rules.Messagef("%s must capture and cannot let the move pass", p.Turn)
	}
	p.Turn = p.Turn.Opponent()
	if err := rules.Validate(v, p); err != nil {
		return nil, "none", err
	}
	other = rules.NewGameFrom(v, p)
	if other.Over() {
		return nil, "none", rules.Messagef("%s has nothing to play here", p.Turn)
	}
	return other, "", nil
}

// threaten stops the search for the threat and, if it is wanted, starts a new one. The caller
// holds the lock.
func (b *board) threaten() {
	if b.stopThreat != nil {
		b.stopThreat()
		b.stopThreat = nil
	}
	b.lastThreat = event{}
	if !b.threatening || len(b.streams) == 0 {
		return // listen starts it
	}
	rev := b.rev
	publish := func(t threat) {
		t.Rev = rev
		b.lastThreat = event{"threat", web.Encode(t)}
		b.broadcast(b.lastThreat)
	}
	side := b.game.Position().Turn.Opponent().String()
	g, kind, err := passTurn(b.game)
	if err != nil {
		publish(refusedThreat(side, kind, err))
		return
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.stopThreat = cancel
	best := b.server.config.Best(g.Variant())
	run := func(ctx context.Context, w *searches.Worker) {
		t, err := evaluate(ctx, w, g, best, "", threatEffort)
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case ctx.Err() != nil || b.rev != rev:
		case err != nil:
			publish(refusedThreat(side, "failed", err))
		default:
			publish(threatOf(g, t))
		}
	}
	err = b.server.queue.Add(&searches.Job{Context: ctx, Background: true, Run: run})
	if err != nil {
		publish(refusedThreat(side, "failed", err))
	}
}

// refusedThreat says why there is no threat.
func refusedThreat(side, kind string, err error) threat {
	said := web.Failed(err)
	return threat{Side: side, Refused: kind, Error: &said}
}

// threatOf returns the threat found by a search of g, the game after a pass.
func threatOf(g *rules.Game, t engine.Thought) threat {
	v, p := g.Variant(), g.Position()
	k := newPly(v, p, t.Move, nil)
	f := threat{Side: p.Turn.String(), Text: k.text, Path: k.path, Taken: t.Move.Captured().Len()}
	f.Score = web.WhitesScore(p.Turn, t.Expected)
	for _, m := range t.Line[:min(len(t.Line), pvLength)] {
		f.PV = append(f.PV, notation.FormatMove(v, p, m))
		p = v.Play(p, m)
	}
	return f
}
