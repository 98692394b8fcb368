package selfplay

import (
	"context"
	"errors"
	"fmt"
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

// Actor plays many games at once on one goroutine. It is not safe for concurrent use but for [Actor.Boards].
type Actor struct {
	variant *rules.Variant
	cfg     Config
	simple  bool // the stage is a simple one
	id      Identity
	avoid   func(rules.Position) bool

	next    uint64      // number of the next game
	last    uint64      // games are begun while next < last
	waiting []data.Game // restored, and without a board yet
	slots   []*slot
	batch   []mcts.Leaf
	cache   *mcts.Cache // or nil
	network uint64      // the model's number in the cache
	emit    func(data.Game)
	stats   Stats

	// looking is held while games change: once for every batch, and not while the evaluator works.
	looking sync.Mutex
}

// slot is one game on the board and the search of its present position.
type slot struct {
	game     *rules.Game // nil: nothing to play
	search   *mcts.Search
	record   data.Game
	source   *rand.PCG // reseeded for every ply
	rng      *rand.Rand
	searched int  // plies searched so far in this game
	full     bool // the present search is a full one
	leaves   int  // in the batch under evaluation
	idle     bool // the game's search has not begun
}

// NewActor returns an actor with no game begun. Positions for which avoid reports true are never the start
// of a game (test openings); avoid may be nil. Games are numbered from first on.
func NewActor(v *rules.Variant, cfg Config, id Identity, first uint64, avoid func(rules.Position) bool) (*Actor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("self-play: %w", err)
	}
	cfg = cfg.For(v)
	a := &Actor{variant: v, cfg: cfg, id: id, avoid: avoid, next: first, last: ^uint64(0)}
	for range cfg.Games {
		source := rand.NewPCG(0, 0)
		a.slots = append(a.slots, &slot{
			search: mcts.NewSearch(v, cfg.Search),
			source: source,
			rng:    rand.New(source),
		})
	}
	return a, nil
}

