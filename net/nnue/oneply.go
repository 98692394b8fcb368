package nnue

import (
	"context"
	"math"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
)

// OnePly evaluates the leaves of a tree search by looking one ply ahead. It evaluates the position
// after every move with all captures played out, so neither the value nor a prior comes from the
// middle of an exchange. The value is that of the best move, the priors are a softmax over the
// values of all moves, and it also returns the value of each move. Only one goroutine may use it.
//
// The sums of the hidden layer are those of the leaf. A quiet move swaps two rows, and all quiet
// moves are evaluated in one pass over the sums.
type OnePly struct {
	v        *rules.Variant
	c        *Cursor
	priors   [priorSteps]float32 // prior, before normalisation, of a move that is this many points worse than the best
	expected []float32           // expected score, by points + mostExpected

	quiet  quietMoves
	offers []int        // indices of the moves of a leaf that let the opponent capture
	next   []rules.Next // the positions after the moves of the leaf, then those after captures being played out
	room   []rules.Move // scratch of AppendCaptured
	left   int          // positions that may still be visited for the present move
	values []alphabeta.Score
}

// quietMoves are the moves of a leaf that one pass evaluates.
type quietMoves struct {
	index  []int
	swaps  []uint16
	values []int32
}

// OnePlyConfig are the settings of a [OnePly]. Zero values are the defaults.
type OnePlyConfig struct {
	// Temperature divides the difference of two moves' logits before the softmax that makes
	// priors.
	Temperature float64
}

// Constants of a OnePly.
const (
	defaultTemperature = 1

	priorSteps   = 2048 // points; moves that are worse by more get the last prior
	mostExpected = 2048 // points; greater scores have the same expected score

	mostSettled = 256 // most positions visited to play out the captures after one move
)

// OnePly returns an evaluator of leaves.
func (e *Evaluator) OnePly(c OnePlyConfig) *OnePly {
	if c.Temperature == 0 {
		c.Temperature = defaultTemperature
	}
	o := &OnePly{v: e.model.Variant, c: e.Cursor(), expected: make([]float32, 2*mostExpected+1)}
	for i := range o.priors {
		o.priors[i] = float32(math.Exp(-float64(i) / (Points * c.Temperature)))
	}
	for i := range o.expected {
		o.expected[i] = float32(1 / (1 + math.Exp(-float64(i-mostExpected)/Points)))
	}
	return o
}

// Evaluate implements [mcts.Evaluator].
func (o *OnePly) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		o.evaluate(&leaves[i])
	}
	return nil
}

// Expected returns the expected score in [0,1] for score s.
func (o *OnePly) Expected(s alphabeta.Score) float32 {
	switch {
	case s >= alphabeta.MateBound:
		return 1
	case s <= -alphabeta.MateBound:
		return 0
	}
	return o.expected[min(max(int(s), -mostExpected), mostExpected)+mostExpected]
}

func (o *OnePly) evaluate(l *mcts.Leaf) {
	o.look(l.Position, l.Moves)
	best := o.values[0]
	for _, s := range o.values {
		best = max(best, s)
	}
	sum := float32(0)
	for i, s := range o.values {
		p := o.priors[min(int(best-s), priorSteps-1)]
		l.Priors[i] = p
		l.Values[i] = o.Expected(s)
		sum += p
	}
	for i := range l.Priors {
		l.Priors[i] /= sum
	}
	q := o.Expected(best)
	l.Value = rules.WDL{Win: q, Loss: 1 - q}
	l.Valued = true
}

// look sets o.values to the value of each move of p for the side that makes it.
func (o *OnePly) look(p rules.Position, moves []rules.Move) {
	o.c.move(&p)
	o.next = o.v.AppendNext(o.next[:0], &p, moves)
	o.values = o.values[:0]
	o.offers = o.offers[:0]
	q := &o.quiet
	q.index, q.swaps = q.index[:0], q.swaps[:0]
	for i, m := range moves {
		x := &o.next[i]
		value := -alphabeta.Mate
		switch {
		case x.Standing == rules.MustCapture:
			o.offers = append(o.offers, i)
		case x.Standing == rules.Stuck:
			value = -o.stuck(&x.Position, 1)
		case m.IsCapture() || o.c.crowded:
			value = -o.c.peek(&x.Position)
		default:
			gone, come := o.c.swap(&p, &x.Position, m)
			q.index = append(q.index, i)
			q.swaps = append(q.swaps, gone, come)
		}
		o.values = append(o.values, value)
	}
	if len(q.index) > 0 {
		if cap(q.values) < len(q.index) {
			q.values = make([]int32, 2*len(q.index))
		}
		q.values = q.values[:len(q.index)]
		o.c.swaps(q.values, q.swaps, p.Turn.Opponent())
		for j, i := range q.index {
			o.values[i] = -alphabeta.Score(q.values[j])
		}
	}
	for _, i := range o.offers {
		o.left = mostSettled
		o.values[i] = -o.capture(&o.next[i].Position, -alphabeta.Mate, alphabeta.Mate, 1)
	}
}

// capture returns the value of p, in which the side to move must capture, with captures played
// out: alpha-beta over captures only, and an evaluation where there is none.
func (o *OnePly) capture(p *rules.Position, alpha, beta alphabeta.Score, ply int) alphabeta.Score {
	if o.left < 0 {
		return o.c.peek(p)
	}
	first := len(o.next)
	o.next, o.room = o.v.AppendCaptured(o.next, o.room, p)
	last := len(o.next)
	best := -alphabeta.Mate
	for i := first; i < last && best < beta; i++ {
		o.left--
		best = max(best, -o.settle(&o.next[i], -beta, -max(alpha, best), ply+1))
	}
	o.next = o.next[:first]
	return best
}

// settle is capture for any position.
func (o *OnePly) settle(x *rules.Next, alpha, beta alphabeta.Score, ply int) alphabeta.Score {
	switch x.Standing {
	case rules.MustCapture:
		return o.capture(&x.Position, alpha, beta, ply)
	case rules.Stuck:
		return o.stuck(&x.Position, ply)
	}
	return o.c.peek(&x.Position)
}

// stuck returns the value of p, in which the side to move has no legal move.
func (o *OnePly) stuck(p *rules.Position, ply int) alphabeta.Score {
	if outcome, _ := o.v.Stuck(*p); outcome == rules.Win(p.Turn) {
		return alphabeta.Mate - alphabeta.Score(ply)
	}
	return -alphabeta.Mate + alphabeta.Score(ply)
}
