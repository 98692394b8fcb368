package board

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"damier/notation"
	"damier/rules"
	"damier/web"
)

// request is the body of a POST. Each action uses some of the fields.
type request struct {
	Variant string          `json:"variant"`
	Options *string         `json:"options"`
	FEN     string          `json:"fen"`
	Seats   map[string]seat `json:"seats"`
	Clock   *control        `json:"clock"`

	Ply   *int         `json:"ply"`   // the ply that the page shows; another one is refused
	Index *int         `json:"index"` // of a legal move, a lapse, an effort, or a game in a file
	Node  *int         `json:"node"`  // the id of a move
	Path  web.Squares  `json:"path"`
	Text  string       `json:"text"`
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
	Side  string       `json:"side"`
	On    bool         `json:"on"`

	Glyphs []int `json:"glyphs"`

	Informal *bool `json:"informal"`
}

// read decodes the body of a POST to a board.
func read(r *http.Request) (q request, err error) {
	err = web.Decode(r, &q)
	return q, err
}

// actions are what a page can ask of its board; they are called with the lock held. An action with
// an answer other than nil has not changed the state. The others are answered with the new state.
var actions = map[string]func(b *board, q request) (answer any, err error){
	"new":     (*board).doNew,
	"move":    (*board).doMove,
	"text":    (*board).doText,
	"explain": (*board).doExplain,
	"seek":    (*board).doSeek,
	"undo":    func(b *board, _ request) (any, error) { return nil, b.restoreClock(b.takeBack()) },
	"redo":    func(b *board, _ request) (any, error) { return nil, b.restoreClock(b.redo()) },
	"go":      (*board).doGo,
	"stop":    (*board).doStop,
	"seats":   (*board).doSeats,
	"resign":  (*board).doResign,
	"draw":    func(b *board, _ request) (any, error) { return nil, b.offerDraw() },
	"analyse": (*board).doAnalyse,
	"hint":    (*board).doHint,
	"load":    (*board).doLoad,

	"goto":     (*board).doGoto,
	"promote":  (*board).doPromote,
	"delete":   (*board).doDelete,
	"annotate": (*board).doAnnotate,

	"look":     (*board).doLook,
	"informal": (*board).doInformal,
	"lapse":    (*board).doLapse,
	"force":    (*board).doForce,
	"huff":     (*board).doHuff,
	"review":   (*board).doReview,
	"try":      (*board).doTry,
	"threat":   (*board).doThreat,
	"verdicts": (*board).doVerdicts,
	"check":    (*board).doCheck,
}

// Actions returns the names of all actions.
func Actions() []string { return append(slices.Sorted(maps.Keys(actions)), "close") }

// act serves an action.
func act(b *board, w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("action")
	if name == "close" {
		b.server.forget(b)
		web.WriteJSON(w, 200, []byte("{}"))
		return nil
	}
	do, ok := actions[name]
	if !ok {
		return web.Refuse(404, "action", "%q is no action", web.Clip(name))
	}
	q, err := read(r)
	if err != nil {
		return err
	}
	text, err := b.do(name, q, do)
	if err != nil {
		return err
	}
	web.WriteJSON(w, 200, text)
	return nil
}

// do runs an action and returns its answer as JSON.
func (b *board) do(name string, q request, do func(*board, request) (any, error)) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return nil, errGone
	}
	b.touched = time.Now()
	if q.Ply != nil && name != "seek" && *q.Ply != b.game.Ply() {
		return nil, web.Refuse(409, "stale", "the board has changed meanwhile")
	}
	message := b.message
	b.message = ""
	answer, err := do(b, q)
	if err != nil || answer != nil {
		b.message = message
		return web.Encode(answer), err
	}
	b.changed()
	return b.snapshot(), nil
}

// forget closes a board.
func (s *Server) forget(b *board) {
	s.mu.Lock()
	delete(s.boards, b.id)
	s.mu.Unlock()
	b.close()
}

// doMove plays the legal move with an index, along q.Path if that is one of its paths.
func (b *board) doMove(q request) (any, error) {
	legal := b.game.Legal()
	if b.over() {
		return nil, web.Refuse(409, "over", "the game is over")
	}
	if q.Index == nil || *q.Index < 0 || *q.Index >= len(legal) {
		return nil, web.Refuse(422, "refused", "there is no such move")
	}
	return nil, b.playByHand(legal[*q.Index], q.Path)
}