// SetModel names the network that answers from now on. Games under way go on with it. The cache is emptied, and trees
// that are kept from move to move are.
func (a *Actor) SetModel(model string, generation int) {
	a.id.Model, a.id.Generation = model, generation
	a.SetCache(a.cache)
	if a.cache != nil {
		a.cache.Clear()
	}
	if !a.cfg.Search.Reuse {
		return
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	for _, s := range a.slots { // what is kept of their trees is another network's
		s.search.Forget()
		s.idle = s.game != nil
	}
}

// SetCache lets the actor look into c, which it may share with others, before it asks the evaluator; nil for
// none. Games are the same with a cache and without. Actors that share one must give networks that differ
// different names or generations.
func (a *Actor) SetCache(c *mcts.Cache) {
	a.cache, a.network = c, mix(hash(a.id.Model), uint64(a.id.Generation))
}

// SetStage changes how games are begun and searched from now on.
func (a *Actor) SetStage(s Stage) {
	a.cfg.FullVisits, a.cfg.CheapVisits, a.simple = s.FullVisits, s.CheapVisits, s.Simple
}

// Renumber drops the games under way and lets the actor play those numbered from first to below last; when they
// are finished [Actor.Run] returns.
func (a *Actor) Renumber(first, last uint64) {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.next, a.last, a.waiting = first, last, nil
	for _, s := range a.slots {
		s.game, s.record, s.leaves, s.idle = nil, data.Game{}, 0, false
	}
}

// Idle reports whether no game is under way and none is left to begin.
func (a *Actor) Idle() bool {
	if len(a.waiting) > 0 {
		return false
	}
	for _, s := range a.slots {
		if s.game != nil {
			return false
		}
	}
	return a.next >= a.last
}

// TakeStats returns the counts since the last call and sets them to zero.
func (a *Actor) TakeStats() Stats {
	s := a.stats
	a.stats = Stats{}
	return s
}

// Run plays until stop reports true (asked before every batch), the context is done, or no game is left to
// play. Finished games go to emit. Games under way stay for the next Run. It returns the context's or
// the evaluator's error; the next Run then begins the searches anew that wait for the evaluator.
func (a *Actor) Run(ctx context.Context, ev mcts.Evaluator, stop func() bool, emit func(data.Game)) error {
	a.emit = emit
	for !stop() {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.gatherAll()
		if len(a.batch) == 0 {
			if a.Idle() {
				return nil
			}
			continue // the cache knew everything
		}
		if err := ev.Evaluate(ctx, a.batch); err != nil {
			for _, s := range a.slots {
				s.idle, s.leaves = s.idle || s.leaves > 0, 0
			}
			return err
		}
		a.stats.Batches++
		a.stats.Evaluations += int64(len(a.batch))
		if a.cache != nil {
			for i := range a.batch {
				a.cache.Put(a.network, &a.batch[i])
			}
		}
		at := 0
		for _, s := range a.slots {
			if s.leaves > 0 {
				s.search.Backup(a.batch[at : at+s.leaves])
				at += s.leaves
				s.leaves = 0
			}
		}
	}
	return nil
}

// gatherAll fills the batch with one leaf of each slot's game.
func (a *Actor) gatherAll() {
	a.looking.Lock()
	defer a.looking.Unlock()
	a.batch = a.batch[:0]
	for _, s := range a.slots {
		a.gather(s)
	}
}

// mostCached bounds the leaves of a slot that the cache answers before the actor asks again whether to stop.
const mostCached = 10_000

// gather adds one leaf of the slot's game to the batch, playing moves and beginning games as searches end. Leaves
// that the cache knows are answered at once.
func (a *Actor) gather(s *slot) {
	if s.game == nil && !a.begin(s) || s.idle && !a.advance(s) {
		return
	}
	before := len(a.batch)
	for range mostCached {
		if s.search.Done() {
			a.play(s)
			if !a.advance(s) {
				return
			}
		}
		a.batch = s.search.Gather(a.batch, 1)
		if len(a.batch) == before {
			continue
		}
		if a.cache == nil || !a.cache.Get(a.network, &a.batch[before]) {
			s.leaves = 1
			return
		}
		s.search.Backup(a.batch[before:])
		a.batch = a.batch[:before]
		a.stats.Cached++
	}
}

// begin takes up a game that waits, or starts a new one, its random opening played, and begins its search. It
// reports false when the limit of games is reached.
func (a *Actor) begin(s *slot) bool {
	s.search.Forget()
	if len(a.waiting) > 0 {
		s.resume(a.variant, a.waiting[0])
		a.waiting = a.waiting[1:]
		return a.advance(s)
	}
	if a.next >= a.last {
		s.game = nil
		return false
	}
	number := a.next
	a.next++
	seed := GameSeed(a.id, number)
	s.source.Seed(seed, 0)
	start := a.opening(s.rng)
	s.game = rules.NewGameFrom(a.variant, start)
	s.searched = 0
	s.record = data.Game{
		ID:      fmt.Sprintf("%016x-%s-%d", a.id.Seed, a.id.Actor, number),
		Variant: a.variant.Name,
		Options: a.variant.Options.String(),
		Rules:   rules.Version,
		Seed:    seed,
		Start:   start,
	}
	return a.advance(s)
}

// opening returns the start of a game: the variant's own, or that after some random moves; in a simple stage often
// without some of the pieces.
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
		if a.simple && rng.Float64() < a.cfg.SimpleShare {
			p = thinned(a.variant, p, rng)
		}
		p.Road = 0 // the one counter that records do not keep
		if g := rules.NewGameFrom(a.variant, p); g.Over() || a.avoid != nil && a.avoid(p) {
			continue
		}
		return p
	}
}

// advance plays forced moves, ends the game and begins others until a search is under way. It reports false
// when no game is left.
func (a *Actor) advance(s *slot) bool {
	s.idle = false
	for {
		if !s.game.Over() && s.game.Ply() >= a.cfg.MaxPlies {
			s.game.End(rules.Draw, rules.PlyLimit)
		}
		if s.game.Over() {
			a.finish(s)
			return a.begin(s)
		}
		if n := len(s.game.Legal()); n == 1 {
			a.move(s, data.Ply{}, 0)
		} else if s.source.Seed(s.record.Seed, uint64(s.game.Ply())+1); a.cfg.RandomShare > 0 && s.rng.Float64() < a.cfg.RandomShare {
			a.move(s, data.Ply{}, s.rng.IntN(n))
		} else {
			a.search(s)
			return true
		}
	}
}

// search begins the search of the position on the board.
func (a *Actor) search(s *slot) {
	s.full = s.rng.Float64() < a.cfg.FullShare
	budget := mcts.Budget{Simulations: a.cfg.CheapVisits}
	if s.full {
		budget.Simulations = a.cfg.FullVisits
		if !a.simple {
			budget.Forcing = a.cfg.Forcing
		}
	}
	if s.full || s.searched < a.cfg.CheapNoisePlies {
		budget.Noise = a.cfg.noise(s.searched)
	}
	s.search.Start(s.game, budget, s.rng)
}

