package onnx

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"damier/net/nnue"
	"damier/rules"

	"google.golang.org/protobuf/encoding/protowire"
)

// Names of the input and the output.
const (
	Input  = "/input/planes"
	Output = "/output/value"
)

// Versions of the format that [Write] writes.
const (
	irVersion = 8
	opset     = 13
)

// Write writes m as an ONNX model.
func Write(w io.Writer, m *nnue.Model) error {
	if _, err := w.Write(model(m)); err != nil {
		return fmt.Errorf("write ONNX: %w", err)
	}
	return nil
}

// Fields of the messages in onnx.proto.
const (
	modelIR, modelProducer, modelVersion, modelGraph, modelOpset, modelProperty = 1, 2, 3, 7, 8, 14
	opsetVersion                                                                = 2
	propertyKey, propertyValue                                                  = 1, 2
	graphNode, graphName, graphInitializer, graphInput, graphOutput             = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute                      = 1, 2, 3, 4, 5
	attributeName, attributeInt, attributeType                                  = 1, 3, 20
	tensorDim, tensorType, tensorName, tensorRaw                                = 1, 2, 8, 9
	valueName, valueType                                                        = 1, 2
	typeTensor, tensorTypeElem, tensorTypeShape                                 = 1, 1, 2
	shapeDim, dimValue, dimParam                                                = 1, 1, 2
)

// Numbers of types.
const (
	float32Type      = 1
	int64Type        = 7
	attributeTypeInt = 2
)

func model(m *nnue.Model) []byte {
	var b []byte
	b = appendInt(b, modelIR, irVersion)
	b = appendText(b, modelProducer, "damier")
	b = appendInt(b, modelVersion, int64(m.Generation))
	b = appendMessage(b, modelGraph, graph(m))
	b = appendMessage(b, modelOpset, appendInt(nil, opsetVersion, opset))
	for _, property := range [][2]string{
		{"variant", m.Variant.Name},
		{"options", m.Variant.Options.String()},
		{"rules", strconv.Itoa(rules.Version)},
		{"run", m.Run},
		{"generation", strconv.Itoa(m.Generation)},
	} {
		message := appendText(appendText(nil, propertyKey, property[0]), propertyValue, property[1])
		b = appendMessage(b, modelProperty, message)
	}
	return b
}

// builder collects nodes and constants of a graph.
type builder struct {
	graph []byte
}

// node adds an operation with one output, which it returns.
func (b *builder) node(op, output string, inputs []string, attributes ...attribute) string {
	var n []byte
	for _, input := range inputs {
		n = appendText(n, nodeInput, input)
	}
	n = appendText(n, nodeOutput, output)
	n = appendText(n, nodeName, output)
	n = appendText(n, nodeOp, op)
	for _, a := range attributes {
		message := appendText(nil, attributeName, a.name)
		message = appendInt(message, attributeInt, a.value)
		message = appendInt(message, attributeType, attributeTypeInt)
		n = appendMessage(n, nodeAttribute, message)
	}
	b.graph = appendMessage(b.graph, graphNode, n)
	return output
}

type attribute struct {
	name  string
	value int64
}

// floats adds a constant of type float32 and returns its name.
func (b *builder) floats(name string, shape []int, values []float32) string {
	raw := make([]byte, 0, 4*len(values))
	for _, x := range values {
		raw = protowire.AppendFixed32(raw, bits(x))
	}
	return b.tensor(name, float32Type, shape, raw)
}

func (b *builder) ints(name string, shape []int, values ...int64) string {
	var raw []byte
	for _, x := range values {
		raw = protowire.AppendFixed64(raw, uint64(x))
	}
	return b.tensor(name, int64Type, shape, raw)
}

func (b *builder) tensor(name string, kind int64, shape []int, raw []byte) string {
	var t []byte
	for _, n := range shape {
		t = appendInt(t, tensorDim, int64(n))
	}
	t = appendInt(t, tensorType, kind)
	t = appendText(t, tensorName, name)
	t = appendMessage(t, tensorRaw, raw)
	b.graph = appendMessage(b.graph, graphInitializer, t)
	return name
}

// kinds are the planes of the input.
const kinds = 4

