package notation

import (
	"errors"
	"io"
	"strings"
	"testing"

	"damier/rules"
)

// Every variant is recognised by the tags of its games, whatever variant is preferred.
func TestVariantOf(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		tags, err := header(NewGame(rules.NewGame(v), nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range rules.Names() {
			preferred, err := rules.Lookup(other, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := VariantOf(tags, preferred)
			if v.GameType > 0 && alsoTyped(preferred) == v.GameType {
				continue // its games have that type, too
			}
			if err != nil || got.String() != v.String() {
				t.Errorf("%s, %s preferred: %v, %v", v, other, got, err)
			}
		}
		if got, err := VariantOf(nil, v); err != nil || got != v {
			t.Errorf("no tags: %v, %v", got, err)
		}
	}
	for _, bad := range []Tags{
		{{"GameType", "77"}}, {{"VariantOptions", "no=such"}}, {{"VariantOptions", "x"}},
	} {
		if v, err := VariantOf(bad, rules.International); err == nil {
			t.Errorf("%v: %v", bad, v)
		}
	}
}

// A reader of many variants reads each game by its own rules, and the part of a bad game before
// its error.
func TestVariantsReader(t *testing.T) {
	var text strings.Builder
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		for range 6 {
			if err := g.Play(g.Legal()[0]); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(&text, NewGame(g, Tags{{"White", name}})); err != nil {
			t.Fatal(err)
		}
	}
	text.WriteString("[White \"bad\"]\n[Result \"2-0\"]\n1. 32-28 19-23 2. 28x50 *\n")
	text.WriteString("[White \"alien\"]\n[GameType \"77\"]\n1. 32-28 *\n[White \"last\"]\n1. 32-28 *\n")
	r := NewVariantsReader(strings.NewReader(text.String()), func(t Tags) (*rules.Variant, error) {
		return VariantOf(t, rules.International)
	})
	for _, name := range rules.Names() {
		g, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if g.Variant().Name != name || g.Ply() != 6 || g.Tags.Get("White") != name {
			t.Errorf("%s: %s, %d plies", name, g.Variant(), g.Ply())
		}
	}
	_, err := r.Next()
	var bad *ParseError
	if !errors.As(err, &bad) || bad.Ply != 2 || bad.Read == nil || bad.Read.Ply() != 2 || bad.Read.Over() ||
		bad.Read.Result != WhiteWin || bad.Game != len(rules.Names())+1 {
		t.Errorf("bad move: %+v", err)
	}
	if _, err := r.Next(); !errors.As(err, &bad) || bad.Read != nil || !strings.Contains(err.Error(), "77") {
		t.Errorf("unknown variant: %v", err)
	}
	if g, err := r.Next(); err != nil || g.Tags.Get("White") != "last" || g.Ply() != 1 {
		t.Errorf("after bad games: %v", err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("end: %v", err)
	}
}
