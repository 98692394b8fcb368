package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"damier/arena"
	"damier/data"
	"damier/egdb"
	"damier/learner"
	"damier/rules"
	"damier/selfplay"
)

// ErrForged is wrapped by the errors for a legal game that was not played as its order requires.
var ErrForged = errors.New("not a game of this run")

// ErrStale is wrapped by the errors for a game whose order is no longer kept. The worker is not to
// blame.
var ErrStale = errors.New("the game is too old")

// judge compares games with the orders they were played by. The caller holds the hub's mutex.
type judge struct {
	v      *rules.Variant
	method learner.Method
	avoid  map[uint64]bool // keys of positions reserved for matches
	orders []*keptOrder    // oldest first, newest last
	tables *egdb.Tables    // of the run, nil for none
	rng    *rand.Rand
	fetch  func(ctx context.Context, network string) ([]byte, error)

	renamed bool  // simulations only: accept recorded games under other ids
	checked int64 // number of recomputed searches
}

// keptOrder is an order whose games are still accepted.
type keptOrder struct {
	posted
	name       string
	recomputer *selfplay.Recomputer // made when first needed

	replaced time.Time // when a newer order came
	last     uint64    // games of this order are in messages below this number; 0: not known yet
}

// keptNetworks limits the number of networks in memory.
const keptNetworks = 8

func newJudge(
	v *rules.Variant, method learner.Method, fetch func(context.Context, string) ([]byte, error),
) *judge {
	j := &judge{v: v, method: method, avoid: arena.ReservedKeys(v), fetch: fetch}
	// A random seed, so that workers cannot predict which searches are recomputed.
	j.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	return j
}

// addOrder makes p the newest order. It returns the networks that no kept order uses any more.
func (j *judge) addOrder(p *posted) (gone []string) {
	k := &keptOrder{posted: *p, name: p.id()}
	for i, o := range j.orders {
		// The run went back to a checkpoint, so an old order is the newest again.
		if o.name == k.name {
			j.orders[len(j.orders)-1].replaced = time.Now()
			j.orders = append(append(j.orders[:i:i], j.orders[i+1:]...), o)
			o.last = 0
			return nil
		}
	}
	if n := len(j.orders); n > 0 {
		j.orders[n-1].replaced = time.Now()
	}
	j.orders = append(j.orders, k)
	if len(j.orders) > keptOrders {
		old := j.orders[0]
		j.orders = j.orders[1:]
		for _, o := range j.orders {
			if o.Network == old.Network {
				return nil
			}
		}
		gone = append(gone, old.Network)
	}
	return gone
}

// canDropOldest reports whether the oldest order may be dropped: it was replaced at least
// orderGrace ago, and every message that had come by then has been read. first and last are the
// sequence numbers of the first and last message in the stream.
func (j *judge) canDropOldest(first, last uint64) bool {
	if len(j.orders) < keptOrders {
		return true
	}
	o := j.orders[0]
	if time.Since(o.replaced) < orderGrace {
		return false
	}
	if o.last == 0 {
		o.last = last + 1
	}
	return first >= o.last
}

// findOrder returns the kept order with this id, nil if there is none.
func (j *judge) findOrder(name string) *keptOrder {
	for i := len(j.orders) - 1; i >= 0; i-- {
		if j.orders[i].name == name {
			return j.orders[i]
		}
	}
	return nil
}

// limits returns the limits of an honest game that was played by these orders, false if one of them
// is no longer kept.
//
// A search yields only positions that one of its simulations, or of an earlier search in a tree
// that was kept, has evaluated, and each of them once. So up to any ply the trees have at most as
// many positions as the searches had visits.
func (j *judge) limits(segments []segment) (most data.WireLimits, kept bool) {
	for _, s := range segments {
		o := j.findOrder(s.order)
		if o == nil {
			return data.WireLimits{}, false
		}
		c := o.SelfPlay.For(j.v)
		most.Plies = max(most.Plies, c.MaxPlies)
		if !o.Stage.AlphaBeta && c.TreeRows > 0 {
			most.Positions = max(most.Positions, o.Stage.Visits)
		}
	}
	return most, true
}

