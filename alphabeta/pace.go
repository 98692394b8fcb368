package alphabeta

import (
	"time"

	"damier/rules"
)

// pace decides how much of its time a search uses if time that it does not use is saved for later
// moves. It ends the search early if the best move has long been the same, and late if the score
// falls, because then another move may be better.
type pace struct {
	should time.Duration // planned time for the move; 0 if the pace does not matter
	must   time.Duration // longest time for the move

	best    rules.Move // of the last iteration
	score   Score      // of the last iteration
	same    int        // iterations in a row before the last that had the same best move; -1 before the first
	fell    bool       // the last iteration was worse than the one before by fall
	falling bool       // the best move of the last iteration fails low in the present one
}

// The constants of a pace: shares of the planned time.
const (
	settledShare = 0.45 // no iteration begins after this if the best move has been the same for long
	openShare    = 0.8  // or this if it was new in the last iteration
	steps        = 5    // iterations between the two
	fallShare    = 1.5  // or this if the score fell
	stretch      = 2.5  // an iteration in which the best move fails low may last until this
	fall         = Score(25)
)

// start begins a search with the planned and the longest time.
func (p *pace) start(should, must time.Duration) {
	*p = pace{should: should, must: max(should, must), same: -1}
}

// iterated tells the pace the result of an iteration.
func (p *pace) iterated(best rules.Move, score Score) {
	p.fell = p.same >= 0 && score <= p.score-fall
	if best != p.best {
		p.same = -1
	}
	p.same++
	p.best, p.score, p.falling = best, score, false
}

// enough reports whether no further iteration should begin.
func (p *pace) enough(elapsed time.Duration) bool {
	if p.should == 0 {
		return false
	}
	share := openShare - (openShare-settledShare)*float64(min(p.same, steps))/steps
	if p.fell {
		share = fallShare
	}
	return float64(elapsed) >= min(share*float64(p.should), float64(p.must))
}

// over reports whether an iteration must end.
func (p *pace) over(elapsed time.Duration) bool {
	if !p.falling && !p.fell {
		return elapsed >= p.should
	}
	return float64(elapsed) >= min(stretch*float64(p.should), float64(p.must))
}
