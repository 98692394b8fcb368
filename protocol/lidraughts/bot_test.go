package lidraughts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"damier/rules"
)

const token = "lip_secretsecret"

// fakeServer plays a random opponent by the rules, and speaks the interface of the server.
type fakeServer struct {
	t    *testing.T
	http *httptest.Server

	mu       sync.Mutex
	rng      *rand.Rand
	title    string
	games    map[string]*fakeGame
	waiting  []Challenge
	accepted []string
	declined []string
	changed  *sync.Cond
	events   int // streams of events that were opened

	// The faults of the server.
	breakAfter int // lines of a stream of a game after which the stream breaks off; 0: never
	repeat     bool
	lie        func(g *fakeGame, s map[string]any) // changes a state before it is sent
	busy       int                                 // answers of 429 or 500 before each move is taken
}

type fakeGame struct {
	id      string
	variant *rules.Variant
	game    *rules.Game
	bot     rules.Color
	words   []string
	begun   []rules.Square
	over    bool
	moves   int // of the bot
	refused int
	draw    bool // the bot's answer to a draw offer
	busy    int
	told    int // states sent
}

func newFakeServer(t *testing.T) *fakeServer {
	s := &fakeServer{t: t, rng: rand.New(rand.NewPCG(5, 6)), title: "BOT", games: map[string]*fakeGame{}}
	s.changed = sync.NewCond(&s.mu)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/account", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		json.NewEncoder(w).Encode(map[string]string{"id": "damier", "username": "Damier", "title": s.title})
	})
	mux.HandleFunc("GET /api/stream/event", s.streamEvents)
	mux.HandleFunc("GET /api/bot/game/stream/{id}", s.streamGame)
	mux.HandleFunc("POST /api/bot/game/{id}/move/{leg}", s.move)
	mux.HandleFunc("POST /api/challenge/{id}/{verb}", s.challenge)
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"No such token: %s"}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.http.Close)
	return s
}

// write sends a JSON line, and reports whether the connection is still open.
func write(w http.ResponseWriter, object any) bool {
	err := json.NewEncoder(w).Encode(object)
	w.(http.Flusher).Flush()
	return err == nil
}

func (s *fakeServer) streamEvents(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.events++
	var lines []any
	for _, c := range s.waiting {
		lines = append(lines, map[string]any{"type": "challenge", "challenge": c})
	}
	for id := range s.games {
		lines = append(lines, map[string]any{"type": "gameStart", "game": map[string]any{"id": id}})
	}
	repeat := s.repeat
	s.mu.Unlock()
	fmt.Fprint(w, "\n{\"type\":\"unheard of\"}\nno JSON\n")
	for _, l := range lines {
		write(w, l)
		if repeat {
			write(w, l)
		}
	}
	w.(http.Flusher).Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(200 * time.Millisecond): // the stream ends, and the bot opens it again
	}
}

