package main

import (
	"fmt"
	"runtime"
	"strings"

	"damier/alphabeta"
	"damier/arena"
	"damier/internal/cli"
	"damier/internal/simd"
	"damier/mcts"
	"damier/models"
	"damier/net"
	"damier/nnue"
	"damier/player"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
	"damier/strength"
)

// side is one of the two players of a match: a factory, and what its players share.
type side struct {
	make        arena.Factory
	timed       bool // its moves are limited by time
	single      bool // it plays one game at a time
	concurrency int  // games at a time that suit it
	most        int  // games at a time that it can bear; 0 is any number
	cores       int  // that it thinks on; 0 is 1
	batcher     *player.Batcher
	prepare     func() error // loads what the players share; nil if there is nothing
}

// together returns how many games at a time suit all sides.
func together(sides []*side) int {
	n := 1
	for _, s := range sides {
		n = max(n, s.concurrency)
	}
	for _, s := range sides {
		if s.most > 0 {
			n = min(n, s.most)
		}
	}
	return n
}

func cores() int { return runtime.GOMAXPROCS(0) }

// timedGames returns how many games at a time there are cores for, when every move has its time.
func timedGames(sides []*side) int {
	most := 1
	for _, s := range sides {
		most = max(most, s.cores)
	}
	return max(cores()/most, 1)
}

