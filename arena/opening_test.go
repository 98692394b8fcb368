package arena

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"damier/alphabeta"
	"damier/engine"
	"damier/rules"
)

func TestOpeningsOfInternational(t *testing.T) {
	openings := mustOpenings(t)
	if len(openings) != 300 {
		t.Errorf("%d openings, want 300", len(openings))
	}
	e, err := alphabeta.New(international, alphabeta.Config{TableBits: 12})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]int{}
	for i, o := range openings {
		p := o.Position(international)
		if n := len(o.Moves); n < 6 || n > 10 || o.Start != international.Start() {
			t.Errorf("opening %d: %d plies", i+1, n)
		}
		if international.HasCaptures(p) || p.Pieces(rules.White).Len() != p.Pieces(rules.Black).Len() {
			t.Errorf("opening %d: a capture is pending, or men are unequal", i+1)
		}
		for _, key := range []uint64{p.Key(), international.Rotate(p).Key()} {
			if j, twice := seen[key]; twice {
				t.Errorf("openings %d and %d are the same", j, i+1)
			}
			seen[key] = i + 1
		}
		g := rules.NewGameFrom(international, p)
		info, err := e.Search(t.Context(), g, alphabeta.Limits{Depth: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if max(info.Score, -info.Score) > 60 {
			t.Errorf("opening %d: score %d at depth 4", i+1, info.Score)
		}
	}
	keys := OpeningKeys(international, openings)
	if len(keys) != len(seen) {
		t.Errorf("%d keys, want %d", len(keys), len(seen))
	}
	for key := range seen {
		if !keys[key] {
			t.Fatalf("key %x is missing", key)
		}
	}
	if keys[international.Start().Key()] {
		t.Error("the start counts as an opening")
	}
}

// TestOpeningsOfTheFamily: every variant has at least a hundred openings of its own, and a game
// can begin from each.
func TestOpeningsOfTheFamily(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		openings, err := Openings(v)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(openings) < 100 {
			t.Errorf("%s has %d openings, want 100", name, len(openings))
		}
		e, err := alphabeta.New(v, alphabeta.Config{TableBits: 12})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[rules.Position]bool{}
		for i, o := range openings {
			p := withoutCounters(o.Position(v))
			if seen[p] || seen[v.Rotate(p)] {
				t.Errorf("%s: opening %d was there before", name, i+1)
			}
			seen[p] = true
			if v.HasCaptures(p) || p.Pieces(rules.White).Len() != p.Pieces(rules.Black).Len() {
				t.Errorf("%s: opening %d: a capture is pending, or pieces are unequal", name, i+1)
			}
			if i%5 != 0 {
				continue
			}
			info, err := e.Search(t.Context(), rules.NewGameFrom(v, p), alphabeta.Limits{Depth: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if max(info.Score, -info.Score) > 60 {
				t.Errorf("%s: opening %d: score %d at depth 4", name, i+1, info.Score)
			}
		}
	}
}

// TestOpeningsOfOptions: an option that lets the other side begin mirrors the openings.
func TestOpeningsOfOptions(t *testing.T) {
	v, err := rules.Lookup("thai", rules.Options{"first": "white"})
	if err != nil {
		t.Fatal(err)
	}
	turned, err := Openings(v)
	if err != nil {
		t.Fatal(err)
	}
	openings, err := Openings(rules.Thai)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range turned {
		if o.Start != v.Start() {
			t.Fatalf("opening %d begins with %s", i+1, v.FEN(o.Start))
		}
		g := rules.NewGameFrom(v, o.Start)
		for _, m := range o.Moves {
			if err := g.Play(m); err != nil {
				t.Fatalf("opening %d: %v", i+1, err)
			}
		}
		if g.Position() != v.Rotate(openings[i].Position(rules.Thai)) {
			t.Errorf("opening %d is not the other turned round", i+1)
		}
	}
}

// TestPlayersKeepTheContractInTheFamily tests the alpha-beta and the random player in every
// variant.
func TestPlayersKeepTheContractInTheFamily(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, make := range []Factory{
			func() (Player, error) { return NewRandom(1), nil },
			func() (Player, error) {
				return engine.NewAlphaBetaPlayer(v, alphabeta.Config{TableBits: 10, RandomTies: 3}, engine.Limits{Depth: 2})
			},
		} {
			if err := TestPlayer(t.Context(), v, make); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestParseOpenings(t *testing.T) {
	text := "\ufeff# made by hand\n\ndamier-openings 1 international\n" +
		"32-28 19-23 28x19 14x23\n# a comment\nW:WK46,31:B2,K5\nB:W31-50:B1-20 19-23 33-29 23-28\n"
	openings, err := ParseOpenings(international, "x.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(openings) != 3 || len(openings[0].Moves) != 4 || len(openings[1].Moves) != 0 || len(openings[2].Moves) != 3 {
		t.Errorf("%+v", openings)
	}
	const header = "damier-openings 1 international\n"
	if counted, err := ParseOpenings(international, "x.txt", strings.NewReader(header+"W:WK46,31:B2,K5:H20:F30\n")); err != nil || counted[0].Start != openings[1].Start {
		t.Errorf("with a half-move clock, which no record keeps: %+v, %v", counted, err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "x.txt: empty"},
		{"# only a comment\n", "x.txt: empty"},
		{header, "no opening"},
		{"[Event \"a PDN file\"]\n", "x.txt:1: not an opening file"},
		{"\x00\x01\x02", "not an opening file"},
		{"damier-openings 2 international\n32-28\n", "not an opening file"},
		{"damier-openings 1 frisian\n32-28\n", "x.txt:1: openings of \"frisian\""},
		{header + "32-28 19-23\n32-27\n32-26\n", "x.txt:4: move 1"},
		{header + "32-28 garbage\n", "x.txt:2: move 2"},
		{header + "W:W31-60:B1-20\n", "x.txt:2: "},
		{header + "32-28 19-23\n\n32-28 19-23\n", "x.txt:4: the same position as line 2"},
		{header + "W:W31:BK1 31-26 1x31\n", "x.txt:2: "},
		{header + "W:W:B1-20\n", "x.txt:2: "},
	} {
		if _, err := ParseOpenings(international, "x.txt", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.text, err, c.want)
		}
	}
	if _, err := ReadOpenings(international, filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for a file that does not exist", err)
	}
}

func TestMakeOpenings(t *testing.T) {
	c := OpeningsConfig{Count: 12, Seed: 4, Depth: 5}
	found := 0
	c.Progress = func(n int) { found = n }
	first, err := MakeOpenings(t.Context(), international, c)
	if err != nil {
		t.Fatal(err)
	}
	second, err := MakeOpenings(t.Context(), international, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 12 || found != 12 || !reflect.DeepEqual(first, second) {
		t.Errorf("%d openings, %d told; the same again: %v", len(first), found, reflect.DeepEqual(first, second))
	}
	var b bytes.Buffer
	if err := WriteOpenings(&b, international, "one\ntwo", first); err != nil {
		t.Fatal(err)
	}
	read, err := ParseOpenings(international, "x", &b)
	if err != nil || !reflect.DeepEqual(read, first) {
		t.Errorf("read back: %v, %d openings", err, len(read))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MakeOpenings(over, international, c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v with a finished context", err)
	}
	for _, bad := range []OpeningsConfig{{}, {Count: 1, MinPlies: 8, MaxPlies: 7}, {Count: 1, Depth: -1}, {Count: 1, Balance: -5}} {
		if _, err := MakeOpenings(t.Context(), international, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	// There are exactly 9 openings of one ply.
	got, err := MakeOpenings(t.Context(), international, OpeningsConfig{Count: 10, MinPlies: 1, MaxPlies: 1, Depth: 1, Balance: 1000})
	if err == nil || len(got) != 9 {
		t.Errorf("%d openings of one ply, error %v", len(got), err)
	}
}

func FuzzParseOpenings(f *testing.F) {
	f.Add("damier-openings 1 international\n32-28 19-23 28x19 14x23\n")
	f.Add("damier-openings 1 international\nW:W31-50:B1-20 32-28\n")
	f.Fuzz(func(t *testing.T, text string) {
		openings, err := ParseOpenings(international, "fuzz", strings.NewReader(text))
		if err == nil && len(openings) == 0 {
			t.Error("no opening and no error")
		}
		for _, o := range openings {
			o.Position(international)
		}
	})
}

// TestUnbalancedOpenings: the lists favour White and Black in turn, by the advantage that the list
// is made for.
func TestUnbalancedOpenings(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		openings, err := UnbalancedOpenings(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(openings) != 50 {
			t.Errorf("%s has %d, want 50", v.Name, len(openings))
		}
		e, err := alphabeta.New(v, alphabeta.Config{TableBits: 12})
		if err != nil {
			t.Fatal(err)
		}
		reserved := ReservedKeys(v)
		for i, o := range openings {
			p := o.Position(v)
			if v.HasCaptures(p) || !reserved[p.Key()] || !reserved[v.Rotate(p).Key()] {
				t.Errorf("%s: opening %d: a capture is pending, or training may have it", v.Name, i+1)
			}
			if i%10 != 0 {
				continue
			}
			info, err := e.Search(t.Context(), rules.NewGameFrom(v, p), alphabeta.Limits{Depth: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			score := info.Score
			if p.Turn != rules.Color(i%2) {
				score = -score
			}
			if score < 20 || score > 200 {
				t.Errorf("%s: opening %d: score %d at depth 4 for the side it favours", v.Name, i+1, score)
			}
		}
		balanced, err := Openings(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(reserved) != 2*(len(openings)+len(balanced)) {
			t.Errorf("%s: %d keys are reserved for %d and %d openings", v.Name, len(reserved), len(openings), len(balanced))
		}
	}
	for _, bad := range []OpeningsConfig{{Count: 1, Unbalanced: true, Advantage: -5}, {Count: 1, Unbalanced: true, Advantage: 90, MaxAdvantage: 80}} {
		if _, err := MakeOpenings(t.Context(), international, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
