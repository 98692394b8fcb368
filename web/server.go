package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
	"damier/strength"
)

// Config says how a server serves. The zero value of a field is its default.
type Config struct {
	// NNUE returns a trained evaluation with which the alpha-beta search plays a variant best, nil if there is none. It
	// is called often and from several goroutines, and so is what it returns. Nil means that there is none.
	NNUE func(*rules.Variant) alphabeta.Evaluator

	// Points is the score of NNUE that is a logit of 1 of the expected score, default 100.
	Points float64

	// Tree returns n evaluators that judge by the NNUE of a variant, for a tree search that uses them at once; none where there
	// is no NNUE. Search are the constants of such searches but for the rule at the root, the size and what is kept. It is
	// called from several goroutines. Nil means that there is no tree search.
	Tree   func(v *rules.Variant, n int) []mcts.Evaluator
	Search mcts.Config

	// Models returns the model for a variant, or an error that wraps ErrNoModel; where there are neither that nor a
	// model the alpha-beta plays. It is called from several goroutines. Nil means no models.
	Models func(*rules.Variant) (Model, error)

	// ModelFirst says that the model of Variant does not come with the program: somebody has chosen it. It plays and
	// analyses where nothing else is chosen, though there be an NNUE, and what was measured of levels is not of it.
	ModelFirst bool

	// OwnNNUE is the name of the NNUE of Variant if it does not come with the program; what was measured of levels is not
	// of it. "" is that of the program.
	OwnNNUE string

	// Library, if not nil, returns the models that can be chosen for a variant besides that of Models, each with a name
	// of its own. It is called from several goroutines. The page sees and says their names, nothing more.
	Library func(*rules.Variant) []Model

	// Variant is what the page begins with; international when nil.
	Variant *rules.Variant

	// Token, if set, is wanted with every request, as a cookie that the address with ?token= sets, and then the server
	// may be reached by any name. Without it only the names of the loopback are answered.
	Token string

	Boards  int           // open at a time, default 100
	Queue   int           // searches that may wait, default 128
	Workers int           // searches at a time, default 1
	Idle    time.Duration // after which a board that nobody looks at is closed, default 15 minutes
	Pace    time.Duration // between the moves of two engines; 0 is none
}

// Server serves boards. Make it with New, and close it.
type Server struct {
	config Config
	queue  *queue
	mux    http.Handler
	ctx    context.Context
	cancel context.CancelFunc
	swept  sync.WaitGroup

	mu     sync.Mutex // not taken with a board's lock held
	boards map[string]*board

	naming sync.Mutex
	models map[string]string // names of models by the variant and its options, "" for none
}

// New returns a server.
func New(c Config) *Server {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&c.Boards, 100)
	set(&c.Queue, 128)
	set(&c.Workers, 1)
	if c.Idle == 0 {
		c.Idle = 15 * time.Minute
	}
	if c.Points == 0 {
		c.Points = handPoints
	}
	if c.Variant == nil {
		c.Variant = rules.International
	}
	s := &Server{config: c, boards: map[string]*board{}, models: map[string]string{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	workers := make([]*worker, c.Workers)
	for i := range workers {
		workers[i] = &worker{
			nnue: c.NNUE, points: c.Points, models: c.Models, library: c.Library, evaluators: map[string]mcts.Evaluator{},
			tree: c.Tree, constants: c.Search, looks: map[string][]mcts.Evaluator{},
			rng: mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64())),
		}
	}
	s.queue = newQueue(c.Queue, workers)
	s.mux = &guard{token: c.Token, cookie: tokenCookie, next: s.routes()}
	s.swept.Go(s.sweep)
	return s
}

// ServeHTTP serves the page and its boards.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close closes all boards and waits for the searches to end.
func (s *Server) Close() {
	s.cancel()
	s.mu.Lock()
	for id, b := range s.boards {
		delete(s.boards, id)
		defer b.close()
	}
	s.mu.Unlock()
	s.swept.Wait()
	s.queue.close()
}

// Serve serves a listener until ctx is done. Connections are bounded in number and time.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return serveListener(ctx, l, s, 8*s.config.Boards, s.Close)
}

// sweep closes boards that nobody looks at.
func (s *Server) sweep() {
	tick := time.NewTicker(max(s.config.Idle/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.closeDeserted(s.config.Idle)
		}
	}
}

// closeDeserted closes the boards that nobody has looked at for that long.
func (s *Server) closeDeserted(since time.Duration) {
	s.mu.Lock()
	boards := slices.Collect(maps.Values(s.boards))
	s.mu.Unlock()
	for _, b := range boards { // without the server's lock: a board may be busy
		if b.deserted(since) {
			s.forget(b)
		}
	}
}

