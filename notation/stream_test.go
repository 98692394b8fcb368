package notation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"damier/rules"
)

// collection returns n games with comments in one text.
func collection(t testing.TB, rng *rand.Rand, v *rules.Variant, n int) string {
	var b strings.Builder
	for i := range n {
		g := &Game{Game: randomGame(rng, v, v.Start(), 60), Tags: Tags{{Name: "Event", Value: fmt.Sprintf("Café %d", i)}}}
		if err := Write(&b, g); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%% a line that says nothing\n\n{%s}\n", strings.Repeat("é", rng.IntN(100)))
	}
	return b.String()
}

// TestStream: reading a file window by window gives the same games as reading it whole.
func TestStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for _, v := range []*rules.Variant{rules.International, rules.Russian, rules.Turkish} {
		text := collection(t, rng, v, 40)
		want, err := ParsePDN(v, text)
		if err != nil || len(want) != 40 {
			t.Fatalf("%s: %d games, %v", v.Name, len(want), err)
		}
		for _, window := range []int{256, 300, 1000, 4096} {
			for name, source := range map[string]io.Reader{"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text))} {
				r := &Reader{v: v, lexer: newFileLexer(source, window)}
				got, err := r.all()
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, window %d, %s: %d games, %v", v.Name, window, name, len(got), err)
				}
			}
		}
	}
}

// TestStreamOfManoury is TestStream for the other notation.
func TestStreamOfManoury(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	var b strings.Builder
	for range 30 {
		if err := WriteManoury(&b, &Game{Game: randomGame(rng, rules.International, rules.International.Start(), 60)}); err != nil {
			t.Fatal(err)
		}
	}
	want, err := ParseManoury(rules.International, b.String())
	if err != nil || len(want) != 30 {
		t.Fatal(len(want), err)
	}
	r, err := NewManouryReader(strings.NewReader(b.String()), rules.International)
	if err != nil {
		t.Fatal(err)
	}
	r.lexer.window = 256
	if got, err := r.all(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d games, %v", len(got), err)
	}
}

// repeated is a reader of a text that repeats up to a number of bytes.
func repeated(text string, bytes int64) io.Reader {
	return io.LimitReader(&loop{text: text}, bytes/int64(len(text))*int64(len(text)))
}

type loop struct {
	text string
	at   int
}

func (l *loop) Read(b []byte) (int, error) {
	n := copy(b, l.text[l.at:])
	l.at = (l.at + n) % len(l.text)
	return n, nil
}

// TestStreamStaysSmall: a file of any size needs no more memory than its window.
func TestStreamStaysSmall(t *testing.T) {
	text := collection(t, rand.New(rand.NewPCG(43, 1)), rules.International, 20)
	const size = 32 << 20
	var begin, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&begin)
	r := NewReader(repeated("{"+strings.Repeat("long ", 150_000)+"}\n"+text, size), rules.International)
	games, most := 0, uint64(0)
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if games++; games%200 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(begin.HeapAlloc, now.HeapAlloc))
		}
	}
	if games < 500 || most > 32<<20 {
		t.Errorf("%d games took %d MiB", games, most>>20)
	}
}

// TestStreamWithoutEnd: a game without an end is an error of that game and needs no more memory
// than the window.
func TestStreamWithoutEnd(t *testing.T) {
	for name, text := range map[string]string{"comment": "{", "line": "x", "tag": "[Event \"", "name": "[", "list": "32x21<1"} {
		r := NewReader(io.MultiReader(strings.NewReader(text), repeated("1", 6<<20), strings.NewReader("\n*\n\n[Event \"b\"]\n\n1. 32-28 *\n")), rules.International)
		var last *Game
		bad := 0
		for {
			g, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			var at *ParseError
			if errors.As(err, &at) {
				bad++
			} else if err != nil {
				t.Fatal(err)
			} else {
				last = g
			}
		}
		if bad == 0 || last == nil || last.Tags.Get("Event") != "b" || last.Ply() != 1 {
			t.Errorf("%s: %d errors, the game behind it is %v", name, bad, last)
		}
	}
}

// TestStreamBreaks: after a read error the games before it are returned, and the error once.
func TestStreamBreaks(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := NewReader(io.MultiReader(strings.NewReader("1. 32-28 * 1. 33-29 *"), iotest.ErrReader(broken)), rules.International)
	for range 2 {
		if g, err := r.Next(); err != nil || g.Ply() != 1 {
			t.Fatal(g, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the end", err)
	}
}

// TestEncodings: a file may mix encodings line by line, and a character may span two reads.
func TestEncodings(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("\uFEFF[White \"Fabre, Marius é\"]\n")
	b.WriteString("[Black \"Weiss, Isidore \xe9\"]\n")
	b.WriteString("{" + strings.Repeat("é", 70_001) + "}\n1. 32-28 *\n")
	g, err := NewReader(&b, rules.International).Next()
	if err != nil {
		t.Fatal(err)
	}
	if w, k := g.Tags.Get("White"), g.Tags.Get("Black"); w != "Fabre, Marius é" || k != "Weiss, Isidore é" {
		t.Errorf("players %q and %q", w, k)
	}
	found := false
	for _, n := range g.Notes {
		found = found || n.Text == strings.Repeat("é", 70_001)
	}
	if !found {
		t.Error("the comment is another")
	}
}

// TestLastGame: LastGame returns the last game of a file in either notation, and which other games
// cannot be read.
func TestLastGame(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		plies int // -1 for no game
		bad   bool
	}{
		"pdn":             {"1. 32-28 * 1. 33-29 18-23 *", 2, false},
		"a bad one":       {"1. 32-28 * 1. 1-50 * 1. 33-29 18-23 *", 2, true},
		"the last is bad": {"1. 32-28 * 1. 1-50 *", 1, true},
		"all are bad":     {"1. 1-50 *", -1, true},
		"manoury":         {"1. 32-28(18-23) 2. 33-29!(23x32)", 4, false},
		"empty":           {"", -1, false},
	} {
		file := filepath.Join(t.TempDir(), "games.pdn")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := LastGame(rules.International, file)
		plies := -1
		if g != nil {
			plies = g.Ply()
		}
		if plies != c.plies || (err != nil) != c.bad || err != nil && !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %d plies, %v", name, plies, err)
		}
		part := (*PartError)(nil)
		if errors.As(err, &part) != (c.bad && c.plies >= 0) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
