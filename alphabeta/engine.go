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

// Score is the value of a position for the side to move, in hundredths of a man.
type Score int

// Special scores. A win in n plies is Mate-n, a loss -Mate+n. All other scores are within
// ±MateBound.
const (
	Mate      Score = 30000
	MateBound Score = 29000

	infinite Score = 32000
)

// MaxDepth is the depth of the deepest iteration, in plies.
const MaxDepth = 100

// maxPly is the length of the longest path, with reductions, extensions and captures.
const maxPly = 256

// MaxCores is the largest number of goroutines of a search.
const MaxCores = 256

// Config chooses an engine. The zero value is the baseline with its defaults.
type Config struct {
	// Version names the engine, one of [Versions]. Empty means alphabeta-1, the baseline of
	// ladders and levels; with an Evaluator it means the newest version, which has the best
	// search.
	Version string

	// TableBits gives the size of the transposition table: 2^TableBits slots of 16 bytes, each of
	// which holds one entry, or two of alphabeta-2. Zero means 20 (16 MB); at most 28.
	TableBits int

	// NoTable switches the table off.
	NoTable bool

	// NoReductions makes the search full width and of fixed depth: no reductions, no extensions,
	// and no pruning except that of alpha-beta. Its value is exactly that of plain minimax,
	// including draws by repetition: the key of the table includes the positions since the last
	// man's move or capture, and the search ignores entries of another depth. It is slow, and
	// meant for tests.
	NoReductions bool

	// RandomTies gives variety in matches: the engine plays any of the moves whose score in the
	// last complete iteration is within this many points of the best. Zero, the default, always
	// plays the first. It slows the search down, because the root moves need exact scores.
	RandomTies Score

	// Oversight makes an opponent for beginners. It is the share of searches, in [0,1], that
	// return any legal move in place of the best, with the score and the depth of the best move.
	// The engine draws a random number only if there is more than one move.
	Oversight float64

	// Seed seeds the choice among equal moves and the oversights.
	Seed uint64

	// Cores is the number of goroutines that search a position together if time or nothing limits
	// the search; 0 is 1. Two such searches differ. A search limited by depth or nodes runs on one
	// core and is repeatable.
	Cores int

	// Evaluator, if not nil, replaces the evaluation of the version. Name is then the name of the
	// engine.
	Evaluator Evaluator
	Name      string

	// Selectivity, if not nil, replaces that of alphabeta-2, or with an Evaluator [Defaults] of the
	// variant. Versions before alphabeta-2 ignore it.
	Selectivity *Selectivity

	// Tables, if not nil, are endgame tables. The search goes no deeper in a position that they
	// know. If they know the root, they choose the move.
	Tables Prober
}

// Evaluator scores positions for the side to move, in points; a man is worth about 100 points.
type Evaluator interface {
	// Score returns the value of p, in which the side to move has no capture: within ±MateBound.
	// As many goroutines as the engine has cores call it at once.
	Score(p rules.Position) Score
}

// Forker is an Evaluator that is faster for one goroutine alone. An engine makes a fork for each
// of its goroutines.
type Forker interface {
	Evaluator
	Fork() Evaluator // an evaluator with the same scores, for one goroutine
}

// PointEvaluator is an Evaluator that a fork may be, because positions are large and a pointer is
// faster.
type PointEvaluator interface {
	Evaluator
	ScoreAt(p *rules.Position) Score // Score, which does not keep p
}

// given adapts an Evaluator to scorer.
type given struct{ Evaluator }

func newGiven(e Evaluator) given {
	if f, ok := e.(Forker); ok {
		return given{f.Fork()}
	}
	return given{e}
}

func (g given) score(p rules.Position) Score { return g.Score(p) }

// scoreOf returns the scores of s by pointer.
func scoreOf(s scorer) func(*rules.Position) Score {
	if g, ok := s.(given); ok {
		if f, ok := g.Evaluator.(PointEvaluator); ok {
			return f.ScoreAt
		}
	}
	return func(p *rules.Position) Score { return s.score(*p) }
}