func (s *fakeServer) challenge(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	i := slices.IndexFunc(s.waiting, func(c Challenge) bool { return c.ID == id })
	if i < 0 {
		http.Error(w, `{"error":"No such challenge"}`, http.StatusNotFound)
		return
	}
	if c := s.waiting[i]; r.PathValue("verb") == "accept" {
		s.accepted = append(s.accepted, id)
		for _, v := range played(s.t) {
			if v.GameType == int(c.Variant.GameType) {
				s.begin(id, v, rules.Black)
			}
		}
	} else {
		s.declined = append(s.declined, id)
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
}

func (s *fakeServer) begin(id string, v *rules.Variant, bot rules.Color) *fakeGame {
	g := &fakeGame{id: id, variant: v, game: rules.NewGame(v), bot: bot}
	s.games[id] = g
	s.opponent(g)
	return g
}

// opponent lets the opponent move as long as it is its turn.
func (s *fakeServer) opponent(g *fakeGame) {
	for !g.game.Over() && g.game.Position().Turn != g.bot {
		m := g.game.Legal()[s.rng.IntN(len(g.game.Legal()))]
		g.words = append(g.words, Legs(g.variant, g.game.Position(), m, nil)...)
		if err := g.game.Play(m); err != nil {
			s.t.Error(err)
		}
	}
	g.over = g.over || g.game.Over() || g.game.Ply() >= 60
	s.changed.Broadcast()
}

func (s *fakeServer) move(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[r.PathValue("id")]
	if g == nil || g.over || g.game.Position().Turn != g.bot {
		if g != nil && !g.over {
			g.refused++
		}
		http.Error(w, `{"error":"Not your turn, or game already over"}`, http.StatusBadRequest)
		return
	}
	if g.busy < s.busy {
		g.busy++
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusBadGateway}[g.busy%2])
		return
	}
	g.busy = 0
	g.draw = r.URL.Query().Get("offeringDraw") == "true"
	h := rules.NewGame(g.variant)
	words := append(slices.Clone(g.words), r.PathValue("leg"))
	begun, err := Moves(h, strings.Join(words, " "))
	if err != nil {
		s.t.Errorf("%s: the bot plays %s: %v", g.variant.Name, r.PathValue("leg"), err)
		http.Error(w, `{"error":"illegal"}`, http.StatusBadRequest)
		return
	}
	g.words, g.begun, g.game = words, begun, h
	if begun == nil {
		g.moves++
		s.opponent(g)
	}
	s.changed.Broadcast()
}

func (s *fakeServer) streamGame(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[r.PathValue("id")]
	if g == nil {
		http.Error(w, `{"error":"No such game"}`, http.StatusNotFound)
		return
	}
	stop := context.AfterFunc(r.Context(), s.changed.Broadcast)
	defer stop()
	players := map[rules.Color]map[string]string{g.bot: {"id": "damier"}, g.bot.Opponent(): {"id": "somebody"}}
	for n, sent := 1, -1; ; n++ {
		state := map[string]any{"type": "gameState", "moves": strings.Join(g.words, " "),
			"wtime": 60000, "btime": 60000, "winc": 1000, "binc": 1000, "wdraw": true, "bdraw": true}
		if s.lie != nil {
			s.lie(g, state)
		}
		line := any(state)
		if n == 1 {
			line = map[string]any{"type": "gameFull", "id": g.id, "initialFen": "startpos", "state": state,
				"variant": map[string]any{"key": g.variant.Name, "gameType": fmt.Sprint(g.variant.GameType)},
				"white":   players[rules.White], "black": players[rules.Black]}
		}
		sent = len(g.words)
		over, repeat := g.over, s.repeat
		s.mu.Unlock()
		write(w, map[string]any{"type": "chatLine", "username": "somebody", "text": "hello"})
		ok := write(w, line)
		if repeat {
			write(w, state)
		}
		s.mu.Lock()
		if !ok || over || r.Context().Err() != nil {
			return
		}
		if s.breakAfter > 0 && n >= s.breakAfter {
			s.mu.Unlock()
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				connection.Close()
			}
			s.mu.Lock()
			return
		}
		for len(g.words) == sent && !g.over && r.Context().Err() == nil {
			s.changed.Wait()
		}
	}
}

// randomThinker plays at random.
type randomThinker struct {
	rng      *rand.Rand
	expected float64
	closed   *atomic.Int32
}

func (r *randomThinker) Think(_ context.Context, g *rules.Game, c Clock) (Choice, error) {
	if c.Unlimited || c.Left != time.Minute || c.Increment != time.Second {
		return Choice{}, fmt.Errorf("the clock is %+v", c)
	}
	return Choice{Move: g.Legal()[r.rng.IntN(len(g.Legal()))], Expected: r.expected}, nil
}

func (r *randomThinker) Close() error {
	r.closed.Add(1)
	return nil
}

// running is a bot and the fake server on which it plays.
type running struct {
	bot    *Bot
	mu     sync.Mutex
	lines  []string
	closed atomic.Int32
	stop   func() error
}

