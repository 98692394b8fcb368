package egdb

// Result is the theoretical result for the side to move.
type Result uint8

// The results.
const (
	Draw Result = iota
	Win
	Loss
)

// String returns "draw", "win" or "loss".
func (r Result) String() string { return [...]string{"draw", "win", "loss"}[r] }

// value is a result and its distance in plies, in 16 bits: 0 is a draw, 1+2n a win in n plies,
// 2+2n a loss in n.
type value uint16

// maxPlies is the longest distance that a value holds.
const maxPlies = 32766

func winIn(plies int) value  { return value(1 + 2*plies) }
func lossIn(plies int) value { return value(2 + 2*plies) }

// result returns the result and its distance; that of a draw is 0.
func (v value) result() (Result, int) {
	switch {
	case v == 0:
		return Draw, 0
	case v&1 != 0:
		return Win, int(v-1) / 2
	}
	return Loss, int(v-2) / 2
}

// before returns the value, for the side that moves, of a move to a position with value v: one ply
// longer.
func (v value) before() value {
	switch {
	case v == 0:
		return 0
	case v&1 != 0:
		return v + 3
	}
	return v + 1
}

// better reports whether the side to move prefers v to w: a win to a draw to a loss, a shorter
// win, a longer loss.
func (v value) better(w value) bool {
	r, n := v.result()
	s, m := w.result()
	switch {
	case r != s:
		return r == Win || s == Loss
	case r == Win:
		return n < m
	}
	return r == Loss && n > m
}
