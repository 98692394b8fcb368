package alphabeta

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"damier/rules"
)

var tune = flag.String("tune", "", "fit the weights of this variant to the results of its own games and print them, which takes a minute")

var again = flag.Bool("again", false, "with -tune: begin with the weights in use, not with those made by hand")

// parameter is a weight that can be fitted.
type parameter struct {
	at     *int
	spread float64 // how far it may be expected to lie from where it begins
}

// parameters returns the weights of w that matter on the board of v.
func (w *weights) parameters(v *rules.Variant) []parameter {
	var ps []parameter
	add := func(spread float64, at ...*int) {
		for _, a := range at {
			ps = append(ps, parameter{a, spread})
		}
	}
	b := v.Board
	for i := range 2 {
		add(30, &w.man[i])
		if !v.FirstKingWins {
			add(80, &w.king[i])
		}
		for r := range b.Rows - 1 {
			add(20, &w.row[i][r])
		}
		for c := range b.Columns / 2 {
			add(6, &w.column[i][c])
		}
		add(5, &w.supported[i], &w.mobility[i], &w.balance[i])
	}
	for i := range b.Squares() / b.Rows {
		add(6, &w.guard[i])
	}
	for r := b.Rows / 3; r < b.Rows-1; r++ {
		add(50, &w.through[r])
	}
	add(10, &w.turn)
	if !v.FirstKingWins {
		add(20, &w.diagonal, &w.centre)
		add(3, &w.reach)
	}
	return ps
}

// sample is a quiet position of a game: what each parameter counts there, and the game's result.
type sample struct {
	features []float64
	result   float64
}

// ownGames plays n games at depth 2 from random openings, now and then with a random move, and
// returns their quiet positions.
func ownGames(v *rules.Variant, w weights, n int) []sample {
	rng := rand.New(rand.NewPCG(11, 4))
	e, err := New(v, Config{TableBits: 12})
	must(err)
	e.eval = newScorer(v, w)
	var bare weights
	undivided := w
	undivided.few, undivided.fewRoad, undivided.fewLead = 0, 0, 0
	before, after := newScorer(v, w), newScorer(v, undivided)
	const unit = 400
	var units []scorer
	for i := range bare.parameters(v) {
		one := weights{}
		*one.parameters(v)[i].at = unit
		units = append(units, newScorer(v, one))
	}
	var samples []sample
	for range n {
		g := rules.NewGame(v)
		e.NewGame()
		first := len(samples)
		for !g.Over() && g.Ply() < 240 {
			p := g.Position()
			threats := p
			threats.Turn = p.Turn.Opponent()
			if g.Ply() > 8 && !v.HasCaptures(p) && !v.HasCaptures(threats) && before.score(p) == after.score(p) {
				s := sample{}
				for _, u := range units {
					s.features = append(s.features, float64(sign(p.Turn))*float64(u.score(p))/unit)
				}
				samples = append(samples, s)
			}
			m := g.Legal()[rng.IntN(len(g.Legal()))]
			if g.Ply() >= 8 && rng.IntN(15) > 0 {
				r, err := e.Search(context.Background(), g, Limits{Depth: 2}, nil)
				must(err)
				m = r.PV[0]
			}
			must(g.Play(m))
		}
		result := 0.5
		switch o, _ := g.Outcome(); o {
		case rules.WhiteWins:
			result = 1
		case rules.BlackWins:
			result = 0
		}
		for i := first; i < len(samples); i++ {
			samples[i].result = result
		}
	}
	return samples
}

