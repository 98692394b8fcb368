package journal

import (
	"testing"
)

func TestTrend(t *testing.T) {
	gained := func(r Rating, gain, total Gain) Rating {
		r.Gain, r.Total = &gain, &total
		return r
	}
	for _, c := range []struct {
		all  []Rating
		want string
	}{
		{nil, "not measured yet"},
		{[]Rating{{Generation: 1, Rungs: []RungResult{result("random", 1, 0, 0)}}}, "not measured yet"},
		{[]Rating{rating(1, 50)}, "Elo 50, first measure"},
		{[]Rating{rating(1, 0), gained(rating(2, 100), Gain{1, 100, 42}, Gain{1, 100, 42})}, "better, +100 ± 42 Elo since generation 1"},
		{[]Rating{rating(1, 0), gained(rating(3, 110), Gain{2, 10, 42}, Gain{1, 110, 50})}, "no clear change, +10 ± 42 Elo since generation 2, +110 ± 50 Elo since generation 1"},
		{[]Rating{rating(1, 0), gained(rating(2, -50), Gain{1, -50, 42}, Gain{1, -50, 42})}, "worse, -50 ± 42 Elo since generation 1"},
	} {
		if got := Trend(c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestStalled(t *testing.T) {
	var all []Rating
	for i, c := range []struct {
		elo  float64
		want bool
	}{{0, false}, {100, false}, {50, false}, {90, false}, {80, false}, {99, true}, {101, false}, {0, false}, {0, false}, {0, false}, {0, true}} {
		if all = append(all, rating(i, c.elo)); Stalled(all) != c.want {
			t.Errorf("after %d evaluations: %t", len(all), !c.want)
		}
	}
	if Stalled(make([]Rating, 10)) {
		t.Error("evaluations without a rating stall")
	}
}

func rating(generation int, elo float64) Rating {
	return Rating{Variant: "international", Generation: generation, Elo: elo, Low: elo - 30, High: elo + 30, Rungs: []RungResult{result("alphabeta:depth=1", 1, 1, 1)}}
}
