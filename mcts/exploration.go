package mcts

import "math"

// exploration is the weight of the exploration term of PUCT.
type exploration struct {
	puct, growth float64
	few          []float64 // the weights for few visits, if a power would have to be taken
}

// growthVisits is the number of visits with which [Config].CPuctGrowth changes nothing.
const growthVisits = 2000

// fewWeights is the number of weights that are kept. Most nodes have fewer visits.
const fewWeights = 2048

func newExploration(puct, growth float64) exploration {
	x := exploration{puct: puct, growth: max(growth, 0)}
	if x.growth > 0 {
		few := make([]float64, fewWeights)
		for visits := range few {
			few[visits] = x.weight(int32(visits))
		}
		x.few = few
	}
	return x
}

// weight returns what the prior of a move is multiplied by in a node with so many visits, before it
// is divided by 1 and the visits of the move.
func (x *exploration) weight(visits int32) float64 {
	if int(visits) < len(x.few) {
		return x.few[visits]
	}
	n := float64(visits)
	w := x.puct * math.Sqrt(n)
	if x.growth > 0 {
		w *= math.Pow(n/growthVisits, x.growth)
	}
	return w
}
