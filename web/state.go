package web

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// state is a whole board as the page draws it.
type state struct {
	ID      string `json:"id"`
	Rev     int    `json:"rev"`
	Variant string `json:"variant"`
	Options string `json:"options,omitempty"`
	FEN     string `json:"fen"`
	Pieces  string `json:"pieces"` // a letter for each square: w b W B, e for none
	Turn    string `json:"turn"`
	Ply     int    `json:"ply"`

	Moves []moveState `json:"moves"`          // the whole line
	Node  int         `json:"node"`           // the id of the move that led here, 0 at the start
	Tree  []treeMove  `json:"tree,omitempty"` // all moves, if there are variations
	Legal []choice    `json:"legal"`          // empty when the game is over
	Must  int         `json:"must"`           // how many pieces must be taken: 0 none, -1 a free number

	Informal bool        `json:"informal,omitempty"`
	Lapses   []choice    `json:"lapses,omitempty"` // moves that informal play allows besides
	Lapse    *lapseState `json:"lapse,omitempty"`
	Past     []pastState `json:"past,omitempty"`

	Outcome string `json:"outcome"` // "*" while the game goes on
	Reason  string `json:"reason,omitempty"`

	Seats     map[string]seat `json:"seats"`
	NNUE      bool            `json:"nnue,omitempty"`   // can sit at a side
	Search    bool            `json:"search,omitempty"` // so can the tree search over it
	Best      string          `json:"best"`             // the engine that plays where nobody has chosen, and reviews
	Clock     *clockState     `json:"clock,omitempty"`
	Thinking  bool            `json:"thinking"`
	Analysing bool            `json:"analysing"`
	Threats   bool            `json:"threats"` // are shown
	Auto      bool            `json:"auto"`
	Message   string          `json:"message,omitempty"`

	White string `json:"white,omitempty"` // names of the players, of a game that was loaded
	Black string `json:"black,omitempty"`
	Intro string `json:"intro,omitempty"` // comment before the first move
}

// squares are sent as numbers, which a list of bytes would not be.
type squares []rules.Square

// MarshalJSON writes [32,28].
func (s squares) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, q := range s {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(q), 10)
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *squares) UnmarshalJSON(text []byte) error {
	var list []uint16
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*s = nil
	for _, n := range list {
		if n > rules.MaxSquares {
			return fmt.Errorf("%d is no square", n)
		}
		*s = append(*s, rules.Square(n))
	}
	return nil
}

// moveState is a move of the line.
type moveState struct {
	ID       int     `json:"id"`
	Text     string  `json:"text"`
	Manoury  string  `json:"manoury,omitempty"`
	Turn     string  `json:"turn"`
	Path     squares `json:"path"`
	Captured squares `json:"captured,omitempty"`
	written
}

// choice is a legal move.
type choice struct {
	From     rules.Square `json:"from"`
	To       rules.Square `json:"to"`
	Text     string       `json:"text"`
	Captured squares      `json:"captured,omitempty"`
	Paths    []squares    `json:"paths,omitempty"` // of a capture: the ways round, from and to included
}

// Bounds on the paths that are sent: a position made up for it has any number of them. A capture without paths is played
// by its ends.
const (
	pathMoves = 64 // captures with paths
	pathsEach = 64 // paths of one
)

