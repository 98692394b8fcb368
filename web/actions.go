package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// variantInfo is what the page must know to draw a board.
type variantInfo struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Columns   int      `json:"columns"`
	Squares   []string `json:"squares"` // names, the first is square 1
	At        []int    `json:"at"`      // row*columns+column of each square, from the top left as White sees it
	First     string   `json:"first"`
	Algebraic bool     `json:"algebraic"`
	Every     bool     `json:"every"` // all squares are played on
	Example   string   `json:"example"`
	Models    []string `json:"models,omitempty"` // of the library
	NNUE      string   `json:"nnue,omitempty"`   // the name of its network, if it does not come with the program
	Elo       eloInfo  `json:"elo,omitempty"`
	FEN       string   `json:"fen"`
	Pieces    string   `json:"pieces"` // of the start, as in the state
}

// describe returns what the page must know of v.
func describe(v *rules.Variant) variantInfo {
	g := v.Board
	i := variantInfo{
		Name: v.Name, Rows: g.Rows, Columns: g.Columns, First: v.First.String(), Algebraic: v.Algebraic,
		Every: g.Corner == rules.EverySquare, Example: notation.Example(v), FEN: v.FENRanges(v.Start()), Pieces: v.HubString(v.Start())[1:],
	}
	for q := rules.Square(1); int(q) <= g.Squares(); q++ {
		i.Squares = append(i.Squares, v.SquareName(q))
		i.At = append(i.At, g.Row(q)*g.Columns+g.Column(q))
	}
	return i
}

// info tells the page what there is to play.
func (s *Server) info(w http.ResponseWriter, _ *http.Request) {
	var variants []variantInfo
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			panic("web: a variant of the family is unknown")
		}
		if name == s.config.Variant.Name {
			v = s.config.Variant
		}
		i := describe(v)
		i.Models, i.NNUE, i.Elo = s.library(v), s.ownNetwork(v), s.elo(v)
		variants = append(variants, i)
	}
	writeJSON(w, 200, encode(map[string]any{
		"variants": variants, "variant": s.config.Variant.Name, "levels": levelInfos(), "level": engine.DefaultLevel,
		"efforts": efforts, "effort": defaultEffort,
	}))
}

// request is the body of a POST; which fields count depends on the action.
type request struct {
	Variant string          `json:"variant"`
	Options *string         `json:"options"`
	FEN     string          `json:"fen"`
	Seats   map[string]seat `json:"seats"`
	Clock   *control        `json:"clock"`

	Ply   *int         `json:"ply"`   // where the page believes the board to be
	Index *int         `json:"index"` // of a legal move, or of a game in a file
	Node  *int         `json:"node"`  // the id of a move
	Path  squares      `json:"path"`
	Text  string       `json:"text"`
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
	Side  string       `json:"side"`
	On    bool         `json:"on"`

	Glyphs []int `json:"glyphs"`

	Informal *bool `json:"informal"`
}

// read reads the body of a POST to a board.
func read(r *http.Request) (q request, err error) {
	err = decode(r, &q)
	return q, err
}

// decode reads the body of a POST: one JSON object without unknown fields.
func decode(r *http.Request, q any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(q)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("something follows the object")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, "large", "more than %d bytes are not read", large.Limit)
	case err != nil:
		return refuse(http.StatusBadRequest, "request", "the request cannot be read: %v", err)
	}
	return nil
}

// game returns the variant and the start that a request asks for; what it leaves out is that of old, if there is one.
func (s *Server) game(q request, old *rules.Variant) (*rules.Variant, rules.Position, error) {
	v := s.config.Variant
	if old != nil {
		v = old
	}
	if q.Variant != "" && (q.Variant != v.Name || q.Options != nil) || q.Options != nil {
		name := q.Variant
		if name == "" {
			name = v.Name
		}
		text := ""
		if q.Options != nil {
			text = *q.Options
		}
		options, err := rules.ParseOptions(text)
		if err == nil {
			v, err = rules.Lookup(name, options)
		}
		if err != nil {
			return nil, rules.Position{}, refuse(422, "variant", "%v", err)
		}
		if q.Options == nil && name == s.config.Variant.Name {
			v = s.config.Variant
		}
	}
	if strings.TrimSpace(q.FEN) == "" {
		return v, v.Start(), nil
	}
	p, err := rules.ParseFEN(v, q.FEN)
	if err != nil {
		return nil, rules.Position{}, refuse(422, "fen", "%v", err)
	}
	return v, p, nil
}

