package review

import "math"

// Mark says how bad a move was; "" is not bad.
type Mark string

// The marks, from what they cost in the expected score of the side that moved. A man is 0.23.
const (
	Doubtful Mark = "doubtful"
	Mistake  Mark = "mistake"
	Blunder  Mark = "blunder"
)

// The least losses that are marked, each a share of the expected score.
const (
	DoubtfulLoss = 0.06
	MistakeLoss  = 0.12
	BlunderLoss  = 0.20
)

// Marks returns all marks, the mildest first.
func Marks() []Mark { return []Mark{Doubtful, Mistake, Blunder} }

// MarkOf returns the mark of a move that costs its side so much of the expected score.
func MarkOf(loss float64) Mark {
	switch {
	case loss >= BlunderLoss:
		return Blunder
	case loss >= MistakeLoss:
		return Mistake
	case loss >= DoubtfulLoss:
		return Doubtful
	}
	return ""
}

// Glyph returns the numeric annotation glyph of a mark: $6 (?!), $2 (?) or $4 (??); 0 for none.
func (m Mark) Glyph() int {
	switch m {
	case Doubtful:
		return 6
	case Mistake:
		return 2
	case Blunder:
		return 4
	}
	return 0
}

// Accuracy returns how accurate a move is that costs so much of the expected score, in [0,100]. It
// is the curve that lichess.org publishes (https://lichess.org/page/accuracy), which takes the
// loss in hundredths: 100 for no loss, 76 for one that is doubtful, 35 for a man at even scores, 9
// for half a point.
func Accuracy(loss float64) float64 {
	if loss <= 0 {
		return 100
	}
	return min(max(103.1668*math.Exp(-0.04354*100*loss)-3.1669, 0), 100)
}
