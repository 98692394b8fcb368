package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"damier/arena"
	"damier/internal/plain"
)

// acceptResult accepts a result and checks it in another goroutine.
func (h *MatchHub) acceptResult(w *matchWorker, name string, r *pairResult) pairAnswer {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := pairAnswer{Match: h.c.Order.ID, Pair: r.Pair}
	if !h.open || r.Match != a.Match {
		a.Over = true
		return a
	}
	key := fmt.Sprintf("%s/%d", name, r.Slot)
	if pair, ok := h.assigned[key]; !ok || pair != r.Pair {
		return a // a repetition, or the pair was reassigned: count a pair once
	}
	delete(h.assigned, key)
	h.judging[r.Pair] = true
	h.judges.Go(func() { h.judgeResult(w, name, r) })
	return a
}

// judgeResult checks a result and counts it if it is good.
func (h *MatchHub) judgeResult(w *matchWorker, name string, r *pairResult) {
	w.turn.Lock()
	defer w.turn.Unlock()
	records, err := h.checkResult(w, r)
	if h.ctx.Err() != nil { // the match ends; a good pair still counts
		if err == nil {
			h.countPair(w, records)
		}
		return
	}
	h.mu.Lock()
	if err == nil && h.access.barredReason(name) != "" {
		err = errors.New("it is barred")
	}
	if err != nil {
		h.returned = append(h.returned, r.Pair)
		delete(h.judging, r.Pair)
		h.mu.Unlock()
		var own *localError
		if errors.As(err, &own) {
			h.finish(err)
			return
		}
		h.bar(name, err)
		if w.pairs > 0 {
			h.finish(fmt.Errorf("worker %s is barred (%w), but %d of its pairs were counted: "+
				"play the match again without it", name, err, w.pairs))
		}
		return
	}
	h.mu.Unlock()
	h.countPair(w, records)
	h.mu.Lock()
	delete(h.judging, r.Pair)
	h.finishIfDone()
	h.mu.Unlock()
}

// countPair reports the games of a pair to the match.
func (h *MatchHub) countPair(w *matchWorker, records [2]arena.GameRecord) {
	w.pairs++
	for _, g := range records {
		h.done <- g
	}
}

// localError is an error of this machine, not of a worker.
type localError struct{ error }

// checkResult replays the games of a result by the rules. For some results it also plays the pair
// itself and compares the games.
func (h *MatchHub) checkResult(w *matchWorker, r *pairResult) (records [2]arena.GameRecord, err error) {
	for i, g := range r.Games {
		number := 2*r.Pair + i
		records[i], err = h.match.Replay(number, g.Moves, g.Outcome, g.Reason, h.names[0], h.names[1])
		if err != nil {
			return records, fmt.Errorf("%w: %w", ErrForged, err)
		}
		records[i].Elapsed = g.Elapsed
	}
	if h.c.Check < 0 || w.checked >= checkedPairs && rand.Float64() >= h.c.Check {
		return records, nil
	}
	w.checked++
	var p [2]arena.Player
	select {
	case p = <-h.players:
		defer func() { h.players <- p }()
	case <-h.ctx.Done():
		return records, &localError{h.ctx.Err()}
	}
	own, err := h.match.PlayPair(h.ctx, r.Pair, p[0], p[1])
	if err != nil {
		return records, &localError{err}
	}
	for i := range own {
		o, why := own[i].Game.Outcome()
		sameMoves := arena.GameKey(own[i].Game) == arena.GameKey(records[i].Game)
		if !sameMoves || o != r.Games[i].Outcome || why != r.Games[i].Reason {
			return records, fmt.Errorf("%w: game %d of the match differs when it is played again",
				ErrForged, 2*r.Pair+i+1)
		}
	}
	return records, nil
}

// bar refuses a worker from now on.
func (h *MatchHub) bar(name string, why error) {
	what, connection, err := h.access.bar(name, plain.Text(why.Error()))
	if err != nil {
		h.c.Warn("the list of barred workers could not be written: %v", err)
	}
	h.c.Warn("%s is barred: %s", what, plain.Text(why.Error()))
	h.nc.Publish(noticeSubject+name, []byte("barred: "+plain.Text(why.Error())))
	h.nc.FlushTimeout(time.Second)
	if connection != 0 {
		h.server.server.DisconnectClientByID(connection)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reassignPairs(name, "is barred")
}