// create opens a board.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	q, err := read(r)
	if err == nil {
		err = s.createBoard(w, q)
	}
	if err != nil {
		writeProblem(w, err)
	}
}

func (s *Server) createBoard(w http.ResponseWriter, q request) error {
	v, start, err := s.game(q, nil)
	if err != nil {
		return err
	}
	seats, err := s.seats(v, q.Seats, [2]seat{{Player: person, Level: engine.DefaultLevel}, {Player: s.best(v), Level: engine.DefaultLevel}})
	if err != nil {
		return err
	}
	k, err := q.clock(start)
	if err != nil {
		return err
	}
	b, err := s.open(v, start)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.seats = seats
	b.setClock(k)
	if q.Informal != nil {
		b.informal = *q.Informal
	}
	b.changed()
	text := b.snapshot()
	b.mu.Unlock()
	writeJSON(w, http.StatusCreated, text)
	return nil
}

// seats returns old with what is asked. An engine that v does not have becomes the best that it has.
func (s *Server) seats(v *rules.Variant, asked map[string]seat, old [2]seat) ([2]seat, error) {
	for name, a := range asked {
		c := slices.Index([]string{"white", "black"}, name)
		if c < 0 {
			return old, refuse(422, "seat", "%q is no side; white and black are", clip(name))
		}
		switch a.Player {
		case person, treeSearch, trained, alphaBeta:
		default:
			return old, refuse(422, "seat", "%q is no player; %s, %s, %s and %s are", clip(a.Player), person, treeSearch, trained, alphaBeta)
		}
		if a.Level == 0 {
			a.Level = old[c].Level
		}
		if a.Level < 1 || a.Level > engine.Levels() {
			return old, refuse(422, "seat", "level %d is not known; 1 to %d are", a.Level, engine.Levels())
		}
		old[c] = a
	}
	for c := range old {
		network := old[c].Player == trained || old[c].Player == treeSearch
		if old[c].Model != "" && (!network || !slices.Contains(s.library(v), old[c].Model)) {
			old[c].Model = "" // one of another variant
		}
		if network && old[c].Model == "" && !s.hasNetwork(v) {
			old[c].Player = s.best(v)
		}
	}
	return old, nil
}

// actions are what a page can ask of its board, with the lock held. An action that returns an answer has changed nothing
// that the page would have to be told; the others are answered with the state.
var actions = map[string]func(b *board, q request) (answer any, err error){
	"new":     (*board).doNew,
	"move":    (*board).doMove,
	"text":    (*board).doText,
	"explain": (*board).doExplain,
	"seek":    (*board).doSeek,
	"undo":    func(b *board, _ request) (any, error) { return nil, b.rewound(b.takeBack()) },
	"redo":    func(b *board, _ request) (any, error) { return nil, b.rewound(b.redo()) },
	"go":      (*board).doGo,
	"stop":    (*board).doStop,
	"seats":   (*board).doSeats,
	"resign":  (*board).doResign,
	"draw":    func(b *board, _ request) (any, error) { return nil, b.offer() },
	"analyse": (*board).doAnalyse,
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
	"threat":   (*board).doThreat,
	"check":    (*board).doCheck,
}

// act serves an action.
func act(b *board, w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("action")
	if name == "close" {
		b.server.forget(b)
		writeJSON(w, 200, []byte("{}"))
		return nil
	}
	do, ok := actions[name]
	if !ok {
		return refuse(404, "action", "%q is no action", clip(name))
	}
	q, err := read(r)
	if err != nil {
		return err
	}
	text, err := b.do(name, q, do)
	if err != nil {
		return err
	}
	writeJSON(w, 200, text)
	return nil
}

