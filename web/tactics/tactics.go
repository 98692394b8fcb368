package tactics

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
	"damier/web"
	"damier/web/searches"
)

//go:embed static
var embedded embed.FS

// Files are those of the page, served beside those of the board.
var Files = web.Sub(embedded)

// Pages serves the page of tactics as a part of the board's server.
type Pages struct {
	ctx      context.Context // of all searches
	queue    *searches.Queue
	networks searches.Networks
}

// New returns the pages; their searches stand in the queue and end with ctx.
func New(ctx context.Context, queue *searches.Queue, networks searches.Networks) *Pages {
	return &Pages{ctx, queue, networks}
}

// tacticInfo is a tactic in the list of a variant: nothing that gives its solution away.
type tacticInfo struct {
	ID     string          `json:"id"`
	Turn   string          `json:"turn"` // the solver
	Level  int             `json:"level"`
	Moves  int             `json:"moves"` // of the solver
	Gain   float64         `json:"gain"`  // in men, 0 for the game
	Themes []tactics.Theme `json:"themes"`
}

func infoOf(t *tactics.Tactic) tacticInfo {
	i := tacticInfo{ID: t.ID(), Turn: t.Solver().String(), Level: t.Level, Moves: t.Moves(), Themes: t.Themes}
	if t.Gain != tactics.Won {
		i.Gain = float64(t.Gain) / tactics.Man
	}
	return i
}

// tacticState is a tactic as the page plays it.
type tacticState struct {
	tacticInfo
	Variant string       `json:"variant"`
	FEN     string       `json:"fen"`
	Depth   int          `json:"depth"`
	Visits  int          `json:"visits"` // the network's, 0 if it was not asked, -1 if it did not see it
	Most    int          `json:"most"`   // visits asked
	Source  string       `json:"source"`
	Engine  string       `json:"engine"` // that would be watched
	Name    string       `json:"name"`   // of the model, if it is one
	Steps   []tacticStep `json:"steps"`
	End     string       `json:"end"` // pieces after the line
}

// tacticStep is a position of the line with its move.
type tacticStep struct {
	Pieces string       `json:"pieces"`
	Legal  []web.Choice `json:"legal,omitempty"` // where the solver is to move
	Must   int          `json:"must"`
	Index  int          `json:"index"` // of the move among the legal ones
	Move   web.Move     `json:"move"`
}

// tacticsOf are the tactics of each variant, in the order of the collection.
func tacticsOf(name string) []*tactics.Tactic {
	var list []*tactics.Tactic
	all := tactics.Collection()
	for i := range all {
		if all[i].Variant.Name == name {
			list = append(list, &all[i])
		}
	}
	return list
}

// Routes adds what the page asks for.
func (s *Pages) Routes(m *http.ServeMux) {
	m.HandleFunc("GET /api/tactics", func(w http.ResponseWriter, _ *http.Request) {
		type count struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		}
		list := []count{}
		for _, name := range rules.Names() {
			if n := len(tacticsOf(name)); n > 0 {
				list = append(list, count{name, n})
			}
		}
		web.WriteJSON(w, 200, web.Encode(map[string]any{"variants": list, "themes": tactics.AllThemes()}))
	})
	m.HandleFunc("GET /api/tactics/{variant}", func(w http.ResponseWriter, r *http.Request) {
		list := []tacticInfo{}
		for _, t := range tacticsOf(r.PathValue("variant")) {
			list = append(list, infoOf(t))
		}
		web.WriteJSON(w, 200, web.Encode(list))
	})
	m.HandleFunc("GET /api/tactics/{variant}/{id}", s.withTactic(func(t *tactics.Tactic, w http.ResponseWriter, _ *http.Request) error {
		web.WriteJSON(w, 200, web.Encode(s.tacticState(t)))
		return nil
	}))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/explain", s.withTactic(explainInTactic))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/refute", s.withTactic(s.refute))
	m.HandleFunc("GET /api/tactics/{variant}/{id}/watch", s.withTactic(s.watchTactic))
}

// withTactic serves a request about the tactic that its path names.
func (s *Pages) withTactic(serve func(*tactics.Tactic, http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var err error = web.Refuse(404, "tactic", "there is no tactic %q", web.Clip(r.PathValue("id")))
		for _, t := range tacticsOf(r.PathValue("variant")) {
			if t.ID() == r.PathValue("id") {
				err = serve(t, w, r)
				break
			}
		}
		if err != nil {
			web.WriteProblem(w, err)
		}
	}
}

