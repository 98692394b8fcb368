package play

import (
	"path/filepath"
	"testing"

	"damier/nnue"
	"damier/rules"
)

// The NNUE of a file judges in the place of the program's, in its variant.
func TestShelfOfOwnNNUE(t *testing.T) {
	russian, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	own := nnue.New(russian, 32, 7)
	file := filepath.Join(t.TempDir(), "own.nnue")
	if err := own.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	s, program := newNetworkShelf(russian), newNetworkShelf(russian)
	score := func(s *networkShelf, p rules.Position) int {
		t.Helper()
		e, err := s.evaluator(russian, "")
		if err != nil || e == nil {
			t.Fatalf("no network: %v", err)
		}
		return int(e.Score(p))
	}
	if err := s.choose(file); err != nil {
		t.Fatal(err)
	}
	position := russian.Play(russian.Start(), russian.AppendMoves(nil, russian.Start())[0])
	want, other := int(own.Evaluator().Score(position)), score(program, position)
	if got := score(s, position); got != want || got == other {
		t.Errorf("it says %d of a position, the file %d, the program's %d", got, want, other)
	}
	if name, ok := s.network(russian); name != "own" || !ok {
		t.Errorf("it is called %q, %v", name, ok)
	}
	if name, ok := s.network(rules.International); name != "" || !ok {
		t.Errorf("in another variant: %q, %v", name, ok)
	}
	for _, player := range []string{"tree", "nnue"} {
		if e, err := s.open(russian, player, ""); err != nil || e.Variant() != russian {
			t.Errorf("%s: %v", player, err)
		}
	}
	if _, err := s.open(russian, "tree", "none"); err == nil {
		t.Error("a network that is not there is opened")
	}
}
