package train

import (
	"fmt"
	"sync"

	"damier/data"
	"damier/internal/simd"
	"damier/net"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// graph is a network as operations: the same operations serve, one after the other, the Gorgonia graph that
// trains the weights and the one that only evaluates their average.
type graph struct {
	batch  *batch
	encode *net.Encoder
	stem   *stem
	blocks []*block
	heads  *heads

	x     *tensor.Dense // input, [slot][value], see net.Encoder
	xData []float32
}

func newGraph(m *net.Model, b *batch, cfg Config) *graph {
	a := m.Architecture()
	g := &graph{batch: b, encode: net.NewEncoder(m.Variant, m.Config)}
	g.x = newTensor(b.slots, g.encode.Len())
	g.xData = floats(g.x)
	for i := range m.Params {
		if m.Params[i].Name == a.Stem.Bias() {
			g.stem = newStem(b, &a.Stem, m.Params[i].Shape)
		}
	}
	for i := range a.Blocks {
		g.blocks = append(g.blocks, newBlock(b, &a.Blocks[i]))
	}
	g.heads = newHeads(b, m, a, cfg)
	return g
}

// encodeBlock makes the samples of a block the input.
func (g *graph) encodeBlock(_, part, b int) {
	x := g.batch.slot(g.xData, part, b)
	samples := g.heads.samples
	for lane := range simd.Lanes {
		if i := b*simd.Lanes + lane; i < len(samples) {
			g.encode.Encode(x, lane, samples[i].Position, int(samples[i].Occurrences))
		}
	}
}

// program is a compiled Gorgonia graph over one set of weights.
type program struct {
	graph    *graph
	schedule *schedule
	params   []gorgonia.ValueGrad // in the order of the model's parameters
}

// compiling is held while a graph is compiled: the gradient that Gorgonia begins with is one node for all graphs.
var compiling sync.Mutex

// compile builds the Gorgonia graph over the model's weights, in place: a change of them is seen at the next
// run. With gradients the graph also computes those of all parameters.
func (g *graph) compile(m *net.Model, gradients bool) (*program, error) {
	compiling.Lock()
	defer compiling.Unlock()
	expr := gorgonia.NewGraph()
	input := func(name string, value *tensor.Dense) *gorgonia.Node {
		return gorgonia.NewTensor(expr, gorgonia.Float32, value.Dims(),
			gorgonia.WithShape(value.Shape()...), gorgonia.WithName(name), gorgonia.WithValue(value))
	}
	var params gorgonia.Nodes
	byName := map[string]*gorgonia.Node{}
	for _, p := range m.Params {
		n := input(p.Name, tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(p.Data)))
		params = append(params, n)
		byName[p.Name] = n
	}
	x := input("x", g.x)

	var err error
	apply := func(op gorgonia.Op, inputs ...*gorgonia.Node) *gorgonia.Node {
		if err != nil {
			return nil
		}
		var n *gorgonia.Node
		n, err = gorgonia.ApplyOp(op, inputs...)
		return n
	}
	a := g.heads.arch
	h := apply(g.stem, x, byName[a.Stem.Weight()], byName[a.Stem.Bias()])
	for i, o := range g.blocks {
		b := &a.Blocks[i]
		inputs := gorgonia.Nodes{h,
			byName[b.First.Weight()], byName[b.First.Bias()],
			byName[b.Second.Weight()], byName[b.Second.Bias()]}
		if b.Global != nil {
			inputs = append(inputs, byName[b.Global.Weight()])
		}
		h = apply(o, inputs...)
	}
	loss := apply(g.heads, x, h,
		byName[a.Policy.Weight()], byName[a.Policy.Bias()],
		byName[a.Hidden.Weight()], byName[a.Hidden.Bias()],
		byName[a.Out.Weight()], byName[a.Out.Bias()])
	if err != nil {
		return nil, fmt.Errorf("train: building the graph: %w", err)
	}
	if gradients {
		if _, err := gorgonia.Grad(loss, params...); err != nil {
			return nil, fmt.Errorf("train: differentiating the graph: %w", err)
		}
	}
	p := &program{g, newSchedule(g.batch), gorgonia.NodesToValueGrads(params)}
	p.schedule.add(task{name: "encode", pass: g.encodeBlock})
	g.batch.recording = p.schedule
	// Dual values are not bound: the gradient of a parameter is then the result of its own operation, new at
	// each run, and not a sum over all runs since somebody made it zero.
	machine := gorgonia.NewTapeMachine(expr)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return nil, fmt.Errorf("train: running the graph: %w", err)
	}
	return p, nil
}

// run computes the graph for the samples, at most a batch of them, which it does not keep.
func (p *program) run(samples []data.Sample) {
	heads := p.graph.heads
	heads.samples = samples
	p.schedule.run()
	heads.total()
	heads.samples = nil
}