// version describes a named version.
type version struct {
	name      string
	weights   func(*rules.Variant) weights
	selective bool // it uses the selective search
}

var versions = []version{
	{"alphabeta-material", material, false}, {"alphabeta-1", weightsOf, false}, {"alphabeta-2", weightsOf, true},
}

// Baseline is the version used if neither a version nor an evaluator is given: that of ladders and
// levels.
const Baseline = "alphabeta-1"

// Versions returns the names of all versions, the oldest first. The one before alphabeta-1 counts
// pieces and nothing else: a yardstick for evaluations.
func Versions() []string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.name
	}
	return names
}

// Limits bound a search, which ends at the first limit it reaches. Zero fields are no limits.
// Without any limit the search continues to MaxDepth or until the context is done.
type Limits struct {
	Depth int           // plies, iterations up to this depth
	Nodes uint64        // positions visited
	Time  time.Duration // for this move
	Whole bool          // use the whole Time; otherwise begin no iteration that will probably not finish in time
	Best  bool          // return the best move, for advice and analysis: no choice among ties, no oversight
}

// Info is a report on a search. There is one for every finished iteration, and one at the end.
type Info struct {
	Depth   int
	Score   Score
	Nodes   uint64
	Elapsed time.Duration
	PV      []rules.Move // the expected line, which begins with the move to play; not empty

	// Others are the next best moves with their lines, the best first, if [Engine.SetLines] asked
	// for them.
	Others []Line
}

// Line is a root move with the line expected after it.
type Line struct {
	Score Score
	PV    []rules.Move
}

// Engine is an alpha-beta searcher for one variant. Only one goroutine may use it.
type Engine struct {
	variant *rules.Variant
	config  Config
	name    string
	eval    scorer
	table   table
	deep    *selective // the state of the selective search, nil for versions without it
	rng     *rand.Rand

	helpers  []*Engine // the other goroutines of a search
	team     *team     // shared by an engine and its helpers; nil without helpers
	counted  uint64    // of a helper: the nodes it has reported to the team
	helping  bool      // this is a helper
	assisted bool      // helpers take part in the present search

	mostProbed int // largest number of pieces that Config.Tables knows; 0 without tables

	kingPlies int // DrawRules.KingPlies of the variant
	lines     int // lines to report; 0 and 1 mean the best line only

	search
}

// New returns an engine, or an error that names the bad field of c.
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
	switch {
	case c.Selectivity != nil:
		selectivity = *c.Selectivity
	case c.Evaluator != nil:
		selectivity = Defaults(v)
	}
	if chosen.selective {
		e.deep = newSelective(selectivity, shared, e.eval)
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
				h.deep = newSelective(selectivity, shared, h.eval)
			}
			e.helpers = append(e.helpers, h)
		}
	}
	return e, nil
}

// Name returns the version of the engine, or Config.Name if it has an Evaluator.
func (e *Engine) Name() string { return e.name }

// Seed seeds the choice among equal moves and the oversights.
func (e *Engine) Seed(seed uint64) { e.rng = rand.New(rand.NewPCG(seed, 0x416c706861)) }

// SetLines makes later searches report n lines: the best one and, in Info.Others, the best of the
// other moves. That takes the time of n searches; 0 or 1 costs nothing.
func (e *Engine) SetLines(n int) { e.lines = n }

// NewGame forgets what earlier searches learnt.
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

// Evaluate returns the static score of p for the side to move, which must have no capture.
func (e *Engine) Evaluate(p rules.Position) Score { return e.eval.score(p) }

// Search searches the position of g, which must not be over, within the limits, and returns its
// last report. It calls info, if not nil, with a report after every finished iteration. When the
// context is done Search returns at once, with the error of the context and the best move so far;
// it always finishes the first iteration, so there is a move. The slices of a report belong to the
// caller.
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
