package notation

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"damier/rules"
)

// family calls f for every variant, and for every option that changes its moves or its first side.
func family(t *testing.T, f func(t *testing.T, v *rules.Variant)) {
	t.Helper()
	all := []struct{ name, options string }{
		{"turkish", "crown=at-once"}, {"german", "landing=halt"}, {"thai", "first=white"}, {"frisian", "kings=strict"},
		{"international", "equal=king-first,draws=three-kings"},
	}
	for _, name := range rules.Names() {
		all = append(all, struct{ name, options string }{name, ""})
	}
	for _, c := range all {
		o, err := rules.ParseOptions(c.options)
		if err != nil {
			t.Fatal(err)
		}
		v, err := rules.Lookup(c.name, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSpace(c.name+" "+c.options), func(t *testing.T) {
			t.Parallel()
			f(t, v)
		})
	}
}

// Every legal move of every variant can be read back from every form in which it can be written.
func TestFamilyMoveRoundTrip(t *testing.T) {
	family(t, func(t *testing.T, v *rules.Variant) {
		rng := rand.New(rand.NewPCG(11, 12))
		captures := 0
		for i := range 250 {
			p := randomPosition(rng, v, 3+i%7)
			legal := v.AppendMoves(nil, p)
			for _, m := range legal {
				texts := []string{FormatMove(v, p, m), FormatLong(v, p, m)}
				if v.Algebraic {
					texts = append(texts, strings.NewReplacer("-", "", ":", "", "x", "").Replace(texts[1]), strings.ToUpper(texts[1]))
				}
				texts = append(texts, coordinates(v, p, m))
				if m.IsCapture() {
					texts = append(texts, strings.ReplaceAll(texts[1], v.Capture, "×"))
				}
				for _, s := range texts {
					if got, err := ParseMove(v, p, s); err != nil || got != m {
						t.Fatalf("%s %q: %v, want %v: %v", v.FEN(p), s, got, m, err)
					}
				}
				got, err := ParseHub(v, p, FormatHub(v, m))
				if alike := sameSquares(legal, m); alike == 1 && (err != nil || got != m) {
					t.Fatalf("%s %q: %v, %v", v.FEN(p), FormatHub(v, m), got, err)
				}
				if m.IsCapture() {
					captures++
					if got, want := strings.Count(FormatLong(v, p, m), v.Capture), m.Captured().Len(); got != want {
						t.Fatalf("%s: long form %s, want %d steps", v.FEN(p), FormatLong(v, p, m), want)
					}
				}
			}
		}
		if captures < 50 && !v.FirstKingWins {
			t.Errorf("only %d captures were met", captures)
		}
	})
}

// coordinates writes the long form with coordinates, which all variants read.
func coordinates(v *rules.Variant, p rules.Position, m rules.Move) string {
	w := *v
	w.Algebraic = true
	return FormatLong(&w, p, m)
}

// sameSquares counts the moves with the same squares as m. There can be two where a crowning
// during the capture distinguishes moves.
func sameSquares(legal []rules.Move, m rules.Move) int {
	n := 0
	for _, k := range legal {
		if k.From == m.From && k.To == m.To && k.Captured() == m.Captured() {
			n++
		}
	}
	return n
}

// Two captures, of one piece and of four, join the same squares. Two squares are the long form of
// the first.
func TestOneOrFour(t *testing.T) {
	v := rules.Russian
	p, err := rules.ParseFEN(v, "W:W10,11:B7,8,K9,16,17,23")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"f6:h8": "11x4x8", "f6:h8<g7>": "11x4x8", "f6:h8<e7,g7,b6,b4>": "11x4x7x8x9x17"} {
		m, err := ParseMove(v, p, text)
		if got := FormatHub(v, m); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	var several *AmbiguousError
	if _, err := ParseHub(v, p, "11x4"); !errors.As(err, &several) {
		t.Errorf("Hub guesses: %v", err)
	}
	for _, m := range v.AppendMoves(nil, p) {
		if got, err := ParseMove(v, p, FormatMove(v, p, m)); err != nil || got != m {
			t.Errorf("%s: %v, want %v: %v", FormatMove(v, p, m), got, m, err)
		}
	}
}

