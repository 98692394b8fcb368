package board

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// seat says who plays a side.
type seat struct {
	Player string `json:"player"`          // person, tree, nnue or alphabeta
	Level  int    `json:"level"`           // of an engine, 1 to engine.Levels()
	Model  string `json:"model,omitempty"` // name in the library, "" for the variant's own
	Name   string `json:"name,omitempty"`  // of a person; at most maxName letters
}

// board is one game in one browser window. Its methods take its lock, except those whose comment
// says that the caller holds it.
type board struct {
	id     string
	server *Server
	ctx    context.Context // parent of its searches; done when the board is closed
	cancel context.CancelFunc

	mu     sync.Mutex
	game   *rules.Game // up to the position that is shown
	root   *node       // of the tree of all moves
	nodes  int         // number of moves in the tree
	lastID int         // the highest node id given so far
	line   []*node     // from the first move to a leaf; the first game.Ply() are in game
	tags   notation.Tags

	// The end of the game by resignation, agreement, time or the result in a file.
	ended     rules.Outcome // Ongoing if there is no such end
	endReason rules.Reason
	endNode   *node // the position at the end, nil if there is no such end

	seats [2]seat
	clock *clock // nil for none
	pace  pace

	informal bool
	lapse    *rules.Lapse // that led here, while the other side may object to it
	past     []episode

	auto    bool // engines move by themselves; false while a person browses the game
	message string
	said    *web.Said // the message, if it can be said in another language
	rev     int       // revision, incremented by every change

	retracted bool // a move was taken back: the next becomes the main move

	offers  engine.DrawOffers
	offered *node // the move with which an engine has offered a person a draw, nil for none

	review   *review            // the latest of this game, nil if none
	stopHint context.CancelFunc // of the latest hint, nil if none
	stopTry  context.CancelFunc // of the latest attempt at a lesson, nil if none

	ahead []web.Squares // premoves, while an engine searches for its move

	threatening bool
	stopThreat  context.CancelFunc
	lastThreat  event // of this rev, like lastAnalysis

	verdicts     bool // whether verdicts of endgame tables are shown
	stopVerdicts context.CancelFunc
	lastVerdicts event // of this rev, like lastAnalysis

	thinking     context.CancelFunc // cancels the search for a move, nil if none
	analysing    bool
	stopAnalysis context.CancelFunc
	lastAnalysis event // of this rev, for a new stream; data is nil before there is one

	streams map[chan event]bool
	touched time.Time
}

// maxName is the maximum length of a person's name, in letters.
const maxName = 60

// maxPlies is the maximum length of a game at a board.
const maxPlies = 2000

// begin replaces the game by a new one of v from start. The caller holds the lock.
func (b *board) begin(v *rules.Variant, start rules.Position) {
	b.interrupt()
	b.setClock(nil)
	b.lapse, b.past = nil, nil
	b.game = rules.NewGameFrom(v, start)
	b.dropReview()
	b.root = &node{}
	b.nodes = 0
	b.lastID = 0
	b.line = nil
	b.pace = pace{}
	b.clearEnd()
	b.tags = nil
	b.auto = true
	b.retracted = false
	b.message = ""
}

// interrupt cancels the search for a move. The caller holds the lock.
func (b *board) interrupt() {
	if b.thinking != nil {
		b.thinking()
		b.thinking = nil
	}
}

// over reports whether the game is over at the position that is shown. The caller holds the lock.
func (b *board) over() bool { return b.game.Over() }

// forward plays a legal move at the position that is shown, also past a draw that nobody claimed.
// The caller holds the lock.
func (b *board) forward(m rules.Move) error {
	if o, _ := b.game.Outcome(); o == rules.Draw {
		b.game.End(rules.Ongoing, rules.NoReason)
	}
	return b.game.Play(m)
}

// play plays a move. It follows the line, or adds a variation; after a move was taken back it
// becomes the main move. The caller holds the lock.
func (b *board) play(m rules.Move, path []rules.Square) error {
	if b.game.Ply() >= maxPlies {
		return web.Refuse(409, "long", "the game is too long: %d moves", maxPlies)
	}
	if b.over() {
		return web.Refuse(409, "over", "the game is over")
	}
	if !slices.Contains(b.game.Legal(), m) {
		return web.Refuse(422, "refused", "%s is not legal here", b.game.Variant().FormatMove(m))
	}
	b.offered = nil // declined
	n, err := b.addChild(b.here(), b.newPly(m, path))
	if err != nil {
		return err
	}
	if b.retracted {
		n.promote()
	}
	return b.visit(n)
}

// applyEnd sets the game's outcome if a player ended the game at the position that is shown. The
// caller holds the lock.
func (b *board) applyEnd() {
	if b.ended != rules.Ongoing && b.here() == b.endNode {
		b.game.End(b.ended, b.endReason)
	}
}

// clearEnd removes the end of the game by a player, the clock or a file. The caller holds the
// lock.
func (b *board) clearEnd() {
	b.ended = rules.Ongoing
	b.endReason = rules.NoReason
	b.endNode = nil
}

// seek shows the position after n plies of the line. The caller holds the lock.
func (b *board) seek(n int) error {
	n = min(max(n, 0), len(b.line))
	for b.game.Ply() > n {
		b.game.Undo()
	}
	for b.game.Ply() < n {
		if err := b.forward(b.line[b.game.Ply()].move); err != nil {
			return err
		}
	}
	b.applyEnd()
	return nil
}

