package open

import "testing"

// TestSpecTables reads the setting of endgame tables of every player that has it, and refuses it
// elsewhere.
func TestSpecTables(t *testing.T) {
	for text, want := range map[string]string{
		"tree:egdb=on":                       "on",
		"tree:x.nnue,visits=20,egdb=off":     "off",
		"nnue:nodes=20000,egdb=/data/tables": "/data/tables",
		"alphabeta:depth=4,egdb=on":          "on",
		"alphabeta:depth=4":                  "",
	} {
		p, err := ParseSpec(text)
		if err != nil || p.Tables != want {
			t.Errorf("%s: %q, %v; want %q", text, p.Tables, err, want)
		}
		if p.Kind != Tree {
			continue
		}
		again, err := ParseSpec(text[:4] + ":x" + p.Settings())
		if err != nil || again.Tables != want {
			t.Errorf("%s: its settings %q are read as %q, %v", text, p.Settings(), again.Tables, err)
		}
	}
	for _, text := range []string{"tree:egdb=", "alphabeta:egdb=", "random:egdb=on", "dxp:host:1,egdb=on"} {
		if p, err := ParseSpec(text); err == nil {
			t.Errorf("%s is read as %+v", text, p)
		}
	}
}
