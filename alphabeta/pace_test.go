package alphabeta

import (
	"context"
	"testing"
	"time"

	"damier/rules"
)

// TestPace: a search on a clock ends early where its best move stays the same, late where its score
// falls, and never after its longest time.
func TestPace(t *testing.T) {
	type result struct {
		move  rules.Square
		score Score
	}
	const should = time.Second
	moves := func(r ...result) []result { return r }
	for _, c := range []struct {
		name          string
		results       []result
		falling       bool          // in the present iteration
		must          time.Duration // 0: none is known
		begin, finish time.Duration // when no iteration begins, when one must end
	}{
		{"a new best move", moves(result{1, 0}, result{2, 10}), false, 4 * should, 800 * time.Millisecond, should},
		{"long the same", moves(result{1, 0}, result{1, 0}, result{1, 9}, result{1, 0}, result{1, 5}, result{1, 0}, result{1, 0}), false,
			4 * should, 450 * time.Millisecond, should},
		{"the score fell", moves(result{1, 50}, result{1, 20}), false, 4 * should, 1500 * time.Millisecond, 2500 * time.Millisecond},
		{"it fell, with little time", moves(result{1, 50}, result{1, 20}), false, 1100 * time.Millisecond, 1100 * time.Millisecond,
			1100 * time.Millisecond},
		{"it fell, and no longest time is known", moves(result{1, 50}, result{1, 20}), false, 0, should, should},
		{"it fell, but not in the last iteration", moves(result{1, 50}, result{1, 20}, result{2, 20}), false, 4 * should,
			800 * time.Millisecond, should},
		{"it is falling", moves(result{1, 0}, result{2, 0}), true, 4 * should, 800 * time.Millisecond, 2500 * time.Millisecond},
		{"the first score is low", moves(result{1, -300}), false, 4 * should, 800 * time.Millisecond, should},
	} {
		var p pace
		p.start(should, c.must)
		for _, r := range c.results {
			p.iterated(rules.Move{From: r.move}, r.score)
		}
		p.falling = c.falling
		if p.enough(c.begin-time.Millisecond) || !p.enough(c.begin+time.Millisecond) {
			t.Errorf("%s: iterations do not begin until %v", c.name, c.begin)
		}
		if p.over(c.finish-time.Millisecond) || !p.over(c.finish+time.Millisecond) {
			t.Errorf("%s: an iteration does not last until %v", c.name, c.finish)
		}
	}
}

// TestPaceOfLimits: the longest time is that of the context, and a search that loses the time it
// does not use has no pace.
func TestPaceOfLimits(t *testing.T) {
	e, err := New(rules.International, Config{TableBits: 8})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	e.prepare(ctx, g, Limits{Time: time.Minute})
	if p := e.pace; p.should != time.Minute || p.must < 59*time.Minute || p.must > time.Hour {
		t.Errorf("the pace is %+v", p)
	}
	e.prepare(t.Context(), g, Limits{Time: time.Minute})
	if p := e.pace; p.should != time.Minute || p.must != time.Minute {
		t.Errorf("without a longest time the pace is %+v", p)
	}
	e.prepare(ctx, g, Limits{Time: time.Minute, Whole: true})
	if p := e.pace; p.should != 0 || p.enough(time.Hour) {
		t.Errorf("with the whole time the pace is %+v", p)
	}
	e.began = time.Now().Add(-59 * time.Second)
	if e.timeUp() {
		t.Error("the time is up before its end")
	}
	e.began = time.Now().Add(-time.Minute)
	if !e.timeUp() {
		t.Error("the time is not up at its end")
	}
}
