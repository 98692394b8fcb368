package play

import (
	"fmt"
	"testing"

	"damier/protocol/hub"
)

// When an interface asks for several lines, the program reports them, each with another move and
// the best one last; otherwise it reports one. This holds for a model, the alpha-beta search and
// an NNUE.
func TestMultiPV(t *testing.T) {
	t.Run("model", func(t *testing.T) { testMultiPV(t, &options{visits: 100}, "nodes=100") })
	t.Run("nnue", func(t *testing.T) { testMultiPV(t, &options{player: "nnue"}, "depth=1") })
	t.Run("alphabeta", func(t *testing.T) { testMultiPV(t, &options{player: "alphabeta"}, "depth=1") })
}

func testMultiPV(t *testing.T, o *options, level string) {
	s := newHubSide(t, o)
	for _, lines := range []int{1, 3} {
		fmt.Fprintf(s.in, "set-param name=multi-pv value=%d\ninit\n", lines)
		s.hear("ready")
		fmt.Fprintf(s.in, "pos start\nlevel %s\ngo think\n", level)
		var ranks []string
		moves := map[string]bool{}
		best := ""
		for s.out.Scan() {
			l, err := hub.ParseLine(s.out.Text())
			if err != nil || l.Command == "error" {
				t.Fatalf("%q, %v", s.out.Text(), err)
			}
			if move, _ := l.Get("move"); l.Command == "done" {
				if best != move {
					t.Errorf("the best line begins with %s, and %s is played", best, move)
				}
				break
			}
			if rank, ok := l.Get("multi-pv"); ok {
				ranks = append(ranks, rank)
			}
			pv, _ := l.Get("pv")
			fmt.Sscan(pv, &best)
			moves[best] = true
		}
		want := "[]"
		if lines == 3 {
			want = "[3 2 1]"
		}
		if got := fmt.Sprint(ranks); got != want || len(moves) != lines {
			t.Errorf("%d lines: ranks %s with %d moves, want %s", lines, got, len(moves), want)
		}
	}
	fmt.Fprintln(s.in, "quit")
	if err := <-s.end; err != nil {
		t.Error(err)
	}
}
