package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"damier/rules"
)

// fakeGames are results by FEN, White's.
type fakeGames struct {
	results map[string]Results
	state   CollectionState
}

func (f fakeGames) Results(v *rules.Variant, p rules.Position) Results {
	return f.results[v.Name+" "+v.FEN(p)]
}

func (f fakeGames) Reading() CollectionState { return f.state }

// explored returns the answer of the explorer.
func (p *page) explored(status int) (x explorer) {
	p.Helper()
	got, text := p.Get("/api/boards/" + p.id + "/explorer")
	if got != status {
		p.Fatalf("explorer: %d %s", got, text)
	}
	if err := json.Unmarshal([]byte(text), &x); status == 200 && err != nil {
		p.Fatal(err)
	}
	return x
}

// TestExplorer: in all variants the moves of the book and of the games are joined, the results are
// White's, and the index is that of a legal move.
func TestExplorer(t *testing.T) {
	games := fakeGames{map[string]Results{}, CollectionState{Games: 7, Bad: 1, Errors: []error{errors.New("x.pdn: bad")}}}
	book := func(v *rules.Variant, q rules.Position) ([]BookMove, bool, error) {
		if q != v.Start() {
			return nil, true, nil
		}
		legal := v.AppendMoves(nil, q)
		return []BookMove{
			{Move: legal[1], Expected: 0.75, Share: 1}, {Move: legal[0], Expected: 0.25},
		}, true, nil
	}
	p := serve(t, Config{Book: book, Games: games})
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := v.Start()
		legal := v.AppendMoves(nil, start)
		games.results[name+" "+v.FEN(start)] = Results{White: 3, Draws: 2, Black: 1, Unknown: 1}
		games.results[name+" "+v.FEN(v.Play(start, legal[2]))] = Results{White: 3, Draws: 1}
		games.results[name+" "+v.FEN(v.Play(start, legal[0]))] = Results{Unknown: 1}
		p.open(body{"variant": name, "seats": people})
		x := p.explored(200)
		if !x.Book || x.Games.Games != 7 || x.Games.Bad != 1 || len(x.Games.Errors) != 1 || x.All.Games != 7 || len(x.Moves) != 3 {
			t.Fatalf("%s: %+v", name, x)
		}
		if x.All.White != 0.5 || x.All.Draws != 0.333 || x.All.Score != 0.667 {
			t.Errorf("%s: %+v", name, x.All)
		}
		first, second, third := x.Moves[0], x.Moves[1], x.Moves[2]
		if first.Index != 2 || first.Share != 0.8 || first.Book != nil || first.Games.Score != 0.875 || first.Text != v.FormatMove(legal[2]) {
			t.Errorf("%s: first %+v", name, first)
		}
		if second.Index != 0 || second.Games.Score != -1 || second.Book == nil || third.Index != 1 || third.Games != nil {
			t.Errorf("%s: second %+v, third %+v", name, second, third)
		}
		want := 0.75 // the board's scores are White's
		if start.Turn == rules.Black {
			want = 0.25
		}
		if third.Book.Score != want || math.Signbit(third.Book.Men) == (want > 0.5) || third.Book.Share != 1 {
			t.Errorf("%s: %+v, want a score of %g", name, third.Book, want)
		}
		s := p.act("move", body{"index": first.Index})
		x = p.explored(200)
		if x.Rev != int(s["rev"].(float64)) || len(x.Moves) != 0 || x.All.Games != 4 || x.All.White != 0.75 {
			t.Errorf("%s, after the move: %+v", name, x)
		}
	}
}

// TestExplorerWithoutBook: it says so, also when the game is over, and a damaged book is an error.
func TestExplorerWithoutBook(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	if x := p.explored(200); x.Book || x.Games != nil || x.All != nil || len(x.Moves) != 0 {
		t.Errorf("%+v", x)
	}
	p.act("resign", nil)
	p.explored(200)
	p.act("close", nil)
	p.explored(404)
	p = serve(t, Config{Book: func(*rules.Variant, rules.Position) ([]BookMove, bool, error) {
		return nil, false, errors.New("the book is damaged")
	}})
	p.open(body{"seats": people})
	p.explored(500)
}

// TestExplorerBounds: a position with very many moves has a bounded answer.
func TestExplorerBounds(t *testing.T) {
	book := func(v *rules.Variant, q rules.Position) (all []BookMove, _ bool, _ error) {
		for _, m := range v.AppendMoves(nil, q) {
			all = append(all, BookMove{Move: m, Expected: 0.5})
		}
		return all, true, nil
	}
	games := fakeGames{nil, CollectionState{Bad: 20}}
	for i := range 20 {
		games.state.Errors = append(games.state.Errors, fmt.Errorf("game %d is bad", i))
	}
	p := serve(t, Config{Book: book, Games: games})
	var squares []string
	for q := 26; q <= 50; q++ {
		squares = append(squares, fmt.Sprintf("K%d", q-15))
	}
	p.open(body{"seats": people, "fen": "W:W" + strings.Join(squares[:20], ",") + ":BK1"})
	x := p.explored(200)
	if len(x.Moves) > maxExplored || len(x.Games.Errors) != maxBadShown {
		t.Errorf("%d moves, %d errors", len(x.Moves), len(x.Games.Errors))
	}
}
