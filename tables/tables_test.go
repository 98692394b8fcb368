package tables

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"damier/net"
	"damier/rules"
)

// variants calls f with every variant of the family and every size of windows.
func variants(t *testing.T, f func(t *testing.T, v *rules.Variant, squares int)) {
	t.Helper()
	names := rules.Names()
	if testing.Short() { // one of each kind of board
		names = []string{"international", "english", "canadian", "turkish"}
	}
	for _, name := range names {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, squares := range Windows {
			t.Run(fmt.Sprintf("%s/%d", name, squares), func(t *testing.T) { f(t, v, squares) })
		}
	}
}

// positions returns positions of random games without a capture to make.
func positions(v *rules.Variant, n int) []rules.Position {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []rules.Position
	for len(all) < n {
		p := v.Start()
		for range 200 {
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			if p = v.Play(p, moves[rng.IntN(len(moves))]); !v.HasCaptures(p) {
				all = append(all, p)
			}
		}
	}
	return all[:n]
}

// scrambled returns a model with random weights.
func scrambled(v *rules.Variant, squares int) *Model {
	m := New(v, squares)
	rng := rand.New(rand.NewPCG(3, 2))
	for i := range m.Weights {
		m.Weights[i] = Weight{float32(rng.NormFloat64()) * 0.3, float32(rng.NormFloat64()) * 0.3}
	}
	return m
}

// slowLogit is the slow and obvious twin of both ways a model is computed: square by square.
func slowLogit(m *Model, p rules.Position) float64 {
	v, b := m.Variant, m.Variant.Board
	if p.Turn == rules.Black {
		p = v.Rotate(p)
	}
	pieces := p.Pieces(rules.White).Len() + p.Pieces(rules.Black).Len()
	full := math.Min(float64(pieces)/float64(m.layout.most), 1)
	worth := func(i int) float64 {
		return full*float64(m.Weights[i][0]) + (1-full)*float64(m.Weights[i][1])
	}
	sum, at := 0.0, 0
	for _, size := range Windows {
		if size > m.Squares {
			continue
		}
		for _, s := range shapes(b, size) {
			for row := 0; row+s.height <= b.Rows; row += s.down {
				for column := 0; column+s.width <= b.Columns; column += s.right {
					pattern, three := 0, 1
					for _, q := range s.squares(b, row, column) {
						switch v.Piece(p, q) {
						case rules.WhiteMan:
							pattern += three
						case rules.BlackMan:
							pattern += 2 * three
						}
						three *= 3
					}
					sum += worth(at + pattern)
					at += three
				}
			}
		}
	}
	counts := map[rules.Piece]int{}
	for s := rules.Square(1); int(s) <= b.Squares(); s++ {
		piece := v.Piece(p, s)
		counts[piece]++
		for i, kind := range []rules.Piece{rules.WhiteMan, rules.BlackMan, rules.WhiteKing, rules.BlackKing} {
			if piece == kind {
				sum += worth(at + i*b.Squares() + int(s) - 1)
			}
		}
	}
	at += 4 * b.Squares()
	most := v.MaxPieces() + 1
	sum += worth(at + ((counts[rules.WhiteMan]*most+counts[rules.BlackMan])*4+min(counts[rules.WhiteKing], 3))*4 + min(counts[rules.BlackKing], 3))
	at += most * most * 16
	sum += float64(counts[rules.WhiteMan]-counts[rules.BlackMan]) * worth(at)
	sum += float64(counts[rules.WhiteKing]-counts[rules.BlackKing]) * worth(at+1)
	if at+2 != len(m.Weights) {
		panic("the features are not those of the model")
	}
	return sum
}

func TestEvaluatorIsTheModel(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant, squares int) {
		m := scrambled(v, squares)
		e := m.Evaluator()
		for _, p := range positions(v, 1500) {
			slow, model := slowLogit(m, p), float64(m.Logit(p))
			if math.Abs(slow-model) > 1e-3 {
				t.Fatalf("%s: logit %g, square by square %g", v.FEN(p), model, slow)
			}
			// Each of some fifty weights is rounded to 1/1024.
			if score := float64(e.Score(p)); math.Abs(score-slow*Points) > 6 {
				t.Fatalf("%s: score %g, the model says %g", v.FEN(p), score, slow*Points)
			}
			if a, b := e.Score(p), e.Score(v.Rotate(p)); a != b {
				t.Fatalf("%s: %d, and %d with colours exchanged", v.FEN(p), a, b)
			}
		}
	})
}

func TestNewModelKnowsNothing(t *testing.T) {
	e := New(rules.International, 8).Evaluator()
	for _, p := range positions(rules.International, 200) {
		if s := e.Score(p); s != 0 {
			t.Fatalf("%s: %d", rules.International.FEN(p), s)
		}
	}
}

func TestScoreDoesNotAllocate(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant, squares int) {
		e := scrambled(v, squares).Evaluator()
		ps := positions(v, 64)
		if n := testing.AllocsPerRun(20, func() {
			for _, p := range ps {
				e.Score(p)
			}
		}); n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

// What a solver is shown again and again it must come to expect, also where it pulls weights to zero, and the gradient
// of a single weight must be the slope of the loss.
func TestSolverLearns(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant, squares int) {
		m := New(v, squares)
		s := NewSolver(m)
		s.Rate, s.Decay = 0.1, 1e-3
		rng := rand.New(rand.NewPCG(5, 5))
		ps := positions(v, 256)
		targets := make([]float32, len(ps))
		for i := range targets {
			targets[i] = float32(rng.IntN(3)) / 2
		}
		before, after := 0.0, 0.0
		for i, p := range ps {
			before += s.Loss(p, targets[i])
		}
		for range 60 {
			for i, p := range ps {
				s.Learn(p, targets[i])
			}
		}
		least := 0.0 // the entropy of the targets
		for i, p := range ps {
			after += s.Loss(p, targets[i])
			if targets[i] == 0.5 {
				least += math.Ln2
			}
		}
		if after-least > 0.3*(before-least) {
			t.Errorf("loss %.3f, after %.3f, at best %.3f", before, after, least)
		}
	})
}

