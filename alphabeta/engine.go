package alphabeta

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"damier/rules"
)

// Score is the worth of a position for the side to move, in hundredths of a man.
type Score int

// Scores of note. A win in n plies is Mate-n, a loss -Mate+n; no other score lies beyond ±MateBound.
const (
	Mate      Score = 30000
	MateBound Score = 29000

	infinite Score = 32000
)

// MaxDepth is the deepest iteration, in plies.
const MaxDepth = 100

// maxPly is the longest path, reductions and extensions and captures included.
const maxPly = 256

// MaxCores is the most goroutines of a search.
const MaxCores = 256

// Config chooses an engine. The zero value is the baseline with its defaults.
type Config struct {
	// Version names the engine, one of [Versions]. When it is empty that is alphabeta-1, the baseline of ladders and
	// levels; with an Evaluator, the newest, whose search is the best.
	Version string

	// TableBits is the size of the transposition table, 2^TableBits times 16 bytes, which is one entry, or two of
	// alphabeta-2: 20 (16 MB) when zero, at most 28.
	TableBits int

	// NoTable switches the table off.
	NoTable bool

	// NoReductions makes the search full width and of one depth: no reductions, no extensions, no pruning
	// but alpha-beta's own. Its value is then exactly plain minimax's, the draws by repetition included:
	// the table's key takes in the moves since the last man's move or capture, and a table entry of
	// another depth is not used. Slow; for tests.
	NoReductions bool

	// RandomTies plays any of the moves that the last whole iteration holds equal with the first to
	// within this many points: variety for matches. Zero, the default, always plays the first. It makes
	// the search slower, as the root's moves then need exact scores.
	RandomTies Score

	// Oversight is the share of searches, in [0,1], that give any of the legal moves in the place of the best, with the
	// score and the depth of the best as if nothing were amiss: an opponent for beginners. A draw is made where there is
	// more than one move.
	Oversight float64

	// Seed seeds the choice among equal moves, and that of oversights.
	Seed uint64

	// Cores is the number of goroutines that search a position together where nothing or time limits it; 0 is 1. Two such
	// searches are not the same. One that depth or nodes limit runs on one core, and can be repeated.
	Cores int

	// Evaluator, if not nil, scores positions in place of the version's evaluation, and Name is what the engine is
	// called then.
	Evaluator Evaluator
	Name      string

	// Selectivity, if not nil, stands for the variant's own. It means nothing to versions before alphabeta-2.
	Selectivity *Selectivity

	// Tables, if not nil, are asked for positions of few pieces: one that they know is searched no further, and in a root
	// that they know the move is theirs.
	Tables Prober
}

// Evaluator scores positions for the side to move, in points of which a man is worth about a hundred.
type Evaluator interface {
	// Score returns the worth of p, in which the side to move has no capture to make: within ±MateBound. It is called by
	// as many goroutines at once as the engine has cores.
	Score(p rules.Position) Score
}

// Forker is an Evaluator that is quicker in the hands of one goroutine: an engine takes a fork for each of its own.
type Forker interface {
	Evaluator
	Fork() Evaluator // for one goroutine, with the same scores
}

// given is an Evaluator as a scorer.
type given struct{ Evaluator }

func newGiven(e Evaluator) given {
	if f, ok := e.(Forker); ok {
		return given{f.Fork()}
	}
	return given{e}
}

func (g given) score(p rules.Position) Score { return g.Score(p) }

// version is what a version's name stands for.
type version struct {
	name      string
	weights   func(*rules.Variant) weights
	selective bool // its search is
}

var versions = []version{
	{"alphabeta-material", material, false}, {"alphabeta-1", weightsOf, false}, {"alphabeta-2", weightsOf, true},
}

// Baseline is the version that is meant where neither a version nor an evaluator is given: that of ladders and levels.
const Baseline = "alphabeta-1"

// Versions returns the names of all versions, the oldest first. That before alphabeta-1 counts pieces and
// knows nothing else: a yardstick for evaluations.
func Versions() []string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.name
	}
	return names
}

// Limits bound a search; it ends at whichever is reached first. Zero fields do not bind; with no limit at
// all the search goes on to MaxDepth or until the context is done.
type Limits struct {
	Depth int           // plies, iterations up to this depth
	Nodes uint64        // positions visited
	Time  time.Duration // for this move
	Whole bool          // use the whole Time; else no iteration is begun that has little chance to end within it
	Best  bool          // the best move found, for advice and analysis: no choice among ties, no oversight
}

// Info is a report on a search: of every iteration that was finished, and at the end.
type Info struct {
	Depth   int
	Score   Score
	Nodes   uint64
	Elapsed time.Duration
	PV      []rules.Move // the line expected, its first move the one to play; not empty

	// Others are the next best moves with their lines, the best first, where [Engine.SetLines] asks for them.
	Others []Line
}

// Line is a move of the root with what is expected behind it.
type Line struct {
	Score Score
	PV    []rules.Move
}

