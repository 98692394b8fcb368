package selfplay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// Identity says whose games an actor plays; it goes into every record.
type Identity struct {
	Seed       uint64 // of the run: with the game number it gives each game its random numbers
	Actor      string // unique among the actors of a run, "a0" or "worker7-a0"; part of the game id
	Model      string // id of the network that answers
	Generation int    // of that network
}

// Actor plays one game after another on one goroutine. It is not safe for concurrent use but for [Actor.Board].
type Actor struct {
	variant  *rules.Variant
	cfg      Config
	stage    Stage
	id       Identity
	avoid    func(rules.Position) bool
	searcher Searcher
	tables   mcts.Prober // or nil

	next    uint64      // number of the next game
	last    uint64      // games are begun while next < last
	waiting []data.Game // restored, to be gone on with
	game    *rules.Game // on the board; nil: none
	record  data.Game   // of the game
	source  *rand.PCG   // reseeded for every ply
	rng     *rand.Rand
	stats   Stats

	// looking is held while the game changes, not while it is searched.
	looking sync.Mutex
}

// NewActor returns an actor with no game begun and no searcher. Positions for which avoid reports true are
// never the start of a game (test openings); avoid may be nil. Games are numbered from first on.
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

// SetModel gives the actor the searcher that plays from now on, of a network with this name and generation.
// A game under way goes on with it.
func (a *Actor) SetModel(s Searcher, model string, generation int) {
	a.searcher, a.id.Model, a.id.Generation = s, model, generation
	s.SetTables(a.tables)
}

// SetStage changes how positions are searched from now on.
func (a *Actor) SetStage(s Stage) { a.stage = s }

// Renumber drops the game under way and lets the actor play those numbered from first to below last; when they
// are finished [Actor.Run] returns.
func (a *Actor) Renumber(first, last uint64) {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.next, a.last, a.waiting = first, last, nil
	a.game, a.record = nil, data.Game{}
}

// Idle reports whether no game is under way and none is left to begin.
func (a *Actor) Idle() bool {
	return len(a.waiting) == 0 && a.game == nil && a.next >= a.last
}

// TakeStats returns the counts since the last call and sets them to zero.
func (a *Actor) TakeStats() Stats {
	s := a.stats
	a.stats = Stats{}
	return s
}

// Run plays until stop reports true (asked before every move), the context is done, or no game is left to
// play. Finished games go to emit. The game under way stays for the next Run. It returns the context's or
// the searcher's error; the next Run then searches that position again.
func (a *Actor) Run(ctx context.Context, stop func() bool, emit func(data.Game)) error {
	a.searcher.Forget() // the game under way may be another than that of the last search
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

// begin takes up a game that waits, or starts a new one, its random opening played. It reports false when the
// limit of games is reached.
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

// opening returns the start of a game: the variant's own, or that after some random moves.
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
		p.Road = 0 // the one counter that records do not keep
		if g := rules.NewGameFrom(a.variant, p); g.Over() || a.avoid != nil && a.avoid(p) {
			continue
		}
		return p
	}
}

// move plays a move: the only one, one at random, or that of a search. It ends a game that is long enough.
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
			f.Ply.Tree = nil // what a network that has learnt nothing thinks of positions is nothing to learn
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

// finish takes the finished game off the board and returns its record.
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

// Unfinished returns the records of the game under way and of those that wait, outcome ongoing. A game that
// has no move yet is left out.
func (a *Actor) Unfinished() []data.Game {
	var games []data.Game
	if a.game != nil && len(a.record.Plies) > 0 {
		g := a.record
		g.Model, g.Generation = a.id.Model, a.id.Generation
		games = append(games, g)
	}
	return append(games, a.waiting...)
}

// Restore takes up games that [Actor.Unfinished] returned, of this actor or another: they go on, one after the
// other, before new ones are begun. A game under way is the same again, as long as the same weights answer and
// no tree is kept from move to move. A game that cannot be gone on with is named in the error and left out.
func (a *Actor) Restore(games []data.Game) error {
	var wrong error
	for _, record := range games {
		if err := a.check(record); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("self-play: game %s: %w", record.ID, err))
			continue
		}
		a.waiting = append(a.waiting, record)
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.game == nil && len(a.waiting) > 0 {
		a.resume()
	}
	return wrong
}

// check reports what is wrong with the record of a game under way.
func (a *Actor) check(record data.Game) error {
	if record.Variant != a.variant.Name || record.Options != a.variant.Options.String() || record.Rules != rules.Version {
		return fmt.Errorf("it is of %s[%s], rules version %d; here are %s, rules version %d",
			record.Variant, record.Options, record.Rules, a.variant, rules.Version)
	}
	game := rules.NewGameFrom(a.variant, record.Start)
	for i, ply := range record.Plies {
		if ply.Played < 0 || ply.Played >= len(ply.Moves) {
			return fmt.Errorf("ply %d: move number %d of %d was played", i, ply.Played, len(ply.Moves))
		}
		if err := game.Play(ply.Moves[ply.Played]); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
	}
	if game.Over() || game.Ply() >= a.cfg.MaxPlies {
		return errors.New("it is over")
	}
	return nil
}

// resume puts the first game that waits on the board. It has passed check.
func (a *Actor) resume() {
	record := a.waiting[0]
	a.waiting = a.waiting[1:]
	a.game, a.record = rules.NewGameFrom(a.variant, record.Start), record
	a.record.Plies = slices.Clip(record.Plies)
	for _, ply := range record.Plies {
		if err := a.game.Play(ply.Moves[ply.Played]); err != nil {
			panic("selfplay: a checked game has an illegal move: " + err.Error())
		}
	}
}

// Board is a game under way as an onlooker sees it.
type Board struct {
	Game     string // id of its record
	Position rules.Position
	Ply      int
	Last     rules.Move // that led here; of no meaning at ply 0
	White    rules.WDL  // as the last search of the game expected it, White's; zero before the first
}

// Board returns the game under way; ok is false if there is none. It may be called from any goroutine at any
// time, but not by emit; it waits for no search and costs the actor nothing but the moment of the copy.
func (a *Actor) Board() (b Board, ok bool) {
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.game == nil {
		return Board{}, false
	}
	return look(a.game.Position(), &a.record), true
}

// LookAt returns a recorded game as its last move has left it.
func LookAt(v *rules.Variant, record *data.Game) Board {
	p := record.Start
	if n := len(record.Plies); n > 0 {
		last := &record.Plies[n-1]
		p = v.Play(last.Position, last.Moves[last.Played])
	}
	return look(p, record)
}

func look(p rules.Position, record *data.Game) Board {
	b := Board{Game: record.ID, Position: p, Ply: len(record.Plies)}
	for i := len(record.Plies) - 1; i >= 0; i-- {
		ply := &record.Plies[i]
		if i == len(record.Plies)-1 {
			b.Last = ply.Moves[ply.Played]
		}
		if ply.Simulations == 0 {
			continue // forced
		}
		if b.White = ply.Root; ply.Position.Turn == rules.Black {
			b.White = ply.Root.Flip()
		}
		break
	}
	return b
}

// hash is FNV-1a of s.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix folds words into one by the finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
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
