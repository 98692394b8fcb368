package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"damier/alphabeta"
	"damier/internal/cli"
	"damier/mcts"
	"damier/models"
	"damier/net"
	"damier/nnue"
	"damier/player"
	"damier/protocol/hub"
	"damier/rules"
	levels "damier/strength"
)

// strength is what an engine may spend on a move when nothing else is said.
type strength struct {
	visits int
	time   time.Duration
	level  int // of package strength, by which a model chooses among its moves; 0: it always plays the same
}

// alphaBetaTime is what the alpha-beta takes for a move when nobody has limited it.
const alphaBetaTime = time.Second

// defaultVisits is the strength of a model that nobody has chosen.
const defaultVisits = 400

// thought is what a search found.
type thought struct {
	hub.Info            // its PV begins with the move to play
	WDL      rules.WDL  // for the side to move
	known    bool       // WDL is set
	others   []hub.Info // the next best moves, in their order, where more than one line is asked for
	visits   int64      // of the move to play, 0 where they are not counted
	value    float64    // expected score in [0,1] of the move to play; NaN if unknown
}

// engine is what plays here: a model, the alpha-beta or random.
type engine interface {
	name() string
	variant() *rules.Variant
	newGame()
	// think searches a game that is not over. When ctx is done it returns at once with what it has. The
	// zero limits are the engine's own strength. report may be nil.
	think(ctx context.Context, g *rules.Game, l hub.Limits, report func(thought)) (thought, error)
	// setStrength changes the engine's own strength; it is an error if the engine has no such setting.
	setStrength(s strength) error
	// setLevel makes it a level of package strength; it is an error if the engine has none.
	setLevel(level int) error
	// rated is the name by which package strength has measured the levels of the engine, "" if it has not.
	rated() string
}

// levelText is a level of an engine in words, with the Elo measured of it.
func levelText(e engine, level int) string {
	text := fmt.Sprintf("level %d", level)
	if elo, ok := levels.Measured(e.variant().Name, e.rated(), level); ok {
		text += fmt.Sprintf(", Elo %.0f", elo.Rating)
	}
	return text
}

