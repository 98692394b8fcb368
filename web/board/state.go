package board

import (
	"math"

	"damier/engine"
	"damier/notation"
	marks "damier/review"
	"damier/rules"
	"damier/web"
)

// state is a whole board as sent to the page.
type state struct {
	ID      string `json:"id"`
	Rev     int    `json:"rev"`
	Variant string `json:"variant"`
	Options string `json:"options,omitempty"`
	FEN     string `json:"fen"`
	Pieces  string `json:"pieces"` // a letter for each square: w b W B, e for none
	Turn    string `json:"turn"`
	Ply     int    `json:"ply"`

	Moves []moveState  `json:"moves"`          // the whole line
	Node  int          `json:"node"`           // the id of the move that led here, 0 at the start
	Tree  []treeMove   `json:"tree,omitempty"` // all moves; empty without variations
	Legal []web.Choice `json:"legal"`          // empty when the game is over
	Must  int          `json:"must"`           // as of web.Must: pieces to capture

	// Premoves are the paths of the moves that the person may have after the engine's answer.
	Premoves []web.Squares `json:"premoves,omitempty"`

	Informal bool         `json:"informal,omitempty"`
	Lapses   []web.Choice `json:"lapses,omitempty"` // moves that informal play allows in addition
	Lapse    *lapseState  `json:"lapse,omitempty"`
	Past     []pastState  `json:"past,omitempty"`

	Outcome string `json:"outcome"` // "*" while the game goes on
	Reason  string `json:"reason,omitempty"`

	Seats     map[string]seat `json:"seats"`
	NNUE      bool            `json:"nnue,omitempty"`   // whether the NNUE can play
	Search    bool            `json:"search,omitempty"` // whether the tree search can play
	Best      string          `json:"best"`             // the default engine, which also reviews
	Clock     *clockState     `json:"clock,omitempty"`
	Thinking  bool            `json:"thinking"`
	Analysing bool            `json:"analysing"`
	Threats   bool            `json:"threats"`            // whether threats are shown
	Tables    bool            `json:"tables,omitempty"`   // whether there are endgame tables
	Verdicts  bool            `json:"verdicts,omitempty"` // whether the tables' verdicts are shown
	Auto      bool            `json:"auto"`
	Offered   bool            `json:"offered,omitempty"` // whether the engine offers the person to move a draw
	Message   string          `json:"message,omitempty"`
	Said      *web.Said       `json:"said,omitempty"` // Message, if it can be said in another language

	White string `json:"white,omitempty"` // names of the players of a loaded game
	Black string `json:"black,omitempty"`
	Intro string `json:"intro,omitempty"` // comment before the first move
}

// moveState is a move of the line.
type moveState struct {
	web.Move
	ID      int    `json:"id"`
	Manoury string `json:"manoury,omitempty"`
	Book    bool   `json:"book,omitempty"` // an engine took it from its book
	written
	timesState
}

