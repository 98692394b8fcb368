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

// Files are the files of the page; the board's server serves them together with its own.
var Files = web.Sub(embedded)

// Pages serves the requests of the tactics page. It is a part of the board's server.
type Pages struct {
	ctx      context.Context // parent of all searches
	queue    *searches.Queue
	networks searches.Networks
}

// New returns Pages whose searches run in the queue and end when ctx is done.
func New(ctx context.Context, queue *searches.Queue, networks searches.Networks) *Pages {
	return &Pages{ctx, queue, networks}
}

// tacticInfo is an entry in the list of a variant's tactics. It does not reveal the solution.
type tacticInfo struct {
	ID     string          `json:"id"`
	Turn   string          `json:"turn"` // the solver's side
	Level  int             `json:"level"`
	Moves  int             `json:"moves"` // of the solver
	Gain   float64         `json:"gain"`  // in men, 0 if the game is won
	Rating int             `json:"rating"`
	Themes []tactics.Theme `json:"themes"`
}

func infoOf(t *tactics.Tactic) tacticInfo {
	i := tacticInfo{
		ID:     t.ID(),
		Turn:   t.Solver().String(),
		Level:  t.Level,
		Moves:  t.Moves(),
		Rating: t.Rating(),
		Themes: t.Themes,
	}
	if t.Gain != tactics.Won {
		i.Gain = float64(t.Gain) / tactics.Man
	}
	return i
}

// tacticState is a tactic as sent to the page.
type tacticState struct {
	tacticInfo
	Variant string       `json:"variant"`
	FEN     string       `json:"fen"`
	Depth   int          `json:"depth"`
	Visits  int          `json:"visits"` // that the network needs, 0 not searched, -1 not found
	Most    int          `json:"most"`   // visits of that search at most
	Nodes   int          `json:"nodes"`  // that the alpha-beta needs, 0 not searched, -1 not found
	Source  string       `json:"source"`
	Engine  string       `json:"engine"` // the engine to watch
	Name    string       `json:"name"`   // of its network, "" for the program's
	Steps   []tacticStep `json:"steps"`
	End     string       `json:"end"` // pieces after the line
}

// tacticStep is a position of the solution with its move.
type tacticStep struct {
	Pieces string       `json:"pieces"`
	Legal  []web.Choice `json:"legal,omitempty"` // if the solver is to move
	Must   int          `json:"must"`
	Index  int          `json:"index"` // of Move in Legal
	Move   web.Move     `json:"move"`
}

// tacticsOf returns the tactics of a variant, in the order of the collection.
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

// Routes adds the handlers of the page's requests to m.
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
		answer := map[string]any{"variants": list, "themes": tactics.AllThemes()}
		web.WriteJSON(w, 200, web.Encode(answer))
	})
	m.HandleFunc("GET /api/tactics/{variant}", func(w http.ResponseWriter, r *http.Request) {
		list := []tacticInfo{}
		for _, t := range tacticsOf(r.PathValue("variant")) {
			list = append(list, infoOf(t))
		}
		web.WriteJSON(w, 200, web.Encode(list))
	})
	m.HandleFunc("GET /api/tactics/{variant}/{id}", s.withTactic(s.tactic))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/explain", s.withTactic(explainInTactic))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/refute", s.withTactic(s.refute))
	m.HandleFunc("GET /api/tactics/{variant}/{id}/watch", s.withTactic(s.watchTactic))
}

// tactic answers with the state of a tactic.
func (s *Pages) tactic(t *tactics.Tactic, w http.ResponseWriter, _ *http.Request) error {
	web.WriteJSON(w, 200, web.Encode(s.tacticState(t)))
	return nil
}