// Explain returns a reason exactly when the move is not legal, in every variant.
func TestFamilyExplain(t *testing.T) {
	family(t, func(t *testing.T, v *rules.Variant) {
		rng := rand.New(rand.NewPCG(13, 14))
		n := rules.Square(v.Board.Squares())
		for i := range 6 {
			p := randomPosition(rng, v, 3+i%5)
			legal := map[[2]rules.Square]bool{}
			for _, m := range v.AppendMoves(nil, p) {
				legal[[2]rules.Square{m.From, m.To}] = true
			}
			for from := rules.Square(0); from <= n+1; from++ {
				for to := rules.Square(0); to <= n+1; to++ {
					if why := Explain(v, p, from, to); (why == "") != legal[[2]rules.Square{from, to}] {
						t.Fatalf("%s %d to %d: %q", v.FEN(p), from, to, why)
					}
				}
			}
		}
	})
}

// Games of every variant are written, read and written alike, in PDN and in Manoury's notation.
func TestFamilyGamesRoundTrip(t *testing.T) {
	family(t, func(t *testing.T, v *rules.Variant) {
		rng := rand.New(rand.NewPCG(15, 16))
		var games []*Game
		for i := range 20 {
			start := v.Start()
			if i%3 == 1 {
				start = randomPosition(rng, v, 8)
				if rules.Validate(v, start) != nil {
					continue
				}
			}
			g := randomGame(rng, v, start, 20+rng.IntN(200))
			if !g.Over() && i%2 == 0 {
				g.End(rules.Win(rules.Color(i/2%2)), rules.Resignation)
			}
			n := NewGame(g, Tags{{"Event", fmt.Sprint("game ", i)}, {"White", "A"}, {"GameType", "99"}, {"Variant", "other"}})
			for ply := rng.IntN(5); ply <= g.Ply(); ply += 1 + rng.IntN(30) {
				n.Notes = append(n.Notes, Note{Ply: ply, NAG: 1 + rng.IntN(140)}, Comment(ply, "good"))
			}
			games = append(games, n)
		}
		checkRewritten(t, v, games)

		var first, second bytes.Buffer
		for _, g := range games {
			if err := WriteManoury(&first, g); v.Algebraic {
				if err == nil {
					t.Fatal("coordinates in Manoury's notation")
				}
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
		again, err := ParseManoury(v, first.String())
		if err != nil || len(again) != len(games) {
			t.Fatalf("%d games, %v in\n%s", len(again), err, first.String())
		}
		for i, g := range again {
			if !slices.Equal(g.Moves(), games[i].Moves()) || !slices.Equal(g.Notes, games[i].Notes) {
				t.Fatalf("game %d differs:\n%s", i+1, first.String())
			}
			if err := WriteManoury(&second, g); err != nil {
				t.Fatal(err)
			}
		}
		if first.String() != second.String() {
			t.Fatalf("written twice:\n%s\n%s", first.String(), second.String())
		}
	})
}

// The tags at the beginning of each variant's games in a file.
func TestGameTypes(t *testing.T) {
	for _, c := range []struct{ variant, options, tags, move string }{
		{"international", "", `[Result "*"]|[GameType "20"]|[PlyCount "1"]`, "1. 31-26 *"},
		{"international", "draws=immediate", `[GameType "20"]|[VariantOptions "draws=immediate,equal=free"]|[PlyCount "1"]`, "1. 31-26 *"},
		{"english", "", `[GameType "21,B,8,8,N1,0"]|[PlyCount "1"]`, "1. 9-13 *"},
		{"italian", "", `[GameType "22,W,8,8,N2,1"]|[PlyCount "1"]`, "1. 21-17 *"},
		{"pool", "", `[GameType "23,B,8,8,N1,0"]|[PlyCount "1"]`, "1. 9-13 *"},
		{"spanish", "", `[GameType "24,W,8,8,N1,1"]|[PlyCount "1"]`, "1. 12-16 *"},
		{"russian", "", `[GameType "25,W,8,8,A0,0"]|[PlyCount "1"]`, "1. a3-b4 *"},
		{"brazilian", "", `[GameType "26,W,8,8,A0,0"]|[PlyCount "1"]`, "1. a3-b4 *"},
		{"canadian", "", `[GameType "27"]|[PlyCount "1"]`, "1. 43-37 *"},
		{"portuguese", "", `[GameType "28,W,8,8,N1,1"]|[PlyCount "1"]`, "1. 12-16 *"},
		{"czech", "", `[GameType "29,W,8,8,A0,0"]|[PlyCount "1"]`, "1. a3-b4 *"},
		{"turkish", "", `[GameType "30,W,8,8,A0,0"]|[PlyCount "1"]`, "1. a3-a4 *"},
		{"thai", "", `[GameType "31,B,8,8,N2,0"]|[PlyCount "1"]`, "1. 5-9 *"},
		{"thai", "first=white", `[GameType "31,W,8,8,N2,0"]|[VariantOptions "first=white"]|[PlyCount "1"]`, "1. 25-21 *"},
		{"frisian", "", `[GameType "40"]|[PlyCount "1"]`, "1. 31-26 *"},
		{"frysk", "", `[GameType "97"]|[PlyCount "1"]`, "1. 46-41 *"},
		{"breakthrough", "", `[GameType "96"]|[PlyCount "1"]`, "1. 31-26 *"},
		{"antidraughts", "", `[GameType "98"]|[PlyCount "1"]`, "1. 31-26 *"},
		{"german", "", `[Result "*"]|[Variant "german"]|[PlyCount "1"]`, "1. 21-17 *"},
		{"german", "landing=halt", `[Variant "german"]|[VariantOptions "landing=halt"]|[PlyCount "1"]`, "1. 21-17 *"},
		{"killer", "", `[Result "*"]|[Variant "killer"]|[PlyCount "1"]`, "1. 31-26 *"},
	} {
		o, err := rules.ParseOptions(c.options)
		if err != nil {
			t.Fatal(err)
		}
		v, err := rules.Lookup(c.variant, o)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		if err := g.Play(g.Legal()[0]); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := Write(&b, NewGame(g, nil)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{strings.ReplaceAll(c.tags, "|", "\n"), "\n" + c.move + "\n"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", v, want, b.String())
			}
		}
	}
}

// readOne reads the one game of a text.
func readOne(v *rules.Variant, text string) (*Game, error) {
	games, err := ParsePDN(v, text)
	if err != nil {
		return nil, err
	}
	if len(games) != 1 {
		return nil, fmt.Errorf("%d games", len(games))
	}
	return games[0], nil
}

// The same game with all the names that files use for squares.
func TestReadEitherNotation(t *testing.T) {
	for _, c := range []struct {
		v    *rules.Variant
		text string
		want string // the position at the end
	}{
		// Russian: coordinates, with any sign or none; numbers from the top left, as lidraughts
		// writes them, and from the bottom left, as the tag says.
		{rules.Russian, "1. c3-d4 d6-c5 2. b2-c3 f6-g5 *", "1"},
		{rules.Russian, "1. c3d4 d6c5 2. b2c3 f6g5 *", "1"},
		{rules.Russian, "1. C3-D4 D6-C5 2. B2-C3 F6-G5 *", "1"},
		{rules.Russian, `[GameType "25"] 1. 22-18 10-14 2. 25-22 11-16 *`, "1"},
		{rules.Russian, `[GameType "25,W,8,8,N0,0"] 1. 10-14 22-18 2. 5-10 23-20 *`, "1"},
		{rules.Russian, `[GameType "25,W,8,8,N1,0"] 1. 11-15 23-19 2. 8-11 22-17 *`, "1"},
		{rules.Russian, `[GameType "25,W,8,8,N3,0"] 1. 23-19 11-15 2. 28-23 10-13 *`, "1"},
		{rules.Russian, `[GameType "25,W,8,8,N0,0"] [FEN "W:W1-12:B21-32"] 1. 10-14 22-18 2. 5-10 23-20 *`, "1"},
		{rules.Russian, `[FEN "W:W21-32:B1-12"] 1. c3-d4 d6-c5 2. b2-c3 f6-g5 *`, "1"},
		{rules.Russian, `[FEN "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6"] 1. c3-d4 d6-c5 2. b2-c3 f6-g5`, "1"},
		// English: numbers from Black's side; coordinates from White's.
		{rules.English, "1. 11-15 22-18 2. 15x22 25x18 *", "2"},
		{rules.English, "1. 11:15 *", ""},
		{rules.English, `[GameType "21"] 1. 11-15 22-18 2. 15:22 25:18 *`, "2"},
		{rules.English, "1. f6-e5 c3-d4 2. e5xc3 b2xd4 *", "2"},
		{rules.English, `[GameType "21,W,8,8,A0,0"] 1. c3-d4 f6-e5`, "3"},
		// Spanish: numbers from White's side.
		{rules.Spanish, `[GameType "24,W,8,8,N1,1"] 1. 10-13 21-18 *`, "4"},
		{rules.Spanish, `[GameType "24,W,8,8,N2,1"] 1. 23-20 12-15 *`, "4"},
		{rules.Spanish, `[FEN "W:W1-12:B21-32"] 1. 10-13 21-18 *`, "4"},
		// Thai: a hyphen for a capture too.
		{rules.Thai, `[FEN "B:B14:W18,25"] 1. 14-23 25-22 *`, "5"},
		{rules.Thai, `[FEN "B:B14:W18,25"] 1. 14x23 25-22 *`, "5"},
	} {
		g, err := readOne(c.v, c.text)
		if c.want == "" {
			if !errors.Is(err, rules.ErrIllegalMove) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		want := map[string]string{
			"1": "W:W18,21,22,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,12,14,16",
			"2": "B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12",
			"3": "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15",
			"4": "W:W1,2,3,4,5,6,7,8,9,11,12,13:B18,22,23,24,25,26,27,28,29,30,31,32",
			"5": "B:W22:B23",
		}[c.want]
		if got := c.v.FEN(g.Position()); got != want {
			t.Errorf("%s: %s, want %s", c.text, got, want)
		}
	}
}

// Games of one variant given to another are refused with a reason.
func TestReadOtherVariant(t *testing.T) {
	for _, c := range []struct {
		v          *rules.Variant
		text, want string
	}{
		{rules.International, `[GameType "21"] 1. 11-15 *`, `GameType "21" is not international, which has 20`},
		{rules.International, `[GameType "x"] *`, `GameType "x" is not a number`},
		{rules.International, `[Variant "killer"] *`, `Variant "killer" is not international`},
		{rules.International, `[VariantOptions "draws=immediate,equal=free"] *`, "are not those of international[draws=fmjd,equal=free]"},
		{rules.Frisian, `[GameType "40"] [Variant "frysk"] *`, `Variant "frysk" is not frisian`},
		{rules.Killer, `[GameType "20"] *`, `GameType "20" is not killer, which has none`},
		{rules.Pool, `[GameType "23,B,8,8,A1,1"] *`, "is not the board of pool, which is 23,B,8,8,N1,0"},
		{rules.Russian, `[FEN "W:W31-50:B1-20"] *`, "off the board; its squares are 1 to 32"},
		{rules.English, "1. 11-15 23-19 2. 8-11 22-17 3. 11-8 *", "a man does not move backwards"},
		{rules.Turkish, "1. a3-b4 *", "pieces do not move along diagonals in turkish"},
		{rules.International, "1. 32-22 *", "pieces do not move along rows and columns in international"},
	} {
		if _, err := readOne(c.v, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.v.Name, c.text, err, c.want)
		}
	}
	for v, text := range map[*rules.Variant]string{
		rules.International: `[GameType "99"] [Variant "Standard"] 1. 32-28 *`,
		rules.Frysk:         `[GameType "97"] [Variant "Frysk!"] *`,
		rules.Breakthrough:  `[GameType "96"] 1. 32-28 *`,
		rules.Pool:          `[GameType "23,W,8,8,A0,0"] 1. c3-d4 *`,
	} {
		if _, err := readOne(v, text); err != nil {
			t.Errorf("%s %s: %v", v.Name, text, err)
		}
	}
}

// The error of a refused move names the rule that forbids it.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		v               *rules.Variant
		fen, move, want string
	}{
		{rules.International, "W:W27,36,39:B22,12,31,33", "36x27", "is occupied by a white man"},
		{rules.International, "W:W27,33:B22,12,29", "33x24", "must take 2, this takes 1: with 27"},
		{rules.International, "W:W27,33:B22,12,29", "27x18", "must take 2, this takes 1: with 27"},
		{rules.International, "W:WK46,33:B41,32,29", "33x24", "must take 3, this takes 1: with 46"},
		{rules.International, "B:W23,29,30,38,39:BK35", "35x25", "35 must take 4: to 34"},
		{rules.English, "B:W22,18,10:B15", "15x6", "a man does not capture backwards in english"},
		{rules.English, "B:W31:BK3", "3-17", "a king moves one step in english"},
		{rules.English, "B:W14:BK3,5", "3x17", "a king goes one step only in english"},
		{rules.English, "B:W14,30:B10", "10-15", "10 must take 1: to 17"},
		{rules.Italian, "W:W23,32:BK19,1", "23x14", "a man does not capture a king in italian"},
		{rules.Russian, "W:Wa1,f4:Be5,c7", "a1-b2", "must take 2: with f4"},
		{rules.Russian, "W:Wf4:Be5,c7", "f4:d6", "this takes 1: with f4"},
		{rules.Czech, "W:WKa1,g3:Bb2,f4", "g3xe5", "a king takes before a man: with a1"},
		{rules.Thai, "W:WKa1:Bb2", "29-15", "a king lands directly behind the piece that it captures in thai"},
		{rules.Frisian, "W:W50,K49:B1:+0+349", "49-44", "the white king on 49 has moved 3 times in a row"},
		{rules.Turkish, "W:Wd4:Be5", "d4xf6", "pieces do not capture along diagonals in turkish"},
		{rules.International, "W:W32:B22", "32x12", "pieces do not capture along rows and columns in international"},
		{rules.Frisian, "W:W33,K46:B28,K41,22", "33x22", "is occupied"},
		{rules.Breakthrough, "B:WK1:B20", "20-24", "the game is over: there is a king"},
		{rules.Killer, "W:WK46:BK41", "46-32", "a king that captures a king last stops directly behind it in killer"},
		{rules.Spanish, "B:W1,21,22,K12:B29,K15,K18,K26", "18x31", "must take 1 king, this takes 0: with 15"},
		{rules.Italian, "B:W11,12,32,K21:B4,K7,K15,K18", "15x6", "must take 1 king, this takes 0: with 18"},
		{rules.Italian, "W:W10,K4,K11,K25:B6,K23", "10x3", "a king takes before a man: with 11"},
		{rules.Frisian, "W:W36,K1,K8,K22:B19,K11,K49", "8x35", "must take the most, 1 king and 1 man, this takes 1 man: with 1"},
	} {
		fen := c.fen
		if c.v == rules.Thai {
			fen = "W:WK29:B25"
		}
		p, err := rules.ParseDiagram(c.v, fen)
		if err != nil {
			t.Errorf("%s: %v", c.fen, err)
			continue
		}
		if _, err := ParseMove(c.v, p, c.move); !errors.Is(err, rules.ErrIllegalMove) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: %v, want %q", c.v.Name, c.fen, c.move, err, c.want)
		}
	}
}