// check returns an error if a legal game was not played as its orders require. It checks
// everything that is cheap; with thorough it also recomputes the opening and one search. The error
// wraps [ErrForged] or [ErrStale], or says why a network could not be read.
func (j *judge) check(ctx context.Context, worker, platform string, p *played, thorough bool) error {
	g := &p.game
	forged := func(format string, args ...any) error {
		return fmt.Errorf("%w: game %q: "+format, append([]any{ErrForged, g.ID}, args...)...)
	}
	id, err := parseID(g.ID)
	if err != nil || id.worker != worker {
		return forged("the id is not one of worker %s", worker)
	}
	if len(p.segments) == 0 || p.segments[0].ply != 0 {
		return forged("it does not say which order it began with")
	}
	orders := make([]*keptOrder, len(p.segments))
	for i, s := range p.segments {
		if i > 0 && s.ply < p.segments[i-1].ply || s.ply > len(g.Plies) {
			return forged("the plies of its orders are not ascending")
		}
		if orders[i] = j.findOrder(s.order); orders[i] == nil {
			return fmt.Errorf("%w: game %q was played by order %s", ErrStale, g.ID, s.order)
		}
	}
	last := orders[len(orders)-1]
	if g.Model != last.Model || g.Generation != last.Generation {
		return forged("it names network %s, but its order has %s", g.Model, last.Model)
	}
	actor := selfplay.Identity{Seed: last.Seed, Actor: id.actor}
	if (id.seed != last.Seed || g.Seed != selfplay.GameSeed(actor, id.number)) && !j.renamed {
		return forged("its random numbers are not those of its id")
	}
	if err := j.checkEnding(g, last.SelfPlay.PlayOn); err != nil {
		return forged("%w", err)
	}
	switch g.Reason {
	case rules.Resignation, rules.Agreement, rules.TimeForfeit, rules.IllegalMove, rules.PlayerFailure:
		return forged("it ends by %q, and self-play does not", g.Reason)
	case rules.PlyLimit:
		if want := last.SelfPlay.For(j.v).MaxPlies; len(g.Plies) != want || g.Outcome != rules.Draw {
			return forged("it ends by the limit of plies after %d plies, but the limit is %d", len(g.Plies), want)
		}
	}
	at := 0
	for i := range g.Plies {
		for at+1 < len(p.segments) && p.segments[at+1].ply <= i {
			at++
		}
		ply, o := &g.Plies[i], orders[at]
		if limit := o.Stage.Visits; !o.Stage.AlphaBeta && ply.Simulations > limit {
			return forged("ply %d has %d simulations, but its order allows %d", i, ply.Simulations, limit)
		}
		if len(ply.Visits) == 0 && len(ply.Moves) > 1 && o.SelfPlay.RandomShare < 0 {
			return forged("ply %d was not searched", i)
		}
	}
	if !thorough {
		return nil
	}
	return j.recompute(ctx, platform, p, orders, forged)
}

// checkEnding checks the end of a game against the endgame tables of the run: the game must end at
// the first position that they know.
func (j *judge) checkEnding(g *data.Game, playOn bool) error {
	judged := g.Reason == rules.Adjudication
	if j.tables == nil || playOn {
		if judged {
			return fmt.Errorf("it ends by %q, and self-play does not", g.Reason)
		}
		return nil
	}
	for i := range g.Plies {
		p := g.Plies[i].Position
		p = j.v.Play(p, g.Plies[i].Moves[g.Plies[i].Played])
		outcome, known := rules.Ongoing, false
		if p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() <= j.tables.Pieces() {
			var exact bool
			outcome, _, exact, known = j.tables.Solve(p)
			known = known && exact
		}
		last := i == len(g.Plies)-1
		switch {
		case known && !last:
			return fmt.Errorf("it goes on after ply %d, although the endgame tables know the result", i)
		case judged && last && (!known || outcome != g.Outcome):
			return errors.New("its result is not that of the endgame tables")
		}
	}
	if judged && len(g.Plies) == 0 {
		return errors.New("it ends before its first ply")
	}
	return nil
}

