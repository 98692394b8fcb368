package open

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/internal/cli"
	"damier/mcts"
	"damier/net/nnue"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
)

// Defaults are the settings of a match for players without limits of their own.
type Defaults struct {
	Visits int           // visits of a tree search, 0 for none
	Time   time.Duration // time of a move, 0 for none
	Leaves int           // leaves that a tree search evaluates together; 0 means 1
	Seed   uint64        // seed of random choices

	// Clock is the time control of the match, nil for none.
	Clock *arena.Control

	// Network reads the networks of descriptions, from elsewhere than their files; nil for [Network].
	Network func(v *rules.Variant, file string) (*nnue.Model, error)

	// Name is the name that we give to a program at the other end of DXP.
	Name string
}

// Side is one side of a match: a factory of players, and what these players share.
type Side struct {
	Make        arena.Factory
	Timed       bool // its moves are limited by time
	Single      bool // it plays one game at a time
	Concurrency int  // number of games at a time that suits it best
	Most        int  // largest number of games at a time that it can play; 0 means any number
	Cores       int  // cores on which a player thinks; 0 means 1

	prepare func() error // loads what the players share; nil if they share nothing
}

// Open loads what the players share. It must be called before Make.
func (s *Side) Open() error {
	if s.prepare == nil {
		return nil
	}
	return s.prepare()
}

// Together returns the number of games at a time that suits all sides.
func Together(sides []*Side) int {
	n := 1
	for _, s := range sides {
		n = max(n, s.Concurrency)
	}
	for _, s := range sides {
		if s.Most > 0 {
			n = min(n, s.Most)
		}
	}
	return n
}

func cores() int { return runtime.GOMAXPROCS(0) }

// TimedGames returns the number of games at a time for which there are cores if every move has a
// time limit.
func TimedGames(sides []*Side) int {
	most := 1
	for _, s := range sides {
		most = max(most, s.Cores)
	}
	return max(cores()/most, 1)
}

// NewSide makes a side from a description. ctx ends the start of other programs.
func NewSide(ctx context.Context, v *rules.Variant, text string, d Defaults) (*Side, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	m := maker{ctx: ctx, v: v, text: text, spec: spec, Defaults: d}
	s, err := m.side()
	if err == nil && spec.Book != "" {
		m.book(s)
	}
	return s, err
}

// side makes the side without its book.
func (m maker) side() (*Side, error) {
	d, spec := m.Defaults, m.spec
	switch spec.Kind {
	case Random:
		return &Side{
			Make:        func() (arena.Player, error) { return arena.NewRandom(d.Seed), nil },
			Concurrency: cores(),
		}, nil
	case AlphaBeta:
		return m.alphaBeta(&alphabeta.Config{Version: spec.Version})
	case NNUE:
		return m.nnue()
	case Hub:
		return m.hub()
	case DXP:
		return m.dxp()
	}
	return m.tree()
}

// maker makes a side from a parsed description.
type maker struct {
	Defaults
	ctx  context.Context
	v    *rules.Variant
	text string
	spec Spec
}

// tables opens the endgame tables of the side; nil if it has none.
func (m maker) tables() (mcts.Prober, error) { return prober(m.ctx, m.v, m.spec.Tables) }

// network reads the network of the side.
func (m maker) network() (*nnue.Model, error) {
	if m.Network != nil {
		return m.Network(m.v, m.spec.File)
	}
	return Network(m.v, m.spec.File)
}

// nnue makes the side of an alpha-beta search over a network.
func (m maker) nnue() (*Side, error) {
	config := &alphabeta.Config{Name: networkLabel(m.spec), Version: m.spec.Version}
	s, err := m.alphaBeta(config)
	if err != nil {
		return nil, err
	}
	s.prepare = func() error {
		network, err := m.network()
		if err != nil {
			return err
		}
		config.Evaluator = network.Evaluator()
		config.Tables, err = m.tables()
		return err
	}
	return s, nil
}

// tree makes the side of a tree search over a network.
func (m maker) tree() (*Side, error) {
	spec := m.spec
	if spec.Cores > 0 && spec.Time == 0 && m.Time == 0 {
		return nil, cli.Usagef("player %q: cores goes with time; a search that visits end runs on one", m.text)
	}
	limits := engine.Limits{Nodes: int64(m.Visits), Time: m.Time}
	if spec.Limited() {
		limits = engine.Limits{Nodes: int64(spec.Visits), Time: spec.Time}
	}
	if limits.Time > 0 {
		limits.Nodes = 0
	}
	config := engine.TreeConfig{
		Name: networkLabel(spec) + spec.Settings(), Search: spec.TreeSearch(), KeepRoot: spec.Search.Root != "",
		Leaves: max(spec.Leaves, m.Leaves), Own: limits,
	}
	s := &Side{Timed: limits.Time > 0, Concurrency: cores(), Cores: spec.Cores}
	s.Make = func() (arena.Player, error) { panic("open: a network is used before it is loaded") }
	s.prepare = func() error {
		network, err := m.network()
		if err != nil {
			return err
		}
		e := network.Evaluator()
		if config.Tables, err = m.tables(); err != nil {
			return err
		}
		s.Make = func() (arena.Player, error) {
			c := config
			c.Evaluators = lookers(e, spec, spec.Cores)
			return engine.NewTreePlayer(m.v, c, spec.Level)
		}
		return nil
	}
	return s, nil
}