func (s *Pages) tacticState(t *tactics.Tactic) tacticState {
	v := t.Variant
	state := tacticState{
		tacticInfo: infoOf(t), Variant: v.Name, FEN: v.FEN(t.Start), Depth: t.Depth, Visits: t.Visits, Most: tactics.MostVisits,
		Source: t.Source, Engine: s.networks.Analyst(v), Name: s.networks.Own(v),
	}
	positions := t.Positions()
	for i, m := range t.Line {
		p := positions[i]
		legal := v.AppendMoves(nil, p)
		step := tacticStep{Pieces: v.HubString(p)[1:], Must: web.Must(legal), Index: slices.Index(legal, m), Move: moveOf(v, p, m)}
		if p.Turn == t.Solver() {
			step.Legal = web.Choices(v, p, legal)
		}
		state.Steps = append(state.Steps, step)
	}
	state.End = v.HubString(positions[len(t.Line)])[1:]
	return state
}

// moveOf returns a move as it is drawn.
func moveOf(v *rules.Variant, p rules.Position, m rules.Move) web.Move {
	s := web.Move{
		Text: notation.FormatMove(v, p, m), Turn: p.Turn.String(), Path: web.Squares{m.From, m.To},
		Captured: v.Board.AppendSquares(nil, m.Captured()),
	}
	if paths := v.CapturePaths(p, m); len(paths) > 0 {
		s.Path = paths[0]
	}
	return s
}

// tried is the body of a POST about a move in a tactic.
type tried struct {
	Ply   int          `json:"ply"` // in the line
	Index int          `json:"index"`
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
}

// readTried reads a body and returns with it the position that it is about, where the solver is to move.
func readTried(t *tactics.Tactic, r *http.Request) (tried, rules.Position, error) {
	var q tried
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, rules.Position{}, web.Refuse(http.StatusBadRequest, "request", "the request cannot be read: %v", err)
	}
	if q.Ply < 0 || q.Ply >= len(t.Line) || q.Ply%2 != 0 {
		return q, rules.Position{}, web.Refuse(422, "request", "ply %d is none of the solver's", q.Ply)
	}
	return q, t.Positions()[q.Ply], nil
}

// explainInTactic says why no legal move goes from one square to another.
func explainInTactic(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readTried(t, r)
	if err != nil {
		return err
	}
	v := t.Variant
	for _, s := range []rules.Square{q.From, q.To} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return web.Refuse(422, "refused", "%d is no square, the board has 1 to %d", s, v.Board.Squares())
		}
	}
	web.WriteJSON(w, 200, web.Encode(web.Explain(v, p, v.AppendMoves(nil, p), q.From, q.To)))
	return nil
}

// refutation is what follows on a move that is not the solution.
type refutation struct {
	Text   string    `json:"text"`            // the move
	Pieces string    `json:"pieces"`          // after it
	Reply  *web.Move `json:"reply,omitempty"` // of the opponent; none if he has no move
	After  string    `json:"after"`           // pieces after the reply
	Gain   float64   `json:"gain"`            // of the solver since the tactic began, in men, when the captures are over
}

// Bounds on the search for a refutation.
const (
	refuteDepth = 8
	refuteNodes = 60_000
)

// refute answers a legal move that is not the solution with the opponent's best reply, and what it comes to.
func (s *Pages) refute(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readTried(t, r)
	if err != nil {
		return err
	}
	v := t.Variant
	legal := v.AppendMoves(nil, p)
	if q.Index < 0 || q.Index >= len(legal) || legal[q.Index] == t.Line[q.Ply] {
		return web.Refuse(422, "refused", "there is no such wrong move")
	}
	m := legal[q.Index]
	answer := refutation{Text: notation.FormatMove(v, p, m)}
	p = v.Play(p, m)
	answer.Pieces, answer.After = v.HubString(p)[1:], v.HubString(p)[1:]
	line, err := s.reply(r.Context(), v, p)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(web.WriteTime)) // the search may have taken as long
	if err != nil {
		return err
	} else if len(line) > 0 {
		reply := moveOf(v, p, line[0])
		answer.Reply = &reply
		for i, m := range line {
			if i > 0 && !m.IsCapture() {
				break
			}
			p = v.Play(p, m)
			if i == 0 {
				answer.After = v.HubString(p)[1:]
			}
		}
	}
	answer.Gain = float64(tactics.Balance(v, p, t.Solver())-tactics.Balance(v, t.Start, t.Solver())) / tactics.Man
	web.WriteJSON(w, 200, web.Encode(answer))
	return nil
}

// reply searches the best line from p, none if the game is over there. It stands in the queue like a move.
func (s *Pages) reply(ctx context.Context, v *rules.Variant, p rules.Position) ([]rules.Move, error) {
	g := rules.NewGameFrom(v, p)
	if g.Over() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, searches.MoveTime)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	type found struct {
		line []rules.Move
		err  error
	}
	answer := make(chan found, 1)
	err := s.queue.Add(&searches.Job{Context: ctx, Run: func(ctx context.Context, _ *searches.Worker) {
		e, err := engine.NewBaseline(v, 16)
		if err != nil {
			answer <- found{err: err}
			return
		}
		t, err := e.Think(ctx, g, engine.Limits{Depth: refuteDepth, Nodes: refuteNodes}, nil)
		answer <- found{t.Line, err}
	}})
	if err != nil {
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy", "%v", err)
	}
	select {
	case f := <-answer:
		return f.line, f.err
	case <-ctx.Done():
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy", "no answer in %v", searches.MoveTime)
	}
}

