package review

import (
	"context"
	"fmt"
	"math"

	"damier/engine"
	"damier/rules"
	"damier/tactics"
)

// Kind is what sort of mistake a move is.
type Kind string

// The kinds. A mistake is of the first that applies.
const (
	Ending  Kind = "endgame"             // by endgame tables, the move gives a win or a draw away
	Missed  Kind = "missed combination"  // there was one, and another move was played
	Allowed Kind = "allowed combination" // the opponent has one after it
	Other   Kind = "other"
)

// Kinds returns all kinds, in their order.
func Kinds() []Kind { return []Kind{Ending, Missed, Allowed, Other} }

// Prober knows how positions of few pieces end: endgame tables.
type Prober interface {
	Pieces() int
	Solve(p rules.Position) (outcome rules.Outcome, plies int, exact, ok bool)
	Best(p rules.Position) (rules.Move, bool)
}

// Verdict is what endgame tables say of a position.
type Verdict struct {
	Outcome rules.Outcome
	Plies   int  // to the end of the game, 0 for a draw
	Sure    bool // false for a win that a draw counter may yet forbid
}

// Ply is what a review has found of a move. The positions before and after it are those of the
// game.
type Ply struct {
	Move  rules.Move
	Side  rules.Color // that moved
	Score float64     // after the move, White's

	// Choice tells that there was another legal move, and the game was not over by the rules.
	Choice bool

	// Line begins with the move that is held best, which may be the one that was played. BestScore is
	// White's after that move. Without a choice the line is empty.
	Line      []rules.Move
	BestScore float64

	Loss     float64 // of the expected score of Side, in [0,1]; 0 if the move is as good as the best
	Accuracy float64 // in [0,100]
	Mark     Mark
	Kind     Kind // of a move with a mark

	// Combination is the one that there was before the move, nil if none; Found tells that its first
	// move was played. Threat is the one that the opponent has after a move with a mark.
	Combination *tactics.Tactic
	Found       bool
	Threat      *tactics.Tactic

	// Verdict is that of endgame tables on the position after the move, nil if they do not know it.
	Verdict *Verdict
}

// Review is what was found of a game.
type Review struct {
	Variant *rules.Variant
	Start   float64 // White's score before the first move
	Plies   []Ply   // of every move of the game
}

// Side sums up the moves of one player.
type Side struct {
	Moves    int     // with a choice
	Accuracy float64 // mean of the moves with a choice, in [0,100]; NaN if there was none
	Loss     float64 // mean of the same, in the expected score; NaN if there was none
	Marks    map[Mark]int
	Kinds    map[Kind]int // of the moves with a mark
	Missed   int          // combinations that were there and not played, with a mark or without
	Found    int          // combinations played
}

// Add counts the moves of other, too.
func (s *Side) Add(other Side) {
	if s.Marks == nil {
		s.Marks, s.Kinds = map[Mark]int{}, map[Kind]int{}
		s.Accuracy, s.Loss = math.NaN(), math.NaN()
	}
	if other.Moves > 0 {
		mean := func(a, b float64) float64 {
			if s.Moves == 0 {
				return b
			}
			return (a*float64(s.Moves) + b*float64(other.Moves)) / float64(s.Moves+other.Moves)
		}
		s.Accuracy, s.Loss = mean(s.Accuracy, other.Accuracy), mean(s.Loss, other.Loss)
		s.Moves += other.Moves
	}
	for m, n := range other.Marks {
		s.Marks[m] += n
	}
	for k, n := range other.Kinds {
		s.Kinds[k] += n
	}
	s.Missed += other.Missed
	s.Found += other.Found
}

// Of sums up the moves of a side.
func (r *Review) Of(c rules.Color) Side {
	s := Side{Marks: map[Mark]int{}, Kinds: map[Kind]int{}}
	accuracy, loss := 0.0, 0.0
	for _, p := range r.Plies {
		if p.Side != c || !p.Choice {
			continue
		}
		s.Moves++
		accuracy += p.Accuracy
		loss += p.Loss
		if p.Mark != "" {
			s.Marks[p.Mark]++
			s.Kinds[p.Kind]++
		}
		switch {
		case p.Found:
			s.Found++
		case p.Combination != nil:
			s.Missed++
		}
	}
	s.Accuracy, s.Loss = accuracy/float64(s.Moves), loss/float64(s.Moves)
	return s
}

// Config says how an [Analyst] works.
type Config struct {
	// Nodes is the effort for a position, as [engine.Engine.Counts] counts. Depth, if not 0, ends a
	// search of an alpha-beta at so many plies, too.
	Nodes int64
	Depth int

	// Tables are asked before the engine, nil for none. The engine may have the same.
	Tables Prober

	// NoCombinations leaves combinations out.
	NoCombinations bool
}