// newEngine makes the engine a spec describes. A Model without a file is what comes with the program and plays strongest:
// its NNUE, unless visits or a precision are asked for, which only networks have; where neither comes for the variant and its
// options, the alpha-beta.
func newEngine(v *rules.Variant, spec player.Spec, s strength) (engine, error) {
	switch spec.Kind {
	case player.Random:
		return &randomEngine{v: v, rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}, nil
	case player.AlphaBeta:
		return newAlphaBeta(v, spec, s, alphabeta.Config{Version: spec.Version})
	case player.Tree:
		return newTree(v, spec, s)
	case player.NNUE:
		m, err := models.OpenNNUE(v, spec.File)
		if err != nil {
			return nil, modelError(err)
		}
		config := alphabeta.Config{Evaluator: m.Evaluator(), Name: "damier"}
		if spec.File != "" {
			config.Name = player.Label(spec.File)
		}
		return newAlphaBeta(v, spec, s, config)
	}
	if spec.File == "" && s.visits == 0 && spec.Precision == net.Float32 {
		e, err := newEngine(v, player.Spec{Kind: player.NNUE}, s)
		if err == nil || !errors.Is(err, models.ErrNone) && !errors.Is(err, net.ErrForeign) {
			return e, err
		}
	}
	n := &network{v: v, strength: s, precision: spec.Precision}
	err := n.load(spec.File)
	if spec.File == "" && (errors.Is(err, models.ErrNone) || errors.Is(err, net.ErrForeign)) {
		if e, err := newEngine(v, player.Spec{Kind: player.NNUE}, s); err == nil {
			return e, nil
		}
		return newEngine(v, player.Spec{Kind: player.AlphaBeta}, s)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// newTree makes a tree search over the NNUE of a spec, with the limits of the spec or of s.
func newTree(v *rules.Variant, spec player.Spec, s strength) (engine, error) {
	m, err := models.OpenNNUE(v, spec.File)
	if err != nil {
		return nil, modelError(err)
	}
	n := &network{v: v, strength: s, label: "damier", own: spec.File == "", together: 1, tree: &spec}
	if spec.File != "" {
		n.label = player.Label(spec.File)
	}
	if spec.Visits > 0 || spec.Time > 0 {
		n.strength = strength{visits: spec.Visits, time: spec.Time}
	}
	if s.visits == 0 && s.time == 0 && !spec.Limited() {
		n.strength.time = alphaBetaTime
	}
	e := m.Evaluator()
	for range cmp.Or(spec.Cores, cores()) {
		n.evaluators = append(n.evaluators, e.OnePly(nnue.OnePlyConfig{Temperature: spec.Temperature}))
	}
	n.newGame()
	if spec.Level > 0 {
		return n, n.setLevel(spec.Level)
	}
	return n, nil
}

// newAlphaBeta makes an alpha-beta search with the limits of a spec, or of s. It uses all cores where time ends it, if the
// spec does not say how many.
func newAlphaBeta(v *rules.Variant, spec player.Spec, s strength, config alphabeta.Config) (engine, error) {
	config.Cores = cmp.Or(spec.Cores, cores())
	limits := alphabeta.Limits{Depth: spec.Depth, Nodes: spec.Nodes, Time: spec.Time}
	if spec.Level > 0 {
		limits.Depth = levels.Of(spec.Level).AlphaBeta(&config, rand.Uint64())
	}
	ab, err := alphabeta.New(v, config)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	if !spec.Limited() {
		limits.Time = alphaBetaTime
	}
	if s.time > 0 {
		limits.Time = s.time
	}
	measured := spec.Version == "" || spec.Version == alphabeta.Baseline
	return &alphaBeta{v: v, engine: ab, own: spec.File == "" && measured, limits: limits, level: spec.Level > 0, config: config}, nil
}

// network is a model with a tree search. Where visits bound the search its root follows the Gumbel rule, which must
// know its budget, on one core, and the move is always the same; where time does, PUCT, which may be stopped at any
// moment, on all cores.
type network struct {
	lines      int // told of a search; 0 and 1 are the best alone
	threads    int // cores used when time bounds the search; 0 is all
	v          *rules.Variant
	label      string
	own        bool // comes with the program
	precision  net.Precision
	strength   strength
	leaves     int              // evaluated together when visits bound the search; 1 when zero
	together   int              // leaves evaluated together on each core when time bounds it
	evaluators []mcts.Evaluator // one for each core, all but the first for searches that time bounds
	cache      *mcts.Cache      // of the evaluators; nil for a tree over an NNUE
	tree       *player.Spec     // how an NNUE is searched; nil for a lattice
	counted    *mcts.Search     // where visits bound it
	timed      *mcts.Search     // where time does
	rng        *rand.Rand
}

// load takes the model of a file, or with "" that of the program.
func (n *network) load(file string) error {
	var m *net.Model
	var err error
	label := "damier"
	if file == "" {
		m, err = models.Load(n.v)
	} else {
		m, err = net.LoadFile(file, n.v)
		label = player.Label(file)
	}
	if err != nil {
		return modelError(err)
	}
	evaluators, err := player.Evaluators(m, n.precision, cores())
	if err != nil {
		return err
	}
	n.label, n.own, n.together = label, file == "", player.LeavesFor(m)
	n.cache = mcts.NewCache(evaluations)
	n.evaluators = n.evaluators[:0]
	for _, e := range evaluators {
		n.evaluators = append(n.evaluators, &mcts.Cached{Evaluator: e, Cache: n.cache})
	}
	n.newGame()
	return nil
}

func (n *network) name() string            { return n.label }
func (n *network) variant() *rules.Variant { return n.v }

func (n *network) newGame() {
	counted, timed := mcts.Config{Root: mcts.Gumbel}, mcts.Config{Root: mcts.PUCT, Reuse: true}
	if n.tree != nil {
		counted, timed = n.tree.TreeSearch(), n.tree.TreeSearch()
		counted.Reuse = false
		if n.strength.level > 0 && n.tree.Search.Root == "" {
			counted.Root = levels.Of(n.strength.level).Root()
		}
	}
	n.counted, n.timed = mcts.NewSearch(n.v, counted), mcts.NewSearch(n.v, timed)
	n.rng = rand.New(rand.NewPCG(1, 1)) // without a level it decides nothing
	if n.strength.level > 0 {
		n.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
}

func (n *network) setStrength(s strength) error {
	n.strength = s
	return nil
}

func (n *network) rated() string {
	if n.own && n.tree == nil {
		return "model"
	}
	return ""
}

func (n *network) setLevel(level int) error {
	n.strength = strength{visits: levels.Of(level).Visits, level: level}
	n.newGame()
	return nil
}

func cores() int { return min(runtime.GOMAXPROCS(0), alphabeta.MaxCores) }

// evaluations is how many are kept, 192 bytes each.
const evaluations = 1 << 17

// reportEvery is the time between two reports.
const reportEvery = 500 * time.Millisecond

func (n *network) think(ctx context.Context, g *rules.Game, l hub.Limits, report func(thought)) (thought, error) {
	began := time.Now()
	level := 0
	if l == (hub.Limits{Analyze: l.Analyze}) {
		level = n.strength.level
		l.Nodes, l.Time = int64(n.strength.visits), n.strength.time
		if l.Nodes == 0 && l.Time == 0 {
			l.Nodes = defaultVisits
		}
	}
	search, leaves, cores := n.timed, n.together, len(n.evaluators)
	if n.threads > 0 {
		cores = min(cores, n.threads)
	}
	if l.Nodes > 0 && l.Time == 0 && l.Depth == 0 && !l.Infinite {
		search, leaves, cores = n.counted, max(n.leaves, 1), 1 // always the same move
	}
	budget := int64(math.MaxInt32)
	if l.Nodes > 0 {
		budget = min(budget, l.Nodes)
	}
	if l.Depth > 0 {
		budget = min(budget, 1000*int64(l.Depth)) // a forced line may never be so long
	}
	search.Start(g, mcts.Budget{Simulations: int(budget)}, n.rng)
	disarm := stopWhen(ctx, l.Time, search)
	next, batches := began.Add(reportEvery), 0
	_, err := search.RunParallel(context.Background(), n.evaluators[:cores], leaves, func() (enough bool) {
		now := time.Now()
		if l.Time > 0 && now.Sub(began) >= l.Time {
			return true // the timer may be late where all cores are busy
		}
		if report != nil && now.After(next) {
			report(n.thought(search.Result(), began))
			next = now.Add(reportEvery)
		}
		batches++
		return l.Depth > 0 && batches%16 == 0 && len(search.Result().PV) >= l.Depth
	})
	disarm()
	if r := search.Result(); err == nil && r.Raw == (rules.WDL{}) && len(r.Moves) > 1 {
		// Stopped before anything was known: the evaluation of the position at least.
		search.Start(g, mcts.Budget{}, n.rng)
		_, err = search.Run(context.Background(), n.evaluators[0], 1)
	}
	if err != nil {
		return thought{}, err
	}
	t := n.thought(search.Result(), began)
	if r := search.Result(); level > 0 && !l.Analyze {
		if i := levels.Of(level).Choose(r, n.rng); i != r.Best {
			t.PV, t.visits, t.value = []rules.Move{r.Moves[i]}, int64(r.Visits[i]), float64(r.Values[i])
		}
	}
	if t.WDL == (rules.WDL{}) { // a single move is not searched
		single := []mcts.Leaf{{
			Position: g.Position(), Moves: g.Legal(), Occurrences: g.Occurrences(), Priors: make([]float32, len(g.Legal())),
			Values: make([]float32, len(g.Legal())),
		}}
		if err := n.evaluators[0].Evaluate(context.Background(), single); err != nil {
			return thought{}, err
		}
		t.WDL = single[0].Value
		t.Score = men(t.WDL)
	}
	if report != nil {
		report(t)
	}
	return t, nil
}

// stopWhen stops a search when ctx is done or, if limit is not zero, when that is over. It returns what must be
// called after the search, before the next begins.
func stopWhen(ctx context.Context, limit time.Duration, search *mcts.Search) (disarm func()) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer func() {
			after := disarm
			disarm = func() { after(); cancel() }
		}()
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		search.Stop()
		close(fired)
	})
	return func() {
		if !stop() {
			<-fired // or it would stop the next search
		}
	}
}