// play makes the move that the finished search chose.
func (a *Actor) play(s *slot) {
	r := s.search.Result()
	a.stats.Searches++
	a.stats.Simulations += int64(r.Simulations)
	if s.full {
		a.stats.target(r.Policy, r.Priors)
	}
	ply := data.Ply{
		Full:        s.full,
		Simulations: r.Simulations,
		Root:        r.Root,
		Raw:         r.Raw,
		Visits:      make([]uint16, len(r.Visits)),
		Priors:      slices.Clone(r.Priors),
		Values:      slices.Clone(r.Values),
	}
	for i, n := range r.Visits {
		ply.Visits[i] = uint16(min(n, 65535))
	}
	if s.full && a.cfg.Tree > 0 && a.id.Generation > 0 {
		s.search.Positions(a.cfg.Tree, func(line []uint8, p rules.Position, worth float64) {
			ply.Tree = append(ply.Tree, data.Node{Line: slices.Clone(line), Position: p, Value: float32(worth)})
		})
		a.stats.Tree += int64(len(ply.Tree))
	}
	s.searched++
	a.move(s, ply, r.Best)
}

// move records the ply and plays the i-th legal move.
func (a *Actor) move(s *slot, ply data.Ply, i int) {
	ply.Position = s.game.Position()
	ply.Occurrences = uint8(min(s.game.Occurrences(), 255))
	ply.Moves = slices.Clone(s.game.Legal())
	ply.Played = i
	s.record.Plies = append(s.record.Plies, ply)
	if err := s.game.Play(ply.Moves[i]); err != nil {
		panic("selfplay: the search chose an illegal move: " + err.Error())
	}
}

// finish hands the finished game over.
func (a *Actor) finish(s *slot) {
	s.record.Model, s.record.Generation = a.id.Model, a.id.Generation
	s.record.Outcome, s.record.Reason = s.game.Outcome()
	a.stats.finished(s.game.Ply(), s.record.Outcome, s.record.Reason)
	for _, p := range s.record.Plies {
		if p.Full {
			a.stats.Rows++
		}
	}
	s.game = nil
	a.emit(s.record)
	s.record = data.Game{}
}

// Unfinished returns the records of the games under way, outcome ongoing, without their running searches. A
// game that has no move yet is left out.
func (a *Actor) Unfinished() []data.Game {
	var games []data.Game
	for _, s := range a.slots {
		if s.game != nil && len(s.record.Plies) > 0 {
			g := s.record
			g.Model, g.Generation = a.id.Model, a.id.Generation
			games = append(games, g)
		}
	}
	return append(games, a.waiting...)
}

// Restore takes up games that [Actor.Unfinished] returned, of this actor or another: they go on before new ones
// are begun, those beyond the number of boards as boards become free. A game under way is the same again, as long
// as the same weights answer. A game that cannot be gone on with is named in the error and left out.
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
	for _, s := range a.slots {
		if len(a.waiting) > 0 && s.game == nil {
			s.resume(a.variant, a.waiting[0])
			a.waiting = a.waiting[1:]
		}
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
	if game.Over() {
		return errors.New("it is over")
	}
	return nil
}

// resume puts a game that has passed check on the board. Its search begins with the next Run.
func (s *slot) resume(v *rules.Variant, record data.Game) {
	s.game, s.record, s.searched, s.idle = rules.NewGameFrom(v, record.Start), record, 0, true
	s.record.Plies = slices.Clip(s.record.Plies)
	for _, ply := range record.Plies {
		if err := s.game.Play(ply.Moves[ply.Played]); err != nil {
			panic("selfplay: a checked game has an illegal move: " + err.Error())
		}
		if ply.Visits != nil {
			s.searched++
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

// Boards returns the games on the first boards, at most so many; a board keeps its place in the list as long as all
// are in use. It may be called from any goroutine at any time, but not by emit; it waits for no evaluation and costs the actor nothing but
// the moment of the copy.
func (a *Actor) Boards(most int) []Board {
	a.looking.Lock()
	defer a.looking.Unlock()
	var boards []Board
	for _, s := range a.slots {
		if len(boards) < most && s.game != nil {
			boards = append(boards, look(s.game.Position(), &s.record))
		}
	}
	return boards
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

// Restart begins the searches of the games under way anew, so that every search is of one network and one
// stage from its beginning. It is called after [Actor.SetModel] by those whose searches are recomputed.
func (a *Actor) Restart() {
	a.looking.Lock()
	defer a.looking.Unlock()
	for _, s := range a.slots {
		s.search.Forget()
		s.leaves = 0
		s.idle = s.game != nil
	}
}