// withTactic returns a handler that calls serve with the tactic that the path names.
func (s *Pages) withTactic(
	serve func(*tactics.Tactic, http.ResponseWriter, *http.Request) error,
) http.HandlerFunc {
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
		tacticInfo: infoOf(t),
		Variant:    v.Name,
		FEN:        v.FEN(t.Start),
		Depth:      t.Depth,
		Visits:     t.Visits,
		Most:       tactics.MostVisits,
		Nodes:      t.Nodes,
		Source:     t.Source,
		Engine:     s.networks.Analyst(v),
		Name:       s.networks.Own(v),
	}
	positions := t.Positions()
	for i, m := range t.Line {
		p := positions[i]
		legal := v.AppendMoves(nil, p)
		step := tacticStep{
			Pieces: v.HubString(p)[1:],
			Must:   web.Must(legal),
			Index:  slices.Index(legal, m),
			Move:   moveOf(v, p, m),
		}
		if p.Turn == t.Solver() {
			step.Legal = web.Choices(v, p, legal)
		}
		state.Steps = append(state.Steps, step)
	}
	state.End = v.HubString(positions[len(t.Line)])[1:]
	return state
}

// moveOf returns a move of p as the page draws it.
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

// attempt is the body of a POST about a move that a person tries in a tactic.
type attempt struct {
	Ply   int          `json:"ply"` // of the solution; the solver is to move
	Index int          `json:"index"`
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
}

// readAttempt decodes a body and returns it with the position before the move.
func readAttempt(t *tactics.Tactic, r *http.Request) (attempt, rules.Position, error) {
	var q attempt
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, rules.Position{}, web.Refuse(http.StatusBadRequest, "request",
			"the request cannot be read: %v", err)
	}
	if q.Ply < 0 || q.Ply >= len(t.Line) || q.Ply%2 != 0 {
		return q, rules.Position{}, web.Refuse(422, "request",
			"ply %d is none of the solver's", q.Ply)
	}
	return q, t.Positions()[q.Ply], nil
}

// explainInTactic says why no legal move goes from one square to another.
func explainInTactic(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readAttempt(t, r)
	if err != nil {
		return err
	}
	v := t.Variant
	for _, s := range []rules.Square{q.From, q.To} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return web.Refuse(422, "refused", "%d is no square, the board has 1 to %d",
				s, v.Board.Squares())
		}
	}
	web.WriteJSON(w, 200, web.Encode(web.Explain(v, p, v.AppendMoves(nil, p), q.From, q.To)))
	return nil
}

// refutation shows what follows after a move that is not the solution.
type refutation struct {
	Text   string    `json:"text"`            // the move
	Pieces string    `json:"pieces"`          // after it
	Reply  *web.Move `json:"reply,omitempty"` // of the opponent, if it has a move
	After  string    `json:"after"`           // pieces after the reply
	Gain   float64   `json:"gain"`            // the solver's, in men, after all captures
}

// Bounds on the search for a refutation.
const (
	refuteDepth = 8
	refuteNodes = 60_000
)

// refute answers a legal move that is not the solution with the opponent's best reply and the
// solver's gain after it.
func (s *Pages) refute(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readAttempt(t, r)
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
	// The search may have used up the first deadline.
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(web.WriteTime))
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
	gain := tactics.Balance(v, p, t.Solver()) - tactics.Balance(v, t.Start, t.Solver())
	answer.Gain = float64(gain) / tactics.Man
	web.WriteJSON(w, 200, web.Encode(answer))
	return nil
}

// reply returns the best line from p, nil if the game is over there. Its search waits in the queue
// like a search for a move.
func (s *Pages) reply(
	ctx context.Context, v *rules.Variant, p rules.Position,
) ([]rules.Move, error) {
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
	run := func(ctx context.Context, _ *searches.Worker) {
		e, err := engine.NewBaseline(v, 16)
		if err != nil {
			answer <- found{err: err}
			return
		}
		t, err := e.Think(ctx, g, engine.Limits{Depth: refuteDepth, Nodes: refuteNodes}, nil)
		answer <- found{t.Line, err}
	}
	if err := s.queue.Add(&searches.Job{Context: ctx, Run: run}); err != nil {
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy", "%w", err)
	}
	select {
	case f := <-answer:
		return f.line, f.err
	case <-ctx.Done():
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy",
			"no answer in %v", searches.MoveTime)
	}
}

