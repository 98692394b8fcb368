package board

import (
	"context"
	"slices"
	"time"

	"damier/notation"
	marks "damier/review"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// effort is the search effort for one position.
type effort struct {
	Visits int `json:"visits"` // of a tree search
	Depth  int `json:"depth"`  // of the alpha-beta, in plies
}

// efforts are the choices for a review. A position takes at most searches.MoveTime.
var efforts = []effort{{100, 6}, {400, 8}, {1600, 10}, {6400, 12}}

// defaultEffort is the index in efforts used when none is chosen.
const defaultEffort = 1

// longestBetter is the maximum number of moves sent of a better line.
const longestBetter = 8

// review is the search of every position of a line, from the last to the first.
type review struct {
	nodes    []*node // the root and the line when the review began
	engine   string
	effort   effort
	done     int                // positions searched so far
	points   []point            // of all nodes, when the review is done
	accuracy map[string]float64 // in [0,100], by side, if it had a choice
	at       time.Time
	ctx      context.Context
	cancel   context.CancelFunc // nil when the review is over
	failed   *web.Said
}

// point is the result of a review for one position. Scores are White's, in [0,1].
type point struct {
	Node  int     `json:"node"`
	Ply   int     `json:"ply"`
	Score float64 `json:"score"`
	Men   float64 `json:"men"`            // Score as a lead in men, within ±10
	Best  string  `json:"best,omitempty"` // the search's best move; none at the end

	// Of the move that led here, if it has a mark:
	Mark   string   `json:"mark,omitempty"`   // doubtful, mistake or blunder
	Loss   float64  `json:"loss,omitempty"`   // the expected score that it cost its side
	Before float64  `json:"before,omitempty"` // the score after the best move instead
	Lead   float64  `json:"lead,omitempty"`   // Before as a lead in men
	Better []string `json:"better,omitempty"` // the line that begins with the best move
}

// doReview starts a review of the line, or stops the running one.
func (b *board) doReview(q request) (any, error) {
	if !q.On {
		if b.review != nil && b.review.cancel != nil {
			b.endReview(nil)
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
	g := rules.NewGameFrom(v, b.game.Start())
	for _, n := range b.line {
		if o, _ := g.Outcome(); o == rules.Draw {
			g.End(rules.Ongoing, rules.NoReason) // nobody claimed the draw
		}
		if err := g.Play(n.move); err != nil {
			return nil, err
		}
	}
	r := &review{
		nodes:  append([]*node{b.root}, b.line...),
		engine: b.server.config.Analyst(v),
		effort: e,
		at:     time.Now(),
	}
	analyst, err := marks.New(searches.NewQueued(b.server.queue, v, r.engine), r.limits())
	if err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancel(b.ctx)
	b.review = r
	go b.runReview(r.ctx, r, analyst, g)
	return nil, nil
}

// limits returns the effort in the engine's unit. Combinations are left out, because their search
// does not run in the queue.
func (r *review) limits() marks.Config {
	c := marks.Config{Depth: r.effort.Depth, NoCombinations: true}
	if r.engine == searches.TreeSearch {
		c.Depth, c.Nodes = 0, int64(r.effort.Visits)
	}
	return c
}

// reviewing reports whether a review is running; the analysis of the position waits for its end.
// The caller holds the lock.
func (b *board) reviewing() bool { return b.review != nil && b.review.cancel != nil }

// runReview runs the review of g and sends its progress to the streams.
func (b *board) runReview(ctx context.Context, r *review, analyst *marks.Analyst, g *rules.Game) {
	found, err := analyst.Review(ctx, g, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		r.done++
		if now := time.Now(); b.review == r && r.cancel != nil && now.Sub(r.at) > reportEvery {
			r.at = now
			b.broadcast(r.event())
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.review != r || r.cancel == nil: // stopped or dropped
	case err != nil:
		b.endReview(err)
	default:
		r.take(g, found)
		b.endReview(nil)
	}
}

// take stores the result of the review of g.
func (r *review) take(g *rules.Game, found *marks.Review) {
	v, positions := g.Variant(), g.Positions()
	r.points = []point{{Score: found.Start}}
	for i, p := range found.Plies {
		k := point{Ply: i + 1, Score: p.Score}
		best := p.Move // the only legal move
		if len(p.Line) > 0 {
			best = p.Line[0]
		}
		r.points[i].Best = notation.FormatMove(v, positions[i], best)
		if p.Mark != "" {
			k.Mark = string(p.Mark)
			k.Loss = p.Loss
			k.Before = p.BestScore
			k.Lead = marks.Men(p.BestScore)
			q := positions[i]
			for _, m := range p.Line[:min(len(p.Line), longestBetter)] {
				k.Better = append(k.Better, notation.FormatMove(v, q, m))
				q = v.Play(q, m)
			}
		}
		r.points = append(r.points, k)
	}
	for i := range r.points {
		r.points[i].Node, r.points[i].Men = r.nodes[i].id, marks.Men(r.points[i].Score)
	}
	r.accuracy = map[string]float64{}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		if s := found.Of(c); s.Moves > 0 {
			r.accuracy[c.String()] = s.Accuracy
		}
	}
}

// event returns the event with the progress and the results of the review.
func (r *review) event() event {
	return event{"review", web.Encode(map[string]any{
		"running":  r.cancel != nil,
		"engine":   r.engine,
		"effort":   r.effort,
		"total":    len(r.nodes),
		"done":     r.done,
		"points":   append([]point{}, r.points...),
		"accuracy": r.accuracy,
		"error":    r.failed,
	})}
}

// endReview ends the review, with an error or nil. The caller holds the lock.
func (b *board) endReview(err error) {
	r := b.review
	r.cancel()
	r.cancel = nil
	if err != nil {
		said := web.Failed(err)
		r.failed = &said
	}
	b.broadcast(r.event())
	b.analyse() // it waited for the review
}

// dropReview stops and deletes the review. The caller holds the lock.
func (b *board) dropReview() {
	r := b.review
	if r == nil {
		return
	}
	if r.cancel != nil {
		r.cancel()
	}
	b.review = nil
	none := map[string]any{"running": false, "total": 0, "done": 0, "points": []point{}}
	b.broadcast(event{"review", web.Encode(none)})
}

// forgetReviewOf deletes the review if n is part of its line. The caller holds the lock.
func (b *board) forgetReviewOf(n *node) {
	if b.review != nil && slices.Contains(b.review.nodes, n) {
		b.dropReview()
	}
}