// playByHand plays a move that a person enters, for either side.
func (b *board) playByHand(m rules.Move, path []rules.Square) error {
	if len(path) > 0 {
		paths := b.game.Variant().CapturePaths(b.game.Position(), m)
		if !slices.ContainsFunc(paths, func(p []rules.Square) bool { return slices.Equal(p, path) }) {
			path = nil
		}
	}
	b.interrupt()
	if err := b.makeMove(m, path, unmeasured); err != nil {
		return err
	}
	b.auto = true
	return nil
}

// doText plays a move given in notation.
func (b *board) doText(q request) (any, error) {
	if b.over() {
		return nil, web.Refuse(409, "over", "the game is over")
	}
	m, err := b.parse(q.Text)
	if err != nil {
		return nil, err
	}
	return nil, b.playByHand(m, nil)
}

// parse reads a move in notation at the position that is shown. The caller holds the lock.
func (b *board) parse(text string) (rules.Move, error) {
	v, p := b.game.Variant(), b.game.Position()
	m, err := notation.ParseMove(v, p, strings.TrimSpace(text))
	if ambiguous := (*notation.AmbiguousError)(nil); errors.As(err, &ambiguous) {
		r := web.Refuse(422, "ambiguous", "%w", err)
		for _, m := range ambiguous.Choices {
			r.Choices = append(r.Choices, notation.FormatMove(v, p, m))
		}
		return m, r
	}
	if err != nil {
		return m, web.Refuse(422, "refused", "%w", err)
	}
	return m, nil
}

// doExplain says why no legal move goes from one square to another.
func (b *board) doExplain(q request) (any, error) {
	v, p := b.game.Variant(), b.game.Position()
	for _, s := range []rules.Square{q.From, q.To} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return nil, web.Refuse(422, "refused", "%d is no square, the board has 1 to %d",
				s, v.Board.Squares())
		}
	}
	return web.Explain(v, p, b.game.Legal(), q.From, q.To), nil
}

func (b *board) doSeek(q request) (any, error) {
	if q.Ply == nil {
		return nil, web.Refuse(422, "request", "seek wants a ply")
	}
	b.interrupt()
	b.auto, b.retracted = false, false
	return nil, b.seek(*q.Ply)
}

// doGo lets an engine move now, also if a person is to move.
func (b *board) doGo(request) (any, error) {
	if b.over() {
		return nil, web.Refuse(409, "over", "the game is over")
	}
	b.interrupt()
	b.auto = true
	if b.toMove().Player == person {
		b.search(0)
	}
	return nil, nil
}

// doStop cancels the search for a move; the engines pause.
func (b *board) doStop(request) (any, error) {
	b.interrupt()
	b.auto = false
	return nil, nil
}

func (b *board) doSeats(q request) (any, error) {
	seats, err := b.server.seats(b.game.Variant(), q.Seats, b.seats)
	if err != nil {
		return nil, err
	}
	named := b.seats
	for c := range named {
		named[c].Name = seats[c].Name
	}
	if seats == named { // only names have changed: a search goes on
		b.seats = seats
		return nil, nil
	}
	b.interrupt()
	b.seats = seats
	b.auto = b.auto || b.game.Ply() == len(b.line) // not while a person browses
	return nil, nil
}

// doResign resigns for a side: the one named; else the person's, if only one side is a person;
// else the side to move.
func (b *board) doResign(q request) (any, error) {
	if b.over() {
		return nil, web.Refuse(409, "over", "the game is over")
	}
	c := b.game.Position().Turn
	switch {
	case q.Side == "white":
		c = rules.White
	case q.Side == "black":
		c = rules.Black
	case b.seats[c].Player != person && b.seats[c.Opponent()].Player == person:
		c = c.Opponent()
	}
	b.end(rules.Win(c.Opponent()), rules.Resignation)
	return nil, nil
}

// doLook answers with the pieces after q.Index plies of the line; the board stays where it is.
func (b *board) doLook(q request) (any, error) {
	if q.Index == nil || *q.Index < 0 || *q.Index > len(b.line) {
		return nil, web.Refuse(422, "request", "look wants the index of a position of the line")
	}
	v, p := b.game.Variant(), b.game.Start()
	for _, k := range b.line[:*q.Index] {
		p = v.Play(p, k.move)
	}
	return map[string]string{"pieces": v.HubString(p)[1:]}, nil
}

func (b *board) doAnalyse(q request) (any, error) {
	b.analysing = q.On
	return nil, nil
}