func (r *running) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func run(t *testing.T, s *fakeServer, change func(*Config)) *running {
	t.Helper()
	client, err := NewClient(s.http.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	client.Pause, client.Limited, client.Patience = time.Millisecond, time.Millisecond, 5*time.Second
	r := &running{}
	c := Config{
		Client: client, Variants: played(t), Games: 20,
		Policy: Policy{Variants: rules.Names(), Rated: true, Casual: true},
		New: func(*rules.Variant) (Thinker, error) {
			return &randomThinker{rng: rand.New(rand.NewPCG(7, 8)), expected: 0.4, closed: &r.closed}, nil
		},
		Log: func(line string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.lines = append(r.lines, line)
		},
	}
	if change != nil {
		change(&c)
	}
	bot, err := NewBot(c)
	if err != nil {
		t.Fatal(err)
	}
	r.bot = bot
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bot.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		err := <-done
		if strings.Contains(r.text(), token) {
			t.Error("the token is printed")
		}
		return err
	})
	t.Cleanup(func() { r.stop() })
	return r
}

// wait waits until a condition holds.
func wait(t *testing.T, s *fakeServer, r *running, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		s.mu.Lock()
		ok := so()
		s.mu.Unlock()
		if ok {
			return
		}
	}
	t.Fatalf("never: %s; the bot said\n%s", what, r.text())
}

func allOver(s *fakeServer) func() bool {
	return func() bool {
		for _, g := range s.games {
			if !g.over {
				return false
			}
		}
		return len(s.games) > 0
	}
}

// TestGames plays a game in every variant of the server, on streams of every kind.
func TestGames(t *testing.T) {
	for name, spoil := range map[string]func(*fakeServer){
		"quiet":     func(*fakeServer) {},
		"breaking":  func(s *fakeServer) { s.breakAfter = 2 },
		"repeating": func(s *fakeServer) { s.repeat = true },
		"busy":      func(s *fakeServer) { s.busy = 2 },
		"lying now and then": func(s *fakeServer) {
			s.lie = func(g *fakeGame, state map[string]any) {
				if g.told++; g.told%7 == 0 {
					state["moves"] = "3228 3228"
				}
			}
			s.breakAfter = 5
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t)
			spoil(s)
			s.mu.Lock()
			for i, v := range played(t) {
				s.begin(fmt.Sprintf("game%04d", i), v, rules.Color(i%2))
			}
			s.mu.Unlock()
			r := run(t, s, nil)
			wait(t, s, r, "all games over", allOver(s))
			if err := r.stop(); !errors.Is(err, context.Canceled) {
				t.Errorf("stopped by %v", err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, g := range s.games {
				if g.moves < 5 {
					t.Errorf("%s: %d moves by the bot", g.variant.Name, g.moves)
				}
				if name == "quiet" && g.refused > 0 {
					t.Errorf("%s: %d moves were refused", g.variant.Name, g.refused)
				}
			}
			if int(r.closed.Load()) != len(s.games) {
				t.Errorf("%d of %d thinkers closed", r.closed.Load(), len(s.games))
			}
		})
	}
}

// TestLiar: if a server keeps sending an impossible state of a game, the bot leaves that game but
// not the others.
func TestLiar(t *testing.T) {
	s := newFakeServer(t)
	s.lie = func(g *fakeGame, state map[string]any) {
		if g.id == "game0000" {
			state["moves"] = "9999"
		}
	}
	s.mu.Lock()
	s.begin("game0000", rules.International, rules.White)
	good := s.begin("game0001", rules.International, rules.White)
	s.mu.Unlock()
	r := run(t, s, nil)
	wait(t, s, r, "the other game over", func() bool { return good.over })
	wait(t, s, r, "the liar left", func() bool { return strings.Contains(r.text(), "game0000: left: ") })
}

