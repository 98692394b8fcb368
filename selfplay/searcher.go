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

// Searcher chooses the moves of self-play. It belongs to one goroutine.
type Searcher interface {
	// Forget tells that the next search is of another game.
	Forget()

	// SetTables lets searches from the next on ask endgame tables, nil for none.
	SetTables(t mcts.Prober)

	// Search searches the game's position, in which there is a choice, as the stage says. The context's
	// error is returned as it is.
	Search(ctx context.Context, g *rules.Game, s Stage, rng *rand.Rand) (Found, error)
}

// Found is what a search has found.
type Found struct {
	Ply    data.Ply  // what a record keeps of the search: all but the position and the move played
	Best   int       // the move to play, an index of the legal moves
	Policy []float32 // [moves] the policy target, in [0,1], together 1; nil: the search has none
}

// Judges are the views that one network gives to the searches.
type Judges struct {
	Leaves   mcts.Evaluator                // of the tree search
	Scores   alphabeta.Evaluator           // of alpha-beta
	Expected func(alphabeta.Score) float32 // expected score, in [0,1], of the side that a score is of
}

// NewSearcher returns the searcher of a network: the tree search, and alpha-beta where a stage says so.
func NewSearcher(v *rules.Variant, cfg Config, j Judges) (Searcher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("self-play: %w", err)
	}
	cfg = cfg.For(v)
	s := &searcher{variant: v, cfg: cfg, judges: j}
	return s, nil
}

// searcher makes each of its searches when it is first asked for.
type searcher struct {
	variant *rules.Variant
	cfg     Config
	judges  Judges
	tree    *mcts.Search
	engine  *alphabeta.Engine
	tables  mcts.Prober // or nil
}

// tableBits is the size of alpha-beta's transposition table: searches are short.
const tableBits = 16

func (s *searcher) Forget() {
	if s.tree != nil {
		s.tree.Forget()
	}
	if s.engine != nil {
		s.engine.NewGame()
	}
}

// SetTables implements [Searcher]: the searches are made anew.
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

// byTree searches by tree search, with noise at the root where the constants say so.
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

// byDepth searches by alpha-beta. Its record has one visit, of the move it plays, and even priors: the
// search tells the worth of no other move.
func (s *searcher) byDepth(ctx context.Context, g *rules.Game) (Found, error) {
	if s.judges.Scores == nil {
		return Found{}, errors.New("self-play: this network cannot play by alpha-beta")
	}
	if s.engine == nil {
		var err error
		// The recipe's depths and nodes were measured with the search of this version.
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