func FuzzFamilyMove(f *testing.F) {
	for i, s := range []string{"c3-d4", "c3:e5:g7", "a1a8", "22x15", "14-23-30", "h8", "l12-a1"} {
		f.Add(uint8(i), s, uint64(i))
	}
	all := rules.Names()
	f.Fuzz(func(t *testing.T, which uint8, text string, seed uint64) {
		v, err := rules.Lookup(all[int(which)%len(all)], nil)
		if err != nil {
			t.Fatal(err)
		}
		p := randomPosition(rand.New(rand.NewPCG(seed, 1)), v, 6)
		m, err := ParseMove(v, p, text)
		if err != nil {
			return
		}
		if n, err := ParseMove(v, p, FormatMove(v, p, m)); err != nil || n != m {
			t.Fatalf("%s %s: %q is %v, written and read %v: %v", v.Name, v.FEN(p), text, m, n, err)
		}
	})
}

func FuzzFamilyPDN(f *testing.F) {
	for i, s := range []string{
		"1. c3-d4 d6-c5 *", `[GameType "25,W,8,8,N0,0"] [FEN "W:W1-12:B21-32"] 1. 10-14 *`, "1. 32-28(18-23) 2. 38-32!(12-18) 1-1",
		`[Variant "frysk"] *`, `[FEN "W:WK49,50:B1:+0+349"] 1. 50-44 *`, "(38-33)/(13-18)",
	} {
		f.Add(uint8(3*i), i%2 == 0, []byte(s))
	}
	all := rules.Names()
	f.Fuzz(func(t *testing.T, which uint8, manoury bool, text []byte) {
		if bytes.Count(text, []byte("K")) > 8 || bytes.Contains(text, []byte("-")) && bytes.Contains(text, []byte("K")) {
			return // capture trees of many kings take minutes to walk
		}
		v, err := rules.Lookup(all[int(which)%len(all)], nil)
		if err != nil {
			t.Fatal(err)
		}
		read := ParsePDN
		if manoury {
			read = ParseManoury
		}
		games, _ := read(v, string(text))
		checkRewritten(t, v, games)
	})
}
