package onnx

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"damier/net/nnue"
	"damier/rules"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is the fields of a protobuf message, in their order.
type message map[protowire.Number][]field

type field struct {
	number uint64
	bytes  []byte
}

func parse(t testing.TB, b []byte) message {
	t.Helper()
	m := message{}
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		b = b[size:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, size = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, size = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("field %d has type %d", n, kind)
		}
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		b = b[size:]
		m[n] = append(m[n], f)
	}
	return m
}

func (m message) text(n protowire.Number) string { return string(m[n][0].bytes) }

// array is a tensor of the evaluator below; integers are kept as floats.
type array struct {
	shape []int
	data  []float64
}

func (a array) size() int {
	n := 1
	for _, d := range a.shape {
		n *= d
	}
	return n
}

// at returns the element of the tensor, broadcast to shape, at an index of shape.
func (a array) at(shape []int, index int) float64 {
	place, stride := 0, 1
	for i := len(shape) - 1; i >= 0; i-- {
		k := index % shape[i]
		index /= shape[i]
		if j := i - (len(shape) - len(a.shape)); j >= 0 {
			if a.shape[j] > 1 {
				place += k * stride
			}
			stride *= a.shape[j]
		}
	}
	return a.data[place]
}

func pointwise(a, b array, f func(x, y float64) float64) array {
	shape := a.shape
	if len(b.shape) > len(shape) {
		shape = b.shape
	}
	r := array{shape: shape}
	r.data = make([]float64, r.size())
	for i := range r.data {
		r.data[i] = f(a.at(shape, i), b.at(shape, i))
	}
	return r
}

// evaluate runs the graph on planes: a plain reading of ONNX's operators, as far as Write uses
// them.
func evaluate(t testing.TB, b []byte, planes array) array {
	t.Helper()
	g := parse(t, parse(t, b)[modelGraph][0].bytes)
	values := map[string]array{Input: planes}
	for _, f := range g[graphInitializer] {
		m := parse(t, f.bytes)
		var a array
		for _, d := range m[tensorDim] {
			a.shape = append(a.shape, int(d.number))
		}
		raw := m[tensorRaw][0].bytes
		for i := range a.size() {
			if m[tensorType][0].number == float32Type {
				a.data = append(a.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))))
			} else {
				a.data = append(a.data, float64(int64(binary.LittleEndian.Uint64(raw[8*i:]))))
			}
		}
		values[m.text(tensorName)] = a
	}
	for _, f := range g[graphNode] {
		n := parse(t, f.bytes)
		var in []array
		for _, name := range n[nodeInput] {
			v, ok := values[string(name.bytes)]
			if !ok {
				t.Fatalf("%s needs %s, which is not there yet", n.text(nodeOutput), name.bytes)
			}
			in = append(in, v)
		}
		attributes := map[string]int{}
		for _, a := range n[nodeAttribute] {
			m := parse(t, a.bytes)
			attributes[m.text(attributeName)] = int(int64(m[attributeInt][0].number))
		}
		values[n.text(nodeOutput)] = operate(t, n.text(nodeOp), in, attributes)
	}
	return values[Output]
}

