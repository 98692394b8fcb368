package egdb

import (
	"context"
	"testing"
)

// TestShelf opens tables by settings, each once.
func TestShelf(t *testing.T) {
	t.Setenv(Environment, t.TempDir())
	v := lookup(t, "english", "")
	var s Shelf
	for _, off := range []string{"", Off} {
		if tables, err := s.Tables(context.Background(), off, v); tables != nil || err != nil {
			t.Errorf("%q: %v, %v", off, tables, err)
		}
	}
	on, err := s.Tables(context.Background(), On, v)
	if err != nil || on.Pieces() != MemoryPieces {
		t.Fatalf("%v, %v", on, err)
	}
	again, _ := s.Tables(context.Background(), On, v)
	other, err := s.Tables(context.Background(), t.TempDir(), v)
	if again != on || other == on || err != nil {
		t.Errorf("a setting that comes again, and another folder: %p, %p, %p, %v", on, again, other, err)
	}
}
