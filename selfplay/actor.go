package selfplay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"damier/data"
	"damier/rules"
)

// Identity identifies the actor and network of a game; it goes into every record.
type Identity struct {
	Seed       uint64 // of the run; with the number of a game it gives the seed of its random numbers
	Actor      string // unique among the actors of a run, "a0" or "worker7-a0"; part of the game id
	Model      string // id of the network that plays
	Generation int    // generation of that network
}

// Actor plays one game after another on one goroutine. Only [Actor.Board] is safe for concurrent
// use.
type Actor struct {
	variant  *rules.Variant
	cfg      Config
	stage    Stage
	id       Identity
	avoid    func(rules.Position) bool
	searcher Searcher
	tables   Tables // nil for none

	next    uint64      // number of the next game
	last    uint64      // new games begin while next < last
	waiting []data.Game // restored games that will continue
	game    *rules.Game // the game on the board; nil for none
	record  data.Game   // the record of game
	source  *rand.PCG   // reseeded for every ply
	rng     *rand.Rand
	stats   Stats

	// looking is locked while the game changes, but not during a search.
	looking sync.Mutex
}

// NewActor returns an actor without a game and without a searcher. It never starts a game from a
// position for which avoid returns true (test openings); avoid may be nil. It numbers its games
// from first on.
func NewActor(v *rules.Variant, cfg Config, id Identity, first uint64, avoid func(rules.Position) bool) (*Actor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("self-play: %w", err)
	}
	source := rand.NewPCG(0, 0)
	a := &Actor{
		variant: v,
		cfg:     cfg.For(v),
		stage:   cfg.Stage(0),
		id:      id,
		avoid:   avoid,
		next:    first,
		last:    math.MaxUint64,
		source:  source,
		rng:     rand.New(source),
	}
	return a, nil
}

// SetModel sets the searcher that plays from now on, of a network with this id and generation. A
// game in progress continues with it.
func (a *Actor) SetModel(s Searcher, model string, generation int) {
	a.searcher, a.id.Model, a.id.Generation = s, model, generation
	s.SetTables(a.tables)
}

// SetStage changes the stage for later searches.
func (a *Actor) SetStage(s Stage) { a.stage = s }

// Renumber drops the game in progress. The actor then plays the games numbered from first to below
// last, after which [Actor.Run] returns.
func (a *Actor) Renumber(first, last uint64) {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.next, a.last, a.waiting = first, last, nil
	a.game, a.record = nil, data.Game{}
}

// Idle reports whether no game is in progress and none is left to begin.
func (a *Actor) Idle() bool {
	return len(a.waiting) == 0 && a.game == nil && a.next >= a.last
}

// TakeStats returns the counts since the last call and resets them.
func (a *Actor) TakeStats() Stats {
	s := a.stats
	a.stats = Stats{}
	return s
}

// Run plays until stop returns true (it is called before every move), the context is done, or no
// game is left to play. It calls emit with every finished game. The game in progress stays for the
// next Run. Run returns the error of the context or the searcher; the next Run then searches that
// position again.
func (a *Actor) Run(ctx context.Context, stop func() bool, emit func(data.Game)) error {
	a.searcher.Forget() // the last search may have been of another game
	for !stop() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.game == nil && !a.begin() {
			return nil
		}
		if err := a.move(ctx); err != nil {
			return err
		}
		if a.game.Over() {
			emit(a.finish())
		}
	}
	return nil
}

// begin continues a waiting game, or starts a new one and plays its random opening. It returns
// false if there is no game left to begin.
func (a *Actor) begin() bool {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.searcher.Forget()
	if len(a.waiting) > 0 {
		a.resume()
		return true
	}
	if a.next >= a.last {
		return false
	}
	number := a.next
	a.next++
	seed := GameSeed(a.id, number)
	a.source.Seed(seed, 0)
	start := a.opening(a.rng)
	a.game = rules.NewGameFrom(a.variant, start)
	a.record = data.Game{
		ID:      fmt.Sprintf("%016x-%s-%d", a.id.Seed, a.id.Actor, number),
		Variant: a.variant.Name,
		Options: a.variant.Options.String(),
		Rules:   rules.Version,
		Seed:    seed,
		Start:   start,
	}
	return true
}

// opening returns the start of a game: the start position of the variant, or a position after some
// random moves.
func (a *Actor) opening(rng *rand.Rand) rules.Position {
	for {
		plies := 0
		if rng.Float64() < a.cfg.OpeningShare {
			plies = rng.IntN(max(a.cfg.OpeningPlies, 0) + 1)
		}
		p := a.variant.Start()
		for range plies {
			moves := a.variant.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			p = a.variant.Play(p, moves[rng.IntN(len(moves))])
		}
		p.Road = 0 // records do not store this counter
		if g := rules.NewGameFrom(a.variant, p); g.Over() || a.avoid != nil && a.avoid(p) {
			continue
		}
		return p
	}
}

// move plays a move: the only one, a random one, or that of a search. It also ends a game that has
// reached the ply limit.
func (a *Actor) move(ctx context.Context) error {
	g := a.game
	legal := g.Legal()
	a.source.Seed(a.record.Seed, uint64(g.Ply())+1)
	switch {
	case len(legal) == 1:
		a.play(data.Ply{}, 0)
	case a.rng.Float64() < a.cfg.RandomShare:
		a.play(data.Ply{}, a.rng.IntN(len(legal)))
	default:
		f, err := a.searcher.Search(ctx, g, a.stage, a.rng)
		if err != nil {
			return err
		}
		a.stats.Searches++
		a.stats.Simulations += int64(f.Ply.Simulations)
		if f.Policy != nil {
			a.stats.target(f.Policy, f.Ply.Priors)
		}
		if a.id.Generation == 0 {
			f.Ply.Tree = nil // an untrained network's values of positions are not worth learning
		}
		a.stats.Tree += int64(len(f.Ply.Tree))
		a.play(f.Ply, f.Best)
	}
	return nil
}

// play records the ply and plays the i-th legal move.
func (a *Actor) play(ply data.Ply, i int) {
	a.looking.Lock()
	defer a.looking.Unlock()
	g := a.game
	ply.Position = g.Position()
	ply.Occurrences = uint8(min(g.Occurrences(), 255))
	ply.Moves = slices.Clone(g.Legal())
	ply.Played = i
	a.record.Plies = append(a.record.Plies, ply)
	if err := g.Play(ply.Moves[i]); err != nil {
		panic("selfplay: the search chose an illegal move: " + err.Error())
	}
	a.adjudge()
	if !g.Over() && g.Ply() >= a.cfg.MaxPlies {
		g.End(rules.Draw, rules.PlyLimit)
	}
}

// finish removes the finished game from the board and returns its record.
func (a *Actor) finish() data.Game {
	a.looking.Lock()
	defer a.looking.Unlock()
	record := a.record
	record.Model, record.Generation = a.id.Model, a.id.Generation
	record.Outcome, record.Reason = a.game.Outcome()
	a.stats.finished(a.game.Ply(), record.Outcome, record.Reason)
	a.stats.Rows += int64(record.Rows())
	a.game, a.record = nil, data.Game{}
	return record
}

// hash is FNV-1a of s.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix combines words into one with the finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
func mix(words ...uint64) uint64 {
	var h uint64
	for _, w := range words {
		h += w + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
