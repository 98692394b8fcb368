package nnue

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"damier/internal/simd"
	"damier/net"
	"damier/rules"
)

// variants calls f with every variant of the family.
func variants(t *testing.T, f func(t *testing.T, v *rules.Variant)) {
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
		t.Run(name, func(t *testing.T) { f(t, v) })
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

// scrambled returns a model with random weights, larger than those of a new one and some of them
// at their bounds.
func scrambled(v *rules.Variant, width int) *Model {
	m := New(v, width, 3)
	rng := rand.New(rand.NewPCG(3, 2))
	for _, x := range [][]float32{m.Hidden, m.Output, m.Bias} {
		for i := range x {
			x[i] = float32(rng.NormFloat64()) * 0.4
		}
	}
	simd.Clip(simd.Generic, m.Hidden, m.bound())
	return m
}

// slowLogit is the slow and obvious twin of both ways a model is computed: square by square, unit
// by unit.
func slowLogit(m *Model, p rules.Position) float64 {
	v, b := m.Variant, m.Variant.Board
	if p.Turn == rules.Black {
		p = v.Rotate(p)
	}
	own := map[rules.Piece]int{rules.WhiteMan: 0, rules.BlackMan: 1, rules.WhiteKing: 2, rules.BlackKing: 3}
	other := map[rules.Piece]int{rules.BlackMan: 0, rules.WhiteMan: 1, rules.BlackKing: 2, rules.WhiteKing: 3}
	pieces, n := 0, b.Squares()
	for s := rules.Square(1); int(s) <= n; s++ {
		if v.Piece(p, s) != rules.Empty {
			pieces++
		}
	}
	start := 0
	for s := rules.Square(1); int(s) <= n; s++ {
		if v.Piece(v.Start(), s) != rules.Empty {
			start++
		}
	}
	output := min(4*pieces/start, 3)
	sum := float64(m.Bias[output])
	for view, kind := range []map[rules.Piece]int{own, other} {
		for unit := range m.Width {
			x := float64(m.Hidden[4*n*m.Width+unit])
			for s := rules.Square(1); int(s) <= n; s++ {
				k, there := kind[v.Piece(p, s)]
				if !there {
					continue
				}
				at := int(s) - 1
				if view == 1 {
					at = n - int(s)
				}
				x += float64(m.Hidden[(k*n+at)*m.Width+unit])
			}
			x = math.Min(math.Max(x, 0), 1)
			sum += x * x * float64(m.Output[(output*2+view)*m.Width+unit])
		}
	}
	return sum
}

func TestEvaluatorIsTheModel(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant) {
		for _, width := range []int{32, Width} {
			m := scrambled(v, width)
			var all []*Evaluator
			for _, level := range simd.Levels() {
				all = append(all, m.evaluator(level))
			}
			worst := 0.0
			for _, p := range positions(v, 500) {
				slow, model := slowLogit(m, p), float64(m.Logit(p))
				if math.Abs(slow-model) > 1e-3 {
					t.Fatalf("%s: logit %g, square by square %g", v.FEN(p), model, slow)
				}
				for _, e := range all {
					score := e.Score(p)
					worst = max(worst, math.Abs(float64(score)-slow*Points))
					if score != all[0].Score(p) {
						t.Fatalf("%s: %d, by other instructions %d", v.FEN(p), score, all[0].Score(p))
					}
				}
				if a, b := all[0].Score(p), all[0].Score(v.Rotate(p)); a != b {
					t.Fatalf("%s: %d, and %d with colours exchanged", v.FEN(p), a, b)
				}
			}
			// Weights are rounded to 1/256 and 1/1024, and squares down to 1/1024.
			if worst > 20 {
				t.Errorf("width %d: a score is %.1f points off the model's", width, worst)
			}
		}
	})
}

// A position set up with more pieces than a game begins with is judged too, by the model itself.
func TestMorePiecesThanAtTheStart(t *testing.T) {
	v := rules.International
	m := scrambled(v, Width)
	e := m.Evaluator()
	var white, black rules.Set
	for s := rules.Square(1); int(s) <= v.Board.Squares(); s++ {
		if s <= 25 {
			black = black.Or(v.Board.Set(s))
		} else {
			white = white.Or(v.Board.Set(s))
		}
	}
	p := rules.NewPosition(white, black, rules.Set{}, rules.White)
	if got, want := float64(e.Score(p)), slowLogit(m, p)*Points; math.Abs(got-want) > 1 {
		t.Errorf("score %g, want %g", got, want)
	}
}

func TestNewModelKnowsLittle(t *testing.T) {
	e := New(rules.International, Width, 1).Evaluator()
	for _, p := range positions(rules.International, 200) {
		if s := e.Score(p); s < -150 || s > 150 {
			t.Fatalf("%s: %d", rules.International.FEN(p), s)
		}
	}
}

func TestFile(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant) {
		m := scrambled(v, 32)
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
			if n.Run != "r" || n.Generation != 7 || n.Games != 1234 || n.Width != 32 || n.Variant.String() != v.String() {
				t.Errorf("read %+v", n)
			}
			a, b := m.Evaluator(), n.Evaluator()
			for _, p := range positions(v, 200) {
				if d := a.Score(p) - b.Score(p); d < -1 || d > 1 { // biases are not rounded in an evaluator
					t.Fatalf("%s: %d, read again %d", v.FEN(p), a.Score(p), b.Score(p))
				}
			}
		}
	})
}

