package notation

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// readAll reads a file to its end and returns what the reader understood: the games as the writer
// writes them, with their outcome, and the errors.
func readAll(t testing.TB, v *rules.Variant, text []byte) (shown string, games []*Game) {
	t.Helper()
	r := NewReader(bytes.NewReader(text), v)
	var b strings.Builder
	for n := 0; ; n++ {
		if n > len(text) {
			t.Fatal("more games than bytes")
		}
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return b.String(), games
		}
		if err != nil {
			var place *ParseError
			if !errors.As(err, &place) || place.Game != n+1 {
				t.Fatalf("an error without its place: %v", err)
			}
			fmt.Fprintf(&b, "%% error: %v\n\n", err)
			continue
		}
		games = append(games, g)
		outcome, reason := g.Outcome()
		fmt.Fprintf(&b, "%% outcome %v, %q\n", outcome, reason)
		if err := Write(&b, g); err != nil {
			t.Fatal(err)
		}
	}
}

// variantOf returns the variant of a test file, whose name its own begins with, as in
// russian_signs.pdn; else the game is international.
func variantOf(t testing.TB, file string) *rules.Variant {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(file), "_")
	if !slices.Contains(rules.Names(), name) {
		return v
	}
	found, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The name of each file says what it shows. Its golden file holds what the reader understood.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/pdn/*.pdn")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".pdn"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			v := variantOf(t, name)
			got, games := readAll(t, v, text)
			golden := strings.TrimSuffix(name, ".pdn") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			checkRewritten(t, v, games)
		})
	}
}

// checkRewritten writes games and reads them again: they must be the same, and be written the
// same.
func checkRewritten(t testing.TB, v *rules.Variant, games []*Game) {
	t.Helper()
	var first, second bytes.Buffer
	if err := writeAll(&first, games); err != nil {
		t.Fatal(err)
	}
	again, err := ParsePDN(v, first.String())
	if err != nil {
		t.Fatalf("%v in what was written:\n%s", err, first.String())
	}
	if len(again) != len(games) {
		t.Fatalf("%d games, %d were written:\n%s", len(again), len(games), first.String())
	}
	for i, g := range games {
		h := again[i]
		go1, gr1 := g.Outcome()
		go2, gr2 := h.Outcome()
		switch {
		case g.Start() != h.Start() && g.Start().Quiet == 0:
			t.Fatalf("game %d begins at %s, not %s", i+1, v.FEN(h.Start()), v.FEN(g.Start()))
		case !slices.Equal(g.Moves(), h.Moves()):
			t.Fatalf("game %d: moves differ:\n%s", i+1, first.String())
		case go1 != go2 || gr1 != gr2:
			t.Fatalf("game %d: %v %q, was %v %q:\n%s", i+1, go2, gr2, go1, gr1, first.String())
		}
		if d := cmp.Diff(g.Notes, h.Notes); d != "" {
			t.Fatalf("game %d: notes: -first +second\n%s", i+1, d)
		}
		if !reflect.DeepEqual(g.Variations, h.Variations) {
			t.Fatalf("game %d: variations %v, were %v:\n%s", i+1, h.Variations, g.Variations, first.String())
		}
	}
	if err := writeAll(&second, again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first.String(), second.String()); d != "" {
		t.Fatalf("written twice: -first +second\n%s", d)
	}
}

// randomGame plays random moves up to a number of plies.
func randomGame(rng *rand.Rand, v *rules.Variant, start rules.Position, plies int) *rules.Game {
	g := rules.NewGameFrom(v, start)
	for !g.Over() && g.Ply() < plies {
		legal := g.Legal()
		if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
			panic(err)
		}
	}
	return g
}

func TestRandomGamesRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var games []*Game
	for i := range 200 {
		start := v.Start()
		if i%2 == 1 {
			start = randomPosition(rng, v, 10)
			if rules.Validate(v, start) != nil {
				continue
			}
		}
		g := randomGame(rng, v, start, 20+rng.IntN(400))
		if !g.Over() && i%3 == 0 {
			g.End(rules.Win(rules.Color(i%2)), rules.Resignation)
		}
		n := NewGame(g, Tags{
			{"Event", fmt.Sprint("game ", i)}, {"White", `a "b" \c`}, {"Black", ""}, {"WhiteType", "program"},
			{"Seed", fmt.Sprint(rng.Uint64())}, {"Comment", "two\nlines"},
		})
		for ply := rng.IntN(5); ply <= g.Ply(); ply += 1 + rng.IntN(40) {
			n.Notes = append(n.Notes, Note{Ply: ply, NAG: 1 + rng.IntN(140)}, Comment(ply, strings.Repeat("[%eval 0.35] ", 1+rng.IntN(9))+"end"))
		}
		games = append(games, n)
	}
	checkRewritten(t, v, games)
}

// The writer obeys PDN 3.0 exactly: order of tags, result code, terminator.
func TestWriteStrict(t *testing.T) {
	g := rules.NewGame(v)
	for _, text := range []string{"32-28", "19-23", "28x19", "14x23"} {
		m, err := ParseMove(v, g.Position(), text)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	g.End(rules.WhiteWins, rules.Resignation)
	game := NewGame(g, Tags{{"BlackType", "human"}, {"Black", "B"}, {"Result", "0-2"}, {"Seed", "1"}, {"WhiteType", "program"}, {"White", "A"}})
	game.Notes = []Note{Comment(1, "a } brace"), {Ply: 2, NAG: 2}}
	const want = `[Event "?"]
[Site "?"]
[Date "?"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "2-0"]
[GameType "20"]
[WhiteType "program"]
[BlackType "human"]
[PlyCount "4"]
[Termination "resignation"]
[Seed "1"]

1. 32-28 {a ) brace} 19-23 $2 2. 28x19 14x23 2-0

`
	var b strings.Builder
	if err := Write(&b, game); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	game.Tags.Set("no name", "x")
	if err := Write(&b, game); err == nil {
		t.Error("a tag name with a blank was written")
	}
}

// The moves end with the result of the tag; a game that ends with "*", as older files do, is read
// as the same game.
func TestResultEndsGame(t *testing.T) {
	for _, v := range []*rules.Variant{rules.International, rules.English} {
		for r := Unknown; r <= BothLose; r++ {
			g := rules.NewGame(v)
			if err := g.Play(g.Legal()[0]); err != nil {
				t.Fatal(err)
			}
			game := NewGame(g, nil)
			game.Result = r
			var b strings.Builder
			if err := Write(&b, game); err != nil {
				t.Fatal(err)
			}
			end := " " + r.Text(v) + "\n\n"
			body, found := strings.CutSuffix(b.String(), end)
			if !found {
				t.Fatalf("%s, %s: no %q at the end of\n%s", v, r, end, b.String())
			}
			for _, text := range []string{b.String(), body + " *\n\n", body + "\n"} {
				if again, err := readOne(v, text); err != nil || again.Result != r || again.Ply() != 1 {
					t.Errorf("%s, %s is read as %v, %v:\n%s", v, r, again, err, text)
				}
			}
		}
	}
}

func TestWriteReportsFailure(t *testing.T) {
	full := errors.New("disk full")
	if err := writeAll(failing{full}, []*Game{NewGame(rules.NewGame(v), nil)}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestReadFile(t *testing.T) {
	_, err := ReadFile(v, "testdata/pdn/error_illegal_move.pdn")
	if want := "error_illegal_move.pdn: line 3: game 1, ply 3: illegal move 37-32: must take 1: with 28"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := ReadFile(v, "testdata/none.pdn"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	games, err := ReadFile(v, "testdata/pdn/program_game.pdn")
	if err != nil || len(games) != 1 || games[0].Tags.Get("White") != "net-0012" || games[0].Ply() != 4 {
		t.Errorf("%v, %v", games, err)
	}
}

func FuzzPDN(f *testing.F) {
	files, err := filepath.Glob("testdata/pdn/*.pdn")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Count(text, []byte("K")) > 12 || bytes.Contains(text, []byte("K1-")) {
			return // capture trees of many kings take minutes to walk
		}
		_, games := readAll(t, v, text)
		checkRewritten(t, v, games)
	})
}

// In a text with bad games the good ones are read, and the error names the bad ones. Comments
// after the last result are not a game. Text that only looks like Manoury's notation is read as
// PDN.
func TestParse(t *testing.T) {
	v := rules.International
	for _, x := range []struct {
		text  string
		games int
		err   string
	}{
		{"1. 32-28 18-23 *", 1, ""},
		{"1. 32-28 (18-23) *", 1, ""},
		{"{above} 1. 32-28 18-23 2-0 {Black resigns}\n", 1, ""},
		{"[Event \"a\"]\n1. 32-28 18-23 2-0 ; the end\n\n{more}", 1, ""},
		{"{nothing}", 0, ""},
		{"", 0, ""},
		{"1. 32-28 18-23 2. 37-32 (38-32) 2... 12-18 *", 1, ""},
		{"1. 32-27 18-23 * 1. 32-28 * 1. 50-11 *", 2, "1 of 3 games cannot be read: line 1: game 3, ply 1: "},
		{"1. 32-28 32-28 *", 0, "line 1: game 1, ply 2: "},
		{"1. 32-28 (18-23) 2. 1-2 (1-2) *", 0, "line 1: game 1, ply 3: "},
	} {
		games, err := Parse(v, x.text)
		if len(games) != x.games || (err == nil) != (x.err == "") || err != nil && !strings.HasPrefix(err.Error(), x.err) {
			t.Errorf("%q: %d games, %v; want %d, %q", x.text, len(games), err, x.games, x.err)
		}
	}
	games, err := Parse(v, "{above} [Event \"a\"] {below} 1. 32-28 18-23 2-0 {Black resigns}")
	if err != nil || len(games) != 1 || len(games[0].Notes) != 2 || games[0].Notes[0].Text != "above" || games[0].Notes[1].Text != "below" {
		t.Errorf("comments: %+v, %v", games, err)
	}
}

// writeAll writes games one after another.
func writeAll(w io.Writer, games []*Game) error {
	b := bufio.NewWriter(w)
	for i, g := range games {
		if err := Write(b, g); err != nil {
			return fmt.Errorf("game %d: %w", i+1, err)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing PDN: %w", err)
	}
	return nil
}