// open opens a board. When there are too many, those that nobody has looked at for a minute go first.
func (s *Server) open(v *rules.Variant, start rules.Position) (*board, error) {
	s.mu.Lock()
	full := len(s.boards) >= s.config.Boards
	s.mu.Unlock()
	if full {
		s.closeDeserted(min(time.Minute, s.config.Idle))
	}
	b := &board{id: newID(), server: s, streams: map[chan event]bool{}, touched: time.Now()}
	b.ctx, b.cancel = context.WithCancel(s.ctx)
	b.seats = [2]seat{{Player: person, Level: strength.Default}, {Player: person, Level: strength.Default}}
	b.begin(v, start) // before the server's lock is taken: it lists the moves of any position
	if err := s.admit(b); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// admit enters a new board, if there is room.
func (s *Server) admit(b *board) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.boards) >= s.config.Boards {
		return refuse(http.StatusServiceUnavailable, "full", "all %d boards are in use; close one, or try again later", s.config.Boards)
	}
	if s.ctx.Err() != nil {
		return refuse(http.StatusServiceUnavailable, "closing", "the server is closing")
	}
	s.boards[b.id] = b
	return nil
}

// newID returns a name that nobody guesses.
func newID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// NewToken returns a token for Config.Token.
func NewToken() string { return newID() }

func (s *Server) board(id string) (*board, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.boards[id]; b != nil {
		return b, nil
	}
	return nil, errGone
}

// modelName returns the name of the model for v, "" if there is none.
func (s *Server) modelName(v *rules.Variant) string {
	if s.config.Models == nil {
		return ""
	}
	s.naming.Lock()
	name, known := s.models[v.String()]
	s.naming.Unlock()
	if known {
		return name
	}
	if m, err := s.config.Models(v); err == nil {
		name = m.Name
	}
	s.naming.Lock()
	defer s.naming.Unlock()
	s.models[v.String()] = name
	return name
}

// library returns the names of the models of the library for v.
func (s *Server) library(v *rules.Variant) (names []string) {
	if s.config.Library == nil {
		return nil
	}
	for _, m := range s.config.Library(v) {
		names = append(names, m.Name)
	}
	return names
}

// modelFirst reports whether somebody has chosen the model of v.
func (s *Server) modelFirst(v *rules.Variant) bool {
	return s.config.ModelFirst && v.String() == s.config.Variant.String()
}

// best returns the engine that analyses v, and plays it where nobody has chosen.
func (s *Server) best(v *rules.Variant) string {
	switch {
	case s.hasNNUE(v) && !(s.modelFirst(v) && s.modelName(v) != ""):
		return trained
	case s.modelName(v) != "":
		return model
	}
	return alphaBeta
}

// routes are all that is served.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /", firstPage(s.config.Variant))
	m.HandleFunc("GET /api/info", s.info)
	s.tacticRoutes(m)
	m.HandleFunc("POST /api/boards", s.create)
	m.HandleFunc("GET /api/boards/{id}", s.withBoard(func(b *board, w http.ResponseWriter, r *http.Request) error {
		b.mu.Lock()
		b.touched = time.Now()
		text := b.snapshot()
		b.mu.Unlock()
		writeJSON(w, 200, text)
		return nil
	}))
	m.HandleFunc("GET /api/boards/{id}/events", s.withBoard(stream))
	m.HandleFunc("GET /api/boards/{id}/game.pdn", s.withBoard(pdn))
	m.HandleFunc("GET /api/boards/{id}/game.txt", s.withBoard(manoury))
	m.HandleFunc("POST /api/boards/{id}/{action}", s.withBoard(act))
	return m
}

// withBoard serves a request about the board that its path names.
func (s *Server) withBoard(serve func(*board, http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, err := s.board(r.PathValue("id"))
		if err == nil {
			err = serve(b, w, r)
		}
		if err != nil {
			writeProblem(w, err)
		}
	}
}

func writeJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(text)
}

func writeProblem(w http.ResponseWriter, err error) {
	p := asProblem(err)
	writeJSON(w, p.status, encode(map[string]*problem{"error": p}))
}

// stream sends the events of a board until the page goes away.
func stream(b *board, w http.ResponseWriter, r *http.Request) error {
	events, err := b.listen()
	if err != nil {
		return err
	}
	defer b.leave(events)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	out.SetReadDeadline(time.Time{})
	send := func(format string, args ...any) bool {
		out.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	beat := time.NewTicker(20 * time.Second)
	defer beat.Stop()
	for {
		select {
		case e, open := <-events:
			if !open || !send("event: %s\ndata: %s\n\n", e.name, e.data) {
				return nil
			}
		case <-beat.C:
			if !send(": still here\n\n") {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

// writeTime is how long a page may take to read what it is sent.
const writeTime = 10 * time.Second
