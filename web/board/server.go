package board

import (
	"context"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"damier/engine"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
	"damier/web/tactics"
)

// Config says how a server serves. The zero value of a field is its default.
type Config struct {
	// Networks are those that play; the levels measured are of those that come with the program.
	searches.Networks

	// Verdicts judges the legal moves of a position by endgame tables, in the order of the rules. It is
	// called from several goroutines; nil means that there are no tables.
	Verdicts func(context.Context, *rules.Variant, rules.Position) ([]Verdict, error)

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

// tokenCookie is the cookie of the token.
const tokenCookie = "damier_token"

// Server serves boards. Make it with New, and close it.
type Server struct {
	config Config
	queue  *searches.Queue
	mux    http.Handler
	ctx    context.Context
	cancel context.CancelFunc
	swept  sync.WaitGroup

	mu     sync.Mutex // not taken with a board's lock held
	boards map[string]*board
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
	if c.Variant == nil {
		c.Variant = rules.International
	}
	s := &Server{config: c, boards: map[string]*board{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	workers := make([]*searches.Worker, c.Workers)
	for i := range workers {
		workers[i] = &searches.Worker{
			Networks: c.Networks, Rand: mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64())),
		}
	}
	s.queue = searches.New(c.Queue, workers)
	script, style := inline()
	s.mux = &web.Guard{Token: c.Token, Cookie: tokenCookie, Script: script, Style: style, Next: s.routes()}
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
	s.queue.Close()
}

// Serve serves a listener until ctx is done. Connections are bounded in number and time.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return web.Serve(ctx, l, s, 8*s.config.Boards, s.Close)
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
	b := &board{id: web.NewID(), server: s, streams: map[chan event]bool{}, touched: time.Now()}
	b.ctx, b.cancel = context.WithCancel(s.ctx)
	b.seats = [2]seat{{Player: person, Level: engine.DefaultLevel}, {Player: person, Level: engine.DefaultLevel}}
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
		return web.Refuse(http.StatusServiceUnavailable, "full", "all %d boards are in use; close one, or try again later", s.config.Boards)
	}
	if s.ctx.Err() != nil {
		return web.Refuse(http.StatusServiceUnavailable, "closing", "the server is closing")
	}
	s.boards[b.id] = b
	return nil
}

func (s *Server) board(id string) (*board, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.boards[id]; b != nil {
		return b, nil
	}
	return nil, errGone
}

// routes are all that is served.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /", firstPage(s.config.Variant))
	m.HandleFunc("GET /api/info", s.info)
	tactics.New(s.ctx, s.queue, s.config.Networks).Routes(m)
	m.HandleFunc("POST /api/boards", s.create)
	m.HandleFunc("GET /api/boards/{id}", s.withBoard(func(b *board, w http.ResponseWriter, r *http.Request) error {
		b.mu.Lock()
		b.touched = time.Now()
		text := b.snapshot()
		b.mu.Unlock()
		web.WriteJSON(w, 200, text)
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
			web.WriteProblem(w, err)
		}
	}
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
		out.SetWriteDeadline(time.Now().Add(web.WriteTime))
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
