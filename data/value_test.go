package data

import (
	"math"
	"testing"

	"damier/rules"
)

func TestValueTargets(t *testing.T) {
	w := func(win, draw, loss float32) rules.WDL { return rules.WDL{Win: win, Draw: draw, Loss: loss} }
	white := func(turn rules.Color) rules.Position {
		return rules.NewPosition(rules.Set{Lo: 1}, rules.Set{Lo: 2}, rules.Set{}, turn)
	}
	nan := float32(math.NaN())
	// ply i is White's for even i. visits and values are those of two moves; the first is played.
	type search struct {
		root    rules.WDL
		visits  [2]uint16
		values  [2]float32
		without bool // a forced move
	}
	quiet := search{root: w(.25, .5, .25), visits: [2]uint16{5, 5}, values: [2]float32{.5, .5}}
	none := search{without: true}
	blunder := search{root: w(.5, .5, 0), visits: [2]uint16{2, 9}, values: [2]float32{.55, .75}}
	wide := search{root: w(.4, 0, .6), visits: [2]uint16{10, 50}, values: [2]float32{.7, .6}}
	tests := []struct {
		name    string
		plies   []search
		outcome rules.Outcome
		reason  rules.Reason
		rule    ValueRule
		want    []rules.WDL
	}{
		{"the outcome alone", []search{quiet, quiet, none}, rules.WhiteWins, rules.NoMoves, ValueRule{},
			[]rules.WDL{w(1, 0, 0), w(0, 0, 1), w(1, 0, 0)}},
		{"black wins", []search{quiet, quiet}, rules.BlackWins, rules.NoMoves, ValueRule{},
			[]rules.WDL{w(0, 0, 1), w(1, 0, 0)}},
		{"half and half, a forced ply takes the outcome", []search{quiet, none, quiet}, rules.WhiteWins, rules.NoMoves, ValueRule{RootShare: .5},
			[]rules.WDL{w(.625, .25, .125), w(0, 0, 1), w(.625, .25, .125)}},
		{"the search alone", []search{blunder, quiet}, rules.Draw, rules.Threefold, ValueRule{RootShare: 1},
			[]rules.WDL{w(.5, .5, 0), w(.25, .5, .25)}},
		{"a blunder of White's: from there back his search counts", []search{quiet, none, blunder, none}, rules.BlackWins, rules.NoMoves, ValueRule{Blunder: .15},
			[]rules.WDL{w(.5, .5, 0), w(0, .5, .5), w(.5, .5, 0), w(1, 0, 0)}},
		{"a blunder of Black's", []search{none, blunder, none}, rules.WhiteWins, rules.NoMoves, ValueRule{Blunder: .15},
			[]rules.WDL{w(0, .5, .5), w(.5, .5, 0), w(1, 0, 0)}},
		{"two blunders", []search{none, blunder, none, none, blunder, none}, rules.Draw, rules.Threefold, ValueRule{Blunder: .15},
			[]rules.WDL{w(0, .5, .5), w(.5, .5, 0), w(.5, .5, 0), w(0, .5, .5), w(.5, .5, 0), w(0, 1, 0)}},
		{"mixed after a blunder", []search{quiet, none, blunder}, rules.BlackWins, rules.NoMoves, ValueRule{Blunder: .15, RootShare: .5},
			[]rules.WDL{w(.375, .5, .125), w(0, .5, .5), w(.5, .5, 0)}},
		{"not far enough below", []search{blunder}, rules.BlackWins, rules.NoMoves, ValueRule{Blunder: .21},
			[]rules.WDL{w(0, 0, 1)}},
		{"the rule is off", []search{blunder}, rules.BlackWins, rules.NoMoves, ValueRule{},
			[]rules.WDL{w(0, 0, 1)}},
		{"a value seen once is not the best", []search{{root: w(0, 1, 0), visits: [2]uint16{9, 1}, values: [2]float32{.5, 1}}}, rules.WhiteWins, rules.NoMoves, ValueRule{Blunder: .15},
			[]rules.WDL{w(1, 0, 0)}},
		{"played unvisited, the next search sees it lost", []search{{root: w(0, 1, 0), visits: [2]uint16{0, 9}, values: [2]float32{nan, .5}}, none, {root: w(0, .2, .8), visits: [2]uint16{1, 1}, values: [2]float32{.1, .1}}}, rules.WhiteWins, rules.NoMoves, ValueRule{Blunder: .15},
			[]rules.WDL{w(0, 1, 0), w(0, 0, 1), w(1, 0, 0)}},
		{"played unvisited by Black, and good", []search{none, {root: w(0, 1, 0), visits: [2]uint16{0, 9}, values: [2]float32{nan, .5}}, {root: w(0, .2, .8), visits: [2]uint16{1, 1}, values: [2]float32{.1, .1}}}, rules.WhiteWins, rules.NoMoves, ValueRule{Blunder: .15},
			[]rules.WDL{w(1, 0, 0), w(0, 0, 1), w(1, 0, 0)}},
		{"the best move's value leaves less room for draws", []search{{root: w(.2, .6, .2), visits: [2]uint16{5, 9}, values: [2]float32{.8, .4}}},
			rules.Draw, rules.Threefold, ValueRule{RootShare: 1, LeastVisits: .2}, []rules.WDL{w(.6, .4, 0)}},
		{"the best of those with visits enough", []search{wide}, rules.Draw, rules.Threefold, ValueRule{RootShare: 1, LeastVisits: .2},
			[]rules.WDL{w(.7, 0, .3)}},
		{"the most visited alone", []search{wide}, rules.Draw, rules.Threefold, ValueRule{RootShare: .5, LeastVisits: 1},
			[]rules.WDL{w(.3, .5, .2)}},
		{"a win proved by a move with few visits", []search{{root: w(1, 0, 0), visits: [2]uint16{50, 1}, values: [2]float32{.6, 1}}},
			rules.WhiteWins, rules.NoMoves, ValueRule{RootShare: 1, LeastVisits: .2}, []rules.WDL{w(1, 0, 0)}},
		{"a blunder: the best move's value counts", []search{none, {root: w(.4, 0, .6), visits: [2]uint16{2, 9}, values: [2]float32{.55, .75}}},
			rules.WhiteWins, rules.NoMoves, ValueRule{Blunder: .15, LeastVisits: .2},
			[]rules.WDL{w(.25, 0, .75), w(.75, 0, .25)}},
		{"cut short: the last search stands for the outcome", []search{quiet, blunder, none}, rules.Draw, rules.PlyLimit, ValueRule{},
			[]rules.WDL{w(0, .5, .5), w(.5, .5, 0), w(0, .5, .5)}},
		{"cut short without any search", []search{none}, rules.Draw, rules.PlyLimit, ValueRule{},
			[]rules.WDL{w(0, 1, 0)}},
	}
	for _, test := range tests {
		g := Game{Outcome: test.outcome, Reason: test.reason}
		for i, s := range test.plies {
			p := Ply{Position: white(rules.Color(i % 2)), Root: s.root}
			if !s.without {
				p.Visits, p.Values, p.Priors = s.visits[:], s.values[:], []float32{.5, .5}
			}
			g.Plies = append(g.Plies, p)
		}
		got := ValueTargets([]rules.WDL{{Win: 1}}, &g, test.rule)
		if len(got) != len(test.want)+1 || got[0] != w(1, 0, 0) {
			t.Errorf("%s: %v does not append", test.name, got)
			continue
		}
		for i, want := range test.want {
			g := got[i+1]
			if math.Abs(float64(g.Win-want.Win))+math.Abs(float64(g.Draw-want.Draw))+math.Abs(float64(g.Loss-want.Loss)) > 1e-6 {
				t.Errorf("%s: ply %d has %v, want %v", test.name, i, g, want)
			}
		}
	}
}

// TestValueTargetsSum: for every game and rule a target is a probability distribution.
func TestValueTargetsSum(t *testing.T) {
	for _, rule := range []ValueRule{{}, {RootShare: .5, Blunder: .15}, {RootShare: 1, Blunder: .01}, {RootShare: 1, LeastVisits: .2}, {RootShare: .3}} {
		for _, g := range randomGames(6, 40, 60) {
			for i, w := range ValueTargets(nil, &g, rule) {
				if err := checkWDL("target", w); err != nil || w == (rules.WDL{}) {
					t.Fatalf("%+v, ply %d: %v, %v", rule, i, w, err)
				}
			}
		}
	}
}
