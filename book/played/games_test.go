package played

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
)

// write writes a file into a new folder and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads files and returns the games with the errors.
func read(t *testing.T, names ...string) (*Games, []error) {
	t.Helper()
	var bad []error
	g := &Games{}
	g.Read(t.Context(), names, rules.International, func(err error) { bad = append(bad, err) })
	if p := g.Progress(); p.Reading || p.Full {
		t.Errorf("after reading: %+v", p)
	}
	return g, bad
}

// after returns the position after moves from the start.
func after(t *testing.T, v *rules.Variant, moves string) rules.Position {
	t.Helper()
	p := v.Start()
	for _, text := range strings.Fields(moves) {
		m, err := notation.ParseMove(v, p, text)
		if err != nil {
			t.Fatal(err)
		}
		p = v.Play(p, m)
	}
	return p
}

const sample = `[GameType "20"]
[Result "2-0"]
1. 32-28 19-23 2. 28x19 14x23 3. 37-32 2-0

[GameType "20"]
1. 33-28 18-22 2. 31-27 22x33 1-1

[GameType "20"]
1. 32-28 18-23 2. 38-32 0-2

[GameType "20"]
1. 32-28 18-22 2. 27x18 2-0

[GameType "21"]
1. 11-15 23-19 *

[Variant "chess"]
[GameType "1"]
1. e4 e5 1-0
`

// TestResults: games count at every position, bad ones up to their error, each variant by itself.
func TestResults(t *testing.T) {
	g, bad := read(t, write(t, "some.pdn", sample))
	if len(bad) != 2 || !strings.HasPrefix(bad[0].Error(), "some.pdn: line 12: game 4, ply 3: ") {
		t.Errorf("the errors are %v", bad)
	}
	if p := g.Progress(); p.Games != 5 || p.Bad != 2 || len(p.Errors) != 2 {
		t.Errorf("%+v", p)
	}
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		v     *rules.Variant
		moves string
		want  Results
	}{
		{rules.International, "", Results{Wins: 1, Draws: 1, Losses: 1, Unknown: 1}},
		{rules.International, "32-28", Results{Wins: 1, Losses: 1, Unknown: 1}}, // for Black
		{rules.International, "32-28 19-23 28x19 14x23 37-32", Results{Losses: 1}},
		{rules.International, "32-28 18-22", Results{Unknown: 1}},
		{rules.International, "31-26", Results{}},
		{english, "", Results{Unknown: 1}},
		{english, "11-15 23-19", Results{Unknown: 1}},
	} {
		if got := g.Results(c.v, after(t, c.v, c.moves)); got != c.want {
			t.Errorf("%s %q: %+v, want %+v", c.v.Name, c.moves, got, c.want)
		}
	}
}

// TestTranspositions: two orders of the same moves meet, and so do exchanged colours.
func TestTranspositions(t *testing.T) {
	g, bad := read(t, write(t, "two.pdn", `1. 34-29 20-25 2. 31-26 14-20 2-0
1. 31-26 20-25 2. 34-29 14-20 0-2
1. 34-29 17-22 *
`), write(t, "other.PDN", `[FEN "W:W31-50:B1-16,18-20,22"]
1. 34-29 2-0
`))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	p := after(t, rules.International, "34-29 20-25 31-26 14-20")
	if got := g.Results(rules.International, p); got != (Results{Wins: 1, Losses: 1}) {
		t.Errorf("two orders: %+v", got)
	}
	// The game of the other file begins with the exchanged position, and White wins it.
	p = after(t, rules.International, "34-29")
	if got := g.Results(rules.International, p); got != (Results{Wins: 1, Losses: 1, Unknown: 1}) {
		t.Errorf("exchanged: %+v", got)
	}
}

// twin counts as Games does, with plain maps of FENs of the position and of the exchanged one.
func twin(games []*notation.Game) map[string]Results {
	counts := map[string]Results{}
	for _, n := range games {
		v := n.Variant()
		seen := map[string]bool{}
		for i, p := range n.Positions() {
			if i > MaxPlies {
				break
			}
			for _, key := range []string{bareFEN(v, p), exchanged(v, p)} {
				if seen[key] {
					continue
				}
				seen[key] = true
				r := counts[key]
				switch {
				case n.Result == notation.Unknown:
					r.Unknown++
				case n.Result == notation.DrawnGame:
					r.Draws++
				case (n.Result == notation.WhiteWin) == (p.Turn == rules.White):
					r.Wins++
				default:
					r.Losses++
				}
				counts[key] = r
			}
		}
	}
	return counts
}

func bareFEN(v *rules.Variant, p rules.Position) string {
	white, black, kings := p.Sets()
	return v.FEN(rules.NewPosition(white, black, kings, p.Turn))
}