func TestChallenges(t *testing.T) {
	s := newFakeServer(t)
	of := func(id, user string, change func(*Challenge)) {
		c := Challenge{ID: id, Challenger: &User{ID: user}, Variant: Variant{Key: "frisian", GameType: 40},
			TimeControl: TimeControl{Type: "clock", Limit: 180, Increment: 2}}
		if change != nil {
			change(&c)
		}
		s.waiting = append(s.waiting, c)
	}
	s.mu.Lock()
	of("goodgood", "somebody", nil)
	of("ratedone", "somebody", func(c *Challenge) { c.Rated = true })
	of("toofast0", "somebody", func(c *Challenge) { c.TimeControl = TimeControl{Type: "clock", Limit: 15} })
	of("tooslow0", "somebody", func(c *Challenge) { c.TimeControl = TimeControl{Type: "clock", Limit: 10800} })
	of("noclock0", "somebody", func(c *Challenge) { c.TimeControl = TimeControl{Type: "unlimited"} })
	of("botbot00", "somebody", func(c *Challenge) { c.Challenger.Title = "BOT" })
	of("another0", "another", nil)
	of("nobody00", "", func(c *Challenge) { c.Challenger = nil })
	of("unknown0", "somebody", func(c *Challenge) { c.Variant = Variant{Key: "chess", GameType: 1} })
	of("russian0", "somebody", func(c *Challenge) { c.Variant = Variant{Key: "russian", GameType: 25} })
	of("../../me", "somebody", nil)
	of("mine0000", "damier", nil)
	s.mu.Unlock()
	r := run(t, s, func(c *Config) {
		c.Policy = Policy{Variants: []string{"frisian", "international"}, Casual: true, Users: []string{"SomeBody"},
			Shortest: time.Minute, Longest: time.Hour}
	})
	wait(t, s, r, "all answered", func() bool { return len(s.waiting) == 2 })
	r.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.accepted, []string{"goodgood"}) || len(s.declined) != 9 {
		t.Errorf("accepted %q, declined %q", s.accepted, s.declined)
	}
}

// TestDraw: the bot accepts a draw if it expects at most half a point.
func TestDraw(t *testing.T) {
	for limit, want := range map[float64]bool{0: false, 0.3: false, 0.5: true} {
		s := newFakeServer(t)
		s.mu.Lock()
		g := s.begin("game0000", rules.International, rules.White)
		s.mu.Unlock()
		r := run(t, s, func(c *Config) { c.Draw = limit })
		wait(t, s, r, "the game over", allOver(s))
		r.stop()
		s.mu.Lock()
		if g.draw != want {
			t.Errorf("draws accepted at %g, expecting 0.4: %t, want %t", limit, g.draw, want)
		}
		s.mu.Unlock()
	}
}

func TestRefusedAccounts(t *testing.T) {
	s := newFakeServer(t)
	s.title = ""
	if err := run(t, s, nil).bot.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no account of a bot") {
		t.Errorf("an account of a person: %v", err)
	}
	client, err := NewClient(s.http.URL, "another-token")
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Account(t.Context())
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "another-token") {
		t.Errorf("a wrong token: %v", err)
	}
}

func TestNewClientRefuses(t *testing.T) {
	for _, c := range []struct{ base, token, want string }{
		{"http://lidraughts.org", "t", "https alone"},
		{"ftp://lidraughts.org", "t", "https alone"},
		{"lidraughts.org", "t", "no address"},
		{"https://user:pass@lidraughts.org", "t", "no address"},
		{Server, "", "the token"},
		{Server, "a\nb", "the token"},
	} {
		if _, err := NewClient(c.base, c.token); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: %v, want %q", c.base, c.token, err, c.want)
		}
	}
}

// TestRedirect: the token is never sent to another server.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked with %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	client, err := NewClient(s.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Account(t.Context()); err == nil {
		t.Error("a redirect is followed")
	}
}

// TestSilence: a silent stream is closed and opened again.
func TestSilence(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	client, err := NewClient(s.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	client.Patience = 20 * time.Millisecond
	err = client.Events(t.Context(), func(Event) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "silent") {
		t.Errorf("%v", err)
	}
}
