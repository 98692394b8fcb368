package files

import (
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
