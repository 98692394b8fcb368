package sparse

import (
	"cmp"
	"fmt"
	"io"

	"damier/arena"
	"damier/data"
	"damier/engine"
	"damier/learner"
	"damier/learner/settings"
	"damier/mcts"
	"damier/net/nnue"
	"damier/rules"
	"damier/selfplay"
)

// Method trains a network of package nnue.
type Method struct{}

var _ learner.Method = Method{}

// leastNodes is the smallest limit of a self-play tree. nodesFor is the number of nodes that a
// tree may have for each visit of a search, because a part of the tree is reused from move to
// move.
const (
	leastNodes = 8192
	nodesFor   = 32
)

// Defaults implements [learner.Method] with the settings with which such a network learns best
// (docs/experiments/teachers.md, nnue.md).
func (Method) Defaults(c *settings.Config, v *rules.Variant) {
	c.Net.Width = nnue.Width
	search := mcts.Config{Fraction: -1, MaxNodes: max(leastNodes, nodesFor*c.SelfPlay.MostVisits())}
	if c.SelfPlay.Search == selfplay.AlphaBeta { // its games have no rows of trees
		c.Generation.Rows, c.Generation.Passes = 65_536, 3
	} else {
		own := v.Tuning().SelfPlay
		search.Best = own.Best
		if own.Best == 1 { // then the value of a root is that of its best move already
			c.Value.LeastVisits = 0
		}
		c.SelfPlay.TreeRows = cmp.Or(own.TreeRows, c.SelfPlay.TreeRows)
		c.Generation.Passes = cmp.Or(own.Passes, c.Generation.Passes)
		c.Refit.First = own.Refit
	}
	search.CPuctGrowth, search.Scout = playGrowth, playScout
	c.SelfPlay.MCTS = nnue.TreeSearch(search).For(v)
}

// playGrowth is mcts.Config.CPuctGrowth in self-play, none. With growth a search is stronger, but a
// network learns no more from its games, and in Frisian draughts less: docs/experiments/tree.md.
const playGrowth = -1

// playScout is mcts.Config.Scout in self-play. Combinations found sooner make a search stronger, but
// take a tenth of the games, and a network learns no more from them: docs/experiments/tree.md.
const playScout = 64

// Check implements [learner.Method].
func (Method) Check(c settings.Config) error {
	if w := c.Net.Width; w < 32 || w > 1024 || w%32 != 0 {
		return fmt.Errorf("net.width is %d; it must be a multiple of 32 from 32 to 1024", w)
	}
	return nil
}

// Extension implements [learner.Method].
func (Method) Extension() string { return nnue.Extension }

// New implements [learner.Method].
func (Method) New(v *rules.Variant, c settings.Config) (learner.Network, error) {
	return network{nnue.New(v, c.Net.Width, c.Seed)}, nil
}

// Load implements [learner.Method].
func (Method) Load(path string, v *rules.Variant) (learner.Network, error) {
	m, err := nnue.LoadFile(path, v)
	if err != nil {
		return nil, err
	}
	return network{m}, nil
}

// Begin implements [learner.Method]. See [nnue.Model.For] for the variants that fit.
func (Method) Begin(path string, v *rules.Variant) (learner.Network, error) {
	m, err := nnue.LoadFile(path, nil)
	if err != nil {
		return nil, err
	}
	if m.Variant.Name == v.Name { // its options must be those of v
		return Method{}.Load(path, v)
	}
	if m, err = m.For(v); err != nil {
		return nil, err
	}
	return network{m}, nil
}

// Read implements [learner.Method].
func (Method) Read(r io.Reader, v *rules.Variant) (learner.Network, error) {
	m, err := nnue.Load(r, v)
	if err != nil {
		return nil, err
	}
	return network{m}, nil
}

// Trainer implements [learner.Method].
func (Method) Trainer(v *rules.Variant, c settings.Config, n learner.Network) (learner.Trainer, error) {
	if n == nil {
		if err := (Method{}).Check(c); err != nil {
			return nil, err
		}
		n = network{nnue.New(v, c.Net.Width, c.Seed)}
	}
	own, ok := n.(network)
	if !ok {
		return nil, fmt.Errorf("sparse: a network of another method, %s", n.Shape())
	}
	return newTrainer(c.Train, own.Model)
}

// Targets implements [learner.Method]. Rows are the searched positions without a capture to make,
// because a search plays captures out and evaluates the position after them.
func (Method) Targets(v *rules.Variant, c settings.Config) data.TargetFunc {
	var values []rules.WDL
	return func(g *data.Game, ply int) (float32, bool) {
		if ply == 0 {
			rule := data.ValueRule{Blunder: float32(c.Value.Blunder), LeastVisits: float32(c.Value.LeastVisits)}
			if g.Generation >= c.Value.MixFrom {
				rule.RootShare = float32(c.Value.Mix)
			}
			values = data.ValueTargets(values[:0], g, rule)
		}
		p := &g.Plies[ply]
		// The network has one output, in which a draw is one half.
		return values[ply].Score(), len(p.Visits) > 0 && !v.HasCaptures(p.Position)
	}
}

// network is a model as a learner.Network.
type network struct{ *nnue.Model }

func (n network) Size() int { return len(n.Hidden) + len(n.Output) + len(n.Bias) }

func (n network) Shape() string { return fmt.Sprintf("NNUE, %d units in each of two views", n.Width) }

func (n network) Settings(c *settings.Config) { c.Net.Width = n.Width }

func (n network) Generation() int { return n.Model.Generation }

func (n network) ID() string { return fmt.Sprintf("%s/gen-%06d", n.Run, n.Model.Generation) }

func (n network) Evaluator() (mcts.Evaluator, error) {
	return n.Model.Evaluator().OnePly(nnue.OnePlyConfig{}), nil
}

// Searcher returns a searcher by tree search with a one-ply look at the leaves, or by alpha-beta.
func (n network) Searcher(v *rules.Variant, c selfplay.Config) (selfplay.Searcher, error) {
	e := n.Model.Evaluator()
	look := e.OnePly(nnue.OnePlyConfig{})
	return selfplay.NewSearcher(v, c, selfplay.Judges{Leaves: look, Scores: e, Expected: look.Expected})
}

// Players returns players with the search of play outside a run, because the measurement must not
// depend on the settings of self-play.
func (n network) Players(v *rules.Variant, visits int) arena.Factory {
	e := n.Model.Evaluator()
	return func() (arena.Player, error) {
		return engine.NewTreePlayer(v, engine.TreeConfig{
			Name:       fmt.Sprintf("gen-%06d", n.Model.Generation),
			Evaluators: []mcts.Evaluator{e.OnePly(nnue.OnePlyConfig{})},
			Search:     nnue.TreeSearch(mcts.Config{}),
			Own:        engine.Limits{Nodes: int64(visits)},
		}, 0)
	}
}
