package play

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/book"
	"damier/book/played"
	"damier/rules"
)

// TestBookForTheExplorer: the shares of the book's moves are those with which an engine draws, and
// a variant without a book has none.
func TestBookForTheExplorer(t *testing.T) {
	s := newNetworkShelf(rules.International)
	s.book.setting, s.book.use.Margin = book.On, 4
	t.Setenv(book.Environment, t.TempDir())
	moves, there, err := s.bookMoves(rules.International, rules.International.Start())
	if err != nil || !there || len(moves) != 9 {
		t.Fatalf("%v, %t, %v", moves, there, err)
	}
	sum := 0.0
	for i, m := range moves {
		sum += m.Share
		if i > 0 && (m.Expected > moves[i-1].Expected || m.Share > moves[i-1].Share) {
			t.Errorf("not the best first: %v", moves)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares add to %g", sum)
	}
	thai, err := rules.Lookup("thai", nil)
	if err != nil {
		t.Fatal(err)
	}
	if moves, there, err := s.bookMoves(thai, thai.Start()); moves != nil || there || err != nil {
		t.Errorf("thai: %v, %t, %v", moves, there, err)
	}
	s.book.setting = book.Off
	if _, there, _ := s.bookMoves(rules.International, rules.International.Start()); there {
		t.Error("a book that is off is there")
	}
}

// TestOwnGames: games are read, results become White's, and what cannot be read is printed.
func TestOwnGames(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.pdn")
	if err := os.WriteFile(name, []byte("1. 32-28 2-0\n1. 32-26 *\n1. 31-26 *\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	g := &played.Games{}
	readGames(t.Context(), g, []string{name}, rules.International, &log)
	for _, want := range []string{"--games: mine.pdn: line 2: game 2", "2 games read", "1 cannot be read"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in %q", want, log.String())
		}
	}
	v := rules.International
	start := v.Start()
	for _, m := range v.AppendMoves(nil, start) {
		want := 0
		if v.FormatMove(m) == "32-28" {
			want = 1
		}
		if r := (ownGames{g}).Results(v, v.Play(start, m)); r.White != want || r.Black != 0 {
			t.Errorf("%s: %+v", v.FormatMove(m), r)
		}
	}
	if s := (ownGames{g}).Reading(); s.Games != 2 || s.Reading {
		t.Errorf("%+v", s)
	}
}
