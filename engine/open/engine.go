package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/engine"
	"damier/internal/cli"
	"damier/mcts"
	"damier/models"
	"damier/net"
	"damier/net/nnue"
	"damier/rules"
)

// Settings are the settings of a command that complete the description of a player.
type Settings struct {
	// Limits apply if the description has none. Nodes are the visits of a tree search.
	Limits engine.Limits

	// Cores limits the cores of a search limited by time; 0 means all.
	Cores int

	// TableBits sets the size of the table of an alpha-beta search, 2^TableBits entries; 0 means
	// the default.
	TableBits int

	// MaxNodes limits the nodes of a tree; 0 means the default.
	MaxNodes int

	// Tables is the setting of endgame tables if the description has none: "on", "off" or "", or
	// the name of their folder.
	Tables string

	// Book is the setting of an opening book if the description has none: "on", "off" or "", or the
	// name of its file.
	Book    string
	BookUse engine.BookUse
}

// Engine makes the engine of a description for a person, a board or a protocol. Its random choices
// get a new seed, and a search limited by visits is repeatable. Hub and DXP programs are no
// engines.
func Engine(v *rules.Variant, s Spec, o Settings) (engine.Engine, error) {
	switch s.Kind {
	case Random:
		return engine.NewRandom(v, rand.Uint64()), nil
	case AlphaBeta:
		return withBook(v, s, o, func(s Spec) (engine.Engine, error) {
			return newAlphaBeta(v, s, o, alphabeta.Config{Version: s.Version})
		})
	case Hub, DXP:
		return nil, cli.Usagef("other programs play in evaluate, and through DXP in play dxp; here use tree, tree:FILE, nnue, nnue:FILE, alphabeta:depth=N, alphabeta:time=D, alphabeta:nodes=N or random")
	}
	m, err := Network(v, s.File)
	if err != nil {
		return nil, err
	}
	return Over(v, s, o, m.Evaluator())
}

// Over makes the engine of a Tree or NNUE description over an evaluator that is already loaded.
func Over(v *rules.Variant, s Spec, o Settings, e *nnue.Evaluator) (engine.Engine, error) {
	return withBook(v, s, o, func(s Spec) (engine.Engine, error) { return over(v, s, o, e) })
}

func over(v *rules.Variant, s Spec, o Settings, e *nnue.Evaluator) (engine.Engine, error) {
	name := "damier"
	if s.File != "" {
		name = Label(s.File)
	}
	if s.Kind == NNUE {
		return newAlphaBeta(v, s, o, alphabeta.Config{Evaluator: e, Name: name, Version: s.Version})
	}
	own := s.limits()
	if own.Unset() {
		own = engine.Limits{Nodes: o.Limits.Nodes, Time: o.Limits.Time}
	}
	if own.Unset() {
		own.Time = engine.DefaultTime
	}
	tables, err := prober(context.Background(), v, cmp.Or(s.Tables, o.Tables))
	if err != nil {
		return nil, err
	}
	search := s
	search.Level = 0 // SetLevel sets it
	c := search.TreeSearch()
	c.MaxNodes = cmp.Or(s.Search.MaxNodes, o.MaxNodes, c.MaxNodes)
	t, err := engine.NewTree(v, engine.TreeConfig{
		Name: name, Evaluators: lookers(e, s, cmp.Or(s.Cores, o.Cores, engine.Cores())), Search: c,
		KeepRoot: s.Search.Root != "", Repeatable: true, Leaves: s.Leaves, Own: own, Tables: tables,
	})
	if err != nil {
		return nil, err
	}
	t.Seed(rand.Uint64())
	if s.Level > 0 {
		return t, t.SetLevel(s.Level)
	}
	return t, nil
}

// lookers returns the evaluators of a tree search, one for each core.
func lookers(e *nnue.Evaluator, s Spec, cores int) []mcts.Evaluator {
	var all []mcts.Evaluator
	for range max(cores, 1) {
		all = append(all, e.OnePly(nnue.OnePlyConfig{Temperature: s.Temperature}))
	}
	return all
}

// limits returns the limits of the description, without its level.
func (p Spec) limits() engine.Limits {
	l := engine.Limits{Depth: p.Depth, Nodes: int64(p.Nodes), Time: p.Time}
	if p.Kind == Tree {
		l.Nodes = int64(p.Visits)
	}
	return l
}

// newAlphaBeta makes an alpha-beta search. The time of the settings applies in addition to limits
// of the description other than time.
func newAlphaBeta(v *rules.Variant, s Spec, o Settings, c alphabeta.Config) (engine.Engine, error) {
	c.Cores = cmp.Or(s.Cores, o.Cores, engine.Cores())
	c.TableBits = o.TableBits
	var err error
	if c.Tables, err = prober(context.Background(), v, cmp.Or(s.Tables, o.Tables)); err != nil {
		return nil, err
	}
	own := s.limits()
	own.Time = cmp.Or(o.Limits.Time, own.Time)
	if own.Unset() {
		own.Time = engine.DefaultTime
	}
	rated := ""
	switch {
	case s.Kind == NNUE && s.File == "" && s.Version == "":
		rated = "nnue"
	case s.Kind == AlphaBeta && (s.Version == "" || s.Version == alphabeta.Baseline):
		rated = "alphabeta"
	}
	a, err := engine.NewAlphaBeta(v, engine.AlphaBetaConfig{Rated: rated, Search: c, Own: own})
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	if s.Level > 0 {
		return a, a.SetLevel(s.Level)
	}
	return a, nil
}

// Best returns the description of the strongest player for v over the network in file, or with ""
// over the one that comes with the program. search chooses the search; "" means the stronger one
// for the variant. If no network comes with the program for the variant and its options, it is an
// alpha-beta search without one.
func Best(v *rules.Variant, file string, search rules.Search) (Spec, error) {
	if search == "" {
		search = v.Tuning().Search
	}
	if file == "" {
		if _, err := models.NNUE(v); err != nil {
			if errors.Is(err, models.ErrNone) || errors.Is(err, net.ErrForeign) {
				return Spec{Kind: AlphaBeta}, nil
			}
			return Spec{}, err
		}
	}
	var s Spec
	switch search {
	case rules.TreeSearch:
		s = treeSpec()
	case rules.AlphaBetaSearch:
		s.Kind = NNUE
	default:
		return s, fmt.Errorf("search %q is not known; use %s or %s", search, rules.TreeSearch, rules.AlphaBetaSearch)
	}
	s.File = file
	return s, nil
}

// treeSpec returns the parsed description "tree".
func treeSpec() Spec {
	return Spec{Kind: Tree, Search: mcts.Config{Share: true, Reuse: true}}
}
