package dxp

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"damier/rules"
)

const blanks = "                                "

func named(name string) string { return (name + blanks)[:maxName] }

func position(t testing.TB, fen string) *rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(rules.International, fen)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// The moves are the examples of the specification; the rest follows its tables byte by byte.
func TestMessages(t *testing.T) {
	for text, want := range map[string]Message{
		"M0012061100":         Move{Seconds: 12, From: 6, To: 11},
		"M001205250422122320": Move{Seconds: 12, From: 5, To: 25, Captured: []rules.Square{22, 12, 23, 20}},
		"M9999010100":         Move{Seconds: 9999, From: 1, To: 1},
		"R01" + named("Program") + "W005000A": GameReq{
			Version: 1, Name: "Program", Follower: rules.White, Time: 5 * time.Minute},
		"R01" + named("A Program of 32 characters, here") + "Z120075A": GameReq{
			Version: 1, Name: "A Program of 32 characters, here", Follower: rules.Black, Time: 2 * time.Hour, Moves: 75},
		"R01" + named("X") + "Z0.5000BWeeeezeeeeeeeeeZeeeeeeeeeeeeeeeWeeeeeeeeeeweeeeeeee": GameReq{
			Version: 1, Name: "X", Follower: rules.Black, Time: 30 * time.Second, Start: position(t, "W:WK31,42:B5,K15")},
		"A" + named("Other") + "0": GameAcc{"Other", Accepted},
		"A" + named("") + "3":      GameAcc{"", NoGames},
		"E00":                      GameEnd{},
		"E11":                      GameEnd{ILose, true},
		"E20":                      GameEnd{Drawn, false},
		"E30":                      GameEnd{IWin, false},
		"Chello, world":            Chat("hello, world"),
		"B007W":                    BackReq{7, rules.White},
		"B123Z":                    BackReq{123, rules.Black},
		"K0":                       BackAcc{BackAccepted},
		"K2":                       BackAcc{BackRefused},
	} {
		got, err := Parse([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		if back := string(want.append(nil)); back != text {
			t.Errorf("%+v is written %q, want %q", want, back, text)
		}
	}
}

// Messages that we read but never write.
func TestLiberal(t *testing.T) {
	for text, want := range map[string]Message{
		"R01" + named("Scan 3.1") + "W.05000A":      GameReq{Version: 1, Name: "Scan 3.1", Time: 3 * time.Second},
		"R01" + named(" two blanks ") + "W  5000A":  GameReq{Version: 1, Name: "two blanks", Time: 5 * time.Minute},
		"R01" + named("tail") + "W000000Aand more":  GameReq{Version: 1, Name: "tail"},
		"R02" + named("later version") + "W005000A": GameReq{Version: 2, Name: "later version", Time: 5 * time.Minute},
		"A" + named("tail") + "2and more":           GameAcc{"tail", NotThisGame},
		"C\xe9\x01":                                 Chat("??"),
		"C":                                         Chat(""),
	} {
		if got, err := Parse([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	long := Chat(strings.Repeat("é", 300))
	if text := long.append(nil); len(text) != MaxMessage || bytes.Count(text, []byte("?")) != MaxMessage-1 {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	if got := string(GameAcc{Name: "\x00 Zoë " + blanks + "x"}.append(nil)); got != "A"+named("? Zo?")+"0" {
		t.Errorf("%q", got)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "an empty message",
		"Z":                                 "no kind of message begins so",
		"M":                                 "time is missing at byte 1",
		"M00120611":                         "number of captures is missing",
		"M0012061101":                       "captured square is missing",
		"M0012065100":                       `destination "51" is not a number from 1 to 50`,
		"M0012000100":                       `origin "00" is not a number from 1 to 50`,
		"M001201022101":                     `number of captures "21"`,
		"M-012061100":                       `time "-012"`,
		"M+012061100":                       `time "+012"`,
		"E":                                 "reason is missing",
		"E40":                               `reason "4" is not a number from 0 to 3`,
		"E2":                                "stop code is missing",
		"B000W":                             `move number "000"`,
		"B001B":                             `side to move "B" is neither W nor Z`,
		"K9":                                `answer "9"`,
		"A0":                                "name is missing",
		"R01short":                          "name is missing",
		"R01" + named("x") + "W1e3000A":     `thinking time "1e3"`,
		"R01" + named("x") + "W-05000A":     `thinking time "-05"`,
		"R01" + named("x") + "WNaN000A":     `thinking time "NaN"`,
		"R01" + named("x") + "WInf000A":     `thinking time "Inf"`,
		"R01" + named("x") + "W005000C":     `kind of start "C"`,
		"R01" + named("x") + "W005000BWeee": "position is missing",
		"R01" + named("x") + "W005000BW" + strings.Repeat("e", 49) + "b": `square 50 "b"`,
	} {
		if got, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
}

func TestFormatTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "000", time.Minute: "001", 999 * time.Minute: "999", 90 * time.Second: "1.5", 30 * time.Second: "0.5", 6 * time.Second: "0.1",
		3 * time.Second: ".05", 600 * time.Millisecond: ".01", 57 * time.Second: ".95",
	} {
		if got, err := FormatTime(d); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", d, got, err, want)
		}
	}
	for _, d := range []time.Duration{-time.Minute, time.Millisecond, 1000 * time.Minute, 10*time.Minute + 30*time.Second, 61 * time.Second} {
		if got, err := FormatTime(d); err == nil {
			t.Errorf("%s is told as %q", d, got)
		}
	}
}

// Every legal move of random games can be encoded and decoded.
func TestMovesRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	captures := 0
	for range 60 {
		g := rules.NewGame(rules.International)
		for !g.Over() && g.Ply() < 200 {
			for _, m := range g.Legal() {
				text := moveMessage(m, 1499*time.Millisecond).append(nil)
				got, err := Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				x := got.(Move)
				if m.IsCapture() {
					captures++
					rng.Shuffle(len(x.Captured), func(i, j int) { x.Captured[i], x.Captured[j] = x.Captured[j], x.Captured[i] })
				}
				machine := &Machine{variant: rules.International, game: g.Clone()}
				if err := machine.play(x); err != nil || machine.game.Moves()[g.Ply()] != m || x.Seconds != 1 {
					t.Fatalf("%s: %+v, %v, want %v", text, x, err, m)
				}
			}
			legal := g.Legal()
			if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if captures < 500 {
		t.Errorf("only %d captures", captures)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"M001205250422122320", "E00", "E31", "Chello", "B001W", "K0", "A" + named("x") + "0",
		"R01" + named("x") + "W0.5000A", "R01" + named("x") + "Z120075BW" + strings.Repeat("wzWZe", 10), "M", "R",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > MaxMessage {
			return // the frame limits the length
		}
		m, err := Parse(text)
		if err != nil {
			return
		}
		if r, ok := m.(GameReq); ok {
			if _, err := FormatTime(r.Time); err != nil {
				return // messages that are read but never written
			}
		}
		written := m.append(nil)
		if len(written) > MaxMessage || bytes.IndexByte(written, 0) >= 0 {
			t.Fatalf("%q is written %q", text, written)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%q is %+v, written %q, read %v", text, m, written, err)
		}
		if r, ok := m.(GameReq); ok && r.Version == 0 {
			return
		}
		if c, ok := m.(Chat); ok && c == "" {
			return
		}
		if !reflect.DeepEqual(again, m) {
			t.Fatalf("%q is %+v, written %q, read %+v", text, m, written, again)
		}
	})
}