// Analyst reviews games of one variant. It belongs to one goroutine.
type Analyst struct {
	v      *rules.Variant
	e      engine.Engine
	config Config
	finder *tactics.Finder // nil where nothing is won by material
}

// New returns an analyst that asks e, whose variant it has.
func New(e engine.Engine, c Config) (*Analyst, error) {
	if c.Nodes < 1 && c.Depth < 1 {
		return nil, fmt.Errorf("review: neither nodes nor depth of a search is given")
	}
	a := &Analyst{v: e.Variant(), e: e, config: c}
	if !c.NoCombinations && !a.v.NoMovesWins {
		a.finder = tactics.NewFinder(a.v)
	}
	return a, nil
}

// Review looks at a game from its last position to its first. An end by resignation, agreement or
// time is no part of it. step, if not nil, is called after every position. The error is that of
// ctx, or of the engine.
func (a *Analyst) Review(ctx context.Context, game *rules.Game, step func()) (*Review, error) {
	g := rules.NewGameFrom(a.v, game.Start())
	moves := game.Moves()
	for i, m := range moves {
		if o, _ := g.Outcome(); o == rules.Draw {
			g.End(rules.Ongoing, rules.NoReason) // nobody has claimed it
		}
		if err := g.Play(m); err != nil {
			return nil, fmt.Errorf("review: move %d: %w", i+1, err)
		}
	}
	a.e.NewGame()
	r := &Review{Variant: a.v, Plies: make([]Ply, len(moves))}
	var after found
	var threat *tactics.Tactic // of the position after the move
	for i := len(moves); i >= 0; i-- {
		if i < len(moves) {
			g.Undo()
		}
		var here found
		if i < len(moves) && a.forced(g) { // the same as after it, to the last digit
			here = found{score: after.score, line: append([]rules.Move{moves[i]}, after.line...)}
		} else {
			var err error
			if here, err = a.judge(ctx, g); err != nil {
				return nil, err
			}
		}
		combination := a.combination(g.Position(), here)
		if i < len(moves) {
			p := &r.Plies[i]
			*p = Ply{
				Move: moves[i], Side: g.Position().Turn, Score: after.score, Verdict: after.verdict,
				Accuracy: 100, Choice: len(g.Legal()) > 1 && !here.over, Combination: combination,
			}
			if err := a.compare(ctx, g, p, here); err != nil {
				return nil, err
			}
			p.classify(here.verdict, threat)
		}
		if step != nil {
			step()
		}
		r.Start, after, threat = here.score, here, combination
	}
	return r, nil
}

// compare finds what the move cost: the score after the best one less that after the one played.
func (a *Analyst) compare(ctx context.Context, g *rules.Game, p *Ply, here found) error {
	if !p.Choice {
		return nil
	}
	p.BestScore = p.Score
	if len(here.line) == 0 || here.line[0] == p.Move {
		p.Line = here.line
		if len(p.Line) == 0 {
			p.Line = []rules.Move{p.Move}
		}
		return nil
	}
	if err := g.Play(here.line[0]); err != nil {
		return fmt.Errorf("review: the engine plays %w", err)
	}
	best, err := a.judge(ctx, g)
	g.Undo()
	if err != nil {
		return err
	}
	loss := best.score - p.Score
	if p.Side == rules.Black {
		loss = -loss
	}
	if loss <= 0 {
		p.Line = []rules.Move{p.Move}
		return nil
	}
	p.Line, p.BestScore, p.Loss = here.line, best.score, loss
	if len(best.line) > 0 && len(best.line) >= len(here.line) {
		p.Line = append([]rules.Move{here.line[0]}, best.line...)
	}
	return nil
}

// classify marks the move. before is the tables' verdict on the position before it, threat the
// combination that the opponent has after it.
func (p *Ply) classify(before *Verdict, threat *tactics.Tactic) {
	p.Accuracy = Accuracy(p.Loss)
	p.Mark = MarkOf(p.Loss)
	p.Found = p.Combination != nil && p.Combination.Line[0] == p.Move
	if p.Mark == "" {
		return
	}
	p.Threat = threat
	switch {
	case before != nil && p.Verdict != nil && before.Outcome != p.Verdict.Outcome:
		p.Kind = Ending
	case p.Combination != nil && !p.Found:
		p.Kind = Missed
	case threat != nil:
		p.Kind = Allowed
	default:
		p.Kind = Other
	}
}