// thought puts a result into words. Its depth is the length of the line expected, its mean depth unknown.
func (n *network) thought(r mcts.Result, began time.Time) thought {
	return thought{
		others: n.others(r, time.Since(began)),
		Info: hub.Info{
			Depth: len(r.PV),
			Score: men(r.Root),
			Nodes: int64(r.Simulations),
			Time:  time.Since(began),
			PV:    append([]rules.Move(nil), r.PV...),
		},
		WDL:    r.Root,
		known:  true,
		visits: int64(r.Visits[r.Best]),
		value:  float64(r.Values[r.Best]),
	}
}

// others returns the moves that were visited most after the best, as lines of one move.
func (n *network) others(r mcts.Result, elapsed time.Duration) []hub.Info {
	if n.lines < 2 {
		return nil
	}
	var order []int
	for i, visits := range r.Visits {
		if visits > 0 && i != r.Best {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(r.Visits[b]) - int(r.Visits[a]) })
	var lines []hub.Info
	for _, i := range order[:min(len(order), n.lines-1)] {
		value := r.Values[i]
		lines = append(lines, hub.Info{
			Depth: 1, Score: men(rules.WDL{Win: value, Loss: 1 - value}), Nodes: int64(r.Visits[i]), Time: elapsed,
			PV: []rules.Move{r.Moves[i]}, Rank: len(lines) + 2,
		})
	}
	return lines
}

