package egdb

import (
	"errors"
	"os"
	"testing"

	"damier/rules"
)

// FuzzTable: a file of a table is opened or refused as damaged or foreign; a probe of an opened
// file gives the answer of the intact file, or none.
func FuzzTable(f *testing.F) {
	v, dir := rules.English, f.TempDir()
	if err := (&Builder{Variant: v, Dir: dir, Pieces: 2}).Build(f.Context()); err != nil {
		f.Fatal(err)
	}
	whole, err := Open(dir, v, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { whole.Close() })
	m := whole.Materials()[0]
	name := fileOf(dir, v, m)
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	for at := 0; at < len(text); at += 97 {
		f.Add(at, []byte{0xff}, len(text))
	}
	f.Add(0, []byte{}, len(text)/2)
	other := f.TempDir()
	if err := os.MkdirAll(Folder(other, v), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, at int, patch []byte, length int) {
		if length < 0 || length > len(text) || at < 0 || at > length {
			return
		}
		changed := append([]byte(nil), text[:length]...)
		copy(changed[at:], patch)
		if err := os.WriteFile(fileOf(other, v, m), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		tables, err := Open(other, v, 0)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
				t.Errorf("%v", err)
			}
			return
		}
		defer tables.Close()
		for a := 1; a <= v.Board.Squares(); a++ {
			b := a%v.Board.Squares() + 1
			w, k := v.Board.Set(rules.Square(a)), v.Board.Set(rules.Square(b))
			for _, p := range []rules.Position{rules.NewPosition(w, k, w.Or(k), rules.White), rules.NewPosition(w, k, rules.Set{}, rules.White)} {
				if rules.Validate(v, p) != nil {
					continue
				}
				got, n, ok := tables.Probe(p)
				want, plies, _ := whole.Probe(p)
				if ok && (got != want || n != plies) {
					t.Errorf("%s: %v in %d, and the whole file says %v in %d", v.FEN(p), got, n, want, plies)
				}
			}
		}
	})
}
