package learner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"damier/alphabeta"
	"damier/arena"
	"damier/data"
	"damier/learner/settings"
	"damier/mcts"
	"damier/net"
	"damier/rules"
	"damier/selfplay"
)

// toyMethod trains a linear value of the pieces by their squares. It is all that the loop's tests
// need, and shows that the loop needs no more.
type toyMethod struct{}

var _ Method = toyMethod{}

// toy is its network: what a man and a king are worth on each square, as the side to move sees the
// board, in logits.
type toy struct {
	Format  string
	Variant string
	Run     string
	Gen     int
	Width   int
	Weights []float64 // [man, king][squares], then a bias
}

const toyFormat = "toy"

func (toyMethod) Defaults(c *settings.Config, v *rules.Variant) {
	c.Net.Width = 32
	c.SelfPlay.MCTS = mcts.Config{Root: mcts.PUCT, Fraction: -1, Share: true, MaxNodes: 4096}.For(v)
}

func (toyMethod) Check(c settings.Config) error {
	if c.Net.Width%32 != 0 {
		return fmt.Errorf("net.width is %d; it must be a multiple of 32", c.Net.Width)
	}
	return nil
}

func (toyMethod) Extension() string { return ".toy" }

func (toyMethod) New(v *rules.Variant, c settings.Config) (Network, error) { return newToy(v, c), nil }

func newToy(v *rules.Variant, c settings.Config) *toy {
	n := &toy{Format: toyFormat, Variant: v.String(), Width: c.Net.Width, Weights: make([]float64, 2*v.Board.Squares()+1)}
	for i := range n.Weights {
		n.Weights[i] = 0.01 * math.Sin(float64(i)+float64(c.Seed))
	}
	return n
}

func (toyMethod) Begin(path string, v *rules.Variant) (Network, error) {
	return toyMethod{}.Load(path, v)
}

func (toyMethod) Load(path string, v *rules.Variant) (Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := toyMethod{}.Read(f, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

func (toyMethod) Read(r io.Reader, v *rules.Variant) (Network, error) {
	n := &toy{}
	if err := json.NewDecoder(r).Decode(n); err != nil || n.Format != toyFormat || n.Variant != v.String() {
		return nil, fmt.Errorf("no toy of %s: %w", v, net.ErrForeign)
	}
	return n, nil
}

func (toyMethod) Trainer(v *rules.Variant, c settings.Config, n Network) (Trainer, error) {
	if n == nil {
		n = newToy(v, c)
	}
	t := &toyTrainer{v: v, c: c.Train, net: *n.(*toy)}
	t.net.Weights = append([]float64(nil), t.net.Weights...)
	return t, nil
}

func (toyMethod) Targets(v *rules.Variant, c settings.Config) data.TargetFunc {
	rule := data.ValueRule{RootShare: float32(c.Value.Mix)}
	var values []rules.WDL
	return func(g *data.Game, ply int) (float32, bool) {
		if ply == 0 {
			values = data.ValueTargets(values[:0], g, rule)
		}
		return values[ply].Score(), g.Plies[ply].Full
	}
}

// features calls yield with every weight that p has a part in, and how much of it.
func features(v *rules.Variant, p rules.Position, yield func(i int, x float64)) {
	n := v.Board.Squares()
	for i, set := range [4]rules.Set{p.Men(p.Turn), p.Kings(p.Turn), p.Men(p.Turn.Opponent()), p.Kings(p.Turn.Opponent())} {
		for !set.Empty() {
			s := int(v.Board.Pop(&set)) - 1
			if (p.Turn == rules.Black) != (i >= 2) {
				s = n - 1 - s
			}
			yield(i%2*n+s, float64(1-i/2*2))
		}
	}
	yield(2*n, 1)
}

func (n *toy) score(v *rules.Variant, p rules.Position) float64 {
	sum := 0.0
	features(v, p, func(i int, x float64) { sum += x * n.Weights[i] })
	return 1 / (1 + math.Exp(-sum))
}

func (n *toy) Save(w io.Writer) error { return json.NewEncoder(w).Encode(n) }

func (n *toy) Size() int { return len(n.Weights) }

func (n *toy) Shape() string { return fmt.Sprintf("toy of width %d", n.Width) }

func (n *toy) Settings(c *settings.Config) { c.Net.Width = n.Width }

func (n *toy) Generation() int { return n.Gen }

func (n *toy) ID() string { return fmt.Sprintf("%s/gen-%06d", n.Run, n.Gen) }

// toyJudge judges by a toy.
type toyJudge struct {
	v *rules.Variant
	n *toy
}

func (j toyJudge) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		l := &leaves[i]
		for k := range l.Priors {
			l.Priors[k] = 1 / float32(len(l.Priors))
		}
		q := float32(j.n.score(j.v, l.Position))
		l.Value = rules.WDL{Win: q, Loss: 1 - q}
	}
	return ctx.Err()
}