// do carries an action out and returns its answer.
func (b *board) do(name string, q request, do func(*board, request) (any, error)) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return nil, errGone
	}
	b.touched = time.Now()
	if q.Ply != nil && name != "seek" && *q.Ply != b.game.Ply() {
		return nil, refuse(409, "stale", "the board has changed meanwhile")
	}
	message := b.message
	b.message = ""
	answer, err := do(b, q)
	if err != nil || answer != nil {
		b.message = message
		return encode(answer), err
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

func (b *board) doNew(q request) (any, error) {
	v, start, err := b.server.game(q, b.game.Variant())
	if err != nil {
		return nil, err
	}
	seats, err := b.server.seats(v, q.Seats, b.seats)
	if err != nil {
		return nil, err
	}
	k, err := q.clock(start)
	if err != nil {
		return nil, err
	}
	b.begin(v, start)
	b.seats = seats
	b.setClock(k)
	if q.Informal != nil {
		b.informal = *q.Informal
	}
	return nil, nil
}

// doMove plays the legal move of an index, by a path if there is a choice of them.
func (b *board) doMove(q request) (any, error) {
	legal := b.game.Legal()
	if b.over() {
		return nil, refuse(409, "over", "the game is over")
	}
	if q.Index == nil || *q.Index < 0 || *q.Index >= len(legal) {
		return nil, refuse(422, "refused", "there is no such move")
	}
	return nil, b.playByHand(legal[*q.Index], q.Path)
}

// playByHand plays a move of a person, or of a person for an engine.
func (b *board) playByHand(m rules.Move, path []rules.Square) error {
	if len(path) > 0 && !slices.ContainsFunc(b.game.Variant().CapturePaths(b.game.Position(), m), func(p []rules.Square) bool { return slices.Equal(p, path) }) {
		path = nil
	}
	b.interrupt()
	if err := b.make(m, path); err != nil {
		return err
	}
	b.auto = true
	return nil
}

// doText plays a move that is written.
func (b *board) doText(q request) (any, error) {
	if b.over() {
		return nil, refuse(409, "over", "the game is over")
	}
	v, p := b.game.Variant(), b.game.Position()
	m, err := notation.ParseMove(v, p, strings.TrimSpace(q.Text))
	if ambiguous := (*notation.AmbiguousError)(nil); errors.As(err, &ambiguous) {
		r := refuse(422, "ambiguous", "%v", err)
		for _, m := range ambiguous.Choices {
			r.Choices = append(r.Choices, notation.FormatMove(v, p, m))
		}
		return nil, r
	}
	if err != nil {
		return nil, refuse(422, "refused", "%v", err)
	}
	return nil, b.playByHand(m, nil)
}

// explanation is why a move is refused: in words, and in pieces that a page can put into another language.
type explanation struct {
	Text    string  `json:"text"`
	Kind    string  `json:"kind"` // legal, empty, theirs, occupied, must, goes, stuck or rule
	Count   int     `json:"count,omitempty"`
	Squares squares `json:"squares,omitempty"`
}

// doExplain says why no legal move goes from one square to another.
func (b *board) doExplain(q request) (any, error) {
	v, p := b.game.Variant(), b.game.Position()
	for _, s := range []rules.Square{q.From, q.To} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return nil, refuse(422, "refused", "%d is no square, the board has 1 to %d", s, v.Board.Squares())
		}
	}
	return explain(v, p, b.game.Legal(), q.From, q.To), nil
}

func explain(v *rules.Variant, p rules.Position, legal []rules.Move, from, to rules.Square) explanation {
	e := explanation{Text: notation.Explain(v, p, from, to), Kind: "rule", Count: must(legal)}
	mine := v.Board.Has(p.Pieces(p.Turn), from)
	ends := func(of func(rules.Move) rules.Square, which func(rules.Move) bool) (list []rules.Square) {
		for _, m := range legal {
			if which(m) && !slices.Contains(list, of(m)) {
				list = append(list, of(m))
			}
		}
		return list
	}
	targets := ends(func(m rules.Move) rules.Square { return m.To }, func(m rules.Move) bool { return m.From == from })
	switch {
	case e.Text == "":
		e.Kind = "legal"
	case v.Piece(p, from) == rules.Empty:
		e.Kind = "empty"
	case !mine:
		e.Kind = "theirs"
	case e.Count != 0 && len(targets) == 0:
		e.Kind = "must"
		e.Squares = ends(func(m rules.Move) rules.Square { return m.From }, func(rules.Move) bool { return true })
	case len(targets) == 0:
		e.Kind = "stuck"
	case to != from && v.Piece(p, to) != rules.Empty:
		e.Kind, e.Squares = "occupied", targets
	default:
		e.Kind, e.Squares = "goes", targets
	}
	return e
}

func (b *board) doSeek(q request) (any, error) {
	if q.Ply == nil {
		return nil, refuse(422, "request", "seek wants a ply")
	}
	b.interrupt()
	b.auto, b.retracted = false, false
	return nil, b.seek(*q.Ply)
}

// doGo has the engine move now, whoever is to move.
func (b *board) doGo(request) (any, error) {
	if b.over() {
		return nil, refuse(409, "over", "the game is over")
	}
	b.interrupt()
	b.auto = true
	if b.toMove().Player == person {
		b.search(0)
	}
	return nil, nil
}