// exchanged returns the position with the colours exchanged, half a turn round.
func exchanged(v *rules.Variant, p rules.Position) string {
	white, black, kings := p.Sets()
	turned := func(s rules.Set) (r rules.Set) {
		for !s.Empty() {
			r = r.Or(v.Board.Set(v.Board.Rotate(v.Board.Pop(&s))))
		}
		return r
	}
	return v.FEN(rules.NewPosition(turned(black), turned(white), turned(kings), p.Turn.Opponent()))
}

// TestTwin: in all variants the counts of random games are those of the twin.
func TestTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		var games []*notation.Game
		for range 12 {
			g := rules.NewGame(v)
			for range random.IntN(20) {
				if g.Over() {
					break
				}
				legal := g.Legal()
				if err := g.Play(legal[random.IntN(min(len(legal), 3))]); err != nil {
					t.Fatal(err)
				}
			}
			if !g.Over() {
				g.End(rules.Outcome(random.IntN(4)), rules.Adjudication)
			}
			n := notation.NewGame(g, notation.Tags{{Name: "Event", Value: "random"}})
			games = append(games, n)
			if err := notation.Write(&text, n); err != nil {
				t.Fatal(err)
			}
		}
		g, bad := read(t, write(t, "random.pdn", text.String()))
		if len(bad) > 0 {
			t.Fatalf("%s: %v", name, bad)
		}
		want := twin(games)
		for _, n := range games {
			for i, p := range n.Positions() {
				if i > MaxPlies {
					break
				}
				if got := g.Results(v, p); got != want[bareFEN(v, p)] {
					t.Fatalf("%s, %s: %+v, want %+v", name, v.FEN(p), got, want[bareFEN(v, p)])
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pdn", "b.PDN", "c.txt", "[x].pdn"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Find([]string{dir, filepath.Join(dir, "c.txt")})
	if err != nil || len(names) != 4 || filepath.Base(names[0]) != "[x].pdn" {
		t.Errorf("%v, %v", names, err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), t.TempDir(), os.DevNull} {
		if names, err := Find([]string{path}); err == nil {
			t.Errorf("%s: %v", path, names)
		}
	}
}

// TestUnreadableFile: a file that vanishes or is too large is named, and the next one is read.
func TestUnreadableFile(t *testing.T) {
	g, bad := read(t, filepath.Join(t.TempDir(), "gone.pdn"), write(t, "one.pdn", "1. 32-28 2-0\n"))
	if len(bad) != 1 || !strings.Contains(bad[0].Error(), "gone.pdn") || g.Progress().Games != 1 {
		t.Errorf("%v, %+v", bad, g.Progress())
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	h := &Games{}
	h.Read(stopped, []string{write(t, "one.pdn", "1. 32-28 2-0\n")}, rules.International, func(err error) {
		t.Errorf("stopped: %v", err)
	})
	if p := h.Progress(); p.Games != 0 || p.Reading {
		t.Errorf("%+v", p)
	}
}

// TestErrorsAreBounded: of many bad games only some errors are kept.
func TestErrorsAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "[Event \"%d\"]\n1. 1-50 *\n\n", i)
	}
	g, bad := read(t, write(t, "bad.pdn", text.String()))
	if p := g.Progress(); len(bad) != 100 || p.Bad != 100 || len(p.Errors) != maxErrors {
		t.Errorf("%d errors, %d bad, %d kept", len(bad), p.Bad, len(p.Errors))
	}
}

// TestFull: reading ends when too many positions are held; those held stay.
func TestFull(t *testing.T) {
	g := &Games{most: 3}
	g.Read(t.Context(), []string{write(t, "some.pdn", sample)}, rules.International, func(err error) {
		t.Errorf("read on: %v", err)
	})
	v := rules.International
	if p := g.Progress(); !p.Full || p.Reading || p.Games != 1 || g.held != 3 {
		t.Errorf("%+v, %d held", p, g.held)
	}
	if r := g.Results(v, after(t, v, "32-28 19-23")); r.Games() != 1 {
		t.Errorf("%+v", r)
	}
	if r := g.Results(v, after(t, v, "32-28 19-23 28x19")); r.Games() != 0 {
		t.Errorf("%+v", r)
	}
}

// TestMemory prints the memory of as many positions as are held at most.
func TestMemory(t *testing.T) {
	if os.Getenv("DAMIER_MEASURE") == "" {
		t.Skip("a measurement; set DAMIER_MEASURE=1")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	counts := map[uint64]Results{}
	random := rand.New(rand.NewPCG(1, 2))
	for len(counts) < MaxPositions {
		counts[random.Uint64()] = Results{Wins: 1}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d positions take %d MB", len(counts), (after.HeapAlloc-before.HeapAlloc)/1e6)
}

// FuzzRead: no text makes the reader fail in another way than by an error.
func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		g, _ := read(t, write(t, "any.pdn", text))
		g.Results(rules.International, rules.International.Start())
	})
}
