package board

import (
	"strconv"
	"time"

	"damier/notation"
)

// unmeasured stands for a time that is not known.
const unmeasured = time.Duration(-1)

// pace measures the time for moves where no clock does: from the move before, or, if the game
// continues elsewhere than after the last move, since that position was shown.
type pace struct {
	last  *node // that the last move has led to
	moved time.Time
	here  *node // that is shown
	shown time.Time
}

// show notes the position that is shown.
func (p *pace) show(n *node, now time.Time) {
	if p.here != n {
		p.here, p.shown = n, now
	}
}

// move notes that a move has led to a position.
func (p *pace) move(n *node, now time.Time) { p.last, p.moved = n, now }

// spent returns the time for a move that is made at a position, or unmeasured: nobody knows when a
// person began to think about the first move.
func (p *pace) spent(at *node, now time.Time) time.Duration {
	switch {
	case at.parent == nil:
		return unmeasured
	case at == p.last:
		return now.Sub(p.moved)
	case at == p.here:
		return now.Sub(p.shown)
	}
	return unmeasured
}

// setTimes sets the times of a node's move; unmeasured ones are not known.
func (n *node) setTimes(spent, left time.Duration) {
	n.times = notation.Times{
		Left: max(left, 0), HasLeft: left != unmeasured,
		Spent: max(spent, 0), HasSpent: spent != unmeasured,
	}
}

// addNotes adds notes of a file behind a node's move, whose times are kept apart.
func (n *node) addNotes(notes []notation.Note) {
	for _, note := range notes {
		if note.NAG < 0 {
			t, rest := notation.CutTimes(note.Text, n.turn)
			if t.HasLeft {
				n.times.Left, n.times.HasLeft = t.Left, true
			}
			if t.HasSpent {
				n.times.Spent, n.times.HasSpent = t.Spent, true
				n.timed = true
			}
			if note.Text = rest; rest == "" {
				continue
			}
		}
		n.notes = append(n.notes, note)
	}
}

// notesToWrite returns the notes of a node for a file: the times of its move go before its first
// comment.
func (n *node) notesToWrite() []notation.Note {
	t := n.times
	t.HasSpent = t.HasSpent && n.timed
	text := t.Comment()
	if text == "" {
		return n.notes
	}
	var list []notation.Note
	for i, note := range n.notes {
		if note.NAG < 0 {
			note.Text = text + " " + note.Text
			return append(append(list, note), n.notes[i+1:]...)
		}
		list = append(list, note)
	}
	return append(list, notation.Comment(0, text))
}

// deriveSpent computes from the times left what the moves of a tree have taken, where a file does
// not say it. control is its TimeControl tag.
func deriveSpent(root *node, control string) {
	main, increment, known := notation.Control(control)
	for open := []*node{root}; len(open) > 0; {
		n := open[len(open)-1]
		open = append(open[:len(open)-1], n.next...)
		if n.parent == nil || !n.times.HasLeft || n.times.HasSpent {
			continue
		}
		before, knows := main, known
		if own := n.parent.parent; own != nil && own.parent != nil {
			before, knows = own.times.Left, own.times.HasLeft
		}
		// The clock gets more time at the end of a period.
		if spent := before + increment - n.times.Left; knows && spent >= 0 {
			n.times.Spent, n.times.HasSpent = spent, true
		}
	}
}

// tag returns the control of a clock as the value of a TimeControl tag, "" for no clock.
func (k *clock) tag() string {
	if k == nil {
		return ""
	}
	seconds := func(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }
	switch {
	case k.Move > 0:
		return "1/" + seconds(k.Move)
	case k.Increment > 0:
		return seconds(k.Main) + "+" + seconds(k.Increment)
	}
	return seconds(k.Main)
}

// timesState is the times of a move as sent to the page, in milliseconds; absent where unknown.
type timesState struct {
	Spent *int64 `json:"spent,omitempty"`
	Left  *int64 `json:"left,omitempty"` // on the clock of the side that has moved
}

func (n *node) timesState() (s timesState) {
	if n.times.HasSpent {
		ms := n.times.Spent.Milliseconds()
		s.Spent = &ms
	}
	if n.times.HasLeft {
		ms := n.times.Left.Milliseconds()
		s.Left = &ms
	}
	return s
}