// snapshot returns the state as JSON. The caller holds the lock.
func (b *board) snapshot() []byte {
	g := b.game
	v, p := g.Variant(), g.Position()
	outcome, reason := g.Outcome()
	s := state{
		ID:        b.id,
		Rev:       b.rev,
		Variant:   v.Name,
		Options:   web.OptionsOf(v),
		FEN:       v.FEN(p),
		Pieces:    v.HubString(p)[1:],
		Turn:      p.Turn.String(),
		Ply:       g.Ply(),
		Moves:     []moveState{},
		Legal:     []web.Choice{},
		Outcome:   outcome.String(),
		Reason:    string(reason),
		Seats:     map[string]seat{"white": b.seats[rules.White], "black": b.seats[rules.Black]},
		NNUE:      b.server.config.Has(v),
		Search:    b.server.config.Has(v),
		Best:      b.server.config.Best(v),
		Clock:     b.clockState(),
		Thinking:  b.thinking != nil,
		Analysing: b.analysing,
		Threats:   b.threatening,
		Tables:    b.server.config.Verdicts != nil,
		Verdicts:  b.verdicts,
		Auto:      b.auto,
		Offered:   b.drawOffered(),
		Message:   b.message,
		White:     b.tags.Get("White"),
		Black:     b.tags.Get("Black"),
	}
	for _, k := range b.line {
		s.Moves = append(s.Moves, moveState{
			Move: web.Move{
				Text: k.text, Turn: k.turn.String(), Path: k.path,
				Captured: v.Board.AppendSquares(nil, k.move.Captured()),
			},
			ID: k.id, Manoury: k.manoury, Book: k.book,
			written: k.annotations(), timesState: k.timesState(),
		})
	}
	if b.said != nil && b.said.Text == b.message {
		s.Said = b.said
	}
	s.Node, s.Tree = b.here().id, b.tree()
	s.Intro = b.root.annotations().Comment
	if outcome == rules.Ongoing {
		s.Legal = web.Choices(v, p, g.Legal())
		s.Must = web.Must(g.Legal())
	}
	if b.thinking != nil {
		s.Premoves = b.ahead
	}
	b.informalState(&s)
	return web.Encode(s)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// analysis is the result of a search as sent to the page. Scores are White's.
type analysis struct {
	Rev    int         `json:"rev"`
	Engine string      `json:"engine"`
	Nodes  int64       `json:"nodes"`
	Depth  int         `json:"depth"`
	Millis int64       `json:"ms"`
	Score  float64     `json:"score"`           // expected, in [0,1]
	Men    float64     `json:"men"`             // Score as a lead in men, within ±10
	Proof  string      `json:"proof,omitempty"` // white, black or draw: the result that is proved
	Moves  []moveThink `json:"moves"`           // the best first
	PV     []string    `json:"pv"`
}

// moveThink is a root move with its statistics.
type moveThink struct {
	Text   string       `json:"text"`
	From   rules.Square `json:"from"`
	To     rules.Square `json:"to"`
	Visits int64        `json:"visits"`
	Score  *float64     `json:"score"`           // expected; null without a visit
	Men    float64      `json:"men"`             // Score as a lead in men; 0 without a visit
	Proof  string       `json:"proof,omitempty"` // white, black or draw: the result that is proved
}

// topMoves and pvLength bound the moves and the line that are sent.
const (
	topMoves = 8
	pvLength = 10
)

// analysisOf returns an engine's Thought about the game's position as JSON.
func analysisOf(g *rules.Game, rev int, engine string, t engine.Thought) []byte {
	v, p := g.Variant(), g.Position()
	a := analysis{
		Rev: rev, Engine: engine, Nodes: t.Nodes, Depth: t.Depth, Millis: t.Elapsed.Milliseconds(),
		Moves: []moveThink{}, PV: []string{},
	}
	a.Score = web.WhitesScore(p.Turn, t.Expected)
	a.Men = marks.Men(a.Score)
	a.Proof = proved(p.Turn, t.Proof)
	for _, l := range t.Moves[:min(len(t.Moves), topMoves)] {
		move := l.Line[0]
		m := moveThink{
			Text:   notation.FormatMove(v, p, move),
			From:   move.From,
			To:     move.To,
			Visits: l.Visits,
			Proof:  proved(p.Turn, l.Proof),
		}
		if !math.IsNaN(l.Expected) {
			s := web.WhitesScore(p.Turn, l.Expected)
			m.Score, m.Men = &s, marks.Men(s)
		}
		a.Moves = append(a.Moves, m)
	}
	q := p
	for _, m := range t.Line[:min(len(t.Line), pvLength)] {
		a.PV = append(a.PV, notation.FormatMove(v, q, m))
		q = v.Play(q, m)
	}
	return web.Encode(a)
}

// proved names the proved result, white, black or draw, given a Proof for the side to move; "" if
// none.
func proved(turn rules.Color, p engine.Proof) string {
	switch {
	case p == engine.ProvedDraw:
		return "draw"
	case p == engine.NotProved:
		return ""
	case (p == engine.ProvedWin) == (turn == rules.White):
		return "white"
	}
	return "black"
}