// men turns an expected score into men: the logit, by which a man ahead is an expected score of 0.73.
func men(w rules.WDL) float64 {
	s := min(max(float64(w.Score()), 1e-6), 1-1e-6)
	return math.Log(s / (1 - s))
}

// alphaBeta is the baseline.
type alphaBeta struct {
	v      *rules.Variant
	engine *alphabeta.Engine
	own    bool             // comes with the program, in the version whose levels were measured
	config alphabeta.Config // of the engine
	lines  int              // told of a search; 0 and 1 are the best alone
	limits alphabeta.Limits // its own strength, and the most that it will spend
	level  bool             // limits are those of a level, which bound no analysis
}

// setTable gives the engine a table of 2^bits entries; what it has learnt is forgotten if that is another size.
func (a *alphaBeta) setTable(bits int) error {
	if bits == cmp.Or(a.config.TableBits, defaultTable) {
		return nil
	}
	return a.remake(bits, a.config.Cores)
}

// setThreads makes the engine search on n cores where time ends a search.
func (a *alphaBeta) setThreads(n int) error {
	if n == a.config.Cores {
		return nil
	}
	return a.remake(a.config.TableBits, n)
}

func (a *alphaBeta) remake(bits, cores int) error {
	config := a.config
	config.TableBits, config.Cores = bits, cores
	e, err := alphabeta.New(a.v, config)
	if err != nil {
		return err
	}
	a.engine, a.config = e, config
	return nil
}

func (a *alphaBeta) name() string            { return a.engine.Name() }
func (a *alphaBeta) variant() *rules.Variant { return a.v }
func (a *alphaBeta) newGame()                { a.engine.NewGame() }

func (a *alphaBeta) setStrength(s strength) error {
	if s.time == 0 {
		return fmt.Errorf("%s counts no visits; use time", a.name())
	}
	config := a.config
	config.RandomTies, config.Oversight = 0, 0 // what a level has set
	if config.Evaluator != nil {
		config.Version = ""
	}
	e, err := alphabeta.New(a.v, config)
	if err != nil {
		return err
	}
	a.engine, a.config, a.limits, a.level = e, config, alphabeta.Limits{Time: s.time}, false
	return nil
}

