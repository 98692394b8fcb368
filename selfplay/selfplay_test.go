package selfplay

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"damier/alphabeta"
	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// evalFunc is an evaluator of one leaf at a time.
type evalFunc func(l *mcts.Leaf)

func (f evalFunc) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range leaves {
		f(&leaves[i])
	}
	return nil
}

// scatter gives every position random priors and a random value, always the same for the same
// position.
var scatter = evalFunc(func(l *mcts.Leaf) {
	rng := rand.New(rand.NewPCG(l.Position.Key(), 1))
	sum := float32(0)
	for i := range l.Priors {
		l.Priors[i] = 0.05 + rng.Float32()
		sum += l.Priors[i]
	}
	for i := range l.Priors {
		l.Priors[i] /= sum
	}
	a, b := rng.Float32(), rng.Float32()
	l.Value = rules.WDL{Win: min(a, b), Draw: max(a, b) - min(a, b), Loss: 1 - max(a, b)}
})

var v = rules.International

// counter evaluates like scatter, a leaf at a time, for alpha-beta.
type counter struct{}

func (counter) Score(p rules.Position) alphabeta.Score {
	return alphabeta.Score(int(p.Key()%401) - 200)
}

// searcherOf returns a searcher that uses an evaluator.
func searcherOf(t testing.TB, v *rules.Variant, cfg Config, e mcts.Evaluator) Searcher {
	t.Helper()
	s, err := NewSearcher(v, cfg, Judges{Leaves: e, Scores: counter{}, Expected: func(s alphabeta.Score) float32 {
		return float32(min(max(int(s), -500), 500)+500) / 1000
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newActor(t testing.TB, cfg Config, avoid func(rules.Position) bool) *Actor {
	t.Helper()
	a, err := NewActor(v, cfg, Identity{Seed: 7, Actor: "a0"}, 0, avoid)
	if err != nil {
		t.Fatal(err)
	}
	a.SetModel(searcherOf(t, v, cfg, scatter), "m", 3)
	return a
}

// play lets the actor play games first to last-1 and returns them by id.
func play(t testing.TB, a *Actor, first, last uint64) map[string]data.Game {
	t.Helper()
	a.Renumber(first, last)
	return finish(t, a)
}

// never is a stop function that stops no actor; after(n) returns one that stops it at the n-th
// call.
func never() bool { return false }

func after(n int) func() bool {
	return func() bool { n--; return n < 0 }
}

func finish(t testing.TB, a *Actor) map[string]data.Game {
	t.Helper()
	games := map[string]data.Game{}
	if err := a.Run(t.Context(), never, func(g data.Game) { games[g.ID] = g }); err != nil {
		t.Fatal(err)
	}
	return games
}

// small returns a config with short games and a tree search that keeps nothing between moves.
var small = Config{Visits: []string{"0:6"}, MaxPlies: 60, TreeRows: -1, RandomShare: -1}

// byDepth returns the same config with alpha-beta.
var byDepth = Config{Search: AlphaBeta, Depth: 2, MaxPlies: 60, RandomShare: 0.1}

var nan = cmpopts.EquateNaNs()

// exporter lets cmp compare unexported fields of positions and moves.
func exporter(reflect.Type) bool { return true }

func TestSameSeedSameGames(t *testing.T) {
	for name, cfg := range map[string]Config{"tree": small, "kept trees": keeping, "alphabeta": byDepth} {
		a := play(t, newActor(t, cfg, nil), 0, 8)
		if len(a) != 8 {
			t.Fatalf("%s: %d games, want 8", name, len(a))
		}
		// In another order the games are the same, because each depends on its number alone.
		b := newActor(t, cfg, nil)
		got := play(t, b, 4, 8)
		for id, g := range play(t, b, 0, 4) {
			got[id] = g
		}
		if d := cmp.Diff(a, got, nan, cmp.Exporter(exporter)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		distinct := map[uint64]bool{}
		for _, g := range a {
			distinct[g.Plies[len(g.Plies)-1].Position.Key()] = true
		}
		if len(distinct) != len(a) {
			t.Errorf("%s: %d different games of %d", name, len(distinct), len(a))
		}
	}
}

// TestRecords: the records of both searches, and the stats, hold the right values.
func TestRecords(t *testing.T) {
	for name, cfg := range map[string]Config{"tree": small, "alphabeta": byDepth} {
		t.Run(name, func(t *testing.T) { testRecords(t, cfg) })
	}
}

func testRecords(t *testing.T, cfg Config) {
	actor := newActor(t, cfg, nil)
	actor.Renumber(0, 40)
	var games []data.Game
	if err := actor.Run(t.Context(), never, func(g data.Game) { games = append(games, g) }); err != nil {
		t.Fatal(err)
	}
	stats := actor.TakeStats()

	var want Stats
	searched, forced, random := 0, 0, 0
	for _, g := range games {
		if g.Model != "m" || g.Generation != 3 {
			t.Errorf("game %s is of %s, generation %d", g.ID, g.Model, g.Generation)
		}
		want.finished(len(g.Plies), g.Outcome, g.Reason)
		if len(g.Plies) > cfg.MaxPlies {
			t.Errorf("game %s has %d plies", g.ID, len(g.Plies))
		}
		if g.Reason == rules.PlyLimit && len(g.Plies) != cfg.MaxPlies {
			t.Errorf("game %s of %d plies ended by %s", g.ID, len(g.Plies), g.Reason)
		}
		for i, p := range g.Plies {
			if !p.Full {
				if p.Visits != nil || p.Priors != nil || p.Values != nil || p.Simulations != 0 || p.Root != (rules.WDL{}) {
					t.Errorf("game %s, ply %d: a move without a search has what one found", g.ID, i)
				}
				if len(p.Moves) == 1 {
					forced++
				} else {
					random++
				}
				continue
			}
			searched++
			proved := p.Root.Win == 1 || p.Root.Draw == 1 || p.Root.Loss == 1 // a proved result ends the search
			if cfg.Search != AlphaBeta && p.Simulations != 6 && !(proved && p.Simulations < 6) {
				t.Errorf("a search of %d simulations", p.Simulations)
			}
			if cfg.Search == AlphaBeta && (p.Visits[p.Played] != 1 || p.Values[p.Played] != p.Root.Win || p.Simulations < 1) {
				t.Errorf("the move played has %d visits and is worth %g, the position %g", p.Visits[p.Played], p.Values[p.Played], p.Root.Win)
			}
			want.Rows++
			want.Simulations += int64(p.Simulations)
			want.Searches++
		}
	}
	if share := float64(random) / float64(random+searched); math.Abs(share-max(cfg.RandomShare, 0)) > 0.04 || forced == 0 {
		t.Errorf("%d moves searched, %d at random, %d forced", searched, random, forced)
	}
	// All searches belong to finished games, because the actor played every game to its end.
	want.Targets, want.TargetEntropy, want.TargetKL = stats.Targets, stats.TargetEntropy, stats.TargetKL
	if d := cmp.Diff(want, stats); d != "" {
		t.Error(d)
	}
	if stats.Limited == 0 || stats.Limited > stats.Draws || stats.Games != 40 {
		t.Errorf("stats %+v", stats)
	}
	if policies := cfg.Search != AlphaBeta; policies != (stats.Targets == stats.Searches && stats.TargetEntropy > 0 && stats.TargetKL > 0) {
		t.Errorf("policies of the search: %+v", stats)
	}
	if s := actor.TakeStats(); s.Games != 0 || s.Reasons != nil {
		t.Errorf("stats taken are %+v", s)
	}

	dir := t.TempDir()
	info, err := data.WriteShard(dir, "a.parquet", v, games)
	if err != nil {
		t.Fatal(err)
	}
	if info.Games != 40 || info.Rows != searched || info.Cut != int(stats.Limited) {
		t.Errorf("shard %+v", info)
	}
	read, err := data.ReadShard(filepath.Join(dir, "a.parquet"), v)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(games, read, nan, cmpopts.EquateApprox(0, 1e-3), cmp.Exporter(exporter)); d != "" {
		t.Error(d)
	}
}

// TestStages: a run begins with alpha-beta if its settings say so, and its tree searches grow.
func TestStages(t *testing.T) {
	c := Config{Visits: []string{"0:4", "100:9"}, AlphaBetaRows: 50}
	for rows, want := range map[int]Stage{0: {true, 4}, 49: {true, 4}, 50: {false, 4}, 99: {false, 4}, 100: {false, 9}, 5000: {false, 9}} {
		if got := c.Stage(rows); got != want {
			t.Errorf("%d rows: %+v, want %+v", rows, got, want)
		}
	}
	if got := (Config{Search: AlphaBeta}).Stage(1e9); !got.AlphaBeta {
		t.Errorf("%+v", got)
	}
	for _, x := range []struct {
		visits string
		rows   int
		want   bool
	}{
		{"0:4,100:9", 5000, true},
		{"0:4,100:9,6000:99", 5000, true},
		{"0:4,100:9,6000:99", 6000, false},
		{"0:4,100:9,5000:99", 5000, false},
		{"0:4", 99, true}, // what differs is still to come
		{"0:4", 100, false},
		{"0:5,100:9", 0, false},
		{"0:4,100:8", 5000, false},
	} {
		other := c
		other.Visits = strings.Split(x.visits, ",")
		if got := c.SameUntil(x.rows, other); got != x.want || other.SameUntil(x.rows, c) != x.want {
			t.Errorf("%s until %d rows: %t, want %t both ways", x.visits, x.rows, got, x.want)
		}
	}
	if c.MostVisits() != 9 {
		t.Errorf("%d visits at most", c.MostVisits())
	}
	// An actor uses the search of its stage, with one searcher.
	a := newActor(t, small, nil)
	seen := map[int]bool{}
	for _, s := range []Stage{{AlphaBeta: true}, {Visits: 5}, {Visits: 11}} {
		a.SetStage(s)
		for _, g := range play(t, a, 0, 1) {
			for _, p := range g.Plies {
				visits := 0
				for _, n := range p.Visits {
					visits += int(n)
				}
				seen[visits] = true
			}
		}
	}
	if !seen[1] || !(seen[4] || seen[5]) || !(seen[10] || seen[11]) {
		t.Errorf("searches had %v visits", seen)
	}
}

// Stats of several actors are added.
func TestStatsAdd(t *testing.T) {
	var a, b, sum Stats
	a.finished(50, rules.WhiteWins, rules.NoMoves)
	b.finished(60, rules.Draw, rules.PlyLimit)
	b.finished(70, rules.BlackWins, rules.NoMoves)
	a.Searches, b.Searches, a.Rows, b.Rows = 2, 3, 4, 5
	a.target([]float32{0.5, 0.5}, []float32{0.25, 0.75})
	sum.Add(a)
	sum.Add(b)
	want := Stats{
		Searches: 5, Rows: 9, Games: 3, Plies: 180, Wins: 1, Draws: 1, Losses: 1, Limited: 1, Targets: 1,
		Reasons:       map[rules.Reason]int64{rules.NoMoves: 2, rules.PlyLimit: 1},
		TargetEntropy: math.Ln2,                                // of (1/2, 1/2)
		TargetKL:      0.5*math.Log(2) + 0.5*math.Log(2.0/3.0), // sum of p log(p/q)
	}
	if d := cmp.Diff(want, sum, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Error(d)
	}
}

// A game that was unfinished when an actor stopped is the same game when another actor continues
// it.
func TestUnfinishedRestore(t *testing.T) {
	want := play(t, newActor(t, small, nil), 0, 5)

	a := newActor(t, small, nil)
	a.Renumber(0, 5)
	got := map[string]data.Game{}
	if err := a.Run(t.Context(), after(100), func(g data.Game) { got[g.ID] = g }); err != nil {
		t.Fatal(err)
	}
	under := a.Unfinished()
	if len(under) != 1 || len(got) == 0 || a.Idle() {
		t.Fatalf("%d games under way, %d finished, idle %t", len(under), len(got), a.Idle())
	}
	// It is saved to a file with the openings of the next games, and one actor continues them all.
	for n := uint64(len(got) + 1); n < 5; n++ {
		b := newActor(t, small, nil)
		b.Renumber(n, n+1)
		if err := b.Run(t.Context(), after(int(n)), nil); err != nil {
			t.Fatal(err)
		}
		under = append(under, b.Unfinished()...)
	}
	dir := t.TempDir()
	if _, err := data.WriteShard(dir, "u.parquet", v, under); err != nil {
		t.Fatal(err)
	}
	under, err := data.ReadShard(filepath.Join(dir, "u.parquet"), v)
	if err != nil {
		t.Fatal(err)
	}
	b := newActor(t, small, nil)
	b.Renumber(5, 5)
	if err := b.Restore(under); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(under, b.Unfinished(), nan, cmp.Exporter(exporter), cmpopts.IgnoreFields(data.Game{}, "Model")); d != "" {
		t.Errorf("restored and unfinished again: %s", d)
	}
	if _, ok := b.Board(); !ok || b.Idle() {
		t.Errorf("a game is on the board: %t, idle %t", ok, b.Idle())
	}
	for id, g := range finish(t, b) {
		got[id] = g
	}
	if !b.Idle() || len(b.Unfinished()) != 0 {
		t.Error("games are left over")
	}
	if d := cmp.Diff(want, got, nan, cmpopts.EquateApprox(0, 1e-3), cmp.Exporter(exporter)); d != "" {
		t.Error(d)
	}
}

func TestRestoreRefuses(t *testing.T) {
	a := newActor(t, small, nil)
	var games []data.Game
	for _, g := range play(t, newActor(t, small, nil), 0, 4) {
		if g.Reason != rules.PlyLimit {
			games = append(games, g) // over
			break
		}
	}
	good := data.Game{ID: "good", Variant: v.Name, Options: v.Options.String(), Rules: rules.Version, Start: v.Start()}
	foreign, illegal, beyond := good, good, good
	foreign.ID, foreign.Rules = "foreign", rules.Version+1
	moves := v.AppendMoves(nil, v.Start())
	illegal.ID, illegal.Plies = "illegal", []data.Ply{{Moves: []rules.Move{{From: 1, To: 50}}}}
	beyond.ID, beyond.Plies = "beyond", []data.Ply{{Moves: moves, Played: len(moves)}}
	err := a.Restore(append(games, foreign, illegal, good, beyond))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"foreign: it is of", "illegal: ply 0", "beyond: ply 0: move number"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if len(games) > 0 && !strings.Contains(err.Error(), "it is over") {
		t.Errorf("a game that is over: %v", err)
	}
	if b, ok := a.Board(); !ok || b.Game != "good" || len(a.waiting) != 0 {
		t.Errorf("taken up is %q and %d more, want the good one", b.Game, len(a.waiting))
	}
}

// If an evaluator fails once, the games are the same; only time is lost.
func TestErrorAndGoOn(t *testing.T) {
	want := play(t, newActor(t, small, nil), 0, 6)
	a := newActor(t, small, nil)
	a.Renumber(0, 6)
	got := map[string]data.Game{}
	broken := errors.New("broken")
	calls := 0
	flaky := evaluatorFunc(func(ctx context.Context, leaves []mcts.Leaf) error {
		if calls++; calls%50 == 0 {
			return broken
		}
		return scatter.Evaluate(ctx, leaves)
	})
	a.SetModel(searcherOf(t, v, small, flaky), "m", 3)
	failures := 0
	for !a.Idle() {
		if err := a.Run(t.Context(), never, func(g data.Game) { got[g.ID] = g }); err != nil {
			if !errors.Is(err, broken) {
				t.Fatal(err)
			}
			failures++
		}
	}
	if d := cmp.Diff(want, got, nan, cmp.Exporter(exporter)); d != "" || failures == 0 {
		t.Errorf("after %d failures: %s", failures, d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Renumber(6, 8)
	if err := a.Run(ctx, never, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

type evaluatorFunc func(context.Context, []mcts.Leaf) error

func (f evaluatorFunc) Evaluate(ctx context.Context, leaves []mcts.Leaf) error { return f(ctx, leaves) }

func TestRenumberDropsGames(t *testing.T) {
	a := newActor(t, small, nil)
	if err := a.Run(t.Context(), after(10), nil); err != nil {
		t.Fatal(err)
	}
	a.Renumber(100, 102)
	if len(a.Unfinished()) != 0 || a.Idle() {
		t.Error("games are left, or none is to be played")
	}
	games := finish(t, a)
	if len(games) != 2 || !a.Idle() {
		t.Errorf("%d games", len(games))
	}
	for id := range games {
		if !strings.HasSuffix(id, "-a0-100") && !strings.HasSuffix(id, "-a0-101") {
			t.Errorf("game %s", id)
		}
	}
}

func TestOpenings(t *testing.T) {
	cfg := small
	cfg.OpeningShare, cfg.OpeningPlies = 1, 1
	forbidden := v.Play(v.Start(), v.AppendMoves(nil, v.Start())[0])
	a := newActor(t, cfg, func(p rules.Position) bool { return p == forbidden })
	starts := map[rules.Position]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		starts[a.opening(rng)]++
	}
	// The start and the nine positions after it, minus the avoided one; half of the games have no
	// random move.
	if len(starts) != 9 || starts[forbidden] != 0 || starts[v.Start()] < 200 {
		t.Errorf("%d starts, %d times the forbidden one", len(starts), starts[forbidden])
	}
	for _, none := range []Config{{OpeningShare: -1}, {OpeningPlies: -1}, {OpeningPlies: -5}} {
		a := newActor(t, none, nil)
		for range 20 {
			if a.opening(rng) != v.Start() {
				t.Errorf("%+v: a random opening", none)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	notANumber := math.NaN()
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Search: "best"}, `search is "best"; it must be tree or alphabeta`},
		{Config{Visits: []string{"64"}}, `visits: "64" is not rows:visits, such as 65536:64`},
		{Config{Visits: []string{"0:64x"}}, "is not rows:visits"},
		{Config{Visits: []string{"5:64"}}, "begins at 5 rows; it must begin at 0"},
		{Config{Visits: []string{"0:8", "0:16"}}, "0:16 does not come after"},
		{Config{Visits: []string{"0:1"}}, "0:1: a search has 2 to 65535 visits"},
		{Config{Visits: []string{"0:70000"}}, "a search has 2 to 65535 visits"},
		{Config{AlphaBetaRows: -1}, "alphabeta_rows is -1"},
		{Config{Depth: 21}, "depth is 21"},
		{Config{Nodes: 99}, "nodes is 99"},
		{Config{TreeRows: 70000}, "tree_rows is 70000"},
		{Config{RandomShare: 1.5}, "random_share is 1.5"},
		{Config{RandomShare: notANumber}, "random_share is NaN"},
		{Config{OpeningShare: 1.5}, "opening_share is 1.5"},
		{Config{OpeningShare: notANumber}, "opening_share is NaN"},
		{Config{OpeningPlies: 61}, "opening_plies is 61"},
		{Config{MaxPlies: 19}, "max_plies is 19"},
		{Config{MaxPlies: 20000}, "max_plies is 20000"},
		{Config{MCTS: mcts.Config{Candidates: -1}}, "mcts: "},
	} {
		err := c.cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
		if _, err := NewActor(v, c.cfg, Identity{}, 0, nil); err == nil || !strings.HasPrefix(err.Error(), "self-play: ") {
			t.Errorf("NewActor: %v", err)
		}
	}
}
