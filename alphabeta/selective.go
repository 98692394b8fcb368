package alphabeta

import (
	"math"

	"damier/rules"
)

// Selectivity holds the settings of the search of alphabeta-2: what it prunes, reduces and
// extends. Scores are in points; about 120 points are a logit of the expected score.
type Selectivity struct {
	Base, Slope int // reduction of a late move in plies: Base/100 + Slope/100 * ln(depth) * ln(move number)
	First       int // number of moves of a position that are never reduced

	Static       int   // up to this depth a position is given up if its evaluation is above the window by
	StaticMargin Score // this much for each ply

	Probe       int   // from this depth on, if not 0, a position is first searched to
	ProbeShare  int   // this percentage of its depth, and given up if that score is above the window by
	ProbeBase   Score // this much,
	ProbeMargin Score // and this much for each ply
}

// defaults are those of alphabeta-2, the result of matches: docs/experiments/search.md.
var defaults = Selectivity{
	Base: 30, Slope: 65, First: 2,
	Static: 3, StaticMargin: 30,
	Probe: 4, ProbeShare: 40, ProbeBase: 0, ProbeMargin: 10,
}

// selective is the state of the search of alphabeta-2.
type selective struct {
	Selectivity
	table  hash
	score  func(*rules.Position) Score // the evaluation of the engine
	less   [64][64]int8                // reductions in plies by depth and move number
	frames [maxPly + 2]step
}

// step is the state of the selective search at one ply of the path, besides its frame.
type step struct {
	p       rules.Position
	order   []int64 // marks of the moves
	top     int64   // the highest of them, before any is picked
	killers [2]uint16
}

// short packs a move into two bytes, without the captured pieces.
func short(m *rules.Move) uint16 { return uint16(m.From)<<8 | uint16(m.To) }

func newSelective(s Selectivity, t hash, eval scorer) *selective {
	d := &selective{Selectivity: s, table: t, score: scoreOf(eval)}
	for depth := 1; depth < len(d.less); depth++ {
		for i := 1; i < len(d.less[depth]); i++ {
			r := float64(s.Base)/100 + float64(s.Slope)/100*math.Log(float64(depth))*math.Log(float64(i+1))
			d.less[depth][i] = int8(max(0, min(r, float64(depth-1))))
		}
	}
	return d
}

// forget drops the killers.
func (d *selective) forget() {
	for i := range d.frames {
		d.frames[i].killers = [2]uint16{}
	}
}

// descend searches q, the position after a root move.
func (e *Engine) descend(q rules.Position, depth int, alpha, beta Score) Score {
	if e.deep == nil {
		return e.visit(q, depth, alpha, beta, 1)
	}
	e.deep.frames[1].p = q
	return e.node(depth, alpha, beta, 1)
}

// reduction returns the number of plies by which the first search of the i-th move of a node, a
// quiet one, is reduced.
func (d *selective) reduction(depth, i int, pv bool) int {
	if i < d.First || depth < 2 {
		return 0
	}
	less := int(d.less[min(depth, 63)][min(i, 63)])
	if pv && less > 0 {
		less--
	}
	return less
}

// Defaults returns the default selectivity of a search over an [Evaluator] in variant v: that of
// alphabeta-2, but for what the variant's tuning says.
func Defaults(v *rules.Variant) Selectivity {
	s := defaults
	if v.Tuning().NoProbes {
		s.Probe = 0
	}
	return s
}
