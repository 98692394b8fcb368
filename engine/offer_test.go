package engine

import "testing"

func TestDrawOffers(t *testing.T) {
	const off = -1 // a move for which no draw is expected
	even, ahead := Thought{Expected: 0.49}, Thought{Expected: 0.53}
	// offers returns the plies with which a draw is offered.
	offers := func(plies ...int) (at []int) {
		var d DrawOffers
		next := &even
		for _, n := range plies {
			if n == off {
				next = &ahead
				continue
			}
			if d.Played(next, n) {
				at = append(at, n)
			}
			next = &even
		}
		return at
	}
	every := func(first, last int) (plies []int) {
		for n := first; n <= last; n += 2 {
			plies = append(plies, n)
		}
		return plies
	}
	join := func(parts ...[]int) (all []int) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, c := range []struct {
		name  string
		plies []int
		want  []int
	}{
		{"not early", every(1, 79), nil},
		{"from the 80th ply on, and again after twenty", every(2, 124), []int{80, 100, 120}},
		{"after six moves in a row", every(90, 104), []int{100}},
		{"one move of another opinion", join(every(90, 98), []int{off}, every(100, 110)), nil},
		{"and six after it", join(every(90, 98), []int{off}, every(100, 112)), []int{112}},
		{"moves taken back", join(every(90, 98), every(94, 102)), nil},
		{"and six after them", join(every(90, 98), every(94, 104)), []int{104}},
		{"taken back beyond an offer", join(every(90, 100), every(96, 106)), []int{100, 106}},
		{"a new game", join(every(90, 100), every(1, 81)), []int{100, 81}},
		{"moves for the other side", join(every(90, 96), []int{off, 97}, every(98, 100)), []int{100}},
	} {
		got := offers(c.plies...)
		if len(got) != len(c.want) {
			t.Errorf("%s: offers with plies %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: offers with plies %v, want %v", c.name, got, c.want)
			}
		}
	}
	var d DrawOffers
	for n := 70; n < 100; n += 2 {
		if d.Played(&Thought{Expected: 0.5, Book: true}, n) {
			t.Errorf("offers a draw after %d plies by the book", n)
		}
	}
}
