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

// ErrForged is wrapped by the errors for a legal game that was not played as its order says.
var ErrForged = errors.New("not a game of this run")

// ErrStale is wrapped by the errors for a game by an order that is no longer kept. It is nobody's fault.
var ErrStale = errors.New("the game is too old")

// judge compares games with the orders by which they were played.
type judge struct {
	v      *rules.Variant
	method learner.Method
	avoid  map[uint64]bool
	orders []*keptOrder // oldest first
	tables *egdb.Tables // that the run plays with, nil for none
	rng    *rand.Rand
	fetch  func(ctx context.Context, network string) ([]byte, error)

	renamed bool  // for simulations: recorded games come again under other ids
	checked int64 // searches computed again
}

// kept is an order whose games are taken.
type keptOrder struct {
	posted
	name       string
	recomputer *selfplay.Recomputer // nil until it is needed

	replaced time.Time // when a newer order was kept
	last     uint64    // of the messages that may have games by it: set once it is replaced for a while
}

// keptNetworks bounds the networks in memory.
const keptNetworks = 8

func newJudge(v *rules.Variant, method learner.Method, fetch func(context.Context, string) ([]byte, error)) *judge {
	j := &judge{v: v, method: method, avoid: arena.ReservedKeys(v), fetch: fetch}
	j.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) // nobody can tell which games it looks at
	return j
}

// keep takes up an order as the newest. It returns the networks that no order names any more.
func (j *judge) addOrder(p *posted) (gone []string) {
	k := &keptOrder{posted: *p, name: p.id()}
	for i, o := range j.orders {
		if o.name == k.name { // an order comes back when a run goes back to a checkpoint
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

// spent reports whether the oldest order can make room for another: it was replaced a while ago, and the
// messages that came until then, all below first, are taken. last is that of the newest message.
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

func (j *judge) findOrder(name string) *keptOrder {
	for i := len(j.orders) - 1; i >= 0; i-- {
		if j.orders[i].name == name {
			return j.orders[i]
		}
	}
	return nil
}

// check reports what is wrong with a legal game: all of it that costs little, and if thorough its opening
// and one search. The error wraps [ErrForged] or [ErrStale], or says why a network cannot be had.
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
		return forged("it does not say by which order it began")
	}
	orders := make([]*keptOrder, len(p.segments))
	for i, s := range p.segments {
		if i > 0 && s.ply < p.segments[i-1].ply || s.ply > len(g.Plies) {
			return forged("its orders are not in the order of its plies")
		}
		if orders[i] = j.findOrder(s.order); orders[i] == nil {
			return fmt.Errorf("%w: game %q was played by order %s", ErrStale, g.ID, s.order)
		}
	}
	last := orders[len(orders)-1]
	if g.Model != last.Model || g.Generation != last.Generation {
		return forged("it names network %s, and its order is of %s", g.Model, last.Model)
	}
	actor := selfplay.Identity{Seed: last.Seed, Actor: id.actor}
	if (id.seed != last.Seed || g.Seed != selfplay.GameSeed(actor, id.number)) && !j.renamed {
		return forged("its random moveIndexes are not those of its id")
	}
	if err := j.checkEnding(g, last.SelfPlay.PlayOn); err != nil {
		return forged("%w", err)
	}
	switch g.Reason {
	case rules.Resignation, rules.Agreement, rules.TimeForfeit, rules.IllegalMove, rules.PlayerFailure:
		return forged("it ends by %q, and self-play does not", g.Reason)
	case rules.PlyLimit:
		if want := last.SelfPlay.For(j.v).MaxPlies; len(g.Plies) != want || g.Outcome != rules.Draw {
			return forged("it ends by the limit of plies after %d, and the limit is %d", len(g.Plies), want)
		}
	}
	at := 0
	for i := range g.Plies {
		for at+1 < len(p.segments) && p.segments[at+1].ply <= i {
			at++
		}
		ply, o := &g.Plies[i], orders[at]
		if most := o.Stage.Visits; !o.Stage.AlphaBeta && ply.Simulations > most {
			return forged("ply %d has %d simulations, and its order allows %d", i, ply.Simulations, most)
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

// ending compares where a game ends with the endgame tables of the run: it is over as soon as they know it.
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
			return fmt.Errorf("it goes on after ply %d, and endgame tables know its end", i)
		case judged && last && (!known || outcome != g.Outcome):
			return errors.New("it does not end as endgame tables say")
		}
	}
	if judged && len(g.Plies) == 0 {
		return errors.New("it ends before its first ply")
	}
	return nil
}

// again computes the opening and one search of a game again. Where a search takes something over from those
// before it, all of them are computed and compared, from the ply on at which its order began.
func (j *judge) recompute(ctx context.Context, platform string, p *played, orders []*keptOrder, forged func(string, ...any) error) error {
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
		return forged("it begins at %s, and its seed gives %s", j.v.FEN(g.Start), j.v.FEN(start))
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
	// Other processors round in another way, and then a search may take another turn; what the network says of
	// the position stays, and needs no search before it. Alpha-beta has integers alone.
	exact := platform == runtime.GOARCH
	from := ply
	if o.recomputer.Keeps(o.Stage) && (exact || o.Stage.AlphaBeta) {
		from = p.segments[at].ply
	}
	again, err := o.recomputer.Plies(ctx, o.Stage, o.Generation, *g, from, ply)
	if err != nil && !errors.Is(err, selfplay.ErrOtherGame) {
		return err // the hub stops, or the search fails: nobody's fault
	}
	if err != nil {
		return forged("ply %d cannot be played again: %w", ply, err)
	}
	j.checked++
	for i := range again {
		is, was := &again[i], &g.Plies[from+i]
		if bytes.Equal(data.AppendPly(nil, is), data.AppendPly(nil, was)) {
			continue
		}
		if !exact && len(is.Moves) == len(was.Moves) && len(is.Priors) == len(was.Priors) && sameRaw(is, was) {
			continue
		}
		return forged("the search of ply %d is another when it is computed again with network %s", from+i, o.Model)
	}
	if len(again) <= ply-from {
		return forged("played again, it ends before ply %d", ply)
	}
	return nil
}

// rawTolerance is how far the network's own moveIndexes of another processor may be, in probability.
const rawTolerance = 0.01

// near compares what two records say of the network's own judgement.
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

// load makes the recomputer of an order.
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
	r, err := selfplay.NewRecomputer(j.v, o.SelfPlay, s, func(p rules.Position) bool { return j.avoid[p.Key()] })
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