// side makes a side of a description and the flags.
func (o *options) side(v *rules.Variant, text string) (*side, error) {
	spec, err := player.ParseSpec(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	switch spec.Kind {
	case player.Random:
		return &side{
			make:        func() (arena.Player, error) { return arena.NewRandom(o.seed), nil },
			concurrency: cores(),
		}, nil
	case player.AlphaBeta:
		return o.alphaBeta(v, text, spec, &alphabeta.Config{Version: spec.Version})
	case player.NNUE:
		return o.nnue(v, text, spec)
	case player.Tree:
		return o.tree(v, text, spec)
	case player.Hub:
		return o.hub(v, text, spec)
	case player.DXP:
		return o.dxp(v, spec)
	}
	if spec.Cores > 0 && spec.Time == 0 && (spec.Visits > 0 || o.time == 0) {
		return nil, cli.Usagef("player %q: cores goes with time; a search that visits end runs on one", text)
	}
	return o.model(v, spec), nil
}

// nnue makes the side of an alpha-beta search over an NNUE.
func (o *options) nnue(v *rules.Variant, text string, spec player.Spec) (*side, error) {
	config := &alphabeta.Config{Name: nnueLabel(spec)}
	s, err := o.alphaBeta(v, text, spec, config)
	if err != nil {
		return nil, err
	}
	s.prepare = func() error {
		m, err := models.OpenNNUE(v, spec.File)
		if err != nil {
			return fileError(err)
		}
		config.Evaluator = m.Evaluator()
		return o.alphaBetaTables(v, spec, config)
	}
	return s, nil
}

// tree makes the side of a tree search over an NNUE.
func (o *options) tree(v *rules.Variant, text string, spec player.Spec) (*side, error) {
	if spec.Cores > 0 && spec.Time == 0 && o.time == 0 {
		return nil, cli.Usagef("player %q: cores goes with time; a search that visits end runs on one", text)
	}
	config := player.Config{
		Name: nnueLabel(spec) + spec.Settings(), Visits: o.visits, Time: o.time,
		Search: spec.TreeSearch(), Leaves: spec.Leaves,
	}
	if spec.Limited() {
		config.Visits, config.Time, config.Level = spec.Visits, spec.Time, spec.Level
	}
	if config.Time > 0 {
		config.Visits = 0
	}
	s := &side{timed: config.Time > 0, concurrency: cores(), cores: spec.Cores}
	s.make = func() (arena.Player, error) { panic("evaluate: a network is used before it is loaded") }
	s.prepare = func() error {
		m, err := models.OpenNNUE(v, spec.File)
		if err != nil {
			return fileError(err)
		}
		e := m.Evaluator()
		look := nnue.OnePlyConfig{Temperature: spec.Temperature}
		if config.Tables, err = o.tables(v, spec.Tables); err != nil {
			return err
		}
		s.make = func() (arena.Player, error) { return player.NewTree(v, e, spec.Cores, look, config) }
		return nil
	}
	return s, nil
}

// nnueLabel names the NNUE of a spec in results, by the search over it: "nnue" under alpha-beta, "tree" under tree
// search, with the name of its file where it has one.
func nnueLabel(spec player.Spec) string {
	search := "nnue"
	if spec.Kind == player.Tree {
		search = "tree"
	}
	if spec.File == "" {
		return search
	}
	return search + "-" + player.Label(spec.File)
}

// alphaBeta makes the side of an alpha-beta search. What config says when a player is made holds.
func (o *options) alphaBeta(v *rules.Variant, text string, spec player.Spec, config *alphabeta.Config) (*side, error) {
	if !spec.Limited() {
		if o.time == 0 {
			return nil, cli.Usagef("player %q has no limit: say %s:depth=N, or give --time", text, text)
		}
		spec.Time = o.time
	}
	limits := alphabeta.Limits{Depth: spec.Depth, Nodes: spec.Nodes, Time: spec.Time}
	if spec.Level > 0 {
		limits.Depth = strength.Of(spec.Level).AlphaBeta(config, o.seed)
	}
	config.Cores = spec.Cores
	s := &side{timed: spec.Time > 0, concurrency: cores(), cores: spec.Cores}
	s.make = func() (arena.Player, error) {
		p, err := arena.NewAlphaBeta(v, *config, limits)
		if err != nil || spec.Level == 0 {
			return p, err
		}
		return arena.Named{Player: p, As: label(text), Unpaced: true}, nil
	}
	s.prepare = func() error { return o.alphaBetaTables(v, spec, config) }
	// An unknown version is told now, not in the first game.
	small := *config
	small.TableBits = 8
	if _, err := alphabeta.New(v, small); err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	return s, nil
}

// hub makes the side of a Hub program, one process for each game at a time. One is started before the match, to
// tell at once what is wrong with it.
func (o *options) hub(v *rules.Variant, text string, spec player.Spec) (*side, error) {
	if !spec.Limited() {
		if o.time == 0 {
			return nil, cli.Usagef("player %q has no limit: say %s,depth=N or %s,time=1s, or give --time", text, text, text)
		}
		spec.Time = o.time
	}
	command, err := spec.Command()
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	config := hub.PlayerConfig{
		Variant: v, Command: command, Dir: spec.Dir,
		Limits: hub.Limits{Depth: spec.Depth, Nodes: int64(spec.Nodes), Time: spec.Time},
	}
	for _, setting := range strings.FieldsFunc(spec.Params, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(setting, "=")
		config.Params = append(config.Params, hub.Arg{Name: name, Value: value, HasValue: true})
	}
	s := &side{timed: spec.Time > 0, concurrency: cores(), most: cores()} // each game has a process
	s.make = func() (arena.Player, error) { return hub.NewPlayer(o.context(), config) }
	s.prepare = func() error {
		p, err := hub.NewPlayer(o.context(), config)
		if err != nil {
			if e := o.context().Err(); e != nil {
				return e
			}
			return cli.WithCode(cli.Usage, fmt.Errorf("player %s: %w", text, err))
		}
		return p.Close()
	}
	return s, nil
}

// dxp makes the side of a program that listens for DXP, which plays one game at a time.
func (o *options) dxp(v *rules.Variant, spec player.Spec) (*side, error) {
	if err := dxp.Supports(v); err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	if spec.Time > 0 {
		if _, err := dxp.FormatTime(spec.Time); err != nil {
			return nil, cli.WithCode(cli.Usage, err)
		}
	}
	if _, err := dxp.Address(spec.Address); err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	clock := spec.Time
	if clock == 0 && o.control != nil {
		// It is told the clock's time, and knows nothing of increments.
		if _, err := dxp.FormatTime(o.control.Time); err == nil {
			clock = o.control.Time
		}
	}
	config := dxp.PlayerConfig{
		Address: spec.Address, Time: clock, Say: spec.Say,
		Session: dxp.Config{Variant: v, Name: "Damier evaluate"},
	}
	return &side{
		make:        func() (arena.Player, error) { return dxp.NewPlayer(o.context(), config) },
		single:      true,
		concurrency: 1,
	}, nil
}

// evaluations is how many the games of a model keep together, 192 bytes each.
const evaluations = 1 << 17

// model makes the side of a model file. Limited by visits, all its games share a batcher with an evaluator
// for each core. Limited by time, every game has an evaluator of its own: they must not wait for each
// other.
func (o *options) model(v *rules.Variant, spec player.Spec) *side {
	config := player.Config{
		Name: player.Label(spec.File) + spec.Settings(), Visits: o.visits, Time: o.time, Leaves: o.leaves, Search: spec.Search,
	}
	if spec.Limited() {
		config.Visits, config.Time, config.Level = spec.Visits, spec.Time, spec.Level
	}
	if spec.Leaves > 0 {
		config.Leaves = spec.Leaves
	}
	if config.Time > 0 {
		config.Visits = 0
	}
	s := &side{timed: config.Time > 0, concurrency: 2 * simd.Lanes * cores(), cores: spec.Cores}
	s.prepare = func() error {
		m, err := net.LoadFile(spec.File, v)
		if err != nil {
			return fileError(err)
		}
		config.Cache = mcts.NewCache(evaluations)
		if config.Tables, err = o.tables(v, spec.Tables); err != nil {
			return err
		}
		if s.timed {
			if config.Leaves == 0 {
				config.Leaves = player.LeavesFor(m)
			}
			s.make = func() (arena.Player, error) {
				evaluators, err := player.Evaluators(m, spec.Precision, max(spec.Cores, 1))
				if err != nil {
					return nil, err
				}
				return player.NewParallel(v, evaluators, config)
			}
			return nil
		}
		evaluators, err := player.Evaluators(m, spec.Precision, cores())
		if err != nil {
			return fmt.Errorf("model %s: %w", spec.File, err)
		}
		s.batcher = player.NewBatcher(evaluators, simd.Lanes)
		s.make = func() (arena.Player, error) { return player.New(v, s.batcher, config) }
		return nil
	}
	s.make = func() (arena.Player, error) { panic("evaluate: a model is used before it is loaded") }
	return s
}

// open loads what the players share.
func (s *side) open() error {
	if s.prepare == nil {
		return nil
	}
	return s.prepare()
}

func (s *side) close() {
	if s.batcher != nil {
		s.batcher.Close()
	}
}

// clocked makes players for a match by the clock, under a name that does not change with their time. Those with limits
// of their own keep them.
func clocked(make arena.Factory, text string, c *arena.Control) arena.Factory {
	spec, err := player.ParseSpec(text)
	limited := err == nil && spec.Limited()
	name := label(text)
	if !limited && text != "random" {
		name += ":clock=" + c.String()
	}
	return func() (arena.Player, error) {
		p, err := make()
		if err != nil {
			return nil, err
		}
		return arena.Named{Player: p, As: name, Unpaced: limited}, nil
	}
}

// label returns a name for a player: its description, of a network's file only the name.
func label(text string) string {
	spec, err := player.ParseSpec(text)
	if err != nil {
		return text
	}
	name := ""
	switch {
	case spec.Kind == player.Model:
		name = player.Label(spec.File) + spec.Settings()
	case spec.Kind == player.NNUE && spec.File != "", spec.Kind == player.Tree && spec.File != "":
		name = nnueLabel(spec) + spec.Settings()
	default:
		return text
	}
	if spec.Depth > 0 {
		name += fmt.Sprintf(",depth=%d", spec.Depth)
	}
	if spec.Nodes > 0 {
		name += fmt.Sprintf(",nodes=%d", spec.Nodes)
	}
	if spec.Level > 0 {
		name += fmt.Sprintf(",level=%d", spec.Level)
	}
	if spec.Visits > 0 {
		name += fmt.Sprintf(",visits=%d", spec.Visits)
	}
	if spec.Time > 0 {
		name += ",time=" + spec.Time.String()
	}
	return name
}