// graph returns the network: see [nnue.Model].
func graph(m *nnue.Model) []byte {
	squares := m.Variant.Board.Squares()
	inputs := kinds * squares
	start := m.Variant.Start()
	most := start.Pieces(rules.White).Len() + start.Pieces(rules.Black).Len()
	b := &builder{}

	// The other side sees its own pieces first, and the board rotated by half a turn.
	last := make([]int64, squares)
	for i := range last {
		last[i] = int64(squares - 1 - i)
	}
	swapped := b.node("Gather", "swapped",
		[]string{Input, b.ints("kinds", []int{kinds}, 1, 0, 3, 2)}, attribute{"axis", 1})
	turned := b.node("Gather", "turned",
		[]string{swapped, b.ints("squares", []int{squares}, last...)}, attribute{"axis", 2})

	// Both views through the hidden layer.
	flat := b.ints("flat", []int{2}, -1, int64(inputs))
	weights := b.floats("hidden", []int{inputs, m.Width}, m.Hidden[:inputs*m.Width])
	biases := b.floats("hidden_bias", []int{m.Width}, m.Hidden[inputs*m.Width:])
	zero := b.floats("zero", nil, []float32{0})
	one := b.floats("one", nil, []float32{1})
	layer := func(view, planes string) string {
		x := b.node("Reshape", view+"_inputs", []string{planes, flat})
		x = b.node("MatMul", view+"_weighed", []string{x, weights})
		x = b.node("Add", view+"_sums", []string{x, biases})
		x = b.node("Clip", view+"_clipped", []string{x, zero, one})
		return b.node("Mul", view+"_units", []string{x, x})
	}
	units := b.node("Concat", "units", []string{layer("own", Input), layer("other", turned)}, attribute{"axis", 1})

	// There is an output for each quarter of the pieces at the start; one of them counts.
	outputs := make([]float32, len(m.Output)) // [2*Width][Outputs]
	for o := range nnue.Outputs {
		for i := range 2 * m.Width {
			outputs[i*nnue.Outputs+o] = m.Output[o*2*m.Width+i]
		}
	}
	all := b.node("MatMul", "outputs_weighed",
		[]string{units, b.floats("output", []int{2 * m.Width, nnue.Outputs}, outputs)})
	all = b.node("Add", "outputs", []string{all, b.floats("output_bias", []int{nnue.Outputs}, m.Bias)})
	pieces := b.node("ReduceSum", "pieces", []string{Input, b.ints("planes", []int{2}, 1, 2)}, attribute{"keepdims", 0})
	share := b.node("Mul", "pieces_times", []string{pieces, b.floats("outputs_count", nil, []float32{nnue.Outputs})})
	share = b.node("Div", "quarters", []string{share, b.floats("most", nil, []float32{float32(most)})})
	share = b.node("Floor", "quarter", []string{share})
	share = b.node("Min", "phase", []string{share, b.floats("last_output", nil, []float32{nnue.Outputs - 1})})
	index := b.node("Cast", "phase_index", []string{share}, attribute{"to", int64Type})
	chosen := b.node("OneHot", "chosen", []string{index, b.ints("depth", nil, nnue.Outputs),
		b.floats("off_on", []int{2}, []float32{0, 1})}, attribute{"axis", -1})
	logit := b.node("Mul", "chosen_output", []string{all, chosen})
	logit = b.node("ReduceSum", "logit", []string{logit, b.ints("columns", []int{1}, 1)}, attribute{"keepdims", 1})

	// The expected score s is the logistic function of the logit; 2s-1 is the hyperbolic tangent
	// of its half.
	half := b.node("Mul", "half", []string{logit, b.floats("one_half", nil, []float32{0.5})})
	b.node("Tanh", Output, []string{half})

	g := slices.Clone(b.graph)
	g = appendText(g, graphName, "damier "+m.Variant.String())
	g = appendMessage(g, graphInput, value(Input, kinds, squares))
	return appendMessage(g, graphOutput, value(Output, 1))
}

// value describes a tensor of floats whose first dimension is the number of positions.
func value(name string, shape ...int) []byte {
	dims := appendMessage(nil, shapeDim, appendText(nil, dimParam, "N"))
	for _, n := range shape {
		dims = appendMessage(dims, shapeDim, appendInt(nil, dimValue, int64(n)))
	}
	tensor := appendMessage(appendInt(nil, tensorTypeElem, float32Type), tensorTypeShape, dims)
	return appendMessage(appendText(nil, valueName, name), valueType, appendMessage(nil, typeTensor, tensor))
}
