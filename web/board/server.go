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

// Config configures a Server. The zero value of a field means its default.
type Config struct {
	// Networks are the networks that play. The measured Elo of levels is that of the networks that
	// come with the program.
	searches.Networks

	// Verdicts looks up the legal moves of a position in endgame tables, in the order of
	// Variant.AppendMoves. It is called from several goroutines; nil means that there are no
	// tables.
	Verdicts func(context.Context, *rules.Variant, rules.Position) ([]Verdict, error)

	// Book returns the moves of a position in the opening book of a variant, none where the book
	// does not hold it; false if the variant has no book. It is called from several goroutines;
	// nil means that there are no books.
	Book func(*rules.Variant, rules.Position) ([]BookMove, bool, error)

	// Games are the person's own games; nil if there are none.
	Games Collection

	// Variant is the variant that a new page shows; international if nil.
	Variant *rules.Variant

	// Token, if set, must come with every request, in a cookie that the address with ?token= sets;
	// then the server answers to any host name. Without it the server answers only the names of
	// the loopback.
	Token string

	Boards  int           // maximum number of open boards, default 100
	Queue   int           // maximum number of waiting searches, default 128
	Workers int           // number of searches at a time, default 1
	Idle    time.Duration // an unused board is closed after this time, default 15 minutes
	Pace    time.Duration // pause between the moves of two engines
}

// tokenCookie is the name of the cookie that carries the token.
const tokenCookie = "damier_token"

// Server serves boards. Make it with New, and call Close when done.
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
			Networks: c.Networks,
			Rand:     mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64())),
		}
	}
	s.queue = searches.New(c.Queue, workers)
	script, style := inline()
	s.mux = &web.Guard{
		Token: c.Token, Cookie: tokenCookie, Script: script, Style: style, Next: s.routes(),
	}
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

// sweep closes unused boards from time to time until the server is closed.
func (s *Server) sweep() {
	tick := time.NewTicker(max(s.config.Idle/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.closeUnused(s.config.Idle)
		}
	}
}

// closeUnused closes the boards that have been unused for that long.
func (s *Server) closeUnused(since time.Duration) {
	s.mu.Lock()
	boards := slices.Collect(maps.Values(s.boards))
	s.mu.Unlock()
	for _, b := range boards { // without the server's lock, because a board may be busy
		if b.unused(since) {
			s.forget(b)
		}
	}
}

// open makes a new board. If the server is full, it first closes boards unused for a minute.
func (s *Server) open(v *rules.Variant, start rules.Position) (*board, error) {
	s.mu.Lock()
	full := len(s.boards) >= s.config.Boards
	s.mu.Unlock()
	if full {
		s.closeUnused(min(time.Minute, s.config.Idle))
	}
	b := &board{id: web.NewID(), server: s, streams: map[chan event]bool{}, touched: time.Now()}
	b.ctx, b.cancel = context.WithCancel(s.ctx)
	b.seats[rules.White] = seat{Player: person, Level: engine.DefaultLevel}
	b.seats[rules.Black] = seat{Player: person, Level: engine.DefaultLevel}
	b.begin(v, start) // without the server's lock: move generation can take long
	if err := s.admit(b); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// admit adds a new board to the server, or returns a Problem if there are too many.
func (s *Server) admit(b *board) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.boards) >= s.config.Boards {
		return web.Refuse(http.StatusServiceUnavailable, "full",
			"all %d boards are in use; close one, or try again later", s.config.Boards)
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

// routes returns the handler of all paths of the server.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /", firstPage(s.config.Variant))
	m.HandleFunc("GET /api/info", s.info)
	tactics.New(s.ctx, s.queue, s.config.Networks).Routes(m)
	m.HandleFunc("POST /api/boards", s.create)
	m.HandleFunc("GET /api/boards/{id}", s.withBoard(current))
	m.HandleFunc("GET /api/boards/{id}/events", s.withBoard(stream))
	m.HandleFunc("GET /api/boards/{id}/explorer", s.withBoard(explore))
	m.HandleFunc("GET /api/boards/{id}/game.pdn", s.withBoard(pdn))
	m.HandleFunc("GET /api/boards/{id}/game.txt", s.withBoard(manoury))
	m.HandleFunc("POST /api/boards/{id}/{action}", s.withBoard(act))
	return m
}

// current answers with the state of a board.
func current(b *board, w http.ResponseWriter, _ *http.Request) error {
	b.mu.Lock()
	b.touched = time.Now()
	text := b.snapshot()
	b.mu.Unlock()
	web.WriteJSON(w, 200, text)
	return nil
}

// withBoard returns a handler that calls serve with the board that the path names.
func (s *Server) withBoard(
	serve func(*board, http.ResponseWriter, *http.Request) error,
) http.HandlerFunc {
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

// stream sends the events of a board until the page disconnects.
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
