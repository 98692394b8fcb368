package board

import (
	"time"

	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// control is a time control, in seconds: either Main for the game with Increment after every move,
// or Move for each move.
type control struct {
	Main      float64 `json:"main,omitempty"`
	Increment float64 `json:"increment,omitempty"`
	Move      float64 `json:"move,omitempty"`
}

// Bounds on a control, in seconds.
const (
	mainLimit = 10 * 3600
	moveLimit = 3600
)

// check returns a Problem if the control is not valid.
func (c control) check() error {
	switch {
	case !(c.Main >= 0 && c.Increment >= 0 && c.Move >= 0):
		return web.Refuse(422, "clock", "the times of a clock are not below 0")
	case c.Move > 0 && (c.Main > 0 || c.Increment > 0):
		return web.Refuse(422, "clock", "a clock is for each move or for the game, not both")
	case c.Move == 0 && c.Main == 0:
		return web.Refuse(422, "clock", "a clock needs a time for the game or for a move")
	case c.Main > mainLimit || c.Increment > moveLimit || c.Move > moveLimit:
		return web.Refuse(422, "clock", "%d hours for a game and one for a move are the most", mainLimit/3600)
	}
	return nil
}

// clock returns the clock that a request asks for, nil for none.
func (q request) clock(start rules.Position) (*clock, error) {
	if q.Clock == nil {
		return nil, nil
	}
	if err := q.Clock.check(); err != nil {
		return nil, err
	}
	return newClock(*q.Clock, start.Turn), nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// clock is the clock of a board. A person's time runs while the person is to move, also while an
// earlier position is shown. An engine's time runs only while a worker runs its search, so it does
// not pay for waiting in the queue.
type clock struct {
	control
	left    [2]time.Duration
	history [][2]time.Duration // left at each ply, to restore when moves are taken back
	at      *node              // the node where the game continues
	turn    rules.Color        // the side to move there
	done    bool               // the game has ended there
	served  bool               // a worker runs the search for a move

	since time.Time // when turn's time began to run; zero while the clock is stopped
	timer *time.Timer
}

// clockState is the clock as sent to the page.
type clockState struct {
	control
	White   int64  `json:"white"` // milliseconds left
	Black   int64  `json:"black"`
	Running string `json:"running,omitempty"`
}

func newClock(c control, turn rules.Color) *clock {
	k := &clock{control: c, turn: turn}
	for side := range k.left {
		k.left[side] = seconds(c.Main + c.Move)
	}
	k.history = [][2]time.Duration{k.left}
	return k
}

// remaining returns the time that a side has left now. It may be negative.
func (k *clock) remaining(side rules.Color, now time.Time) time.Duration {
	if k.turn == side && !k.since.IsZero() {
		return k.left[side] - now.Sub(k.since)
	}
	return k.left[side]
}

// stop stops the clock and subtracts the elapsed time.
func (k *clock) stop(now time.Time) {
	if k.since.IsZero() {
		return
	}
	k.left[k.turn] = k.remaining(k.turn, now)
	k.since = time.Time{}
	k.timer.Stop()
}

// add adds the increment of mover, or resets its time per move, after its move.
func (k *clock) add(mover rules.Color) {
	if k.Move > 0 {
		k.left[mover] = seconds(k.Move)
	} else {
		k.left[mover] += seconds(k.Increment)
	}
}

// restartAt sets where the game continues, who is to move there, and whether the game is over.
func (k *clock) restartAt(at *node, turn rules.Color, over bool) {
	k.at = at
	k.turn = turn
	k.served = false
	k.done = over
}

// state returns the clock as sent to the page.
func (k *clock) state() *clockState {
	now := time.Now()
	s := &clockState{
		control: k.control,
		White:   max(0, k.remaining(rules.White, now).Milliseconds()),
		Black:   max(0, k.remaining(rules.Black, now).Milliseconds()),
	}
	if !k.since.IsZero() {
		s.Running = k.turn.String()
	}
	return s
}

// setClock replaces the board's clock; nil means none. The caller holds the lock.
func (b *board) setClock(k *clock) {
	if b.clock != nil {
		b.clock.stop(time.Now())
	}
	if b.clock = k; k != nil {
		k.at = b.here()
	}
}

// endClock stops the clock because the game has ended. The caller holds the lock.
func (b *board) endClock() {
	if b.clock != nil {
		b.clock.stop(time.Now())
		b.clock.done = true
	}
}

// clockState returns the state of the board's clock, nil if it has none. The caller holds the
// lock.
func (b *board) clockState() *clockState {
	if b.clock == nil {
		return nil
	}
	return b.clock.state()
}

// runClock starts or stops the clock, depending on who is to move. The caller holds the lock.
func (b *board) runClock() {
	k := b.clock
	if k == nil {
		return
	}
	runs := !k.done && (b.seats[k.turn].Player == person || b.thinking != nil && k.served)
	switch {
	case !runs:
		k.stop(time.Now())
	case k.since.IsZero():
		k.since = time.Now()
		since := k.since
		k.timer = time.AfterFunc(k.left[k.turn], func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.clock == k && k.since.Equal(since) && b.ctx.Err() == nil {
				b.loseOnTime()
				b.changed()
			}
		})
	}
}

// outOfTime reports whether the side to move has no time left; the timer may fire late. The caller
// holds the lock.
func (b *board) outOfTime() bool {
	k := b.clock
	return k != nil && !k.done && b.live() && k.remaining(k.turn, time.Now()) <= 0
}

// loseOnTime ends the game as lost on time by the side to move. It first shows the position where
// the game continues. The caller holds the lock.
func (b *board) loseOnTime() {
	k := b.clock
	k.stop(time.Now())
	k.left[k.turn] = 0
	b.interrupt()
	if err := b.visit(k.at); err != nil {
		b.tell(err)
		return
	}
	if !b.over() {
		b.end(rules.Win(k.turn.Opponent()), rules.TimeForfeit)
	}
	k.done = true
}

// live reports whether the position shown is the one where the clock's game continues. The caller
// holds the lock.
func (b *board) live() bool { return b.clock != nil && b.here() == b.clock.at }

// makeMove plays a move of the game and presses the clock. searched is the time that an engine
// searched for it, or unmeasured. The caller holds the lock.
func (b *board) makeMove(m rules.Move, path []rules.Square, searched time.Duration) error {
	if b.outOfTime() {
		b.loseOnTime()
		return nil
	}
	k, at, live := b.clock, b.game.Ply(), b.live()
	now := time.Now()
	spent := searched
	if spent == unmeasured {
		spent = b.pace.spent(b.here(), now)
	}
	mover, newest := b.game.Position().Turn, b.lastID
	if err := b.play(m, path); err != nil {
		return err
	}
	b.lapse = nil // too late to object
	b.pace.move(b.here(), now)
	if k == nil {
		if b.lastID != newest { // a move that was there keeps its time
			b.here().setTimes(spent, unmeasured)
		}
		return nil
	}
	k.stop(now)
	if live && at < len(k.history) {
		spent = k.history[at][mover] - k.left[mover] // without the time in the queue of searches
	}
	if !live && at < len(k.history) {
		k.left = k.history[at] // the game continues from an earlier position
	}
	k.add(mover)
	b.here().setTimes(spent, k.left[mover])
	if k.Move > 0 {
		b.here().setTimes(spent, unmeasured) // each move begins with the same time
	}
	b.here().timed = k.Move > 0
	k.history = append(k.history[:min(at+1, len(k.history))], k.left)
	k.restartAt(b.here(), b.game.Position().Turn, b.over())
	return nil
}

// restoreClock restores the clock's times at the position shown, after a move was taken back or
// restored. It returns err, and does nothing if err is not nil. The caller holds the lock.
func (b *board) restoreClock(err error) error {
	k := b.clock
	if k == nil || err != nil {
		return err
	}
	k.stop(time.Now())
	k.restartAt(b.here(), b.game.Position().Turn, b.over())
	if at := b.game.Ply(); at < len(k.history) {
		k.left = k.history[at]
	}
	return nil
}

// An engine does not use this part of its time, because its search ends a little late and its
// answer needs time to arrive.
const (
	spareShare = 25                    // the spare part is 1/spareShare of the time left,
	minSpare   = 20 * time.Millisecond // and at least this
)

// startMoveClock starts the engine's clock when a worker begins its search, and returns the time
// limit of the search. The caller holds the lock.
func (b *board) startMoveClock() time.Duration {
	k := b.clock
	if k == nil || k.done || !b.live() {
		return searches.MoveTime
	}
	k.served = true
	b.runClock()
	b.broadcast(event{"clock", web.Encode(k.state())})
	return min(k.timeForMove(), clockedTime)
}

// timeForMove returns the time for the next move. With a time for each move it is nearly all of
// it. Otherwise it is 1/25 of the time left and 8/10 of the increment, at most 9/10 of the time
// left.
func (k *clock) timeForMove() time.Duration {
	left := k.remaining(k.turn, time.Now())
	share := left
	if k.Move == 0 {
		share = left/25 + seconds(k.Increment)*8/10
		share = min(share, left*9/10)
	}
	spare := max(left/spareShare, minSpare)
	return max(time.Millisecond, min(share, left-spare))
}
