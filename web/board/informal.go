package board

import (
	"context"
	"fmt"
	"slices"
	"time"

	"damier/notation"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// Informal play allows a lapse: a move that omits a capture, cuts it short or captures less than
// required. The other side then forces the capture, lets the move stand, or huffs a piece. A
// [rules.Game] cannot hold such a move, so a new game begins at the position after it, and the
// game before it becomes an episode.

// episode is the part of an informal game up to a lapse.
type episode struct {
	game  played
	lapse rules.Lapse
	clock [2]time.Duration
	// What the other side did about the lapse.
	remedy rules.Remedy
	huffed rules.Square
}

// text returns the PDN comment on the end of the episode.
func (e episode) text(v *rules.Variant) string {
	text := fmt.Sprintf("informal: %s (%s), ", v.FormatMove(e.lapse.Move), faultNames[e.lapse.Fault])
	if e.remedy == rules.Huff {
		return text + "huffed on " + v.SquareName(e.huffed)
	}
	return text + "let stand"
}

// played is the game and the tree of moves since the last episode.
type played struct {
	game          *rules.Game
	root          *node
	nodes, lastID int
	line          []*node
	tags          notation.Tags
}

// currentPlay returns the board's game and tree, which it shares with the board. The caller holds
// the lock.
func (b *board) currentPlay() played {
	return played{b.game, b.root, b.nodes, b.lastID, b.line, b.tags}
}

// restore makes g the board's game and tree. The caller holds the lock.
func (b *board) restore(g played) {
	b.game = g.game
	b.root = g.root
	b.nodes = g.nodes
	b.lastID = g.lastID
	b.line = g.line
	b.tags = g.tags
	b.clearEnd()
}

// restart begins a new game of the same variant at p, with the same tags. The caller holds the
// lock.
func (b *board) restart(p rules.Position) {
	b.restore(played{
		game: rules.NewGameFrom(b.game.Variant(), p),
		root: &node{},
		tags: slices.Clone(b.tags),
	})
}

// texts returns the texts of the moves up to the position that was shown.
func (g played) texts() []string {
	list := make([]string, g.game.Ply())
	for i := range list {
		list[i] = g.line[i].text
	}
	return list
}

// huffingVariant returns the board's variant with the huffing of informal play
// (rules.Tuning.Huffing), because players huff at home also where the official rules do not. The
// caller holds the lock.
func (b *board) huffingVariant() *rules.Variant {
	v := b.game.Variant()
	if home := v.Tuning().Huffing; home != rules.NoHuffing && v.Huffing == rules.NoHuffing {
		w := *v
		w.Huffing = home
		return &w
	}
	return v
}

// lapseState is a lapse to which the other side may object.
type lapseState struct {
	Move   string      `json:"move"`
	Fault  string      `json:"fault"` // omitted, short or lesser
	Side   string      `json:"side"`  // the side that made it
	Must   int         `json:"must"`
	Missed []string    `json:"missed"`
	Guilty web.Squares `json:"guilty,omitempty"` // the pieces that may be huffed
}

// pastState is an episode as the page lists it.
type pastState struct {
	First  string   `json:"first"` // the side to move at its start
	Moves  []string `json:"moves"`
	Move   string   `json:"move"`
	Fault  string   `json:"fault"`
	Remedy string   `json:"remedy"` // let stand or huff
	Huffed string   `json:"huffed,omitempty"`
}

var faultNames = map[rules.Fault]string{
	rules.Omitted:  "omitted",
	rules.CutShort: "short",
	rules.Lesser:   "lesser",
}

// lapses returns the moves that informal play allows in addition to the legal ones. The caller
// holds the lock.
func (b *board) lapses() []rules.Move {
	if !b.informal || b.over() {
		return nil
	}
	return b.game.Variant().Lapses(b.game.Position())
}

// lapseChoices returns the lapses in the form that the page needs. The caller holds the lock.
func (b *board) lapseChoices() []web.Choice {
	v, p := b.game.Variant(), b.game.Position()
	moves := b.lapses()
	list := make([]web.Choice, len(moves))
	jumps := web.PathJumps
	for i, m := range moves {
		list[i] = web.Choice{
			From: m.From, To: m.To, Text: v.FormatMove(m),
			Captured: v.Board.AppendSquares(nil, m.Captured()),
		}
		if len(moves) <= web.PathMoves {
			paths := v.LapsePathsWithin(p, m, &jumps)
			for _, path := range paths[:min(len(paths), web.PathsEach)] {
				list[i].Paths = append(list[i].Paths, path)
			}
		}
	}
	return list
}

// informalState sets the fields of a state about informal play. The caller holds the lock.
func (b *board) informalState(s *state) {
	s.Informal = b.informal
	s.Lapses = b.lapseChoices()
	v := b.game.Variant()
	if l := b.lapse; l != nil && b.game.Ply() == 0 {
		s.Lapse = &lapseState{
			Move:   v.FormatMove(l.Move),
			Fault:  faultNames[l.Fault],
			Side:   l.Before.Turn.String(),
			Must:   web.Must(l.Missed),
			Guilty: l.Guilty,
		}
		for _, m := range l.Missed {
			if text := notation.FormatMove(v, l.Before, m); !slices.Contains(s.Lapse.Missed, text) {
				s.Lapse.Missed = append(s.Lapse.Missed, text)
			}
		}
	}
	for _, e := range b.past {
		q := pastState{
			First:  e.game.game.Start().Turn.String(),
			Moves:  e.game.texts(),
			Move:   v.FormatMove(e.lapse.Move),
			Fault:  faultNames[e.lapse.Fault],
			Remedy: string(e.remedy),
		}
		if e.remedy == rules.Huff {
			q.Huffed = v.SquareName(e.huffed)
		}
		s.Past = append(s.Past, q)
	}
}

// doInformal switches informal play on or off.
func (b *board) doInformal(q request) (any, error) {
	b.informal = q.On
	return nil, nil
}

// doLapse plays a lapse. An engine at the other side decides what to do about it; a person may
// object until the next move.
func (b *board) doLapse(q request) (any, error) {
	moves := b.lapses()
	if q.Index == nil || *q.Index < 0 || *q.Index >= len(moves) {
		return nil, web.Refuse(422, "refused", "there is no such move")
	}
	if b.outOfTime() {
		b.loseOnTime()
		return nil, nil
	}
	l, ok := b.huffingVariant().Lapse(b.game.Position(), moves[*q.Index])
	if !ok {
		panic("web: rules.Lapse refuses a move of rules.Lapses")
	}
	b.interrupt()
	b.beginEpisode(l, l.After, rules.LetStand, rules.NoSquare)
	b.lapse = &l
	b.auto = true
	if s := b.toMove(); s.Player != person && !b.over() {
		return nil, b.judgeLapse(l, s)
	}
	return nil, nil
}

// beginEpisode ends the episode with a lapse and its remedy, and begins the next at p. The caller
// holds the lock.
func (b *board) beginEpisode(
	l rules.Lapse, p rules.Position, remedy rules.Remedy, huffed rules.Square,
) {
	e := episode{game: b.currentPlay(), lapse: l, remedy: remedy, huffed: huffed}
	k := b.clock
	if k != nil {
		k.stop(time.Now())
		e.clock = k.left
	}
	b.past = append(b.past, e)
	b.restart(p)
	if k == nil {
		return
	}
	if l.Before.Turn != p.Turn && remedy == rules.LetStand {
		k.add(l.Before.Turn)
	}
	k.history = [][2]time.Duration{k.left}
	k.restartAt(b.here(), p.Turn, b.over())
}

// reopenEpisode goes back to the end of the previous episode. It returns false if there is none.
// The caller holds the lock.
func (b *board) reopenEpisode() bool {
	if len(b.past) == 0 {
		return false
	}
	b.interrupt()
	last := len(b.past) - 1
	e := b.past[last]
	b.past = b.past[:last]
	b.restore(e.game)
	b.lapse = nil
	if k := b.clock; k != nil {
		k.stop(time.Now())
		k.left = e.clock
		k.history = append(k.history[:0], e.clock)
		for len(k.history) <= b.game.Ply() {
			k.history = append(k.history, e.clock)
		}
		k.restartAt(b.here(), b.game.Position().Turn, b.over())
	}
	return true
}

// takeBack is undo. At the beginning of an episode it goes back to the previous one. The caller
// holds the lock.
func (b *board) takeBack() error {
	if b.game.Ply() == 0 && len(b.past) > 0 && b.ended == rules.Ongoing {
		b.reopenEpisode()
		b.auto = false
		return nil
	}
	return b.undo()
}

// doForce takes a lapse back; its side must make a legal move instead.
func (b *board) doForce(request) (any, error) {
	if b.lapse == nil || b.game.Ply() != 0 {
		return nil, web.Refuse(409, "lapse", "there is nothing to object to")
	}
	b.reopenEpisode()
	b.auto, b.message = true, "forced"
	return nil, nil
}

// doHuff huffs the piece on q.From for a lapse. Without a square it huffs the only piece that may
// be huffed.
func (b *board) doHuff(q request) (any, error) {
	if b.lapse == nil || b.game.Ply() != 0 {
		return nil, web.Refuse(409, "lapse", "there is nothing to object to")
	}
	if q.From == rules.NoSquare && len(b.lapse.Guilty) == 1 {
		q.From = b.lapse.Guilty[0]
	}
	return nil, b.huff(*b.lapse, q.From)
}

func (b *board) huff(l rules.Lapse, from rules.Square) error {
	p, err := l.Huff(from)
	if err != nil {
		return web.Refuse(422, "lapse", "%w", err)
	}
	b.reopenEpisode()
	b.beginEpisode(l, p, rules.Huff, from)
	b.auto, b.message = true, fmt.Sprintf("huffed:%s", b.game.Variant().SquareName(from))
	return nil
}

// judgeEffort is an engine's effort for each possible answer to a lapse, and for a draw offer.
var judgeEffort = effort{Visits: 200, Depth: 6}

// judgeLapse starts the search by which the engine s chooses a remedy for a lapse: the one with
// the best expected score. The caller holds the lock.
func (b *board) judgeLapse(l rules.Lapse, s seat) error {
	ctx, cancel := context.WithCancel(b.ctx)
	b.thinking = cancel
	v := b.game.Variant()
	run := func(ctx context.Context, w *searches.Worker) {
		remedy, piece, err := chooseRemedy(ctx, w, v, l, s)
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		b.thinking = nil
		cancel()
		switch {
		case err != nil:
			b.auto = false
			b.tell(err)
		case remedy == rules.Force:
			b.reopenEpisode()
			b.auto, b.message = true, "forced"
		case remedy == rules.Huff:
			if err := b.huff(l, piece); err != nil {
				b.auto = false
				b.tell(err)
			}
		default:
			b.lapse, b.message = nil, "stands"
		}
		b.changed()
	}
	if err := b.server.queue.Add(&searches.Job{Context: ctx, Run: run}); err != nil {
		b.interrupt()
		b.reopenEpisode()
		return web.Refuse(503, "busy", "%w", err)
	}
	return nil
}

// chooseRemedy returns the remedy with the best expected score for the engine's side, and the
// piece to huff.
func chooseRemedy(
	ctx context.Context, w *searches.Worker, v *rules.Variant, l rules.Lapse, s seat,
) (rules.Remedy, rules.Square, error) {
	me := l.Before.Turn.Opponent()
	remedy, piece, best := rules.Force, rules.NoSquare, -1.0
	consider := func(r rules.Remedy, q rules.Square, p rules.Position) error {
		score, err := expectedScore(ctx, w, v, me, p, s)
		if err == nil && score > best {
			remedy = r
			piece = q
			best = score
		}
		return err
	}
	if err := consider(rules.Force, rules.NoSquare, l.Before); err != nil {
		return "", rules.NoSquare, err
	}
	if err := consider(rules.LetStand, rules.NoSquare, l.After); err != nil {
		return "", rules.NoSquare, err
	}
	for _, q := range l.Guilty {
		p, err := l.Huff(q)
		if err == nil {
			err = consider(rules.Huff, q, p)
		}
		if err != nil {
			return "", rules.NoSquare, err
		}
	}
	return remedy, piece, nil
}

// expectedScore returns an engine's expected score in [0,1] of p for a side. Forced moves are
// played first, because an engine may answer with a forced move without a search.
func expectedScore(
	ctx context.Context, w *searches.Worker, v *rules.Variant, side rules.Color, p rules.Position,
	s seat,
) (float64, error) {
	g := rules.NewGameFrom(v, p)
	for !g.Over() && len(g.Legal()) == 1 {
		if err := g.Play(g.Legal()[0]); err != nil {
			return 0, err
		}
	}
	if o, _ := g.Outcome(); o != rules.Ongoing {
		return float64(o.WDL(side).Score()), nil
	}
	t, err := evaluate(ctx, w, g, s.Player, s.Model, judgeEffort)
	if err != nil {
		return 0, err
	}
	if g.Position().Turn == side {
		return t.Expected, nil
	}
	return 1 - t.Expected, nil
}
