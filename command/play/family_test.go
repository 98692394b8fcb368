package play

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/net/nnue"
	"damier/notation"
	"damier/rules"
)

// talk runs a session that types the lines, and returns what it printed.
func talk(t *testing.T, lines []string, args ...string) string {
	t.Helper()
	t.Setenv("LC_ALL", "C")
	c := newCommand()
	var out bytes.Buffer
	c.SetIn(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	c.SetOut(&out)
	c.SetArgs(args)
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// dialogues are short games in the notation of each variant's players. The last line typed is an
// illegal move and said is the message about it; begins is the first row of the board and the side
// to move.
var dialogues = []struct {
	variant, begins, turn string
	moves                 string
	pdn                   string // as the session saves it
	fen                   string // at the end
	refused, said         string
}{
	{
		"international", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"32-28 19-23 28x19 14x23", "1. 32-28 19-23 2. 28x19 14x23 *",
		"W:W31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,15,16,17,18,20,23",
		"37-32-", "a square number is missing; write 32-28 or 19x30",
	}, {
		"frisian", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"32-28 18-23 28-22 23x21", "1. 32-28 18-23 2. 28-22 23x21 *",
		"W:W31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21",
		"31-21", "21 is occupied by a black man",
	}, {
		"frysk", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"46-41 5-10", "1. 46-41 5-10 *",
		"W:W41,47,48,49,50:B1,2,3,4,10",
		"41-46", "a man does not move backwards; the white man on 41 goes to 36 or 37",
	}, {
		"killer", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"32-28 19-23 28x19 14x23", "1. 32-28 19-23 2. 28x19 14x23 *",
		"W:W31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,15,16,17,18,20,23",
		"33-24", "the white man on 33 goes to 28 or 29",
	}, {
		"breakthrough", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"33-29 17-21", "1. 33-29 17-21 *",
		"W:W29,31,32,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,18,19,20,21",
		"17-22", "no piece on 17",
	}, {
		"antidraughts", "      b1        b2        b3        b4        b5  ", "White to move (move 1).",
		"32-28 19-23", "1. 32-28 19-23 *",
		"W:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,23",
		"37-32", "must take 1: with 28",
	}, {
		"canadian", "      b1        b2        b3        b4        b5        b6  ", "White to move (move 1).",
		"45-39 27-33 39-34 28x39", "1. 45-39 27-33 2. 39-34 28x39 *",
		"W:W43,44,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,29,30,33,39",
		"72-73", "73 is no square, the board has 1 to 72",
	}, {
		"english", "      b1        b2        b3        b4  ", "Black to move (move 1).",
		"11-15 23-19 8-11 22-17 9-13 17-14 10x17 19x10", "1. 11-15 23-19 2. 8-11 22-17 3. 9-13 17-14 4. 10x17 19x10 *",
		"B:W10,21,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,11,12,13,17",
		"6-9", "6 must take 1: to 15",
	}, {
		"pool", "      b1        b2        b3        b4  ", "Black to move (move 1).",
		"11-15 22-18 15x22 25x18", "1. 11-15 22-18 2. 15x22 25x18 *",
		"B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12",
		"9-5", "5 is occupied by a black man",
	}, {
		"german", " b1        b2        b3        b4       ", "White to move (move 1).",
		"22-18 11-15 18-14 10x19", "1. 22-18 11-15 2. 18-14 10x19 *",
		"W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,12,15,19",
		"24-20", "must take 1: with 23",
	}, {
		"italian", " b1        b2        b3        b4       ", "White to move (move 1).",
		"22-18 12-15 18-14 10x19", "1. 22-18 12-15 2. 18-14 10x19 *",
		"W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,15,19",
		"26-22", "must take 1: with 23",
	}, {
		"spanish", " b32       b31       b30       b29      ", "White to move (move 1).",
		"11-15 22-18 10-14 18x11 7x14", "1. 11-15 22-18 2. 10-14 18x11 3. 7x14 *",
		"B:W1,2,3,4,5,6,8,9,12,14,15:B21,23,24,25,26,27,28,29,30,31,32",
		"22-18", "no piece on 22",
	}, {
		"portuguese", " b32       b31       b30       b29      ", "White to move (move 1).",
		"10-13 21-18", "1. 10-13 21-18 *",
		"W:W1,2,3,4,5,6,7,8,9,11,12,13:B18,22,23,24,25,26,27,28,29,30,31,32",
		"13-33", "33 is no square, the board has 1 to 32",
	}, {
		"russian", "      bb8       bd8       bf8       bh8 ", "White to move (move 1).",
		"c3-d4 d6-c5 b2-c3 f6-g5 c3-b4 g5-h4 b4:d6 e7:c5", "1. c3-d4 d6-c5 2. b2-c3 f6-g5 3. c3-b4 g5-h4 4. b4:d6 e7:c5 *",
		"W:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,8,9,12,14,20",
		"d4-c5", "c5 is occupied by a black man",
	}, {
		"brazilian", "      bb8       bd8       bf8       bh8 ", "White to move (move 1).",
		"c3-d4 d6-c5 b2-c3 f6-g5 c3-b4 g5-h4 b4xd6", "1. c3-d4 d6-c5 2. b2-c3 f6-g5 3. c3-b4 g5-h4 4. b4xd6 *",
		"B:W10,18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,12,20",
		"e7xc5", "must take 2, this takes 1: with c7",
	}, {
		"czech", "      bb8       bd8       bf8       bh8 ", "White to move (move 1).",
		"c3-d4 b6-c5 d4xb6 a7xc5", "1. c3-d4 b6-c5 2. d4xb6 a7xc5 *",
		"W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,6,7,8,10,11,12,14",
		"e3-e5", "pieces do not move along rows and columns in czech",
	}, {
		"turkish", " .a8  .b8  .c8  .d8  .e8  .f8  .g8  .h8 ", "White to move (move 1).",
		"a3-a4 h6-h5 a4-a5 a6xa4 b3-b4 a4xc4", "1. a3-a4 h6-h5 2. a4-a5 a6xa4 3. b3-b4 a4xc4 *",
		"W:W43,44,45,46,47,48,49,50,51,52,53,54,55,56:B9,10,11,12,13,14,15,16,18,19,20,21,22,23,32,35",
		"d3-d4", "must take 1: with c3",
	}, {
		"thai", "      b1        b2        b3        b4  ", "Black to move (move 1).",
		"7-11 26-22 11-15 25-21 15-18 22-15", "1. 7-11 26-22 2. 11-15 25-21 3. 15-18 22-15 *",
		"B:W15,21,27,28,29,30,31,32:B1,2,3,4,5,6,8",
		"5-14", "the black man on 5 goes to 9",
	},
}

func TestDialogues(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range dialogues {
		seen[d.variant] = true
		t.Run(d.variant, func(t *testing.T) {
			dir := t.TempDir()
			pdn := filepath.Join(dir, "game.pdn")
			moves := strings.Fields(d.moves)
			lines := append(append([]string{}, moves...), "fen", d.refused, "undo", moves[len(moves)-1], "flip", "board")
			out := talk(t, lines, "--variant", d.variant, "--side", "both", "--player", "random", "--pdn", pdn)
			for _, want := range []string{
				"random, " + d.variant + ". You play both sides; type help for help.\n" + d.begins + "\n", "\n" + d.turn + "\n", "\n" + d.fen + "\n", d.said,
			} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			text, err := os.ReadFile(pdn)
			if err != nil || !strings.Contains(string(text), "\n"+d.pdn+"\n") {
				t.Errorf("%v, no %q in\n%s", err, d.pdn, text)
			}

			// The saved game is loaded again and continues.
			if out := talk(t, []string{"load " + pdn, "fen", "side none"}, "--variant", d.variant, "--side", "both", "--player", "alphabeta:depth=1"); !strings.Contains(out, "\n"+d.fen+"\n") || strings.Count(out, "alphabeta-1 plays ") < 3 {
				t.Errorf("loaded:\n%s", out[:min(len(out), 3000)])
			}
		})
	}
	for _, name := range rules.Names() {
		if !seen[name] {
			t.Errorf("no dialogue in %s", name)
		}
	}
}

// The engine plays games of every variant against itself, and the saved files can be read again.
func TestWatchedGames(t *testing.T) {
	for _, v := range rules.Names() {
		for _, player := range []string{"alphabeta:depth=1", "random"} {
			pdn := filepath.Join(t.TempDir(), "game.pdn")
			out := talk(t, nil, "--variant", v, "--side", "none", "--player", player, "--pdn", pdn)
			variant, err := rules.Lookup(v, nil)
			if err != nil {
				t.Fatal(err)
			}
			games, err := notation.ReadFile(variant, pdn)
			if err != nil || len(games) != 1 || !games[0].Over() {
				t.Errorf("%s, %s: %d games, %v", v, player, len(games), err)
				continue
			}
			_, reason := games[0].Outcome()
			if want := ": " + string(reason) + ".\n"; !strings.HasSuffix(out, want) {
				t.Errorf("%s, %s: ends with %q, not %q", v, player, out[max(0, len(out)-60):], want)
			}
		}
	}
}

// Without a model for the variant and its options the alpha-beta search plays, and the session
// says so.
func TestNoModel(t *testing.T) {
	out := talk(t, []string{"hint"}, "--options", "draws=immediate", "--side", "black", "--time", "10ms", "--visits", "0")
	for _, want := range []string{
		"No trained model for international (draws=immediate) comes with the program, so alphabeta-1 plays, 10ms a move; --model FILE plays yours, --player another opponent.\n",
		"alphabeta-1 would play ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = talk(t, []string{"visits 4"}, "--options", "draws=immediate", "--visits", "5", "--side", "both")
	for _, want := range []string{"No trained model for international (draws=immediate) comes", "alphabeta-1 does not count --visits.", "counts no visits"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A model of any variant plays that variant in the terminal and by Hub, and is refused for any
// other.
func TestModels(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := nnue.New(v, 32, 1)
		file := filepath.Join(t.TempDir(), "small.nnue")
		if err := m.SaveFile(file); err != nil {
			t.Fatal(err)
		}
		text := v.FEN(v.Start())
		out := talk(t, []string{"hint", "go", "fen " + text, "draw"}, "--variant", name, "--model", file, "--visits", "8", "--side", v.First.String())
		for _, want := range []string{"small, " + name + ". You play " + v.First.String(), "small would play ", "small plays "} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", name, want, out)
			}
		}
		out = talk(t, []string{"init", "pos start", "level nodes=8", "go think"}, "hub", "--variant", name, "--model", file)
		if !strings.Contains(out, "ready\n") || strings.Contains(out, "error") {
			t.Errorf("%s: %s", name, out)
		}
		asked := rules.Names()[0]
		if name == asked {
			asked = rules.Names()[1]
		}
		other := newCommand()
		other.SetArgs([]string{"--variant", asked, "--model", file})
		if err := other.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "and "+asked+" is asked for") {
			t.Errorf("%s played as another game: %v", name, err)
		}
	}
}

func TestInformal(t *testing.T) {
	for _, c := range []struct {
		name, args, lines string
		want              []string
	}{
		{
			"refused without the flag", "--fen W:W28,40:B23,5", "40-34|force|huff 28",
			[]string{"illegal move 40-34: must take 1: with 28", "Captures are compulsory; --informal plays otherwise."},
		}, {
			"forced", "--informal --fen W:W28,40:B23,5", "40-34|fen|force|fen|undo|force|huff 28",
			[]string{
				"40-34: no capture was made. Black may type force, or let it stand by playing on.", "B:W28,34:B5,23",
				"Taken back: must take 1: 28x19.", "W:W28,40:B5,23", "There is no move to take back.", "There is nothing to object to.",
			},
		}, {
			"let stand by playing on", "--informal --fen W:W28,40:B23,5", "40-34|23x32|fen|force|undo|undo|fen",
			[]string{"W:W34:B5,32", "There is nothing to object to.", "W:W28,40:B5,23"},
		}, {
			"a lapse upon a lapse, taken back", "--informal --fen W:W28,40:B23,5", "40-34|5-10|fen|undo|undo|fen",
			[]string{"5-10: no capture was made. White may type force", "W:W28,34:B10,23", "W:W28,40:B5,23"},
		}, {
			"huffed in german", "--informal --variant german --fen W:W22,25:B18,1", "25-21|huff 3|huff|fen",
			[]string{"Black may type force or huff 22, or let it stand", "the piece on 3 may not be huffed; it is 22", "The piece on 22 is huffed.", "B:W21:B1,18"},
		}, {
			"cut short", "--informal --fen W:W27,50:B22,12,5", "27x18|fen|force|27x7",
			[]string{"27x18: the capture was cut short. Black may type force", "Taken back: must take 2: 27x7."},
		}, {
			"legal moves are as ever", "--informal --fen W:W28,40:B23,5", "28x19|40-35|40-45|3",
			[]string{"not your piece"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(strings.Fields(c.args), "--side", "both", "--player", "random")
			out := talk(t, strings.Split(c.lines, "|"), args...)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// The engine answers a lapse of its opponent in the way from which it expects most, and the file
// records all of it.
func TestInformalEngine(t *testing.T) {
	for _, c := range []struct {
		variant, fen, move string
		want, note, answer string
	}{
		{"international", "W:W28,40:B23,5", "40-34", "40-34: no capture was made. alphabeta-1 lets it stand.", "{40-34: no capture was made, let stand}", "1... 23x32 *"},
		{"international", "W:W28,29,40:B23,18,14,10,5", "29-24", "29-24: no capture was made. alphabeta-1 forces: must take 1: 28x19.", "", ""},
		{"german", "W:W22,25,27,32:B18,1", "32-28", "32-28: no capture was made. alphabeta-1 huffs the piece on 22.", "{32-28: no capture was made, huffed 22}", "1... "},
	} {
		pdn := filepath.Join(t.TempDir(), "game.pdn")
		out := talk(t, []string{c.move, "quit"}, "--informal", "--variant", c.variant, "--fen", c.fen, "--player", "alphabeta:depth=4", "--pdn", pdn)
		if !strings.Contains(out, c.want) {
			t.Errorf("no %q in\n%s", c.want, out)
		}
		text, err := os.ReadFile(pdn)
		if c.note == "" {
			if err == nil {
				t.Errorf("%s: nothing was played, saved is\n%s", c.move, text)
			}
			continue
		}
		if !strings.Contains(string(text), c.note) || !strings.Contains(string(text), c.answer) {
			t.Errorf("no %q and %q in\n%s", c.note, c.answer, text)
		}
	}
}

func TestManoury(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "game.txt"), filepath.Join(dir, "other.txt")
	if err := os.WriteFile(other, []byte("32-28!(18-23) 2. (38-32)/(12-18)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := talk(t, []string{"32-28", "18-23", "manoury", "manoury " + file, "new", "load " + file, "fen", "load " + other, "fen", "load", "load " + dir},
		"--side", "both", "--player", "random")
	for _, want := range []string{
		"\n1. 32-28(18-23) *\n", "Saved to " + file + ".",
		"\nW:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,23\n",
		"\nW:W28,31,32,33,34,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,13,14,15,16,17,18,19,20,23\n",
		"load needs a file name", "loading a game: read " + dir,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := talk(t, []string{"c3-d4", "manoury"}, "--variant", "russian", "--side", "both", "--player", "random"); !strings.Contains(out, "games of russian are written with coordinates, and Manoury's notation has numbers") {
		t.Error(out)
	}
}