// doStop has the engines pause.
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
	b.interrupt()
	b.seats = seats
	b.auto = true
	return nil, nil
}

// doResign resigns for a side: the one named, or the person's, or the one to move.
func (b *board) doResign(q request) (any, error) {
	if b.over() {
		return nil, refuse(409, "over", "the game is over")
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

// doLook tells what stood on the board after some moves of the line, without going there.
func (b *board) doLook(q request) (any, error) {
	if q.Index == nil || *q.Index < 0 || *q.Index > len(b.line) {
		return nil, refuse(422, "request", "look wants the index of a position of the line")
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

// gameInFile is a game among several.
type gameInFile struct {
	White  string `json:"white"`
	Black  string `json:"black"`
	Event  string `json:"event"`
	Result string `json:"result"`
	Plies  int    `json:"plies"`
}

// maxGames is how many games of a file are listed.
const maxGames = 1000

// doLoad reads a text as PDN or Manoury's notation. Of several games without an index it returns a list.
func (b *board) doLoad(q request) (any, error) {
	v := variantOf(q.Text, b.game.Variant())
	games, err := notation.Parse(v, q.Text)
	switch {
	case err != nil && len(games) == 0:
		return nil, refuse(422, "pdn", "%v", err)
	case len(games) == 0:
		return nil, refuse(422, "pdn", "there is no game in this text")
	}
	bad := "" // of games that are left out
	if err != nil {
		bad = err.Error()
	}
	if q.Index == nil && len(games) > 1 {
		list := make([]gameInFile, min(len(games), maxGames))
		for i := range list {
			t := games[i].Tags
			list[i] = gameInFile{t.Get("White"), t.Get("Black"), t.Get("Event"), games[i].Result.Text(v), games[i].Ply()}
		}
		return map[string]any{"games": list, "bad": bad}, nil
	}
	i := 0
	if q.Index != nil {
		i = *q.Index
	}
	if i < 0 || i >= len(games) {
		return nil, refuse(422, "pdn", "there is no game %d in this text", i+1)
	}
	if err := b.load(games[i]); err != nil {
		return nil, err
	}
	if q.Index == nil {
		b.message = bad
	}
	return nil, nil
}

var (
	gameTypeTag = regexp.MustCompile(`\[\s*GameType\s+"(\d+)`)
	variantTag  = regexp.MustCompile(`\[\s*Variant\s+"([a-z!]+)"`)
	optionsTag  = regexp.MustCompile(`\[\s*VariantOptions\s+"([^"]*)"`)
)

// variantOf returns the variant that the tags of a text name, or else the one given: PDN without a game type is what is
// being played.
func variantOf(text string, v *rules.Variant) *rules.Variant {
	name := ""
	if m := variantTag.FindStringSubmatch(text); m != nil {
		name = m[1]
	} else if m := gameTypeTag.FindStringSubmatch(text); m != nil {
		if m[1] == strconv.Itoa(v.GameType) {
			return v
		}
		for _, n := range rules.Names() {
			if u, err := rules.Lookup(n, nil); err == nil && strconv.Itoa(u.GameType) == m[1] {
				name = n
				break
			}
		}
	}
	if name == "" {
		return v
	}
	var options rules.Options
	if m := optionsTag.FindStringSubmatch(text); m != nil {
		if o, err := rules.ParseOptions(m[1]); err == nil {
			options = o
		}
	}
	if u, err := rules.Lookup(name, options); err == nil {
		return u
	}
	return v
}

// pdn sends the game as a file.
func pdn(b *board, w http.ResponseWriter, _ *http.Request) error {
	return download(b, w, "game.pdn", notation.Write)
}

// manoury sends the game in Manoury's notation.
func manoury(b *board, w http.ResponseWriter, _ *http.Request) error {
	return download(b, w, "game.txt", notation.WriteManoury)
}

func download(b *board, w http.ResponseWriter, name string, write func(io.Writer, *notation.Game) error) error {
	b.mu.Lock()
	b.touched = time.Now()
	games, err := b.records()
	b.mu.Unlock()
	if err != nil {
		return err
	}
	var text strings.Builder
	for i, g := range games {
		if i > 0 {
			text.WriteString("\n")
		}
		if err := write(&text, g); err != nil {
			return refuse(422, "pdn", "%v", err)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, text.String())
	return nil
}
