package learner

import (
	"math"

	"damier/data"
	"damier/rules"
)

// material is a baseline for the value that only counts pieces: for each difference of material it
// predicts the mean target of the rows seen. A network whose loss is not below this one has learnt
// nothing about the board.
type material struct {
	sum, count [2*materialRange + 1]float64
}

// materialRange is the largest difference distinguished, in men; a king counts three.
const materialRange = 12

func materialOf(p rules.Position) int {
	worth := func(c rules.Color) int { return p.Men(c).Len() + 3*p.Kings(c).Len() }
	d := worth(p.Turn) - worth(p.Turn.Opponent())
	return max(-materialRange, min(materialRange, d)) + materialRange
}

// add learns from rows.
func (m *material) add(rows []data.Sample) {
	for i := range rows {
		d := materialOf(rows[i].Position)
		m.sum[d] += float64(rows[i].Score)
		m.count[d]++
	}
}

// loss returns the mean cross-entropy of its estimates on rows, in nats. Every difference begins
// with one row whose target is one half, so that the loss is finite.
func (m *material) loss(rows []data.Sample) float64 {
	total := 0.0
	for i := range rows {
		d, score := materialOf(rows[i].Position), float64(rows[i].Score)
		mean := (m.sum[d] + 0.5) / (m.count[d] + 1)
		total -= score*math.Log(mean) + (1-score)*math.Log(1-mean)
	}
	return total / float64(max(len(rows), 1))
}
