package board

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"time"

	"damier/notation"
	marks "damier/review"
	"damier/rules"
	"damier/web"
)

// BookMove is a move of the opening book.
type BookMove struct {
	Move     rules.Move
	Expected float64 // for the side that moves, in [0,1]
	Share    float64 // how often an engine that uses the book plays it, in [0,1]
}

// Results counts games by their result.
type Results struct {
	White, Draws, Black int
	Unknown             int // games without a result
}

// games returns the number of games.
func (r Results) games() int { return r.White + r.Draws + r.Black + r.Unknown }

// Collection holds the games of a person, for the explorer. Its methods are called from several
// goroutines.
type Collection interface {
	// Results returns the results of the games that have passed a position.
	Results(*rules.Variant, rules.Position) Results
	// Reading returns how far the games have been read.
	Reading() CollectionState
}

// CollectionState says how far games have been read.
type CollectionState struct {
	Reading bool    // whether there is more to read
	Full    bool    // whether reading has ended early, because too many positions are held
	Games   int     // games read
	Bad     int     // games that cannot be read
	Errors  []error // of some of them
}

// explorer is what book and games know of the position shown, as sent to the page. Scores and
// results are White's.
type explorer struct {
	Rev   int             `json:"rev"`
	Book  bool            `json:"book"`            // whether the variant has a book
	Games *explorerGames  `json:"games,omitempty"` // nil if the server has no games
	All   *explorerCounts `json:"all,omitempty"`   // of the position; nil if no game has passed it
	Moves []explorerMove  `json:"moves"`           // that book or games know, at most maxExplored
}

// explorerGames says what has been read of the person's games.
type explorerGames struct {
	Reading bool       `json:"reading"`
	Full    bool       `json:"full"`
	Games   int        `json:"games"`
	Bad     int        `json:"bad"`
	Errors  []web.Said `json:"errors"` // of some bad games, at most maxBadShown
}

// explorerCounts are results of games.
type explorerCounts struct {
	Games int     `json:"games"`
	White float64 `json:"white"` // share of the games with a result, in [0,1]
	Draws float64 `json:"draws"`
	Black float64 `json:"black"`
	Score float64 `json:"score"` // White's average; -1 if no game has a result
}

// explorerMove is a move with what book and games know.
type explorerMove struct {
	Index int             `json:"index"` // in the state's Legal
	Text  string          `json:"text"`
	From  rules.Square    `json:"from"`
	To    rules.Square    `json:"to"`
	Book  *explorerBook   `json:"book,omitempty"`
	Share float64         `json:"share"` // of the games of all moves, in [0,1]
	Games *explorerCounts `json:"games,omitempty"`
}

// explorerBook is a move in the book.
type explorerBook struct {
	Score float64 `json:"score"` // expected, in [0,1]
	Men   float64 `json:"men"`   // Score as a lead in men
	Share float64 `json:"share"` // how often an engine plays it, in [0,1]
}

// Bounds on what is sent.
const (
	maxExplored = 100 // moves
	maxBadShown = 5   // errors
)

// explore answers with what book and games know of the position shown.
func explore(b *board, w http.ResponseWriter, _ *http.Request) error {
	b.mu.Lock()
	b.touched = time.Now()
	g, rev := b.game.Clone(), b.rev
	b.mu.Unlock()
	x, err := b.server.explore(g)
	if err != nil {
		return err
	}
	x.Rev = rev
	web.WriteJSON(w, 200, web.Encode(x))
	return nil
}

// explore returns what book and games know of the position of g.
func (s *Server) explore(g *rules.Game) (explorer, error) {
	v, p := g.Variant(), g.Position()
	x := explorer{Moves: []explorerMove{}}
	inBook := map[rules.Move]BookMove{}
	if s.config.Book != nil {
		moves, there, err := s.config.Book(v, p)
		if err != nil {
			return x, err
		}
		x.Book = there
		for _, m := range moves {
			inBook[m.Move] = m
		}
	}
	games := s.config.Games
	if games != nil {
		x.Games = readingOf(games.Reading())
		x.All = countsOf(games.Results(v, p))
	}
	if g.Over() {
		return x, nil
	}
	all := 0
	for i, m := range g.Legal() {
		e := explorerMove{Index: i, From: m.From, To: m.To}
		if k, known := inBook[m]; known {
			score := web.WhitesScore(p.Turn, k.Expected)
			e.Book = &explorerBook{Score: score, Men: marks.Men(score), Share: k.Share}
		}
		if games != nil {
			e.Games = countsOf(games.Results(v, v.Play(p, m)))
		}
		if e.Book == nil && e.Games == nil {
			continue
		}
		if e.Games != nil {
			all += e.Games.Games
		}
		e.Text = notation.FormatMove(v, p, m)
		x.Moves = append(x.Moves, e)
	}
	for i, e := range x.Moves {
		if e.Games != nil {
			x.Moves[i].Share = float64(e.Games.Games) / float64(all)
		}
	}
	slices.SortStableFunc(x.Moves, func(a, b explorerMove) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.worth(p.Turn), a.worth(p.Turn)))
	})
	x.Moves = x.Moves[:min(len(x.Moves), maxExplored)]
	return x, nil
}

// worth returns the book's score for the side that moves, below all scores if it has none.
func (e explorerMove) worth(turn rules.Color) float64 {
	switch {
	case e.Book == nil:
		return -1
	case turn == rules.Black:
		return 1 - e.Book.Score
	}
	return e.Book.Score
}

// readingOf returns the state of the games as sent to the page.
func readingOf(c CollectionState) *explorerGames {
	x := &explorerGames{
		Reading: c.Reading, Full: c.Full, Games: c.Games, Bad: c.Bad, Errors: []web.Said{},
	}
	for _, err := range c.Errors[:min(len(c.Errors), maxBadShown)] {
		x.Errors = append(x.Errors, web.Say(err))
	}
	return x
}

// countsOf returns results as sent to the page, nil if there is no game.
func countsOf(r Results) *explorerCounts {
	if r.games() == 0 {
		return nil
	}
	c := &explorerCounts{Games: r.games(), Score: -1}
	if ended := float64(r.White + r.Draws + r.Black); ended > 0 {
		share := func(n float64) float64 { return math.Round(1000*n/ended) / 1000 }
		c.White = share(float64(r.White))
		c.Draws = share(float64(r.Draws))
		c.Black = share(float64(r.Black))
		c.Score = share(float64(r.White) + float64(r.Draws)/2)
	}
	return c
}