// fit returns w moved to where the expected result, a logistic function of the score, explains the
// results best (regularised logistic regression, by Adam), with a man worth as much as before.
func fit(v *rules.Variant, w weights, samples []sample, games int) weights {
	const scale, steps = 160.0, 400
	ps := w.parameters(v)
	x, m1, m2 := make([]float64, len(ps)), make([]float64, len(ps)), make([]float64, len(ps))
	for i, p := range ps {
		x[i] = float64(*p.at)
	}
	begin := append([]float64(nil), x...)
	// The positions of one game say little more than one another.
	each := 4 * float64(games) / float64(len(samples))
	gradient := make([]float64, len(ps))
	for step := 1; step <= steps; step++ {
		for i, p := range ps {
			gradient[i] = (x[i] - begin[i]) / (p.spread * p.spread)
		}
		loss := 0.0
		for _, s := range samples {
			sum := 0.0
			for i, f := range s.features {
				sum += x[i] * f
			}
			y := 1 / (1 + math.Exp(-sum/scale))
			loss -= s.result*math.Log(y+1e-12) + (1-s.result)*math.Log(1-y+1e-12)
			d := each * (y - s.result) / scale
			for i, f := range s.features {
				gradient[i] += d * f
			}
		}
		if step == 1 || step == steps {
			fmt.Fprintf(os.Stderr, "step %d: loss %.5f\n", step, loss/float64(len(samples)))
		}
		for i, p := range ps {
			m1[i] = 0.9*m1[i] + 0.1*gradient[i]
			m2[i] = 0.99*m2[i] + 0.01*gradient[i]*gradient[i]
			a, b := m1[i]/(1-math.Pow(0.9, float64(step))), m2[i]/(1-math.Pow(0.99, float64(step)))
			x[i] -= 0.03 * p.spread * a / (math.Sqrt(b) + 1e-9) * (1 - float64(step-1)/steps)
		}
	}
	man := 0.0
	for i, p := range ps {
		if p.at == &w.man[0] || p.at == &w.man[1] {
			man += math.Abs(x[i])
		}
	}
	ratio := math.Abs(float64(w.man[0]+w.man[1])) / man
	for i, p := range ps {
		*p.at = int(math.Round(x[i] * ratio))
	}
	return w
}

// literal writes w as a Go value.
func literal(v *rules.Variant, w weights) string {
	list := func(a []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(a), " ", ", "), "[]") }
	b := v.Board
	var s strings.Builder
	fmt.Fprintf(&s, "\t%q: {\n\t\tman: [2]int{%s}, king: [2]int{%s},\n", v.Name, list(w.man[:]), list(w.king[:]))
	fmt.Fprintf(&s, "\t\trow: [2][maxRows]int{\n\t\t\t{%s},\n\t\t\t{%s},\n\t\t},\n", list(w.row[0][:b.Rows]), list(w.row[1][:b.Rows]))
	fmt.Fprintf(&s, "\t\tcolumn: [2][maxRows / 2]int{{%s}, {%s}},\n", list(w.column[0][:b.Columns/2]), list(w.column[1][:b.Columns/2]))
	fmt.Fprintf(&s, "\t\tguard: [maxRows]int{%s},\n", list(w.guard[:b.Squares()/b.Rows]))
	fmt.Fprintf(&s, "\t\tsupported: [2]int{%s}, mobility: [2]int{%s}, balance: [2]int{%s},\n", list(w.supported[:]), list(w.mobility[:]), list(w.balance[:]))
	fmt.Fprintf(&s, "\t\tthrough: [maxRows]int{%s},\n", list(w.through[:b.Rows]))
	fmt.Fprintf(&s, "\t\tdiagonal: %d, centre: %d, reach: %d, turn: %d,\n", w.diagonal, w.centre, w.reach, w.turn)
	fmt.Fprintf(&s, "\t\tfew: %d, fewRoad: %d, fewLead: %d,\n\t},\n", w.few, w.fewRoad, w.fewLead)
	return s.String()
}

// TestTune is no test: with -tune it fits weights.
func TestTune(t *testing.T) {
	if *tune == "" {
		t.Skip("a tool: -tune VARIANT fits weights")
	}
	v, err := rules.Lookup(*tune, nil)
	must(err)
	const games = 1200
	w := weightsByHand(v)
	if *again {
		w = weightsOf(v)
	}
	samples := ownGames(v, w, games)
	fmt.Fprintf(os.Stderr, "%s: %d positions\n", v.Name, len(samples))
	fmt.Print(literal(v, fit(v, w, samples, games)))
}
