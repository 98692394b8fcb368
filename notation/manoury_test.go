package notation

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/rules"
)

// The same four plies in every way that Manoury's notation has; and the first combination one
// learns.
func TestReadManoury(t *testing.T) {
	const after = "W:W28,32,33,34,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50,31:B1-11,13-17,19,20,18,23"
	for _, c := range []struct{ text, fen string }{
		{"32-28(18-23) 38-32(12-18)", after},
		{"32-28 (18-23), 38-32 (12-18)", ""},
		{"1. 32-28 (18-23) 2. 38-32 (12-18) *", after},
		{"1. 32 - 28! ( 18 - 23 ?) 2. 38-32!? (12-18)?", after},
		{"(32-28)/(18-23) (38-32)/(12-18)", after},
		{"1. (32-28) / (18-23)\n2. 38-32(12-18) 1-1", after},
		{"[White \"A 1 - 2\"]\n\n32–28(18–23) 38‑32(12-18)", after},
		{"32-28(18-23) {a plan (see 3 x 4)} 38-32(12-18)", after},
		{"26-21(17x26)", ""},
		{"[FEN \"W:W26,40:B17,3\"]\n26-21(17x26)", "W:W40:B3,26"},
		{"[FEN \"W:W26,40:B17,3\"] 26-21 (17 × 26) 40-35", "B:W35:B3,26"},
		// The Turkish stroke: five squares for four men, which block until they are all taken.
		{"[FEN \"B:W23,29,30,38,39:BK35\"] (35x19x32x43x34) 29x40", "B:W40:B"},
		{"[FEN \"B:W23,29,30,38,39:BK35\"] (35 x 19 x 32 x 43 x 34) 29×40", "B:W40:B"},
		{"/FEN \"W:W26,40:B17,3\"/ 26-21(17x26)", "W:W40:B3,26"},
	} {
		games, err := ParseManoury(v, c.text)
		if c.fen == "" {
			if err == nil {
				t.Errorf("%s was read", c.text)
			}
			continue
		}
		if err != nil || len(games) != 1 {
			t.Errorf("%s: %d games, %v", c.text, len(games), err)
			continue
		}
		want, err := rules.ParseDiagram(v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := games[0].Position(); v.FEN(got) != v.FEN(want) {
			t.Errorf("%s: %s, want %s", c.text, v.FEN(got), v.FEN(want))
		}
	}
	games, err := ParseManoury(v, "32-28!(18-23?) {both} 38-32(12-18!?) 2-0\n\n31-27(17-21?!) 0-2")
	if err != nil || len(games) != 2 {
		t.Fatal(len(games), err)
	}
	want := []Note{{Ply: 1, NAG: 1}, {Ply: 2, NAG: 2}, Comment(2, "both"), {Ply: 4, NAG: 5}}
	if d := cmp.Diff(want, games[0].Notes); d != "" {
		t.Error(d)
	}
	if games[0].Result != WhiteWin || games[1].Result != BlackWin || games[1].Ply() != 2 {
		t.Errorf("results %v and %v", games[0].Result, games[1].Result)
	}
}

func TestReadManouryErrors(t *testing.T) {
	for text, want := range map[string]string{
		"32-28 18-23":               `line 1: game 1, ply 2: black is to move, and Black's moves alone stand in brackets: "18-23"`,
		"(32-28)":                   `ply 1: white is to move, and Black's moves alone stand in brackets: "32-28"`,
		"32-28(18-23":               "a bracket is opened and not closed",
		"32-28(18-23))":             "a bracket is closed that was not opened",
		"32-28((18-23))":            "a bracket is opened within brackets",
		"32-28(19-23)\n37-32":       "line 2: game 1, ply 3: illegal move 37-32: must take 1: with 28",
		"32-28(18-23 38-32)(12-18)": "white is to move",
	} {
		if _, err := ParseManoury(v, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseManoury(rules.Russian, "c3-d4"); err == nil || !strings.Contains(err.Error(), "games of russian are written with coordinates") {
		t.Error(err)
	}
	if _, err := NewManouryReader(strings.NewReader(""), rules.Turkish); err == nil {
		t.Error("a reader of Turkish games")
	}
}

func TestWriteManoury(t *testing.T) {
	games, err := ParseManoury(v, `[White "A"] [Black "B"] [FEN "B:W23,29,30,38,39:BK35"] (35x34!) {a coup turc} 29x40`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteManoury(&b, games[0]); err != nil {
		t.Fatal(err)
	}
	const want = `[Event "?"]
[Site "?"]
[Date "?"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "2-0"]
[GameType "20"]
[FEN "B:W23,29,30,38,39:BK35"]
[PlyCount "2"]
[Termination "no pieces left"]

1. (35x19x32x43x34!) {a coup turc} 2. 29x40 2-0

`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	p := position(t, "W:W26,40:B17,3")
	m, err := ParseMove(v, p, "26-21")
	if err != nil {
		t.Fatal(err)
	}
	q := v.Play(p, m)
	if a, b := FormatManoury(v, p, m), FormatManoury(v, q, v.AppendMoves(nil, q)[0]); a != "26-21" || b != "(17x26)" {
		t.Errorf("%s %s", a, b)
	}
	full := errors.New("disk full")
	if err := WriteManoury(failing{full}, games[0]); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestLooksLikeManoury(t *testing.T) {
	for text, want := range map[string]bool{
		"32-28(18-23)":                            true,
		"1. 32-28! (18-23?) 2. 38-32":             true,
		"(32-28)/(18-23)":                         true,
		"[White \"(1-2)\"]\n\n1. 32-28 18-23 *":   false,
		"1. 32-28 18-23 (18-22 38-32) 2. 38-32":   false,
		"1. 32-28(?) 18-23 *":                     false,
		"1. 32-28 18-23 {see (12-18) and (else)}": false,
		"1. 32-28 {(31-27) was better} 18-23 *":   false,
		"1. 32-28 {Elo (2300)} (18-23) *":         true,
		"1. 32-28 (2300) 18-23 *":                 false,
		"":                                        false,
	} {
		if LooksLikeManoury(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