// Weights that are pulled to zero however much is known expect less than they have seen; those that are pulled less the
// more is known come close to it.
func TestDecayWanes(t *testing.T) {
	v := rules.International
	var p rules.Position
	for _, p = range positions(v, 40) {
		if leads(p) == [2]float32{} { // nothing that is never pulled explains it
			break
		}
	}
	expect := func(half float32) float64 {
		m := New(v, 8)
		s := NewSolver(m)
		s.Rate, s.Decay, s.Half = 0.1, 10, half
		for i := range 20_000 {
			target := float32(1)
			if i%5 == 4 {
				target = 0
			}
			s.Learn(p, target)
		}
		return 1 / (1 + math.Exp(-float64(m.Logit(p))))
	}
	if always, waning := expect(0), expect(5); always > 0.77 || math.Abs(waning-0.8) > 0.02 {
		t.Errorf("of four wins in five %.3f is expected under a decay that stays, and %.3f under one that wanes", always, waning)
	}
}

func TestStepFollowsTheSlope(t *testing.T) {
	v := rules.International
	m := scrambled(v, 8)
	for i := range m.Weights { // small, so that no expectation is certain
		m.Weights[i][0] /= 10
		m.Weights[i][1] /= 10
	}
	s := NewSolver(m)
	p := positions(v, 40)[39]
	const target = 0.8
	for _, i := range append(m.layout.appendFeatures(nil, p), int32(m.layout.lead)) {
		for j := range 2 {
			const h = 1e-2
			was := m.Weights[i][j]
			m.Weights[i][j] = was + h
			up := s.Loss(p, target)
			m.Weights[i][j] = was - h
			down := s.Loss(p, target)
			m.Weights[i][j] = was
			slope := (up - down) / (2 * h)
			// The first step of AdaGrad divides the gradient by itself and 0.3: it tells the gradient.
			clear(s.Sums)
			saved := append([]Weight(nil), m.Weights...)
			s.Rate = 1
			s.Learn(p, target)
			sum := math.Sqrt(float64(s.Sums[i][j]))
			moved := float64(saved[i][j] - m.Weights[i][j])
			copy(m.Weights, saved)
			gradient := moved * (sum + 0.3)
			if repeats(m, p, i) == 1 && math.Abs(gradient-slope) > 2e-3+0.02*math.Abs(slope) {
				t.Errorf("weight %d,%d: gradient %g, slope of the loss %g", i, j, gradient, slope)
			}
		}
	}
}

// repeats returns how often a feature occurs.
func repeats(m *Model, p rules.Position, feature int32) int {
	n := 0
	for _, i := range m.layout.appendFeatures(nil, p) {
		if i == feature {
			n++
		}
	}
	return max(n, 1)
}

func TestFile(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant, squares int) {
		m := scrambled(v, squares)
		m.Run, m.Generation, m.Games = "r", 7, 1234
		path := filepath.Join(t.TempDir(), "m"+Extension)
		if err := m.SaveFile(path); err != nil {
			t.Fatal(err)
		}
		for _, want := range []*rules.Variant{v, nil} {
			n, err := LoadFile(path, want)
			if err != nil {
				t.Fatal(err)
			}
			if n.Run != "r" || n.Generation != 7 || n.Games != 1234 || n.Variant.String() != v.String() {
				t.Errorf("read %+v", n)
			}
			a, b := m.Evaluator(), n.Evaluator()
			for _, p := range positions(v, 200) {
				// Men and kings are rounded with what the lead adds to them.
				if d := a.Score(p) - b.Score(p); d < -4 || d > 4 {
					t.Fatalf("%s: %d, read again %d", v.FEN(p), a.Score(p), b.Score(p))
				}
			}
		}
	})
}

func TestFileRefused(t *testing.T) {
	var b bytes.Buffer
	if err := New(rules.English, 8).Save(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	if _, err := Load(bytes.NewReader(whole), rules.Russian); !errors.Is(err, net.ErrForeign) {
		t.Errorf("for another variant: %v", err)
	}
	if _, err := Load(bytes.NewReader([]byte("not a file of tables")), nil); !errors.Is(err, net.ErrForeign) {
		t.Errorf("of another program: %v", err)
	}
	for _, n := range []int{20, len(whole) / 2, len(whole) - 20} {
		if _, err := Load(bytes.NewReader(whole[:n]), nil); err == nil {
			t.Errorf("cut to %d of %d bytes, it was read", n, len(whole))
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 1
		if _, err := Load(bytes.NewReader(changed), nil); err == nil {
			t.Errorf("with byte %d changed, it was read", n)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	for _, v := range []*rules.Variant{rules.International, rules.Russian, rules.Canadian, rules.Turkish} {
		for _, squares := range Windows {
			b.Run(fmt.Sprintf("%s/%d", v.Name, squares), func(b *testing.B) {
				e := scrambled(v, squares).Evaluator()
				ps := positions(v, 4096)
				i := 0
				for b.Loop() {
					e.Score(ps[i&4095])
					i++
				}
			})
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	s := NewSolver(New(rules.International, 8))
	s.Rate, s.Decay = 0.1, 0.1
	ps := positions(rules.International, 4096)
	i := 0
	for b.Loop() {
		s.Learn(ps[i&4095], float32(i&1))
		i++
	}
}