// recompute recomputes the opening and one search of a game. If searches depend on earlier ones (a
// tree or a table is reused), it recomputes and compares all searches since the ply at which the
// order began.
func (j *judge) recompute(
	ctx context.Context, platform string, p *played, orders []*keptOrder,
	forged func(string, ...any) error,
) error {
	g := &p.game
	id, err := parseID(g.ID)
	if err != nil {
		return forged("%w", err)
	}
	first := orders[0]
	if err := j.loadRecomputer(ctx, first); err != nil {
		return err
	}
	actor := selfplay.Identity{Seed: first.Seed, Actor: id.actor}
	if start := first.recomputer.Opening(actor, id.number); start != g.Start && !j.renamed {
		return forged("it begins at %s, but its seed gives %s", j.v.FEN(g.Start), j.v.FEN(start))
	}
	var searched []int
	for i := range g.Plies {
		if len(g.Plies[i].Visits) > 0 {
			searched = append(searched, i)
		}
	}
	if len(searched) == 0 {
		return nil
	}
	ply := searched[j.rng.IntN(len(searched))]
	at := 0
	for at+1 < len(p.segments) && p.segments[at+1].ply <= ply {
		at++
	}
	o := orders[at]
	if err := j.loadRecomputer(ctx, o); err != nil {
		return err
	}
	// Other processors round differently, so a search may diverge there. Then only the network's
	// output for the position is compared, which does not depend on earlier searches. Alpha-beta
	// uses integers only, so it is the same on all processors.
	exact := platform == runtime.GOARCH
	from := ply
	if o.recomputer.Keeps(o.Stage) && (exact || o.Stage.AlphaBeta) {
		from = p.segments[at].ply
	}
	again, err := o.recomputer.Plies(ctx, o.Stage, o.Generation, *g, from, ply)
	if err != nil && !errors.Is(err, selfplay.ErrOtherGame) {
		return err // the hub stops or the search fails: the worker is not to blame
	}
	if err != nil {
		return forged("ply %d cannot be replayed: %w", ply, err)
	}
	j.checked++
	for i := range again {
		is, was := &again[i], &g.Plies[from+i]
		if bytes.Equal(data.AppendPly(nil, is), data.AppendPly(nil, was)) {
			continue
		}
		sameShape := len(is.Moves) == len(was.Moves) && len(is.Priors) == len(was.Priors)
		if !exact && sameShape && sameRaw(is, was) {
			continue
		}
		return forged("the search of ply %d differs when it is computed again with network %s", from+i, o.Model)
	}
	if len(again) <= ply-from {
		return forged("replayed, it ends before ply %d", ply)
	}
	return nil
}

// rawTolerance is the largest difference, as a probability, between the network outputs of two
// platforms.
const rawTolerance = 0.01

// sameRaw reports whether two records have nearly the same network output.
func sameRaw(a, b *data.Ply) bool {
	close := func(x, y float32) bool { return math.Abs(float64(x-y)) <= rawTolerance }
	if !close(a.Raw.Win, b.Raw.Win) || !close(a.Raw.Draw, b.Raw.Draw) || !close(a.Raw.Loss, b.Raw.Loss) {
		return false
	}
	for i := range a.Priors {
		if !close(a.Priors[i], b.Priors[i]) {
			return false
		}
	}
	return true
}

// loadRecomputer makes the recomputer of an order and drops the oldest ones above keptNetworks.
func (j *judge) loadRecomputer(ctx context.Context, o *keptOrder) error {
	if o.recomputer != nil {
		return nil
	}
	file, err := j.fetch(ctx, o.Network)
	if err != nil {
		return err
	}
	network, err := o.Decode(j.method, file)
	if err != nil {
		return err
	}
	s, err := network.Searcher(j.v, o.SelfPlay)
	if err != nil {
		return err
	}
	avoid := func(p rules.Position) bool { return j.avoid[p.Key()] }
	r, err := selfplay.NewRecomputer(j.v, o.SelfPlay, s, avoid)
	if err != nil {
		return err
	}
	if j.tables != nil {
		r.SetTables(j.tables)
	}
	loaded := 0
	for i := len(j.orders) - 1; i >= 0; i-- {
		if j.orders[i].recomputer == nil {
			continue
		}
		if loaded++; loaded >= keptNetworks {
			j.orders[i].recomputer = nil
		}
	}
	o.recomputer = r
	return nil
}
