package tables

import "damier/rules"

// Weight is the worth of a feature, in logits of the expected score: on a full and on an empty board.
type Weight [2]float32

// Model is a network of tables for one variant.
type Model struct {
	Variant    *rules.Variant
	Squares    int // of a window, one of Windows
	Weights    []Weight
	Run        string // where it was trained
	Generation int
	Games      int64 // of self-play it has learnt from
	layout     *layout
}

// New returns a model that knows nothing: every position is worth as much to either side.
// Its windows have so many squares, one of [Windows].
func New(v *rules.Variant, squares int) *Model {
	l := newLayout(v, squares)
	return &Model{Variant: v, Squares: squares, layout: l, Weights: make([]Weight, l.features)}
}

// Logit returns the logit of the expected score of the side to move, the slow twin of [Evaluator.Score].
func (m *Model) Logit(p rules.Position) float32 {
	sum, _ := m.logit(p, nil)
	return sum
}

// logit returns the logit and the features, in room if there is enough.
func (m *Model) logit(p rules.Position, room []int32) (float32, []int32) {
	full, empty := m.layout.mix(p)
	var sum float32
	for i, n := range leads(p) {
		w := m.Weights[m.layout.lead+i]
		sum += n * (full*w[0] + empty*w[1])
	}
	room = m.layout.appendFeatures(room[:0], p)
	for _, i := range room {
		w := &m.Weights[i]
		sum += full*w[0] + empty*w[1]
	}
	return sum, room
}