// networkLabel returns the name of a network in results: its search ("nnue" for alpha-beta, "tree"
// for tree search), the name of its file and the version of its search, if they are given.
func networkLabel(spec Spec) string {
	label := "nnue"
	if spec.Kind == Tree {
		label = "tree"
	}
	if spec.File != "" {
		label += "-" + Label(spec.File)
	}
	if spec.Version != "" {
		label += "-" + spec.Version
	}
	return label
}

// alphaBeta makes the side of an alpha-beta search. It reads config when a player is made.
func (m maker) alphaBeta(config *alphabeta.Config) (*Side, error) {
	spec := m.spec
	if !spec.Limited() {
		if m.Time == 0 {
			return nil, cli.Usagef("player %q has no limit: say %s, or give --time", m.text, withSetting(m.text, "depth=N"))
		}
		spec.Time = m.Time
	}
	limits := engine.Limits{Depth: spec.Depth, Nodes: int64(spec.Nodes), Time: spec.Time}
	if spec.Level > 0 {
		limits.Depth = engine.LevelOf(spec.Level).AlphaBeta(config, m.Seed)
	}
	config.Cores = spec.Cores
	s := &Side{Timed: spec.Time > 0, Concurrency: cores(), Cores: spec.Cores}
	s.Make = func() (arena.Player, error) {
		p, err := engine.NewAlphaBetaPlayer(m.v, *config, limits)
		if err != nil || spec.Level == 0 {
			return p, err
		}
		return arena.Named{Player: p, As: PlayerLabel(m.text), Unpaced: true}, nil
	}
	s.prepare = func() (err error) {
		config.Tables, err = m.tables()
		return err
	}
	// Report an unknown version now, not in the first game.
	small := *config
	small.TableBits = 8
	if _, err := alphabeta.New(m.v, small); err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	return s, nil
}

// withSetting returns the description of a player with one more setting.
func withSetting(text, setting string) string {
	if strings.Contains(text, ":") {
		return text + "," + setting
	}
	return text + ":" + setting
}

// hub makes the side of a Hub program, with one process for each game at a time. It starts one
// before the match, to report errors at once.
func (m maker) hub() (*Side, error) {
	spec := m.spec
	if !spec.Limited() {
		if m.Time == 0 {
			return nil, cli.Usagef("player %q has no limit: say %s,depth=N or %s,time=1s, or give --time", m.text, m.text, m.text)
		}
		spec.Time = m.Time
	}
	command, err := spec.Command()
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	config := hub.PlayerConfig{
		Variant: m.v, Command: command, Dir: spec.Dir,
		Limits: hub.Limits{Depth: spec.Depth, Nodes: int64(spec.Nodes), Time: spec.Time},
	}
	for _, setting := range strings.FieldsFunc(spec.Params, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(setting, "=")
		config.Params = append(config.Params, hub.Arg{Name: name, Value: value, HasValue: true})
	}
	// Each game has its own process.
	s := &Side{Timed: spec.Time > 0, Concurrency: cores(), Most: cores()}
	s.Make = func() (arena.Player, error) { return hub.NewPlayer(m.ctx, config) }
	s.prepare = func() error {
		p, err := hub.NewPlayer(m.ctx, config)
		if err != nil {
			if e := m.ctx.Err(); e != nil {
				return e
			}
			return cli.WithCode(cli.Usage, fmt.Errorf("player %s: %w", m.text, err))
		}
		return p.Close()
	}
	return s, nil
}

// dxp makes the side of a program that listens for DXP, which plays one game at a time.
func (m maker) dxp() (*Side, error) {
	spec := m.spec
	if err := dxp.Supports(m.v); err != nil {
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
	if clock == 0 && m.Clock != nil {
		// DXP has a time for the game, but no increment.
		if _, err := dxp.FormatTime(m.Clock.Time); err == nil {
			clock = m.Clock.Time
		}
	}
	config := dxp.PlayerConfig{
		Address: spec.Address, Time: clock, Say: spec.Say,
		Session: dxp.Config{Variant: m.v, Name: m.Name},
	}
	return &Side{
		Make:        func() (arena.Player, error) { return dxp.NewPlayer(m.ctx, config) },
		Single:      true,
		Concurrency: 1,
	}, nil
}

// Clocked makes players for a match by the clock, under a name that does not depend on their time.
// Players with their own limits keep these.
func Clocked(make arena.Factory, text string, c *arena.Control) arena.Factory {
	spec, err := ParseSpec(text)
	limited := err == nil && spec.Limited()
	name := PlayerLabel(text)
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

// PlayerLabel returns a name for a player: its description, with the network's file reduced to its
// name.
func PlayerLabel(text string) string {
	spec, err := ParseSpec(text)
	if err != nil || spec.File == "" {
		return text
	}
	name := networkLabel(spec) + spec.Settings()
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
	if spec.Book != "" {
		name += ",book=" + spec.Book
	}
	return name
}