// Score is in hundredths.
func (j toyJudge) Score(p rules.Position) alphabeta.Score {
	return alphabeta.Score(100 * j.n.score(j.v, p))
}

func (n *toy) judge() (toyJudge, error) {
	for _, name := range rules.Names() {
		if v, err := rules.Lookup(name, nil); err == nil && v.String() == n.Variant {
			return toyJudge{v, n}, nil
		}
	}
	return toyJudge{}, fmt.Errorf("no variant %q", n.Variant)
}

func (n *toy) Evaluator() (mcts.Evaluator, error) { return n.judge() }

func (n *toy) Searcher(v *rules.Variant, c selfplay.Config) (selfplay.Searcher, error) {
	j := toyJudge{v, n}
	expected := func(s alphabeta.Score) float32 { return float32(min(max(int(s), 0), 100)) / 100 }
	return selfplay.NewSearcher(v, c, selfplay.Judges{Leaves: j, Scores: j, Expected: expected})
}

// Players returns a factory of players that search the longer the wider the network is, so that a
// wide one wins.
func (n *toy) Players(v *rules.Variant, visits int) arena.Factory {
	return func() (arena.Player, error) {
		return &toyPlayer{n.ID(), toyJudge{v, n}, mcts.NewSearch(v, mcts.Config{}), visits * n.Width / 32}, nil
	}
}

type toyPlayer struct {
	name   string
	judge  toyJudge
	search *mcts.Search
	visits int
}

func (p *toyPlayer) Name() string { return p.name }

func (p *toyPlayer) NewGame() {}

func (p *toyPlayer) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	p.search.Start(g, mcts.Budget{Simulations: p.visits}, nil)
	r, err := p.search.Run(ctx, p.judge, 1)
	if err != nil {
		return rules.Move{}, err
	}
	return r.Moves[r.Best], nil
}

// toyTrainer descends the gradient, with momentum, so that there is a state besides the weights.
type toyTrainer struct {
	v     *rules.Variant
	c     settings.Train
	net   toy
	Speed []float64
	Made  int
}

func (t *toyTrainer) Step(batch []data.Sample, rate float64) (Loss, error) {
	if t.Speed == nil {
		t.Speed = make([]float64, len(t.net.Weights))
	}
	loss, err := t.Evaluate(batch)
	if err != nil {
		return loss, err
	}
	for i := range t.Speed {
		t.Speed[i] *= 0.5
	}
	for _, s := range batch {
		g := t.net.score(t.v, s.Position) - float64(s.Score)
		features(t.v, s.Position, func(i int, x float64) { t.Speed[i] -= g * x / float64(len(batch)) })
	}
	for i, s := range t.Speed {
		t.net.Weights[i] += 10 * t.c.LearningRate * rate * (s - t.c.WeightDecay*t.net.Weights[i])
	}
	t.Made++
	if loss.Value != loss.Value || math.IsInf(loss.Value, 0) {
		return loss, fmt.Errorf("the loss is %g: %w", loss.Value, ErrNotFinite)
	}
	return loss, nil
}

func (t *toyTrainer) Evaluate(batch []data.Sample) (Loss, error) {
	sum := 0.0
	for _, s := range batch {
		y, target := t.net.score(t.v, s.Position), float64(s.Score)
		sum -= target*math.Log(y+1e-9) + (1-target)*math.Log(1-y+1e-9)
	}
	return Loss{Value: sum / float64(len(batch))}, nil
}

// toyState is a checkpoint.
type toyState struct {
	Weights, Speed []float64
	Made           int
}

func (t *toyTrainer) Save(w io.Writer) error {
	return json.NewEncoder(w).Encode(toyState{t.net.Weights, t.Speed, t.Made})
}

func (t *toyTrainer) Load(r io.Reader) error {
	var s toyState
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return fmt.Errorf("%w: %w", net.ErrDamaged, err)
	}
	t.net.Weights, t.Speed, t.Made = s.Weights, s.Speed, s.Made
	return nil
}

func (t *toyTrainer) Steps() int { return t.Made }

func (t *toyTrainer) Close() {}

func (t *toyTrainer) Network(o Origin) Network {
	n := t.net
	n.Weights = append([]float64(nil), n.Weights...)
	n.Run, n.Gen = o.Run, o.Generation
	return &n
}
