package board

import (
	"time"

	"damier/web"
)

// event is a server-sent event.
type event struct {
	name string
	data []byte // one line of JSON
}

// listen opens an event stream; the present state is its first event.
func (b *board) listen() (chan event, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.streams) >= maxStreams {
		return nil, web.Refuse(503, "streams", "this board is open in %d windows already", maxStreams)
	}
	if b.ctx.Err() != nil {
		return nil, errGone
	}
	s := make(chan event, 64)
	s <- event{"state", b.snapshot()}
	b.streams[s] = true
	if b.review != nil {
		s <- b.review.event()
	}
	if b.lastThreat.data != nil {
		s <- b.lastThreat
	} else if b.stopThreat == nil {
		b.threaten()
	}
	if b.lastVerdicts.data != nil {
		s <- b.lastVerdicts
	} else if b.stopVerdicts == nil {
		b.judgeByTables()
	}
	switch {
	case b.stopAnalysis == nil:
		b.analyse()
	case b.lastAnalysis.data != nil:
		s <- b.lastAnalysis
	}
	return s, nil
}

// leave closes a stream. The last one stops the searches whose results are only shown.
func (b *board) leave(s chan event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams[s] {
		delete(b.streams, s)
		close(s)
	}
	b.touched = time.Now()
	if len(b.streams) == 0 && b.stopAnalysis != nil {
		b.stopAnalysis() // nobody sees its results
		b.stopAnalysis = nil
	}
	if len(b.streams) == 0 && b.stopThreat != nil {
		b.stopThreat()
		b.stopThreat = nil
	}
	if len(b.streams) == 0 && b.stopVerdicts != nil {
		b.stopVerdicts()
		b.stopVerdicts = nil
	}
}

// broadcast sends an event to all streams. A stream whose buffer is full is closed: its page
// connects again and gets the state. The caller holds the lock.
func (b *board) broadcast(e event) {
	for s := range b.streams {
		select {
		case s <- e:
		default:
			delete(b.streams, s)
			close(s)
		}
	}
}

// maxStreams is the maximum number of event streams of one board.
const maxStreams = 4

var errGone error = web.Refuse(404, "gone", "this board is closed; begin a new game")
