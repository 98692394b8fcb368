package nnue_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/rules"
)

var (
	spsaVariant = flag.String("spsa", "", "variant in which settings of the selectivity are tuned by games")
	spsaSet     = flag.String("spsa-set", "Slope:65:12,StaticMargin:30:6", "the settings, each with its start and its variation")
	spsaNodes   = flag.Uint64("spsa-nodes", 3000, "nodes a move")
	spsaPairs   = flag.Int("spsa-pairs", 1000, "pairs of games")
	spsaRate    = flag.Float64("spsa-rate", 0.02, "rate at the end")
	spsaSeed    = flag.Uint64("spsa-seed", 1, "seed of directions and openings")
)

// spsa is a tuner by simultaneous perturbation stochastic approximation (Spall, IEEE Transactions
// on Automatic Control 37, 1992). It varies all numbers at once, each by its variation up or down
// at random, has both sides play a pair of games, and moves all numbers towards the better side.
type spsa struct {
	at, width []float64 // the numbers, and how far each is varied at the end
	steps     int       // pairs that there will be
	rate      float64   // share of the variation by which a number moves at the end, for a game won more
	rng       *rand.Rand

	done int
}

// step plays one pair. won returns the games that the first settings win more than the second.
func (s *spsa) step(won func(up, down []float64) float64) {
	const alpha, gamma = 0.602, 0.101 // the exponents that Spall advises
	s.done++
	settling := 0.1 * float64(s.steps)
	wide := math.Pow(float64(s.steps)/float64(s.done), gamma)
	rate := s.rate * math.Pow((settling+float64(s.steps))/(settling+float64(s.done)), alpha)
	up, down, shift := make([]float64, len(s.at)), make([]float64, len(s.at)), make([]float64, len(s.at))
	for i, x := range s.at {
		shift[i] = wide * s.width[i] * float64(2*s.rng.IntN(2)-1)
		up[i], down[i] = x+shift[i], x-shift[i]
	}
	w := won(up, down)
	for i := range s.at {
		s.at[i] += rate * w * shift[i]
	}
}

// TestSPSA tunes settings of the search by games at fixed nodes; docs/experiments/search.md has
// what was found. Without its flag it tunes two numbers of a game of chance, of which the best are
// known.
func TestSPSA(t *testing.T) {
	rng := rand.New(rand.NewPCG(*spsaSeed, 0x73707361))
	if *spsaVariant == "" {
		s := spsa{at: []float64{0, 50}, width: []float64{5, 1}, steps: 4000, rate: 0.03, rng: rng}
		strength := func(x []float64) float64 { return -(x[0]-20)*(x[0]-20)/4000 - (x[1]-46)*(x[1]-46)/100 }
		for range s.steps {
			s.step(func(up, down []float64) float64 {
				if rng.Float64() < 1/(1+math.Exp(strength(down)-strength(up))) {
					return 1
				}
				return -1
			})
		}
		if math.Abs(s.at[0]-20) > 10 || math.Abs(s.at[1]-46) > 2 {
			t.Errorf("20 and 46 are best, %.1f are found", s.at)
		}
		return
	}
	v, err := rules.Lookup(*spsaVariant, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, openings := forTuning(t, v)
	s := spsa{steps: *spsaPairs, rate: *spsaRate, rng: rng}
	var names []string
	for text := range strings.SplitSeq(*spsaSet, ",") {
		f := strings.Split(text, ":")
		if len(f) != 3 || !reflect.ValueOf(alphabeta.Selectivity{}).FieldByName(f[0]).IsValid() {
			t.Fatalf("%q is not SETTING:START:VARIATION", text)
		}
		start, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		width, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		names, s.at, s.width = append(names, f[0]), append(s.at, start), append(s.width, width)
	}
	side := func(name string, numbers []float64) arena.Factory {
		x := alphabeta.Defaults(v)
		for i, n := range numbers {
			// Settings are whole numbers: between two of them chance decides.
			reflect.ValueOf(&x).Elem().FieldByName(names[i]).SetInt(int64(math.Floor(n + rng.Float64())))
		}
		c := alphabeta.Config{Name: name, Evaluator: e, Selectivity: &x, TableBits: 16}
		return func() (arena.Player, error) {
			return engine.NewAlphaBetaPlayer(v, c, engine.Limits{Nodes: int64(*spsaNodes)})
		}
	}
	began := time.Now()
	for k := range *spsaPairs {
		s.step(func(up, down []float64) float64 {
			r, err := arena.Match{
				Variant: v, A: side("up", up), B: side("down", down), Openings: openings[rng.IntN(len(openings)):][:1], Games: 2,
				Concurrency: 1,
			}.Play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return float64(r.Wins - r.Losses)
		})
		if (k+1)%max(*spsaPairs/20, 1) == 0 {
			passed := time.Since(began)
			t.Logf("%d pairs, %v, %v to go: %v %.1f", k+1, passed.Round(time.Second),
				(passed / time.Duration(k+1) * time.Duration(*spsaPairs-k-1)).Round(time.Second), names, s.at)
		}
	}
}
