package train

import (
	"hash"
	"hash/fnv"
	"io"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op has what our operations have in common: all methods of gorgonia.Op except Do.
//
// An operation owns the memory of its result and overwrites it at each run. So the values that
// Gorgonia's machine sees when it compiles a graph are those of every step.
type op struct {
	name  string       // unique in the graph, because Gorgonia merges operations that look the same
	in    []int        // dimensions of each input
	shape tensor.Shape // of the result
}

func (o *op) Arity() int            { return len(o.in) }
func (o *op) ReturnsPtr() bool      { return true }
func (o *op) CallsExtern() bool     { return false }
func (o *op) OverwritesInput() int  { return -1 }
func (o *op) WriteHash(h hash.Hash) { io.WriteString(h, o.name) }
func (o *op) String() string        { return o.name }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) Type() hm.Type {
	var ts []hm.Type
	for _, d := range append(o.in[:len(o.in):len(o.in)], len(o.shape)) {
		if d == 0 {
			ts = append(ts, gorgonia.Float32)
		} else {
			ts = append(ts, gorgonia.TensorType{Dims: d, Of: gorgonia.Float32})
		}
	}
	return hm.NewFnType(ts...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape.Clone(), nil }

// part is a further result of an operation with several: the gradients of its parameters, besides
// that of its input. Its only input is the first result, so that it runs after it.
type part struct {
	op
	value *tensor.Dense
}

func newPart(name string, value *tensor.Dense, of *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&part{op{name, []int{of.Dims()}, value.Shape()}, value}, of)
}

// Do returns the result, which the main operation has already computed.
func (p *part) Do(...gorgonia.Value) (gorgonia.Value, error) { return p.value, nil }

// newTensor returns a zero tensor of float32.
func newTensor(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
}

// floats returns the memory of v.
func floats(v gorgonia.Value) []float32 { return v.Data().([]float32) }

// row returns row i of a matrix of the given number of rows.
func row(matrix []float32, rows, i int) []float32 {
	n := len(matrix) / rows
	return matrix[i*n : (i+1)*n : (i+1)*n]
}
