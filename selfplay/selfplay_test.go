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

// scatter gives every position priors and a value of its own, at random but always the same.
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

// free costs next to nothing.
var free = evalFunc(func(l *mcts.Leaf) {
	p := 1 / float32(len(l.Priors))
	for i := range l.Priors {
		l.Priors[i] = p
	}
	l.Value = rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
})

var v = rules.International

func newActor(t testing.TB, cfg Config, avoid func(rules.Position) bool) *Actor {
	t.Helper()
	a, err := NewActor(v, cfg, Identity{Seed: 7, Actor: "a0", Model: "m", Generation: 3}, 0, avoid)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// play lets the actor play games first to last-1 and returns them by id.
func play(t testing.TB, a *Actor, first, last uint64) map[string]data.Game {
	t.Helper()
	a.Renumber(first, last)
	return finish(t, a)
}

func finish(t testing.TB, a *Actor) map[string]data.Game {
	t.Helper()
	games := map[string]data.Game{}
	err := a.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) { games[g.ID] = g })
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// small is a config whose games are short.
var small = Config{Games: 4, FullVisits: 6, CheapVisits: 2, MaxPlies: 60}

var nan = cmpopts.EquateNaNs()

// exporter lets cmp look into positions and moves.
func exporter(reflect.Type) bool { return true }

func TestSameSeedSameGames(t *testing.T) {
	a := play(t, newActor(t, small, nil), 0, 12)
	if len(a) != 12 {
		t.Fatalf("%d games, want 12", len(a))
	}
	// Other boards, other order: each game depends on its number alone.
	other := small
	other.Games = 5
	b := newActor(t, other, nil)
	got := play(t, b, 6, 12)
	for id, g := range play(t, b, 0, 6) {
		got[id] = g
	}
	if d := cmp.Diff(a, got, nan, cmp.Exporter(exporter)); d != "" {
		t.Error(d)
	}
	distinct := map[uint64]bool{}
	for _, g := range a {
		distinct[g.Plies[len(g.Plies)-1].Position.Key()] = true
	}
	if len(distinct) != len(a) {
		t.Errorf("%d different games of %d", len(distinct), len(a))
	}
}