func (a *alphaBeta) rated() string {
	switch {
	case !a.own:
		return ""
	case a.config.Evaluator == nil:
		return "alphabeta"
	}
	return "nnue"
}

func (a *alphaBeta) setLevel(level int) error {
	config := a.config
	depth := levels.Of(level).AlphaBeta(&config, rand.Uint64())
	e, err := alphabeta.New(a.v, config)
	if err != nil {
		return err
	}
	a.engine, a.config, a.limits, a.level = e, config, alphabeta.Limits{Depth: depth}, true
	return nil
}

func (a *alphaBeta) think(ctx context.Context, g *rules.Game, l hub.Limits, report func(thought)) (thought, error) {
	limits := a.limits
	if a.level && l.Analyze && l.Infinite {
		limits = alphabeta.Limits{}
	}
	limits.Best = l.Analyze
	if l != (hub.Limits{Analyze: l.Analyze}) {
		limits.Depth = atMost(limits.Depth, l.Depth)
		limits.Nodes = atMost(limits.Nodes, uint64(l.Nodes))
		limits.Time, limits.Whole = l.Time, l.Whole // the interface's clock rules
	}
	var tell func(alphabeta.Info)
	if report != nil {
		tell = func(i alphabeta.Info) { report(a.scored(i)) }
	}
	a.engine.SetLines(a.lines)
	i, err := a.engine.Search(ctx, g, limits, tell)
	if err != nil && len(i.PV) == 0 {
		return thought{}, err
	}
	return a.scored(i), nil // stopped, it has its best so far
}

// atMost returns the smaller of two limits, 0 being none.
func atMost[N int | uint64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (a *alphaBeta) scored(i alphabeta.Info) thought {
	t := thought{Info: hub.Info{Depth: i.Depth, Score: a.inMen(i.Score), Nodes: int64(i.Nodes), Time: i.Elapsed, PV: i.PV}, value: math.NaN()}
	for n, l := range i.Others {
		t.others = append(t.others, hub.Info{
			Depth: i.Depth, Score: a.inMen(l.Score), Nodes: int64(i.Nodes), Time: i.Elapsed, PV: l.PV, Rank: n + 2,
		})
	}
	return t
}

// inMen returns a score as Hub has it.
func (a *alphaBeta) inMen(s alphabeta.Score) float64 {
	switch {
	case s > alphabeta.MateBound:
		return hub.Won(int(alphabeta.Mate - s))
	case s < -alphabeta.MateBound:
		return -hub.Won(int(alphabeta.Mate + s))
	}
	if a.config.Evaluator != nil {
		return float64(s) / nnue.Points // the logit, as of a network
	}
	return float64(s) / 100
}

// expected returns the expected score in [0,1] for the side to move.
func (t thought) expected() float64 {
	if t.known {
		return float64(t.WDL.Score())
	}
	return 1 / (1 + math.Exp(-t.Score))
}

// randomEngine plays any legal move.
type randomEngine struct {
	v   *rules.Variant
	rng *rand.Rand
}

func (r *randomEngine) name() string            { return "random" }
func (r *randomEngine) variant() *rules.Variant { return r.v }
func (r *randomEngine) newGame()                {}

func (r *randomEngine) setStrength(strength) error {
	return fmt.Errorf("a random player has no strength to set")
}

func (r *randomEngine) setLevel(int) error {
	return fmt.Errorf("a random player has no levels")
}

func (r *randomEngine) rated() string { return "" }

func (r *randomEngine) think(_ context.Context, g *rules.Game, _ hub.Limits, report func(thought)) (thought, error) {
	legal := g.Legal()
	t := thought{Info: hub.Info{Depth: 1, Nodes: 1, PV: []rules.Move{legal[r.rng.IntN(len(legal))]}}, value: math.NaN()}
	if report != nil {
		report(t)
	}
	return t, nil
}
