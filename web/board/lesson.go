package board

import (
	"context"
	"slices"

	"damier/notation"
	marks "damier/review"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// tried is the verdict on a move that a person tries in place of a mistake of the review. Scores
// are White's, in [0,1].
type tried struct {
	Node  int          `json:"node"` // of the mistake
	Text  string       `json:"text"` // the move that was tried
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
	Best  bool         `json:"best"` // it is the best move of the review
	Good  bool         `json:"good"` // it costs less than a doubtful move does
	Score float64      `json:"score"`
	Men   float64      `json:"men"`             // Score as a lead in men, within ±10
	Reply string       `json:"reply,omitempty"` // what the other side would answer
	Error string       `json:"error,omitempty"`
}

// doTry judges a move in place of a mistake (node) of the review: a legal move's index, or its
// text. The board must show the position before the mistake, and does not change. The verdict is
// sent as the event "tried".
func (b *board) doTry(q request) (any, error) {
	r, i := b.review, -1
	if r != nil && q.Node != nil {
		i = slices.IndexFunc(r.points, func(p point) bool {
			return p.Node == *q.Node && p.Mark != ""
		})
	}
	if i < 1 || r.nodes[i].parent != b.here() {
		return nil, web.Refuse(409, "lesson",
			"a move is tried at the position before a mistake of the review")
	}
	m, err := b.tries(q)
	if err != nil {
		return nil, err
	}
	if b.stopTry != nil {
		b.stopTry() // the new attempt replaces the old one
		b.stopTry = nil
	}
	v, before, mistake := b.game.Variant(), b.game.Position(), r.points[i]
	t := tried{Node: mistake.Node, Text: notation.FormatMove(v, before, m), From: m.From, To: m.To}
	switch {
	case t.Text == mistake.Better[0]:
		t.Best = true
		b.judged(t, mistake, before.Turn, mistake.Before)
	case m == r.nodes[i].move: // the review has its score already
		t.Reply = mistake.Best
		b.judged(t, mistake, before.Turn, mistake.Score)
	default:
		return struct{}{}, b.judgeAttempt(r, mistake, m, t)
	}
	return struct{}{}, nil
}

// tries returns the move that a request tries. The caller holds the lock.
func (b *board) tries(q request) (rules.Move, error) {
	if q.Index == nil {
		return b.parse(q.Text)
	}
	legal := b.game.Legal()
	if *q.Index < 0 || *q.Index >= len(legal) {
		return rules.Move{}, web.Refuse(422, "refused", "there is no such move")
	}
	return legal[*q.Index], nil
}

// judgeAttempt searches the position after m with the effort of the review. The caller holds the
// lock.
func (b *board) judgeAttempt(r *review, mistake point, m rules.Move, t tried) error {
	g := b.game.Clone()
	turn := g.Position().Turn
	if o, _ := g.Outcome(); o == rules.Draw {
		g.End(rules.Ongoing, rules.NoReason) // nobody claimed it
	}
	if err := g.Play(m); err != nil {
		return err
	}
	queued := searches.NewQueued(b.server.queue, g.Variant(), r.engine)
	analyst, err := marks.New(queued, r.limits())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(b.ctx)
	b.stopTry = cancel
	go func() {
		defer cancel()
		score, line, err := analyst.Judge(ctx, g)
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case ctx.Err() != nil: // replaced, or the board has changed
		case err != nil:
			t.Error = err.Error()
			b.broadcast(event{"tried", web.Encode(t)})
		default:
			if len(line) > 0 {
				t.Reply = notation.FormatMove(g.Variant(), g.Position(), line[0])
			}
			b.judged(t, mistake, turn, score)
		}
	}()
	return nil
}

// judged sends the verdict on an attempt by turn, after which White scores score. The caller holds
// the lock.
func (b *board) judged(t tried, mistake point, turn rules.Color, score float64) {
	loss := mistake.Before - score
	if turn == rules.Black {
		loss = -loss
	}
	t.Good = t.Best || marks.MarkOf(loss) == ""
	t.Score, t.Men = score, marks.Men(score)
	b.broadcast(event{"tried", web.Encode(t)})
}