func TestRecords(t *testing.T) {
	actor := newActor(t, small, nil)
	actor.Renumber(0, 40)
	var games []data.Game
	if err := actor.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) { games = append(games, g) }); err != nil {
		t.Fatal(err)
	}
	stats := actor.TakeStats()

	var want Stats
	full, cheap, forced := 0, 0, 0
	for _, g := range games {
		if g.Model != "m" || g.Generation != 3 {
			t.Errorf("game %s is of %s, generation %d", g.ID, g.Model, g.Generation)
		}
		want.finished(len(g.Plies), g.Outcome, g.Reason)
		if len(g.Plies) > small.MaxPlies {
			t.Errorf("game %s has %d plies", g.ID, len(g.Plies))
		}
		if g.Reason == rules.PlyLimit && len(g.Plies) != small.MaxPlies {
			t.Errorf("game %s of %d plies ended by %s", g.ID, len(g.Plies), g.Reason)
		}
		for i, p := range g.Plies {
			proved := p.Root.Win == 1 || p.Root.Draw == 1 || p.Root.Loss == 1 // which ends a search
			switch {
			case len(p.Moves) == 1:
				forced++
				if p.Visits != nil || p.Priors != nil || p.Values != nil || p.Full || p.Simulations != 0 || p.Root != (rules.WDL{}) {
					t.Errorf("game %s, ply %d: a forced move was searched", g.ID, i)
				}
				continue
			case p.Full:
				full++
				if p.Simulations != 6 && !(proved && p.Simulations < 6) {
					t.Errorf("full search of %d simulations", p.Simulations)
				}
				want.Rows++
			default:
				cheap++
				if p.Simulations != 2 && !(proved && p.Simulations < 2) {
					t.Errorf("cheap search of %d simulations", p.Simulations)
				}
			}
			want.Simulations += int64(p.Simulations)
			want.Searches++
		}
	}
	if share := float64(full) / float64(full+cheap); math.Abs(share-0.25) > 0.04 || forced == 0 {
		t.Errorf("%d full, %d cheap, %d forced", full, cheap, forced)
	}
	// All searches are of finished games, for the actor has played to the end.
	want.Batches, want.Evaluations = stats.Batches, stats.Evaluations
	want.Targets, want.TargetEntropy, want.TargetKL = int64(full), stats.TargetEntropy, stats.TargetKL
	if d := cmp.Diff(want, stats); d != "" {
		t.Error(d)
	}
	if stats.Limited == 0 || stats.Limited > stats.Draws || stats.Games != 40 || stats.Evaluations < stats.Searches ||
		stats.Evaluations > stats.Simulations+stats.Searches || stats.TargetEntropy <= 0 || stats.TargetKL <= 0 {
		t.Errorf("stats %+v", stats)
	}
	if s := actor.TakeStats(); s.Games != 0 || s.Reasons != nil {
		t.Errorf("stats taken are %+v", s)
	}

	dir := t.TempDir()
	info, err := data.WriteShard(dir, "a.parquet", v, games)
	if err != nil {
		t.Fatal(err)
	}
	if info.Games != 40 || info.Rows != full || info.Cut != int(stats.Limited) {
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

// Stats of several actors are added.
func TestStatsAdd(t *testing.T) {
	var a, b, sum Stats
	a.finished(50, rules.WhiteWins, rules.NoMoves)
	b.finished(60, rules.Draw, rules.PlyLimit)
	b.finished(70, rules.BlackWins, rules.NoMoves)
	a.Batches, b.Batches, a.Rows, b.Rows = 2, 3, 4, 5
	a.target([]float32{0.5, 0.5}, []float32{0.25, 0.75})
	sum.Add(a)
	sum.Add(b)
	want := Stats{
		Batches: 5, Rows: 9, Games: 3, Plies: 180, Wins: 1, Draws: 1, Losses: 1, Limited: 1, Targets: 1,
		Reasons:       map[rules.Reason]int64{rules.NoMoves: 2, rules.PlyLimit: 1},
		TargetEntropy: math.Ln2,                                // of (1/2, 1/2)
		TargetKL:      0.5*math.Log(2) + 0.5*math.Log(2.0/3.0), // sum of p log(p/q)
	}
	if d := cmp.Diff(want, sum, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Error(d)
	}
}

// Games that were under way when an actor stopped are the same games when another goes on with them.
func TestUnfinishedRestore(t *testing.T) {
	want := play(t, newActor(t, small, nil), 0, 9)

	a := newActor(t, small, nil)
	a.Renumber(0, 9)
	got := map[string]data.Game{}
	batches := 0
	if err := a.Run(context.Background(), scatter, func() bool { batches++; return batches > 60 },
		func(g data.Game) { got[g.ID] = g }); err != nil {
		t.Fatal(err)
	}
	under := a.Unfinished()
	if len(under) != small.Games || a.Idle() {
		t.Fatalf("%d games under way, idle %t", len(under), a.Idle())
	}
	begun := len(got) + len(under)

	// They go through a file, and to an actor with fewer boards than games.
	dir := t.TempDir()
	if _, err := data.WriteShard(dir, "u.parquet", v, under); err != nil {
		t.Fatal(err)
	}
	under, err := data.ReadShard(filepath.Join(dir, "u.parquet"), v)
	if err != nil {
		t.Fatal(err)
	}
	fewer := small
	fewer.Games = 3
	b := newActor(t, fewer, nil)
	b.Renumber(uint64(begun), 9)
	if err := b.Restore(under); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(under, b.Unfinished(), nan, cmp.Exporter(exporter), cmpopts.IgnoreFields(data.Game{}, "Model")); d != "" {
		t.Errorf("restored and unfinished again: %s", d)
	}
	if n := len(b.Boards(99)); n != 3 || b.Idle() {
		t.Errorf("%d games on the boards, idle %t", n, b.Idle())
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
	if n := len(a.Boards(99)); n != 1 {
		t.Errorf("%d games taken up, want the good one", n)
	}
}

// An evaluator that fails once costs nothing but time.
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
	failures := 0
	for !a.Idle() {
		if err := a.Run(context.Background(), flaky, func() bool { return false }, func(g data.Game) { got[g.ID] = g }); err != nil {
			if !errors.Is(err, broken) {
				t.Fatal(err)
			}
			failures++
		}
	}
	if d := cmp.Diff(want, got, nan, cmp.Exporter(exporter)); d != "" || failures == 0 {
		t.Errorf("after %d failures: %s", failures, d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a.Renumber(6, 8)
	if err := a.Run(ctx, scatter, func() bool { return false }, func(data.Game) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

type evaluatorFunc func(context.Context, []mcts.Leaf) error

func (f evaluatorFunc) Evaluate(ctx context.Context, leaves []mcts.Leaf) error { return f(ctx, leaves) }

func TestRenumberDropsGames(t *testing.T) {
	a := newActor(t, small, nil)
	n := 0
	if err := a.Run(context.Background(), scatter, func() bool { n++; return n > 10 }, func(data.Game) {}); err != nil {
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
	// The start and the nine positions after it, less the avoided one; half of the games have no random move.
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

func TestNoiseSchedule(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		n    int
		want float64
	}{
		{Config{}, 0, 1}, {Config{}, 9, 1}, {Config{}, 10, 0.5}, {Config{}, 17, 0.5}, {Config{}, 18, 0.25},
		{Config{}, 26, 0.15}, {Config{}, 500, 0.15},
		{Config{NoisePlies: 2, NoiseHalving: 1, NoiseFloor: 0.5}, 1, 1},
		{Config{NoisePlies: 2, NoiseHalving: 1, NoiseFloor: 0.5}, 5, 0.5},
		{Config{NoisePlies: -1, NoiseHalving: 4}, 0, 0.5}, {Config{NoisePlies: -9, NoiseHalving: 4}, 3, 0.5},
		{Config{NoiseFloor: -1}, 18, 0.25}, {Config{NoiseFloor: -1}, 10 + 8*9, math.Pow(2, -10)},
		{Config{NoiseFloor: 1}, 500, 1},
	} {
		if got := c.cfg.WithDefaults().noise(c.n); got != c.want {
			t.Errorf("noise of %+v at ply %d is %g, want %g", c.cfg, c.n, got, c.want)
		}
	}
}

// Without noise a search does not look at the random numbers: cheap searches beyond the first plies.
func TestCheapNoise(t *testing.T) {
	cfg := Config{Games: 1, FullVisits: 2, CheapVisits: 2, FullShare: 1e-9, OpeningShare: -1, CheapNoisePlies: -1, MaxPlies: 40}
	var games []data.Game
	a := newActor(t, cfg, nil)
	a.Renumber(0, 2)
	if err := a.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) { games = append(games, g) }); err != nil {
		t.Fatal(err)
	}
	if len(games) != 2 || games[0].Plies[len(games[0].Plies)-1].Position != games[1].Plies[len(games[1].Plies)-1].Position {
		t.Error("two games without noise differ")
	}
	if games[0].Rows() != 0 {
		t.Errorf("%d full searches", games[0].Rows())
	}
}

// TestForcingCandidates: a full search looks at forcing moves however little the evaluator thinks of them, a cheap one
// does not, and neither does a full one that is told not to or that is of a simple stage.
func TestForcingCandidates(t *testing.T) {
	forcing := func(p rules.Position, m rules.Move) bool { return !m.IsCapture() && v.HasCaptures(v.Play(p, m)) }
	warned := evalFunc(func(l *mcts.Leaf) {
		scatter(l)
		sum := float32(0)
		for i, m := range l.Moves {
			if forcing(l.Position, m) {
				l.Priors[i] = 1e-12
			}
			sum += l.Priors[i]
		}
		for i := range l.Priors {
			l.Priors[i] /= sum
		}
	})
	// looked returns how many forcing moves full and cheap searches looked at, and how many they could at most.
	looked := func(candidates int, simple bool) (full, cheap, most int) {
		a := newActor(t, Config{Games: 4, FullVisits: 16, CheapVisits: 4, NoisePlies: -1, NoiseFloor: -1, MaxPlies: 60, Forcing: candidates,
			Search: mcts.Config{Candidates: 4}, SimpleShare: -1}, nil)
		a.SetStage(Stage{FullVisits: 16, CheapVisits: 4, Simple: simple})
		a.Renumber(0, 12)
		if err := a.Run(context.Background(), warned, func() bool { return false }, func(g data.Game) {
			for _, p := range g.Plies {
				offers, seen := 0, 0
				for i, m := range p.Moves {
					if p.Visits != nil && forcing(p.Position, m) {
						offers++
						seen += int(min(p.Visits[i], 1))
					}
				}
				switch {
				case p.Full:
					full += seen
					most += min(offers, 2)
				case len(p.Moves)-offers >= 4: // others are enough
					cheap += seen
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		return full, cheap, most
	}
	if full, cheap, most := looked(2, false); full < most || most < 50 || cheap > 0 {
		t.Errorf("full searches looked at %d forcing moves, want %d and more than 50; cheap ones at %d", full, most, cheap)
	}
	if full, _, most := looked(-1, false); full > most/2 {
		t.Errorf("full searches that consider none looked at %d forcing moves of %d", full, most)
	}
	if full, _, most := looked(2, true); full > most/2 {
		t.Errorf("full searches of a simple stage looked at %d forcing moves of %d", full, most)
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
		{Config{Games: -1}, "games is -1"},
		{Config{Games: 5000}, "games is 5000"},
		{Config{FullVisits: -1}, "full_visits is -1"},
		{Config{FullVisits: 70000}, "full_visits is 70000"},
		{Config{CheapVisits: -1}, "cheap_visits is -1"},
		{Config{CheapVisits: 33}, "cheap_visits is 33 and full_visits 32"},
		{Config{FullVisits: 4}, "cheap_visits is 8 and full_visits 4"},
		{Config{FullShare: -0.1}, "full_share is -0.1"},
		{Config{FullShare: 1.1}, "full_share is 1.1"},
		{Config{FullShare: notANumber}, "full_share is NaN"},
		{Config{Forcing: 256}, "forcing is 256"},
		{Config{SimpleShare: 1.5}, "simple_share is 1.5"},
		{Config{SimpleShare: notANumber}, "simple_share is NaN"},
		{Config{OpeningShare: 1.5}, "opening_share is 1.5"},
		{Config{OpeningShare: notANumber}, "opening_share is NaN"},
		{Config{OpeningPlies: 61}, "opening_plies is 61"},
		{Config{NoisePlies: 20000}, "noise_plies is 20000"},
		{Config{NoiseHalving: -1}, "noise_halving is -1"},
		{Config{NoiseFloor: 1.5}, "noise_floor is 1.5"},
		{Config{Cache: 1 << 20}, "cache is 1048576"},
		{Config{NoiseFloor: notANumber}, "noise_floor is NaN"},
		{Config{MaxPlies: 19}, "max_plies is 19"},
		{Config{MaxPlies: 20000}, "max_plies is 20000"},
		{Config{Search: mcts.Config{Candidates: -1}}, "search: "},
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

// Simulations allocate nothing: a move with 200 of them takes no more than one with 10. A ply allocates its record:
// moves, visits, priors, values, and its share of the list of plies.
func TestAllocations(t *testing.T) {
	perPly := func(visits int) float64 {
		a := newActor(t, Config{Games: 8, FullVisits: visits, CheapVisits: visits}, nil)
		run := func(batches int) {
			n := 0
			if err := a.Run(context.Background(), free, func() bool { n++; return n > batches }, func(data.Game) {}); err != nil {
				t.Fatal(err)
			}
		}
		run(20 * visits) // let everything grow
		a.TakeStats()
		allocations := testing.AllocsPerRun(1, func() { a.TakeStats(); run(10 * visits) })
		return allocations / float64(a.TakeStats().Searches)
	}
	few, many := perPly(10), perPly(200)
	if many > 10 || many > few+2 {
		t.Errorf("%.1f allocations for a ply of 10 simulations, %.1f for one of 200", few, many)
	}
}

// BenchmarkActor measures self-play with an evaluator that costs next to nothing: the tree, the rules and the records.
func BenchmarkActor(b *testing.B) {
	a := newActor(b, Config{}, nil)
	b.ReportAllocs()
	n := 0
	stop := func() bool { n++; return n%100 == 0 }
	for b.Loop() { // 99 batches each
		if err := a.Run(context.Background(), free, stop, func(data.Game) {}); err != nil {
			b.Fatal(err)
		}
	}
	s := a.TakeStats()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(s.Simulations), "ns/simulation")
	b.ReportMetric(float64(s.Simulations)/b.Elapsed().Seconds(), "simulations/s")
}
