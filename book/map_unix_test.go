//go:build unix

package book

import (
	"os"
	"path/filepath"
	"testing"

	"damier/rules"
)

// TestCutShort cuts the file of an open book short in place. The book holds nothing any more, and the
// program goes on.
func TestCutShort(t *testing.T) {
	v := rules.International
	name := filepath.Join(t.TempDir(), "a.book")
	build(t, v, name, 2000, 2)
	b, err := Open(name, v)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if len(b.Moves(v.Start())) == 0 {
		t.Fatal("no moves before the cut")
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if all := b.Moves(v.Start()); len(all) != 0 {
		t.Errorf("%d moves after the cut", len(all))
	}
}