// watched is the result so far of a search of a tactic.
type watched struct {
	Nodes int64          `json:"nodes"` // visits of a tree search, positions of an alpha-beta
	Depth int            `json:"depth"`
	Best  bool           `json:"best"`  // whether the best move is the solution
	Moves []watchedMoves `json:"moves"` // best first, at most watchMoves and the solution
	Done  bool           `json:"done"`
}

type watchedMoves struct {
	Text     string  `json:"text"`
	Visits   int64   `json:"visits"`
	Score    float64 `json:"score"` // the solver's expected score; -1 if unknown
	Solution bool    `json:"solution"`
}

// Bounds on a search that a person watches.
const (
	watchTime   = 20 * time.Second
	watchVisits = 40_000
	watchMoves  = 5
	watchDepth  = 20  // of an alpha-beta
	watchLines  = 64  // root moves whose score an alpha-beta reports
	watchSure   = 0.9 // the solution's share of the visits that ends the search
)

// watchTactic runs the variant's analysing engine on a tactic and sends server-sent events:
// "begin" each time a worker starts the search, "seen" for each result (the last one has Done),
// "failed" on an error.
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
	run := func(ctx context.Context, k *searches.Worker) {
		send(message{"begin", []byte("{}"), false})
		report := func(x watched) { send(message{"seen", web.Encode(x), false}) }
		last, err := watch(ctx, k, t, s.networks.Analyst(t.Variant), report)
		switch {
		case errors.Is(context.Cause(ctx), searches.ErrGiveWay):
		case err != nil:
			send(message{"failed", web.Encode(web.AsProblem(err)), true})
		default:
			last.Done = true
			send(message{"seen", web.Encode(last), true})
		}
	}
	err := s.queue.Add(&searches.Job{Context: ctx, Background: true, Run: run})
	if err != nil {
		return web.Refuse(http.StatusServiceUnavailable, "busy", "%w", err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for {
		select {
		case e := <-events:
			out.SetWriteDeadline(time.Now().Add(web.WriteTime))
			_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, e.data)
			if err != nil || out.Flush() != nil || e.last {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// watch searches a tactic, reports intermediate results and returns the last one. A tree search is
// run again and again with twice the visits, so a person sees how it finds the move.
func watch(
	ctx context.Context, w *searches.Worker, t *tactics.Tactic, player string,
	report func(watched),
) (watched, error) {
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
		limits := engine.Limits{Infinite: true, Analyze: true, Depth: watchDepth}
		_, err := e.Think(ctx, g, limits, func(found engine.Thought) {
			last = watchedOf(t, found)
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
		last = watchedOf(t, found)
		sure := last.Best && n > 256 &&
			float64(last.Moves[0].Visits) >= watchSure*float64(last.Nodes)
		if sure || n == watchVisits {
			return last, nil
		}
		report(last)
	}
}

// watchedOf returns an engine's Thought about a tactic as sent to the page.
func watchedOf(t *tactics.Tactic, found engine.Thought) watched {
	x := watched{
		Nodes: found.Nodes,
		Depth: found.Depth,
		Best:  found.Move == t.Line[0],
		Moves: []watchedMoves{},
	}
	for i, l := range found.Moves {
		solution := l.Line[0] == t.Line[0]
		if i >= watchMoves && !solution {
			continue
		}
		m := watchedMoves{
			Text:     notation.FormatMove(t.Variant, t.Start, l.Line[0]),
			Visits:   l.Visits,
			Score:    -1,
			Solution: solution,
		}
		if l.Expected >= 0 { // not NaN
			m.Score = l.Expected
		}
		x.Moves = append(x.Moves, m)
	}
	return x
}