// snapshot returns the state as JSON. The caller holds the lock.
func (b *board) snapshot() []byte {
	g := b.game
	v, p := g.Variant(), g.Position()
	outcome, reason := g.Outcome()
	s := state{
		ID: b.id, Rev: b.rev, Variant: v.Name, Options: optionsOf(v), FEN: v.FEN(p), Pieces: v.HubString(p)[1:],
		Turn: p.Turn.String(), Ply: g.Ply(), Moves: []moveState{}, Legal: []choice{},
		Outcome: outcome.String(), Reason: string(reason),
		Seats: map[string]seat{"white": b.seats[rules.White], "black": b.seats[rules.Black]},
		NNUE:  b.server.hasNetwork(v), Search: b.server.hasNetwork(v), Best: b.server.best(v),
		Clock: b.clockState(), Thinking: b.thinking != nil, Analysing: b.analysing, Threats: b.threatening, Auto: b.auto, Message: b.message,
		White: b.tags.Get("White"), Black: b.tags.Get("Black"),
	}
	for _, k := range b.line {
		s.Moves = append(s.Moves, moveState{
			ID: k.id, Text: k.text, Manoury: k.manoury, Turn: k.turn.String(), Path: k.path,
			Captured: v.Board.AppendSquares(nil, k.move.Captured()), written: k.annotations(),
		})
	}
	s.Node, s.Tree = b.here().id, b.tree()
	s.Intro = b.root.annotations().Comment
	if outcome == rules.Ongoing {
		s.Legal = choices(v, p, g.Legal())
		s.Must = must(g.Legal())
	}
	b.informalState(&s)
	return encode(s)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// optionsOf returns the options of v as they are written, "" for the defaults.
func optionsOf(v *rules.Variant) string {
	if u, err := rules.Lookup(v.Name, nil); err == nil && u.String() == v.String() {
		return ""
	}
	return v.Options.String()
}

// choices returns the legal moves as the page needs them.
func choices(v *rules.Variant, p rules.Position, legal []rules.Move) []choice {
	list := make([]choice, len(legal))
	for i, m := range legal {
		c := choice{From: m.From, To: m.To, Text: v.FormatMove(m), Captured: v.Board.AppendSquares(nil, m.Captured())}
		if m.IsCapture() && len(legal) <= pathMoves {
			paths := v.CapturePaths(p, m)
			for _, path := range paths[:min(len(paths), pathsEach)] {
				c.Paths = append(c.Paths, path)
			}
		}
		list[i] = c
	}
	return list
}

// must returns how many pieces the captures among the legal moves take: 0 if none is a capture, -1 if the number is free.
func must(legal []rules.Move) int {
	if len(legal) == 0 {
		return 0
	}
	n := legal[0].Captured().Len()
	for _, m := range legal {
		if m.Captured().Len() != n {
			return -1
		}
	}
	return n
}

// analysis is what a search has found. Scores are White's.
type analysis struct {
	Rev    int               `json:"rev"`
	Engine string            `json:"engine"`
	Nodes  int64             `json:"nodes"`
	Depth  int               `json:"depth"`
	Millis int64             `json:"ms"`
	Score  float64           `json:"score"`           // expected, in [0,1]
	Proof  string            `json:"proof,omitempty"` // white, black or draw: the result that is proved
	Moves  []moveThink       `json:"moves"`           // the best first
	PV     []string          `json:"pv"`
	Arrows [][2]rules.Square `json:"arrows"` // of the PV
}

// moveThink is a root move with what is known about it.
type moveThink struct {
	Text   string       `json:"text"`
	From   rules.Square `json:"from"`
	To     rules.Square `json:"to"`
	Visits int64        `json:"visits"`
	Score  *float64     `json:"score"`           // null without a visit
	Proof  string       `json:"proof,omitempty"` // white, black or draw: the result that is proved
}

// topMoves and pvLength bound what is shown.
const (
	topMoves = 8
	pvLength = 10
)

// analysisOf puts a thought about the game's position into JSON.
func analysisOf(g *rules.Game, rev int, engine string, t engine.Thought) []byte {
	v, p := g.Variant(), g.Position()
	a := analysis{
		Rev: rev, Engine: engine, Nodes: t.Nodes, Depth: t.Depth, Millis: t.Elapsed.Milliseconds(),
		Moves: []moveThink{}, PV: []string{}, Arrows: [][2]rules.Square{},
	}
	a.Score = whitesScore(p.Turn, t.Expected)
	a.Proof = proved(p.Turn, t.Proof)
	for _, l := range t.Moves[:min(len(t.Moves), topMoves)] {
		move := l.Line[0]
		m := moveThink{Text: notation.FormatMove(v, p, move), From: move.From, To: move.To, Visits: l.Visits, Proof: proved(p.Turn, l.Proof)}
		if !math.IsNaN(l.Expected) {
			s := whitesScore(p.Turn, l.Expected)
			m.Score = &s
		}
		a.Moves = append(a.Moves, m)
	}
	q := p
	for _, m := range t.Line[:min(len(t.Line), pvLength)] {
		a.PV = append(a.PV, notation.FormatMove(v, q, m))
		a.Arrows = append(a.Arrows, [2]rules.Square{m.From, m.To})
		q = v.Play(q, m)
	}
	return encode(a)
}

// proved names the result that is proved for the side to move; "" is none.
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

// whitesScore turns a score of the side to move into White's, to three digits.
func whitesScore(turn rules.Color, s float64) float64 {
	if turn == rules.Black {
		s = 1 - s
	}
	return math.Round(s*1000) / 1000
}

// encode returns JSON of what can always be encoded.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("web: cannot be encoded")
	}
	return text
}