func operate(t testing.TB, op string, in []array, attributes map[string]int) array {
	t.Helper()
	x := in[0]
	each := func(f func(float64) float64) array {
		return pointwise(x, array{data: []float64{0}}, func(a, _ float64) float64 { return f(a) })
	}
	switch op {
	case "Add":
		return pointwise(x, in[1], func(a, b float64) float64 { return a + b })
	case "Mul":
		return pointwise(x, in[1], func(a, b float64) float64 { return a * b })
	case "Div":
		return pointwise(x, in[1], func(a, b float64) float64 { return a / b })
	case "Min":
		return pointwise(x, in[1], math.Min)
	case "Clip":
		return each(func(a float64) float64 { return min(max(a, in[1].data[0]), in[2].data[0]) })
	case "Floor":
		return each(math.Floor)
	case "Tanh":
		return each(math.Tanh)
	case "Cast":
		return x
	case "Reshape":
		return array{shape: []int{x.size() / int(in[1].data[1]), int(in[1].data[1])}, data: x.data}
	case "MatMul":
		n, k, m := x.shape[0], x.shape[1], in[1].shape[1]
		r := array{shape: []int{n, m}, data: make([]float64, n*m)}
		for i := range n {
			for j := range m {
				for l := range k {
					r.data[i*m+j] += x.data[i*k+l] * in[1].data[l*m+j]
				}
			}
		}
		return r
	case "Concat": // of two matrices, side by side
		y := in[1]
		r := array{shape: []int{x.shape[0], x.shape[1] + y.shape[1]}}
		for i := range x.shape[0] {
			r.data = append(r.data, x.data[i*x.shape[1]:(i+1)*x.shape[1]]...)
			r.data = append(r.data, y.data[i*y.shape[1]:(i+1)*y.shape[1]]...)
		}
		return r
	case "Gather": // of three dimensions
		r := array{shape: append([]int(nil), x.shape...)}
		for i := range x.size() {
			place := []int{i / (x.shape[1] * x.shape[2]), i / x.shape[2] % x.shape[1], i % x.shape[2]}
			axis := attributes["axis"]
			place[axis] = int(in[1].data[place[axis]])
			r.data = append(r.data, x.data[(place[0]*x.shape[1]+place[1])*x.shape[2]+place[2]])
		}
		return r
	case "ReduceSum": // over all dimensions but the first
		r := array{shape: []int{x.shape[0]}, data: make([]float64, x.shape[0])}
		if attributes["keepdims"] == 1 {
			r.shape = append(r.shape, 1)
		}
		for i, a := range x.data {
			r.data[i/(x.size()/x.shape[0])] += a
		}
		return r
	case "OneHot":
		depth := int(in[1].data[0])
		r := array{shape: []int{len(x.data), depth}, data: make([]float64, len(x.data)*depth)}
		for i, a := range x.data {
			for j := range depth {
				r.data[i*depth+j] = in[2].data[0]
			}
			r.data[i*depth+int(a)] = in[2].data[1]
		}
		return r
	}
	t.Fatalf("operator %s is not known here", op)
	return array{}
}

// planesOf returns the input for positions, as the documentation of the package says.
func planesOf(v *rules.Variant, positions []rules.Position) array {
	squares := v.Board.Squares()
	a := array{shape: []int{len(positions), kinds, squares}}
	a.data = make([]float64, a.size())
	for i, p := range positions {
		own, other := p.Turn, p.Turn.Opponent()
		for k, set := range []rules.Set{p.Men(own), p.Men(other), p.Kings(own), p.Kings(other)} {
			for _, s := range v.Board.AppendSquares(nil, set) {
				place := int(s) - 1
				if own == rules.Black {
					place = squares - int(s)
				}
				a.data[(i*kinds+k)*squares+place] = 1
			}
		}
	}
	return a
}

// TestAgainstTheNetwork compares the graph with the network in every variant, on positions of
// random games.
func TestAgainstTheNetwork(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := nnue.New(v, 32, 7)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range m.Bias {
			m.Bias[i] = float32(rng.NormFloat64())
		}
		var positions []rules.Position
		for len(positions) < 60 {
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 150 {
				if rng.IntN(10) == 0 {
					positions = append(positions, g.Position())
				}
				if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatal(err)
		}
		got := evaluate(t, b.Bytes(), planesOf(v, positions))
		seen := map[float64]bool{}
		for i, p := range positions {
			want := math.Tanh(float64(m.Logit(p)) / 2)
			if math.Abs(got.data[i]-want) > 1e-5 {
				t.Fatalf("%s: position %d: %g, want %g", name, i, got.data[i], want)
			}
			seen[math.Round(want*1e4)] = true
		}
		if len(seen) < len(positions)/3 {
			t.Errorf("%s: only %d different values", name, len(seen))
		}
	}
}

// TestShipped writes a network that comes with the program; DAMIER_ONNX names a folder where it
// stays, for other programs to check.
func TestShipped(t *testing.T) {
	m, err := nnue.LoadFile("../../models/international.nnue", rules.International)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	start := rules.International.Start()
	got := evaluate(t, b.Bytes(), planesOf(m.Variant, []rules.Position{start}))
	if want := math.Tanh(float64(m.Logit(start)) / 2); math.Abs(got.data[0]-want) > 1e-5 {
		t.Errorf("the start is worth %g, want %g", got.data[0], want)
	}
	if dir := os.Getenv("DAMIER_ONNX"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "international.onnx"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
