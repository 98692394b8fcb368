package review

import (
	"context"
	"fmt"
	"math"
	"slices"

	"damier/engine"
	"damier/rules"
	"damier/tactics"
)

// found is what is known of a position.
type found struct {
	score   float64 // White's
	over    bool    // by the rules
	line    []rules.Move
	verdict *Verdict
}

// Judge returns White's expected score of the position of g, in [0,1], as a review finds it, and
// the moves that are expected from there. It may be called between reviews. g is as it was
// afterwards. The error is that of ctx, or of the engine.
func (a *Analyst) Judge(ctx context.Context, g *rules.Game) (float64, []rules.Move, error) {
	f, err := a.judge(ctx, g)
	return f.score, f.line, err
}

// longestForced is how many forced moves in a row are followed before a search.
const longestForced = 64

// judge returns what is known of the position of g: by the rules, else by the tables, else by a
// search. Where there is one legal move a search would look no further, so it is played first, and
// what is known of the position after it is the answer. g is as it was afterwards.
func (a *Analyst) judge(ctx context.Context, g *rules.Game) (found, error) {
	var forced []rules.Move
	defer func() {
		for range forced {
			g.Undo()
		}
	}()
	for len(forced) < longestForced && a.forced(g) {
		forced = append(forced, g.Legal()[0])
		if err := g.Play(g.Legal()[0]); err != nil {
			return found{}, fmt.Errorf("review: %w", err)
		}
	}
	f, err := a.ask(ctx, g)
	if len(forced) > 0 {
		f.line = append(slices.Clip(slices.Clone(forced)), f.line...)
		f.over, f.verdict = false, nil
	}
	return f, err
}

// forced reports whether there is one legal move in g and neither the rules nor the tables say
// what it is worth.
func (a *Analyst) forced(g *rules.Game) bool {
	return !g.Over() && len(g.Legal()) == 1 && !a.tabled(g.Position())
}

// tabled reports whether endgame tables know p.
func (a *Analyst) tabled(p rules.Position) bool {
	t := a.config.Tables
	if t == nil || p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() > t.Pieces() {
		return false
	}
	_, _, _, ok := t.Solve(p)
	return ok
}

// ask is judge without forced moves.
func (a *Analyst) ask(ctx context.Context, g *rules.Game) (found, error) {
	p := g.Position()
	if o, _ := g.Outcome(); o != rules.Ongoing {
		return found{score: float64(o.WDL(rules.White).Score()), over: true}, nil
	}
	if err := ctx.Err(); err != nil {
		return found{}, err
	}
	if a.tabled(p) {
		t := a.config.Tables
		outcome, plies, exact, _ := t.Solve(p)
		f := found{score: float64(outcome.WDL(rules.White).Score()), verdict: &Verdict{outcome, plies, exact}}
		if m, ok := t.Best(p); ok {
			f.line = []rules.Move{m}
		}
		return f, nil
	}
	last, before := math.NaN(), math.NaN() // scores of the last two iterations
	depth := 0
	thought, err := a.e.Think(ctx, g, engine.Limits{Nodes: a.config.Nodes, Depth: a.config.Depth, Analyze: true}, func(t engine.Thought) {
		switch {
		case t.Depth > depth:
			before, last, depth = last, t.Expected, t.Depth
		default:
			last = t.Expected
		}
	})
	if err == nil {
		err = ctx.Err() // it ends a search early, without an error
	}
	if err != nil {
		return found{}, err
	}
	score := thought.Expected
	if a.iterates() && thought.WinIn == 0 && !math.IsNaN(before) {
		score = (last + before) / 2
	}
	if p.Turn == rules.Black {
		score = 1 - score
	}
	return found{score: score, line: thought.Line}, nil
}

// iterates reports whether the engine searches deeper and deeper, so that its scores are those of
// depths. A tree search counts visits, and its score is a mean already.
func (a *Analyst) iterates() bool { return a.e.Counts() == "nodes" }

// combination returns the combination that p has, nil if none.
func (a *Analyst) combination(p rules.Position, here found) *tactics.Tactic {
	if a.finder == nil || here.over || here.verdict != nil {
		return nil
	}
	t, ok := a.finder.Find(p)
	if !ok {
		return nil
	}
	t.Rate()
	return &t
}
