package train

import (
	"damier/internal/simd"
	"damier/net/nnue"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// indices holds, for the positions of a part, the inputs that are one, as lists of rows of the
// hidden layer. A position has two lists: of its own view and of the other view.
type indices struct {
	rows   []int32
	first  [2*partSize + 1]int // index in rows at which the list of a view begins
	output [partSize]int       // index of the output, by the number of pieces
	count  int                 // number of positions
}

// view returns the list of view i of the part; the index of a view is 2*position + view.
func (x *indices) view(i int) []int32 { return x.rows[x.first[i]:x.first[i+1]] }

// rowSum is a layer with sparse inputs: for each view of each position it adds the rows of its
// inputs and the biases, which are the last row. It does not multiply.
//
// Input: the rows, [inputs+1][width]. Result: the sums, [part][partSize][2][width].
type rowSum struct {
	op
	batch *batch
	lists []indices // [part]
	width int
	back  *rowSumGrad

	out     *tensor.Dense
	outData []float32
	rows    []float32
}

func newRowSum(b *batch, lists []indices, m *nnue.Model) *rowSum {
	o := &rowSum{batch: b, lists: lists, width: m.Width}
	o.out = newTensor(b.parts, partSize*2*m.Width)
	o.outData = floats(o.out)
	o.op = op{"sum of rows", []int{2}, o.out.Shape()}
	o.back = newRowSumGrad(o, len(m.Hidden)/m.Width)
	return o
}

// Do records the task that computes the sums.
func (o *rowSum) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	rows := floats(in[0])
	o.batch.recording.add(task{name: o.name, begin: func() { o.rows = rows }, pass: o.forward})
	return o.out, nil
}

func (o *rowSum) forward(part int) {
	x, sums := &o.lists[part], o.batch.slot(o.outData, part)
	bias := o.rows[len(o.rows)-o.width:]
	for i := range 2 * x.count {
		simd.SumRows(o.batch.level, sums[i*o.width:(i+1)*o.width], bias, o.rows, x.view(i))
	}
}

// DiffWRT says that the rows have a gradient.
func (o *rowSum) DiffWRT(int) []bool { return []bool{true} }

// SymDiff adds the gradient's operation to the graph.
func (o *rowSum) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	rows, err := gorgonia.ApplyOp(o.back, out, grad)
	return gorgonia.Nodes{rows}, err
}

// rowSumGrad is the backward pass of rowSum: it adds the gradient of a sum to each of its rows.
// Each part has its own sums.
//
// Inputs: sums, gradient of the sums. Result: the gradient of the rows.
type rowSumGrad struct {
	op
	of    *rowSum
	sums  [][]float32 // [part][inputs+1][width]
	out   *tensor.Dense
	dsums []float32
}

func newRowSumGrad(o *rowSum, rows int) *rowSumGrad {
	g := &rowSumGrad{of: o, out: newTensor(rows, o.width)}
	for range o.batch.parts {
		g.sums = append(g.sums, make([]float32, rows*o.width))
	}
	g.op = op{o.name + " gradient", []int{2, 2}, g.out.Shape()}
	return g
}

// Do records the task that computes the gradient.
func (g *rowSumGrad) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	g.dsums = floats(in[1])
	g.of.batch.recording.add(task{name: g.name, pass: g.backward, reduces: reductions(g.of.batch, floats(g.out), g.sums)})
	return g.out, nil
}

func (g *rowSumGrad) backward(part int) {
	sum, w, level := g.sums[part], g.of.width, g.of.batch.level
	clear(sum)
	x, dsums := &g.of.lists[part], g.of.batch.slot(g.dsums, part)
	bias := sum[len(sum)-w:]
	for i := range 2 * x.count {
		d := dsums[i*w : (i+1)*w]
		simd.AddToRows(level, sum, x.view(i), d)
		simd.Axpy(level, bias, 1, d)
	}
}

// reductions returns functions that add the sums of the parts into dst. They are independent of
// each other.
func reductions(b *batch, dst []float32, parts [][]float32) (pieces []func()) {
	for first := 0; first < len(dst); first += pieceSize {
		end := min(first+pieceSize, len(dst))
		pieces = append(pieces, func() {
			copy(dst[first:end], parts[0][first:end])
			for _, p := range parts[1:] {
				simd.Axpy(b.level, dst[first:end], 1, p[first:end])
			}
		})
	}
	return pieces
}