// watched is what a search has found of a tactic so far.
type watched struct {
	Nodes int64          `json:"nodes"` // visits of a network, positions of the alpha-beta
	Depth int            `json:"depth"`
	Best  bool           `json:"best"`  // it would play the solution
	Moves []watchedMoves `json:"moves"` // the best first; the solution is the last if it is not among them
	Done  bool           `json:"done"`
}

type watchedMoves struct {
	Text     string  `json:"text"`
	Visits   int64   `json:"visits"`
	Score    float64 `json:"score"` // expected, of the solver; -1 if unknown
	Solution bool    `json:"solution"`
}

// Bounds on a search that is watched.
const (
	watchTime   = 20 * time.Second
	watchVisits = 40_000
	watchMoves  = 5
	watchDepth  = 20  // of an alpha-beta
	watchLines  = 64  // the same: moves whose scores it tells
	watchSure   = 0.9 // the share of visits at which it is over
)

// watchTactic sends what the engine of the variant finds of a tactic as it searches: server-sent events begin,
// for each time it gets the worker, seen, and at last done.
func (s *Pages) watchTactic(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), watchTime+searches.MoveTime)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	type message struct {
		name string
		data []byte
		last bool
	}
	events := make(chan message, 64)
	send := func(e message) {
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	err := s.queue.Add(&searches.Job{Context: ctx, Background: true, Run: func(ctx context.Context, k *searches.Worker) {
		send(message{"begin", []byte("{}"), false})
		last, err := watch(ctx, k, t, s.networks.Analyst(t.Variant), func(x watched) { send(message{"seen", web.Encode(x), false}) })
		switch {
		case errors.Is(context.Cause(ctx), searches.ErrGiveWay):
		case err != nil:
			send(message{"failed", web.Encode(web.Refuse(500, "failed", "%v", err)), true})
		default:
			last.Done = true
			send(message{"seen", web.Encode(last), true})
		}
	}})
	if err != nil {
		return web.Refuse(http.StatusServiceUnavailable, "busy", "%v", err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for {
		select {
		case e := <-events:
			out.SetWriteDeadline(time.Now().Add(web.WriteTime))
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, e.data); err != nil || out.Flush() != nil || e.last {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// watch searches a tactic and reports what the search knows. It returns what it knows at the end. A tree
// search is given twice as many visits each time, so that the solver sees how it comes upon the move.
func watch(ctx context.Context, w *searches.Worker, t *tactics.Tactic, player string, report func(watched)) (watched, error) {
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	g := rules.NewGameFrom(t.Variant, t.Start)
	e, err := w.Engine(t.Variant, player, "")
	if err != nil {
		return watched{}, err
	}
	if err := e.Configure(engine.Options{Lines: watchLines}); err != nil {
		return watched{}, err
	}
	var last watched
	if e.Counts() != searches.Visits {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		_, err := e.Think(ctx, g, engine.Limits{Infinite: true, Analyze: true, Depth: watchDepth}, func(found engine.Thought) {
			last = seen(t, found)
			report(last)
			if found.Depth >= 2*t.Depth {
				cancel()
			}
		})
		return last, err
	}
	for n := 1; ; n = min(2*n, watchVisits) {
		found, err := e.Think(ctx, g, engine.Limits{Nodes: int64(n), Analyze: true}, nil)
		if err != nil {
			return watched{}, err
		}
		if ctx.Err() != nil {
			return last, nil
		}
		last = seen(t, found)
		sure := last.Best && n > 256 && float64(last.Moves[0].Visits) >= watchSure*float64(last.Nodes)
		if sure || n == watchVisits {
			return last, nil
		}
		report(last)
	}
}

// seen puts what a search has found in the solver's eyes.
func seen(t *tactics.Tactic, found engine.Thought) watched {
	x := watched{Nodes: found.Nodes, Depth: found.Depth, Best: found.Move == t.Line[0], Moves: []watchedMoves{}}
	for i, l := range found.Moves {
		solution := l.Line[0] == t.Line[0]
		if i >= watchMoves && !solution {
			continue
		}
		m := watchedMoves{Text: notation.FormatMove(t.Variant, t.Start, l.Line[0]), Visits: l.Visits, Score: -1, Solution: solution}
		if l.Expected >= 0 { // not NaN
			m.Score = l.Expected
		}
		x.Moves = append(x.Moves, m)
	}
	return x
}
