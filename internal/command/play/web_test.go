package play

import (
	"path/filepath"
	"testing"

	"damier/net"
	"damier/nnue"
	"damier/rules"
	"damier/web"
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
	shelf := func() *modelShelf {
		return &modelShelf{
			variant: russian, models: map[string]*net.Model{}, nnues: map[string]*nnue.Evaluator{}, others: map[string][]web.Model{},
		}
	}
	s, program := shelf(), shelf()
	if err := s.choose(file); err != nil {
		t.Fatal(err)
	}
	position := russian.Play(russian.Start(), russian.AppendMoves(nil, russian.Start())[0])
	want, other := own.Evaluator().Score(position), program.nnueFor(russian).Score(position)
	if got := s.nnueFor(russian).Score(position); got != want || got == other {
		t.Errorf("it says %d of a position, the file %d, the program's %d", got, want, other)
	}
	if s.nnueName != "own" || s.file != "" {
		t.Errorf("it is called %q, and for tree search there is %q", s.nnueName, s.file)
	}
	if s.nnueFor(rules.International) == nil {
		t.Error("in another variant there is none")
	}
}