func TestFileRefused(t *testing.T) {
	var b bytes.Buffer
	if err := New(rules.English, Width, 1).Save(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	if _, err := Load(bytes.NewReader(whole), rules.Russian); !errors.Is(err, net.ErrForeign) {
		t.Errorf("for another variant: %v", err)
	}
	if _, err := Load(bytes.NewReader([]byte("not such a file at all")), nil); !errors.Is(err, net.ErrForeign) {
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
	m := New(rules.English, Width, 1)
	m.Bias[2] = float32(math.NaN())
	b.Reset()
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(&b, nil); !errors.Is(err, net.ErrDamaged) {
		t.Errorf("with a weight that is no number: %v", err)
	}
}

// siblings returns positions after each of the moves of a game's positions, those of one beside
// each other, as a search comes to them.
func siblings(v *rules.Variant, n int) []rules.Position {
	rng := rand.New(rand.NewPCG(8, 8))
	var all []rules.Position
	for {
		for g := rules.NewGame(v); !g.Over() && g.Ply() < 150; {
			legal := g.Legal()
			for _, move := range legal {
				if all = append(all, v.Play(g.Position(), move)); len(all) == n {
					return all
				}
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
}

func BenchmarkScore(b *testing.B) {
	for _, v := range []*rules.Variant{rules.International, rules.Russian, rules.Canadian, rules.Turkish} {
		for _, level := range simd.Levels() {
			b.Run(fmt.Sprintf("%s/%v", v.Name, level), func(b *testing.B) {
				c := scrambled(v, Width).evaluator(level).Cursor()
				ps := siblings(v, 4096)
				i := 0
				for b.Loop() {
					c.Score(ps[i&4095])
					i++
				}
			})
		}
	}
}

// However wide a network and however large its weights, its evaluator holds them: they are cut off
// where sums could overflow.
func TestWideEvaluator(t *testing.T) {
	for _, width := range []int{Width, 160, 192, 1024} {
		for _, sign := range []float32{1, -1} {
			m := New(rules.International, width, 1)
			for i := range m.Hidden {
				m.Hidden[i] = 100
			}
			for i := range m.Output {
				m.Output[i] = sign * 100
			}
			if got := m.Evaluator().Score(rules.International.Start()); float32(got)*sign != mostScore {
				t.Errorf("%d units of weights %g: a score of %d", width, 100*sign, got)
			}
		}
	}
}

// A small file that unpacks to a gigabyte is refused by its header.
func TestPackedPromises(t *testing.T) {
	const size = 1 << 30
	zeros := strings.Repeat("0", 64)
	for name, metadata := range map[string]string{
		"of another program": `"a":"b"`,
		"of no variant":      fmt.Sprintf(`"sha256":%q`, zeros),
		"of ours": fmt.Sprintf(`"sha256":%q,"format":%q,"format_version":"%d","variant":"english","options":%q,"rules":"%d","width":"64","generation":"1","games":"1"`,
			zeros, Format, FormatVersion, rules.English.Options.String(), rules.Version),
	} {
		text := fmt.Sprintf(`{"__metadata__":{%s},"hidden":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, metadata, size/4, size)
		path := filepath.Join(t.TempDir(), "bomb.nnue")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		z.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...))
		chunk := make([]byte, 1<<20)
		for range 64 { // what is unpacked is enough to be seen
			z.Write(chunk)
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = LoadFile(path, nil)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, net.ErrForeign) && !errors.Is(err, net.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%s: %d MB were allocated to refuse it", name, n>>20)
		}
	}
}

// Whichever bit of a file is wrong, the error says that the file is damaged or foreign; and so
// does that of a weight that no network has.
func TestDamageIsNamed(t *testing.T) {
	var b bytes.Buffer
	if err := New(rules.English, 64, 1).Save(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	rng := rand.New(rand.NewPCG(29, 13))
	for range 300 {
		changed := bytes.Clone(whole)
		i := rng.IntN(len(changed))
		changed[i] ^= 1 << rng.IntN(8)
		if _, err := Load(bytes.NewReader(changed), nil); err != nil && !errors.Is(err, net.ErrDamaged) && !errors.Is(err, net.ErrForeign) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for n := range 40 {
		if _, err := Load(bytes.NewReader(whole[:n*len(whole)/40]), nil); !errors.Is(err, net.ErrDamaged) && !errors.Is(err, net.ErrForeign) {
			t.Errorf("cut to %d of %d bytes: %v", n*len(whole)/40, len(whole), err)
		}
	}
	m := New(rules.English, 64, 1)
	m.Output[3] = -3e38
	b.Reset()
	z := gzip.NewWriter(&b)
	if err := errors.Join(net.WriteTensors(z, m.Metadata(), m.Tensors()), z.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(&b, nil); !errors.Is(err, net.ErrDamaged) || !strings.Contains(err.Error(), "between") {
		t.Errorf("a weight of -3e38: %v", err)
	}
}
