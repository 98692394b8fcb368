package train

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"damier/data"
	"damier/internal/simd"
	"damier/net/nnue"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SparseBatch is the number of samples in a step of the solver of a [Sparse] trainer.
const SparseBatch = 64

// sparseOutputRate is the factor by which outputs learn faster than the hidden layer. Their
// weights are in logits, and are larger than those of the hidden layer.
const sparseOutputRate = 4

// Sparse is a network of package nnue in training: a Gorgonia graph of a sum of rows, the
// activation, the outputs by number of pieces, and the loss. Only one goroutine at a time may use
// it; it starts several of its own, which Close ends.
//
// The solver is AdamW without warm-up, gradient clipping and moving average of the weights. They
// are not needed, because the learning rate of a run falls in every generation.
//
// The same network, config and samples give the same weights bit for bit, whatever Config.Threads
// is.
type Sparse struct {
	// Mirror exchanges left and right in half of the samples, if the board has a mirror. It must
	// be set before the first Step.
	Mirror bool

	model   *nnue.Model
	graph   *sparseGraph
	train   *sparseProgram
	held    *sparseProgram // without gradients, for Evaluate
	solver  *solver
	workers *workers
	steps   int

	mirrored []data.Sample
}

// sparseGraph is a network of package nnue as operations.
type sparseGraph struct {
	batch *batch
	model *nnue.Model
	lists []indices // [part]
	other [][]int32 // [part] scratch for the lists of the other view

	sum        *rowSum
	activation *clippedSquare
	outputs    *outputs
	loss       *scoreLoss
}

// sparseProgram is a compiled graph.
type sparseProgram struct {
	graph    *sparseGraph
	schedule *schedule
	params   []gorgonia.ValueGrad // hidden, output, bias
}

// NewSparse returns a trainer of a copy of m. The moments of the solver begin at zero.
func NewSparse(m *nnue.Model, cfg Config) (*Sparse, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.Resolve()
	level, err := simd.ParseLevel(cfg.Level)
	if err != nil {
		return nil, fmt.Errorf("train: Level: %w", err)
	}
	t := &Sparse{Mirror: true, model: m.Clone(), workers: newWorkers(cfg.Threads)}
	t.graph = newSparseGraph(t.model, &batch{workers: t.workers, level: level, parts: SparseBatch / partSize})
	hidden, output := t.model.Bounds() // the range that fits an evaluator
	t.solver = &solver{
		cfg: cfg, level: level, workers: t.workers,
		rates: []float64{1, sparseOutputRate, sparseOutputRate}, bounds: []float32{hidden, output, 0},
	}
	for _, p := range t.model.Tensors() {
		t.solver.moment1 = append(t.solver.moment1, make([]float32, len(p.Data)))
		t.solver.moment2 = append(t.solver.moment2, make([]float32, len(p.Data)))
	}
	if t.train, err = t.graph.compile(true); err == nil {
		t.held, err = t.graph.compile(false)
	}
	if err == nil {
		err = t.solver.bind(t.train.params)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func newSparseGraph(m *nnue.Model, b *batch) *sparseGraph {
	g := &sparseGraph{batch: b, model: m, lists: make([]indices, b.parts), other: make([][]int32, b.parts)}
	g.sum = newRowSum(b, g.lists, m)
	g.activation = newClippedSquare(b, g.lists, m.Width)
	g.outputs = newOutputs(b, g.lists, m)
	g.loss = newScoreLoss(b, g.lists)
	return g
}

// encode fills the lists of a part from its samples.
func (g *sparseGraph) encode(part int) {
	x, samples := &g.lists[part], g.loss.samples
	from := min(part*partSize, len(samples))
	x.rows, x.count = x.rows[:0], min(partSize, len(samples)-from)
	for i := range x.count {
		x.first[2*i] = len(x.rows)
		x.rows, g.other[part], x.output[i] = g.model.AppendInputs(x.rows, g.other[part][:0], samples[from+i].Position)
		x.first[2*i+1] = len(x.rows)
		x.rows = append(x.rows, g.other[part]...)
		x.first[2*i+2] = len(x.rows)
	}
}

// compiling is locked while a graph is compiled, because Gorgonia uses one node for the first
// gradient of all graphs.
var compiling sync.Mutex

// compile builds the Gorgonia graph over the memory of the model's weights, so that the next run
// sees every change of them. With gradients the graph also computes the gradients of all
// parameters.
func (g *sparseGraph) compile(gradients bool) (*sparseProgram, error) {
	compiling.Lock()
	defer compiling.Unlock()
	expr := gorgonia.NewGraph()
	var params gorgonia.Nodes
	for _, p := range g.model.Tensors() {
		value := tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(p.Data))
		params = append(params, gorgonia.NewTensor(expr, gorgonia.Float32, value.Dims(),
			gorgonia.WithShape(p.Shape...), gorgonia.WithName(p.Name), gorgonia.WithValue(value)))
	}
	var err error
	apply := func(op gorgonia.Op, inputs ...*gorgonia.Node) *gorgonia.Node {
		if err != nil {
			return nil
		}
		var n *gorgonia.Node
		n, err = gorgonia.ApplyOp(op, inputs...)
		return n
	}
	hidden, output, bias := params[0], params[1], params[2]
	sums := apply(g.sum, hidden)
	activations := apply(g.activation, sums)
	logits := apply(g.outputs, activations, output, bias)
	loss := apply(g.loss, logits)
	if err != nil {
		return nil, fmt.Errorf("train: building the graph: %w", err)
	}
	if gradients {
		if _, err := gorgonia.Grad(loss, params...); err != nil {
			return nil, fmt.Errorf("train: differentiating the graph: %w", err)
		}
	}
	p := &sparseProgram{g, newSchedule(g.batch), gorgonia.NodesToValueGrads(params)}
	p.schedule.add(task{name: "encode", pass: g.encode})
	g.batch.recording = p.schedule
	// Do not bind dual values: the gradient of a parameter is then the result of its own
	// operation, new at each run, and not a sum over all runs since the last reset.
	machine := gorgonia.NewTapeMachine(expr)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return nil, fmt.Errorf("train: running the graph: %w", err)
	}
	return p, nil
}