// Engine is an alpha-beta searcher for one variant. It belongs to one goroutine.
type Engine struct {
	variant *rules.Variant
	config  Config
	name    string
	eval    scorer
	table   table
	deep    *selective // of a version whose search is, else nil
	rng     *rand.Rand

	helpers  []*Engine // the other goroutines of a search
	team     *team     // of an engine with helpers, and of each of them; nil without
	counted  uint64    // of a helper: nodes that the team knows of
	helping  bool      // this is a helper
	assisted bool      // helpers take part in the search under way

	mostProbed int // pieces that Config.Tables know; 0 without

	kingPlies int // of the variant's draw rules
	lines     int // told of a search; 0 and 1 are the best alone

	search
}

// New returns an engine, or an error that names the field of c that is bad.
func New(v *rules.Variant, c Config) (*Engine, error) {
	if c.TableBits == 0 {
		c.TableBits = 20
	}
	if c.TableBits < 8 || c.TableBits > 28 {
		return nil, fmt.Errorf("alphabeta: TableBits %d is not in 8..28", c.TableBits)
	}
	if c.Cores < 0 || c.Cores > MaxCores || c.Cores > 1 && (c.NoTable || c.NoReductions) {
		return nil, fmt.Errorf("alphabeta: Cores %d is not in 1..%d, or it is above 1 where NoTable or NoReductions keep a search alone", c.Cores, MaxCores)
	}
	if c.RandomTies < 0 {
		return nil, fmt.Errorf("alphabeta: RandomTies %d is negative", c.RandomTies)
	}
	if !(c.Oversight >= 0 && c.Oversight <= 1) {
		return nil, fmt.Errorf("alphabeta: Oversight %g is not in 0..1", c.Oversight)
	}
	chosen := versions[len(versions)-1]
	if c.Version == "" && c.Evaluator == nil {
		c.Version = Baseline
	}
	if c.Version != "" {
		i := slices.IndexFunc(versions, func(v version) bool { return v.name == c.Version })
		if i < 0 {
			return nil, fmt.Errorf("alphabeta: unknown version %q; known are: %s", c.Version, strings.Join(Versions(), ", "))
		}
		chosen = versions[i]
	}
	newEval := func() scorer { return newScorer(v, chosen.weights(v)) } // one for each goroutine
	if c.Evaluator != nil {
		newEval = func() scorer { return newGiven(c.Evaluator) }
		chosen.name = c.Name
	}
	e := &Engine{variant: v, config: c, name: chosen.name, eval: newEval(), kingPlies: v.Draws.KingPlies}
	var shared hash
	switch {
	case chosen.selective && !c.NoTable:
		shared = newHash(c.TableBits + 1)
	case !c.NoTable:
		e.table = newTable(c.TableBits)
	}
	selectivity := defaults
	if c.Selectivity != nil {
		selectivity = *c.Selectivity
	}
	if chosen.selective {
		e.deep = newSelective(selectivity, shared)
	}
	if c.Tables != nil {
		e.mostProbed = c.Tables.Pieces()
	}
	e.Seed(c.Seed)
	if c.Cores > 1 {
		e.team = new(team)
		for range c.Cores - 1 {
			h := &Engine{variant: v, config: c, eval: newEval(), kingPlies: e.kingPlies, team: e.team, helping: true, mostProbed: e.mostProbed}
			h.config.RandomTies = 0
			if chosen.selective {
				h.deep = newSelective(selectivity, shared)
			}
			e.helpers = append(e.helpers, h)
		}
	}
	return e, nil
}

// Name returns the engine's version, or the name it was given with its Evaluator.
func (e *Engine) Name() string { return e.name }

// Seed seeds the choice among equal moves, and that of oversights.
func (e *Engine) Seed(seed uint64) { e.rng = rand.New(rand.NewPCG(seed, 0x416c706861)) }

// SetLines makes searches from now on tell so many lines: the best and, in Info.Others, the best of the other moves. It
// costs the time of as many searches, and 0 or 1 costs nothing.
func (e *Engine) SetLines(n int) { e.lines = n }

// NewGame forgets what was learnt in earlier searches.
func (e *Engine) NewGame() {
	e.table.clear()
	if e.deep != nil {
		e.deep.table.clear()
	}
	for _, h := range append(e.helpers, e) {
		h.forget()
		if h.deep != nil {
			h.deep.forget()
		}
	}
}

// Evaluate returns the static score of p for the side to move, which must have no capture to make.
func (e *Engine) Evaluate(p rules.Position) Score { return e.eval.score(p) }

// Search searches the game's position, which must not be over, within the limits, and returns its last
// report. The info function, if not nil, gets a report of every finished iteration. When the context is
// done Search returns at once, its error and the best found so far; the first iteration is always
// finished, so there is a move. The slices of a report belong to the caller.
func (e *Engine) Search(ctx context.Context, g *rules.Game, l Limits, info func(Info)) (Info, error) {
	if g.Over() {
		panic("alphabeta: search of a game that is over")
	}
	r := e.run(ctx, g, l, info)
	if legal := g.Legal(); !l.Best && e.config.Oversight > 0 && len(legal) > 1 && e.rng.Float64() < e.config.Oversight {
		r.PV = []rules.Move{legal[e.rng.IntN(len(legal))]}
	}
	return r, ctx.Err()
}
