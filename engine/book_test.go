package engine

import (
	"context"
	"testing"

	"damier/rules"
)

// pages is a book of the start: its moves lose 0, 2, 4 and so on hundredths against the first.
type pages struct{}

func (pages) Choices(g *rules.Game) (all []Move) {
	if g.Ply() > 1 {
		return nil
	}
	for i, m := range g.Legal() {
		all = append(all, Move{Line: []rules.Move{m}, Expected: 0.5 - float64(i)/200})
	}
	return all
}

// TestOpener: an engine with a book plays one of its moves within the margin, by its seed, and
// searches where the book is silent, to analyse, and below full strength.
func TestOpener(t *testing.T) {
	v := rules.International
	inner, err := NewBaseline(v, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.SetOwn(Limits{Depth: 1}); err != nil {
		t.Fatal(err)
	}
	think := func(o *Opener, g *rules.Game, l Limits) Thought {
		t.Helper()
		reports := 0
		found, err := o.Think(context.Background(), g, l, func(Thought) { reports++ })
		if err != nil || reports == 0 && found.Book {
			t.Fatalf("%d reports, %v", reports, err)
		}
		return found
	}
	g := rules.NewGame(v)
	o := NewOpener(inner, pages{}, BookUse{})
	found := think(o, g, Limits{})
	if !found.Book || found.Move != g.Legal()[0] || len(found.Line) != 2 || len(found.Moves) != len(g.Legal()) {
		t.Errorf("without a margin: %+v", found)
	}
	o.UseBook(BookUse{Margin: 5}) // a hundredth of the score is four hundredths of a man
	played := map[rules.Move]bool{}
	for seed := range uint64(100) {
		o.Seed(seed)
		m := think(o, g, Limits{}).Move
		o.Seed(seed)
		if again := think(o, g, Limits{}).Move; again != m {
			t.Errorf("seed %d: %v, then %v", seed, m, again)
		}
		played[m] = true
	}
	if want := 3; len(played) != want {
		t.Errorf("%d moves were drawn, %d are within the margin", len(played), want)
	}
	for name, l := range map[string]Limits{"analysis": {Depth: 1, Analyze: true}, "pondering": {Infinite: true}} {
		ctx, cancel := context.WithCancel(context.Background())
		if l.Infinite {
			cancel()
		}
		if found, err := o.Think(ctx, g, l, nil); err == nil && found.Book {
			t.Errorf("%s is answered by the book", name)
		}
		cancel()
	}
	for level, want := range map[int]bool{1: false, Levels() - 1: false, Levels(): true} {
		if err := o.SetLevel(level); err != nil {
			t.Fatal(err)
		}
		if l := (Limits{Depth: 1}); think(o, g, l).Book != want {
			t.Errorf("level %d: book %t", level, !want)
		}
	}
	if err := o.SetOwn(Limits{Depth: 1}); err != nil { // ends the level
		t.Fatal(err)
	}
	o.UseBook(BookUse{Plies: 1})
	if !think(o, g, Limits{Depth: 1}).Book {
		t.Error("the first ply is not of the book")
	}
	g.Play(g.Legal()[0])
	if think(o, g, Limits{Depth: 1}).Book {
		t.Error("the second ply is of the book, which serves for one")
	}
	o.UseBook(BookUse{})
	g.Play(g.Legal()[0])
	if think(o, g, Limits{Depth: 1}).Book {
		t.Error("the book serves where it is silent")
	}
	o.UseBook(BookUse{Off: true})
	if think(o, rules.NewGame(v), Limits{Depth: 1}).Book {
		t.Error("the book serves although it is off")
	}
}
