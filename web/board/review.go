package board

import (
	"context"
	"slices"
	"time"

	"damier/engine"
	"damier/notation"
	marks "damier/review"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// effort is how hard each position of a game is looked at.
type effort struct {
	Visits int `json:"visits"` // of a tree search
	Depth  int `json:"depth"`  // of the alpha-beta, in plies
}

// efforts are what can be chosen; a position takes searches.MoveTime at most.
var efforts = []effort{{50, 4}, {200, 6}, {800, 8}, {3200, 10}}

// defaultEffort is one for somebody who has not chosen.
const defaultEffort = 1

// review is the search of every position of a line, one after the other.
type review struct {
	nodes  []*node // the root and the line as it was
	game   *rules.Game
	engine string
	effort effort
	points []point // found so far, of the first nodes
	sent   int     // of them, to those who listen
	at     time.Time
	ctx    context.Context
	cancel context.CancelFunc // nil when it is over
	failed string
}

// point is what a review has found of a position. Scores are White's.
type point struct {
	Node  int     `json:"node"`
	Ply   int     `json:"ply"`
	Score float64 `json:"score"`
	Best  string  `json:"best,omitempty"` // the move that the search holds best; none where the game is over
	Mark  string  `json:"mark,omitempty"` // of the move that led here: doubtful, mistake or blunder
	Loss  float64 `json:"loss,omitempty"` // what it cost its side

	best   rules.Move
	choice bool // there is more than one move
}

// doReview begins the review of the line, or ends the one that is under way.
func (b *board) doReview(q request) (any, error) {
	if !q.On {
		if b.review != nil && b.review.cancel != nil {
			b.endReview("")
		}
		return nil, nil
	}
	e := efforts[defaultEffort]
	if q.Index != nil {
		if *q.Index < 0 || *q.Index >= len(efforts) {
			return nil, web.Refuse(422, "request", "there is no effort %d; 0 to %d are", *q.Index, len(efforts)-1)
		}
		e = efforts[*q.Index]
	}
	if len(b.line) == 0 {
		return nil, web.Refuse(409, "no-moves", "there is no move to look at yet")
	}
	b.dropReview()
	v := b.game.Variant()
	r := &review{
		nodes: append([]*node{b.root}, b.line...), game: rules.NewGameFrom(v, b.game.Start()), engine: b.server.config.Best(v), effort: e,
	}
	r.ctx, r.cancel = context.WithCancel(b.ctx)
	b.review = r
	if err := b.reviewNext(r); err != nil {
		b.dropReview()
		return nil, web.Refuse(503, "busy", "%v", err)
	}
	return nil, nil
}

// reviewing reports whether a review is under way; the analysis of the position waits for it. The caller holds the lock.
func (b *board) reviewing() bool { return b.review != nil && b.review.cancel != nil }

// reviewNext queues the next position. Only one of a review is ever in the queue. The caller holds the lock.
func (b *board) reviewNext(r *review) error {
	g := r.game.Clone()
	return b.server.queue.Add(&searches.Job{Context: r.ctx, Background: true, Run: func(ctx context.Context, w *searches.Worker) {
		t, err := judge(ctx, w, g, r.engine, "", r.effort)
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil {
			return // cancelled, or it gives way and is taken up again
		}
		if err != nil {
			b.endReview(err.Error())
			return
		}
		r.add(g, t)
		if len(r.points) == len(r.nodes) {
			b.endReview("")
			return
		}
		next := r.nodes[len(r.points)]
		if o, _ := r.game.Outcome(); o == rules.Draw {
			r.game.End(rules.Ongoing, rules.NoReason) // nobody has claimed it
		}
		if err := r.game.Play(next.move); err != nil {
			b.endReview(err.Error())
			return
		}
		if now := time.Now(); now.Sub(r.at) > reportEvery {
			r.at = now
			b.broadcast(r.event(r.sent))
			r.sent = len(r.points)
		}
		if err := b.reviewNext(r); err != nil {
			b.endReview(err.Error())
		}
	}})
}

// add adds what has been found of the position of g.
func (r *review) add(g *rules.Game, t engine.Thought) {
	v, p := g.Variant(), g.Position()
	at := r.nodes[len(r.points)]
	k := point{Node: at.id, Ply: len(r.points), best: t.Move, choice: len(g.Legal()) > 1}
	k.Score = web.WhitesScore(p.Turn, t.Expected)
	if len(g.Legal()) > 0 && !g.Over() {
		k.Best = notation.FormatMove(v, p, t.Move)
	}
	if n := len(r.points); n > 0 {
		if before := r.points[n-1]; before.choice && before.Best != "" && before.best != at.move {
			k.Loss = before.Score - k.Score
			if at.turn == rules.Black {
				k.Loss = -k.Loss
			}
			if k.Mark = string(marks.MarkOf(k.Loss)); k.Mark == "" {
				k.Loss = 0
			}
		}
	}
	r.points = append(r.points, k)
}

// event tells of the points from one on.
func (r *review) event(from int) event {
	return event{"review", web.Encode(map[string]any{
		"running": r.cancel != nil, "engine": r.engine, "effort": r.effort, "total": len(r.nodes), "from": from,
		"points": append([]point{}, r.points[from:]...), "error": r.failed,
	})}
}

// endReview ends a review and keeps what it has found. The caller holds the lock.
func (b *board) endReview(failed string) {
	r := b.review
	r.cancel()
	r.cancel, r.failed = nil, failed
	b.broadcast(r.event(r.sent))
	r.sent = len(r.points)
	b.analyse() // has waited
}

// dropReview forgets the review. The caller holds the lock.
func (b *board) dropReview() {
	r := b.review
	if r == nil {
		return
	}
	if r.cancel != nil {
		r.cancel()
	}
	b.review = nil
	b.broadcast(event{"review", web.Encode(map[string]any{"running": false, "total": 0, "from": 0, "points": []point{}})})
}

// forgetReviewOf forgets the review if a node was part of it. The caller holds the lock.
func (b *board) forgetReviewOf(n *node) {
	if b.review != nil && slices.Contains(b.review.nodes, n) {
		b.dropReview()
	}
}
