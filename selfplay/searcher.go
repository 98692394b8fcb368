package selfplay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"damier/alphabeta"
	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// Searcher chooses the moves of self-play. Only one goroutine may use it.
type Searcher interface {
	// Forget says that the next search is of another game.
	Forget()

	// SetTables makes later searches use endgame tables; nil for none.
	SetTables(t mcts.Prober)

	// Search searches the position of g, which has at least two legal moves, with the search of
	// the stage. It returns the error of the context unchanged.
	Search(ctx context.Context, g *rules.Game, s Stage, rng *rand.Rand) (Found, error)
}

// Found is the result of a search.
type Found struct {
	Ply    data.Ply  // the record of the search, without the position and the move played
	Best   int       // the index of the move to play among the legal moves
	Policy []float32 // [moves] the policy target, in [0,1], sum 1; nil if the search has none
}

// Judges are the evaluators of one network for the searches.
type Judges struct {
	Leaves mcts.Evaluator      // for the tree search
	Scores alphabeta.Evaluator // for alpha-beta
	// Converts a score to the expected score, in [0,1], of the same side.
	Expected func(alphabeta.Score) float32
}

// NewSearcher returns the searcher of a network: tree search, or alpha-beta in stages that say so.
func NewSearcher(v *rules.Variant, cfg Config, j Judges) (Searcher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("self-play: %w", err)
	}
	cfg = cfg.For(v)
	s := &searcher{variant: v, cfg: cfg, judges: j}
	return s, nil
}

// searcher makes each of its searches when it is first needed.
type searcher struct {
	variant *rules.Variant
	cfg     Config
	judges  Judges
	tree    *mcts.Search
	engine  *alphabeta.Engine
	tables  mcts.Prober // nil for none
}

// tableBits is the size of the transposition table of alpha-beta; it is small because the searches
// are short.
const tableBits = 16

func (s *searcher) Forget() {
	if s.tree != nil {
		s.tree.Forget()
	}
	if s.engine != nil {
		s.engine.NewGame()
	}
}

// SetTables implements [Searcher]. It drops the searches; Search makes new ones.
func (s *searcher) SetTables(t mcts.Prober) {
	if t == nil && s.tables == nil {
		return
	}
	s.tables, s.tree, s.engine = t, nil, nil
}

func (s *searcher) Search(ctx context.Context, g *rules.Game, stage Stage, rng *rand.Rand) (Found, error) {
	if stage.AlphaBeta {
		return s.byDepth(ctx, g)
	}
	return s.byTree(ctx, g, stage.Visits, rng)
}

// byTree searches by tree search, with noise at the root if the constants ask for it.
func (s *searcher) byTree(ctx context.Context, g *rules.Game, visits int, rng *rand.Rand) (Found, error) {
	if s.tree == nil {
		s.tree = mcts.NewSearch(s.variant, s.cfg.MCTS)
		s.tree.SetTables(s.tables)
	}
	s.tree.Start(g, mcts.Budget{Simulations: visits, Noise: 1}, rng)
	r, err := s.tree.Run(ctx, s.judges.Leaves, 1)
	if err != nil {
		s.tree.Forget()
		return Found{}, err
	}
	f := Found{
		Best:   r.Best,
		Policy: r.Policy,
		Ply: data.Ply{
			Full:        true,
			Simulations: r.Simulations,
			Root:        r.Root,
			Raw:         r.Raw,
			Visits:      make([]uint16, len(r.Visits)),
			Priors:      slices.Clone(r.Priors),
			Values:      slices.Clone(r.Values),
		},
	}
	for i, n := range r.Visits {
		f.Ply.Visits[i] = uint16(min(n, math.MaxUint16))
	}
	if s.cfg.TreeRows > 0 {
		s.tree.Positions(s.cfg.TreeRows, func(line []uint8, p rules.Position, worth float64) {
			f.Ply.Tree = append(f.Ply.Tree, data.Node{Line: slices.Clone(line), Position: p, Value: float32(worth)})
		})
	}
	return f, nil
}

// byDepth searches by alpha-beta. The record has one visit, for the move played, and equal priors,
// because the search has no values of other moves.
func (s *searcher) byDepth(ctx context.Context, g *rules.Game) (Found, error) {
	if s.judges.Scores == nil {
		return Found{}, errors.New("self-play: this network cannot play by alpha-beta")
	}
	if s.engine == nil {
		var err error
		// The default depth and nodes were measured with the search of this version.
		s.engine, err = alphabeta.New(s.variant, alphabeta.Config{
			Version: alphabeta.Baseline, TableBits: tableBits, Evaluator: s.judges.Scores, Tables: s.tables,
		})
		if err != nil {
			return Found{}, err
		}
	}
	info, err := s.engine.Search(ctx, g, alphabeta.Limits{Depth: s.cfg.Depth, Nodes: uint64(s.cfg.Nodes)}, nil)
	if err != nil {
		return Found{}, err
	}
	legal := g.Legal()
	best := slices.Index(legal, info.PV[0])
	if best < 0 {
		return Found{}, fmt.Errorf("self-play: alpha-beta plays %v, which is not legal", info.PV[0])
	}
	q := s.judges.Expected(info.Score)
	root := rules.WDL{Win: q, Loss: 1 - q}
	n := len(legal)
	f := Found{Best: best, Ply: data.Ply{
		Full:        true,
		Simulations: int(min(info.Nodes, math.MaxInt32)),
		Root:        root,
		Raw:         root,
		Visits:      make([]uint16, n),
		Priors:      make([]float32, n),
		Values:      make([]float32, n),
	}}
	for i := range n {
		f.Ply.Priors[i], f.Ply.Values[i] = 1/float32(n), float32(math.NaN())
	}
	f.Ply.Visits[best], f.Ply.Values[best] = 1, q
	return f, nil
}
