package egdb

import (
	"context"
	"errors"
	"testing"
)

func TestDataDir(t *testing.T) {
	home := func() (string, error) { return "/home/me", nil }
	none := func() (string, error) { return "", errors.New("no home") }
	for _, c := range []struct {
		system, xdg, local string
		want               string
	}{
		{"linux", "", "", "/home/me/.local/share"},
		{"linux", "/data", "", "/data"},
		{"linux", "relative", "", "/home/me/.local/share"},
		{"linux", "", `C:\local`, "/home/me/.local/share"},
		{"windows", "", `C:\local`, `C:\local`},
		{"darwin", "", "", "/home/me/Library/Application Support"},
	} {
		getenv := func(name string) string {
			return map[string]string{"XDG_DATA_HOME": c.xdg, "LocalAppData": c.local}[name]
		}
		if got, err := dataDir(c.system, getenv, home); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if dir, err := dataDir("linux", func(string) string { return "" }, none); err == nil {
		t.Errorf("without a home: %s", dir)
	}
}

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
