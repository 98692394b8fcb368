package web

import (
	"testing"

	"damier/rules"
)

// The captures of a constructed position can have so many paths that to try them takes seconds, so
// all of them share a number of jumps. A capture that gets no path is offered by its first and last
// square.
func TestChoicesShareJumps(t *testing.T) {
	v := rules.Frisian
	p, err := rules.ParseFEN(v, "W:WK5,K15:B25,3,20,8,44,34,16,11,29,18,37,14")
	if err != nil {
		t.Fatal(err)
	}
	legal := v.AppendMoves(nil, p)
	const few = 2000
	alone := 0 // jumps of the captures one by one
	for _, m := range legal {
		jumps := few
		v.CapturePathsWithin(p, m, &jumps)
		alone += few - jumps
	}
	if len(legal) > PathMoves || alone < 10*few {
		t.Fatalf("%d captures with %d jumps test nothing", len(legal), alone)
	}
	jumps := few
	list := choices(v, p, legal, &jumps)
	if len(list) != len(legal) || jumps < 0 || jumps > few/2 {
		t.Errorf("%d choices for %d moves, %d jumps left of %d", len(list), len(legal), jumps, few)
	}
	jumps = PathJumps
	with := 0
	for _, c := range choices(v, p, legal, &jumps) {
		if len(c.Paths) > 0 {
			with++
		}
	}
	if jumps < 0 || with == 0 || with == len(legal) {
		t.Errorf("%d of %d captures have paths, %d jumps left", with, len(legal), jumps)
	}

	// The positions of games keep all their paths.
	for _, fen := range []string{
		"", "W:W27,28,32,38,K50:B8,12,13,18,19,22,23,29", "W:WK46:B41,31,19,20,29,8,12",
	} {
		if fen == "" {
			p = v.Start()
		} else if p, err = rules.ParseFEN(v, fen); err != nil {
			t.Fatal(err)
		}
		jumps := PathJumps
		for i, c := range choices(v, p, v.AppendMoves(nil, p), &jumps) {
			if want := v.CapturePaths(p, v.AppendMoves(nil, p)[i]); len(c.Paths) != min(len(want), PathsEach) {
				t.Errorf("%s: %s has %d paths of %d", fen, c.Text, len(c.Paths), len(want))
			}
		}
		if jumps < PathJumps/2 {
			t.Errorf("%s: %d jumps of %d are left", fen, jumps, PathJumps)
		}
	}
}