// run computes the graph for the samples, at most SparseBatch, and returns the sum of their
// losses. It does not keep the samples.
func (p *sparseProgram) run(samples []data.Sample) float64 {
	p.graph.loss.samples = samples
	p.schedule.run()
	sum := p.graph.loss.total()
	p.graph.loss.samples = nil
	return sum
}

// Close ends the goroutines of the trainer. Weights, Steps and Save still work afterwards; Step
// and Evaluate do not.
func (t *Sparse) Close() { t.workers.close() }

// Weights returns a copy of the present network.
func (t *Sparse) Weights() *nnue.Model { return t.model.Clone() }

// Steps returns the number of batches on which the network was trained.
func (t *Sparse) Steps() int { return t.steps }

// Step trains the network on any number of samples, in solver steps of SparseBatch samples.
// lrScale multiplies the learning rate. Step only reads the samples and does not keep them. With
// Mirror, if the board has a mirror, it exchanges left and right in every other sample: in odd
// steps in those at odd indices, in even steps in the others.
//
// It returns the mean loss; the loss of each sample is that before the solver step that learnt
// from it. The error wraps ErrNotFinite; the network has then learnt neither from the solver step
// with the bad loss nor from later ones.
func (t *Sparse) Step(samples []data.Sample, lrScale float64) (Loss, error) {
	if !(lrScale >= 0) || math.IsInf(lrScale, 0) {
		panic("train: learning rate factor is negative or not finite")
	}
	t.solver.factor = lrScale
	var all lossSum
	norm, solved := 0.0, 0
	for part := range slices.Chunk(t.mirror(samples), SparseBatch) {
		sum := t.train.run(part)
		all.add(len(part), sum)
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return all.mean(), fmt.Errorf("train: loss of step %d (%g): %w", t.solver.steps+1, sum, ErrNotFinite)
		}
		if err := t.solver.step(); err != nil {
			return all.mean(), err
		}
		norm += t.solver.norm
		solved++
	}
	t.steps++
	loss := all.mean()
	loss.GradNorm = norm / float64(max(solved, 1))
	return loss, nil
}

// mirror returns the samples with every other one mirrored, in memory of the trainer. If the board
// has no mirror it returns the samples themselves.
func (t *Sparse) mirror(samples []data.Sample) []data.Sample {
	v := t.model.Variant
	if !t.Mirror || !v.HasMirror() {
		return samples
	}
	t.mirrored = append(t.mirrored[:0], samples...)
	for i := (t.steps + 1) % 2; i < len(t.mirrored); i += 2 {
		t.mirrored[i].Position = v.Mirror(t.mirrored[i].Position)
	}
	return t.mirrored
}

// Evaluate returns the loss on any number of samples and changes nothing. Its errors are those of
// Step.
func (t *Sparse) Evaluate(samples []data.Sample) (Loss, error) {
	var all lossSum
	for part := range slices.Chunk(samples, SparseBatch) {
		all.add(len(part), t.held.run(part))
	}
	loss := all.mean()
	if !loss.finite() {
		return loss, fmt.Errorf("train: held-out loss (%g): %w", loss.Value, ErrNotFinite)
	}
	return loss, nil
}

// lossSum is a sum of losses of samples.
type lossSum struct {
	n   int
	sum float64
}

func (s *lossSum) add(n int, loss float64) {
	s.n += n
	s.sum += loss
}

// mean returns the mean loss, 0 without a sample.
func (s *lossSum) mean() Loss { return Loss{Value: s.sum / float64(max(s.n, 1))} }