// personToMove reports whether a person plays the side to move after n plies. The caller holds the
// lock.
func (b *board) personToMove(n int) bool {
	turn := b.game.Start().Turn
	if n > 0 {
		turn = b.line[n-1].turn.Opponent()
	}
	return b.seats[turn].Player == person
}

// undo goes back to the last position where a person is to move, or takes back a resignation or an
// agreed draw. The caller holds the lock.
func (b *board) undo() error {
	b.interrupt()
	b.auto, b.retracted = false, true
	if b.ended != rules.Ongoing && b.here() == b.endNode {
		b.clearEnd()
		ply := b.game.Ply()
		b.game.Reset(b.game.Start())
		return b.seek(ply)
	}
	n := b.game.Ply() - 1
	for n > 0 && !b.personToMove(n) && (b.personToMove(n-1) || b.personToMove(n+1)) {
		n--
	}
	return b.seek(n)
}

// redo goes forward to the next position where a person is to move. The caller holds the lock.
func (b *board) redo() error {
	b.interrupt()
	b.auto = false
	n := b.game.Ply() + 1
	for n < len(b.line) && !b.personToMove(n) && (b.personToMove(n-1) || b.personToMove(n+1)) {
		n++
	}
	return b.seek(n)
}

// changed is called after every change: it sends the state to all streams and starts the searches
// that the new position needs. The caller holds the lock.
func (b *board) changed() {
	b.rev++
	b.touched = time.Now()
	b.pace.show(b.here(), b.touched)
	if b.stopHint != nil {
		b.stopHint()
		b.stopHint = nil
	}
	if b.stopTry != nil {
		b.stopTry()
		b.stopTry = nil
	}
	b.think()
	b.ahead = b.premoves()
	b.runClock()
	if b.review != nil && b.review.nodes[0] != b.root {
		b.dropReview() // its moves no longer exist
	}
	b.broadcast(event{"state", b.snapshot()})
	b.judgeByTables() // tables and threat are fast, so they go before the analysis
	b.threaten()
	b.analyse()
}

// toMove returns the seat of the side to move. The caller holds the lock.
func (b *board) toMove() seat { return b.seats[b.game.Position().Turn] }

// drawOffered reports whether an engine has offered the person to move a draw. The caller holds the
// lock.
func (b *board) drawOffered() bool {
	return b.offered != nil && b.offered == b.here() && !b.over() && b.toMove().Player == person
}

// offerDraw offers the other side a draw, or accepts its offer. A person at the same board agrees.
// An engine declines if the game has not begun, or if its own search expects more than 0.52 points.
// The caller holds the lock.
func (b *board) offerDraw() error {
	if b.over() {
		return web.Refuse(409, "over", "the game is over")
	}
	turn := b.game.Position().Turn
	opponent := b.seats[turn.Opponent()]
	switch {
	case b.toMove().Player != person:
		return web.Refuse(409, "not-yours", "a draw is offered by the side to move")
	case opponent.Player == person || b.drawOffered():
		b.end(rules.Draw, rules.Agreement)
		return nil
	case b.game.Ply() == 0 && b.game.Position() == b.game.Variant().Start():
		b.message = "declined:early"
		return nil
	}
	b.interrupt()
	ctx, cancel := context.WithCancel(b.ctx)
	b.thinking = cancel
	g := b.game.Clone()
	run := func(ctx context.Context, w *searches.Worker) {
		t, err := evaluate(ctx, w, g, opponent.Player, opponent.Model, judgeEffort)
		b.mu.Lock()
		defer b.mu.Unlock()
		if ctx.Err() != nil { // interrupted, because a move or an action made the offer void
			return
		}
		b.thinking = nil
		cancel()
		switch hopes := 1 - t.Expected; {
		case err != nil:
			b.tell(err)
		case hopes > 0.52:
			b.message = fmt.Sprintf("declined:%.0f", 100*hopes)
		default:
			b.end(rules.Draw, rules.Agreement)
		}
		b.changed()
	}
	if err := b.server.queue.Add(&searches.Job{Context: ctx, Run: run}); err != nil {
		b.interrupt()
		return web.Refuse(503, "busy", "%w", err)
	}
	return nil
}

// end ends the game by resignation, agreement or time at the position that is shown. It deletes
// all moves behind that position. The caller holds the lock.
func (b *board) end(o rules.Outcome, r rules.Reason) {
	b.interrupt()
	here := b.here()
	for _, n := range here.next {
		b.nodes -= n.size()
		b.forgetReviewOf(n)
	}
	here.next = nil
	b.line = b.line[:b.game.Ply()]
	b.ended = o
	b.endReason = r
	b.endNode = here
	b.game.End(o, r)
	b.endClock()
}

// close cancels the board's searches, stops its clock and closes its streams.
func (b *board) close() {
	b.cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setClock(nil)
	for s := range b.streams {
		delete(b.streams, s)
		close(s)
	}
}

// unused reports whether the board has no stream and had no request for that long.
func (b *board) unused(since time.Duration) bool {
	if !b.mu.TryLock() {
		return false // a request is using it
	}
	defer b.mu.Unlock()
	return len(b.streams) == 0 && time.Since(b.touched) > since
}
