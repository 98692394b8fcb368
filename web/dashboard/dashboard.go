package dashboard

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"damier/mcts"
	"damier/rules"
	"damier/web"
)

//go:embed static
var embedded embed.FS

// files are the files of the dashboard and of all pages.
var files = web.Files{web.Common, web.Sub(embedded)}

// tokenCookie is the name of the cookie that carries the token.
const tokenCookie = "damier_dashboard_token"

// Run gives a dashboard access to a training run. Its methods are called from several goroutines.
type Run interface {
	About() About

	// Phase returns what the learner is doing now; the zero Phase if unknown.
	Phase() Phase

	// Events returns events of the run's metrics from an offset on, as a JSON list, and the offset
	// of the next events. The first offset is 0. To read all events, call it until the offset does
	// not change. If the metrics have become shorter than from, next is less than from.
	Events(from int64) (list []byte, next int64, err error)

	// Settings returns every value of the run's configuration and its origin.
	Settings() ([]Setting, error)

	// Games returns at most n games in progress.
	Games(n int) ([]Game, error)

	// Generations returns the generations whose networks are kept, ascending. Network returns the
	// network of one of them; its error wraps fs.ErrNotExist if the run has not kept it.
	Generations() ([]int, error)
	Network(generation int) (mcts.Evaluator, error)

	// NetworkFile returns the file of the network of a generation; its error wraps fs.ErrNotExist
	// if the run has not kept it.
	NetworkFile(generation int) (NetworkFile, error)

	// WriteMetrics writes the run's metrics in the text format of Prometheus.
	WriteMetrics(w io.Writer) error
}

// About describes a run.
type About struct {
	Name    string
	Variant *rules.Variant
	Created time.Time
	Live    bool   // Games are in progress now; otherwise they are of the last checkpoint
	Marks   []Mark // the opponents of the ladder
}

// Mark is an opponent with known Elo.
type Mark struct {
	Name string  `json:"name"`
	Elo  float64 `json:"elo"`
}

// Phase is what a learner is doing: Name is "playing", "training" or "between". Done and Of count
// rows while playing and steps while training.
type Phase struct {
	Name string `json:"name"`
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

// Setting is a value of a run's configuration.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// NetworkFile is the file of a network.
type NetworkFile struct {
	Name    string // without a folder
	Content []byte
	Play    string // command line that plays the network, on the machine that has the run
}

// Game is a self-play game in progress.
type Game struct {
	ID       string
	Position rules.Position
	Ply      int
	Last     rules.Move // not used at ply 0
	White    rules.WDL  // the last search's expectation; zero if none
}

// Config configures a Dashboard.
type Config struct {
	Token string // as in web.Guard: every request must carry it; "" for no check

	// Others are further runs. The reader of the page can lay their charts over those of the first
	// run, and choose which run the rest of the page is about.
	Others []Run
}

// Bounds on the requests to a dashboard.
const (
	maxGames       = 32
	gamesInterval  = 400 * time.Millisecond // minimum time between two calls of Run.Games
	maxReaders     = 4                      // maximum number of concurrent calls of Run.Events
	maxFiles       = 4                      // networks that are downloaded at a time
	fileTime       = 2 * time.Minute        // maximum time of a download
	maxNetworks    = 48                     // maximum number per position
	positionTime   = 7 * time.Second        // maximum time for all of them, waiting included
	maxWaiting     = 4                      // requests that may wait; more are refused
	maxCached      = 32
	maxFEN         = 1000
	shownMoves     = 6
	maxConnections = 128
)

// Dashboard serves the dashboard of one run or more. Make it with New.
type Dashboard struct {
	runs   []*shown
	mux    http.Handler
	reads  chan struct{}
	asking chan struct{} // held by the request that evaluates with the networks
	queue  chan struct{} // held by the requests that wait, and by that one
	files  chan struct{} // held by the requests that read the file of a network
}

// shown is one run of a dashboard and what is remembered of it.
type shown struct {
	Run

	gamesMu sync.Mutex
	gamesAt time.Time
	games   []Game

	cacheMu sync.Mutex
	answers []cachedAnswer // newest last
}

// cachedAnswer is a cached answer about a position.
type cachedAnswer struct {
	fen    string
	newest int // the newest generation at that time
	text   []byte
}

// New returns the dashboard of a run.
func New(run Run, c Config) *Dashboard {
	d := &Dashboard{
		reads: make(chan struct{}, maxReaders), asking: make(chan struct{}, 1),
		queue: make(chan struct{}, 1+maxWaiting), files: make(chan struct{}, maxFiles),
	}
	for _, r := range append([]Run{run}, c.Others...) {
		d.runs = append(d.runs, &shown{Run: r})
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /", files.Serve("dashboard.html"))
	m.HandleFunc("GET /api/runs", d.list)
	for path, serve := range map[string]func(*shown, http.ResponseWriter, *http.Request) error{
		"GET /api/run":          d.about,
		"GET /api/events":       d.events,
		"GET /api/settings":     d.settings,
		"GET /api/games":        d.gamesInProgress,
		"GET /api/networks":     d.networks,
		"GET /api/network":      d.network,
		"GET /api/network/file": d.networkFile,
		"POST /api/position":    d.position,
		"GET /metrics":          d.metrics,
	} {
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			run, err := d.asked(r)
			if err == nil {
				err = serve(run, w, r)
			}
			if err != nil {
				web.WriteProblem(w, err)
			}
		})
	}
	d.mux = &web.Guard{Token: c.Token, Cookie: tokenCookie, Next: m}
	return d
}

// asked returns the run that a request is about: the parameter run is its index, by default 0.
func (d *Dashboard) asked(r *http.Request) (*shown, error) {
	i, err := parameter(r, "run", 0, 0, len(d.runs)-1)
	if err != nil {
		return nil, err
	}
	return d.runs[i], nil
}

// parameter returns a whole number of the query in [low,high], or the given one if it is absent.
func parameter(r *http.Request, name string, absent, low, high int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, web.Refuse(http.StatusUnprocessableEntity, "request",
			"%s is %q; it is %d to %d", name, web.Clip(text), low, high)
	}
	return n, nil
}

// ServeHTTP serves the page.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Serve serves a listener until ctx is done. Connections are bounded in number and time.
func (d *Dashboard) Serve(ctx context.Context, l net.Listener) error {
	return web.Serve(ctx, l, d, maxConnections, func() {})
}

// list answers with the runs, in the order of their indices.
func (d *Dashboard) list(w http.ResponseWriter, _ *http.Request) {
	runs := []map[string]any{}
	for _, s := range d.runs {
		a := s.About()
		runs = append(runs, map[string]any{
			"name": a.Name, "variant": a.Variant.Name, "options": web.OptionsOf(a.Variant),
		})
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"runs": runs}))
}

func (d *Dashboard) about(s *shown, w http.ResponseWriter, _ *http.Request) error {
	a := s.About()
	web.WriteJSON(w, 200, web.Encode(map[string]any{
		"name":    a.Name,
		"variant": web.Describe(a.Variant),
		"options": web.OptionsOf(a.Variant),
		"created": a.Created,
		"live":    a.Live,
		"marks":   a.Marks,
	}))
	return nil
}

// events answers with a part of the metrics, the time, the learner's phase and the workers.
func (d *Dashboard) events(s *shown, w http.ResponseWriter, r *http.Request) error {
	from := int64(0)
	if text := r.URL.Query().Get("from"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return web.Refuse(http.StatusUnprocessableEntity, "request",
				"from is %q; it must be the value of next in an earlier answer", web.Clip(text))
		}
		from = n
	}
	select {
	case d.reads <- struct{}{}:
		defer func() { <-d.reads }()
	case <-r.Context().Done():
		return nil
	}
	list, next, err := s.Events(from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"next":%d,"now":%s,"phase":%s,"workers":%s,"events":`,
		next, web.Encode(time.Now().UTC()), web.Encode(s.Phase()), web.Encode(s.workers()))
	b.Write(list)
	b.WriteByte('}')
	web.WriteJSON(w, 200, b.Bytes())
	return nil
}

func (d *Dashboard) settings(s *shown, w http.ResponseWriter, _ *http.Request) error {
	settings, err := s.Settings()
	if err != nil {
		return err
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"settings": settings}))
	return nil
}

func (d *Dashboard) metrics(s *shown, w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	if err := s.WriteMetrics(&b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err := w.Write(b.Bytes())
	if err != nil {
		panic(http.ErrAbortHandler) // the client has disconnected
	}
	return nil
}

// gameState is a game in progress as sent to the page.
type gameState struct {
	ID     string       `json:"id"`
	FEN    string       `json:"fen"`
	Pieces string       `json:"pieces"` // a letter for each square: w b W B, e for none
	Turn   string       `json:"turn"`
	Ply    int          `json:"ply"`
	From   rules.Square `json:"from"` // of the last move, 0 before the first
	To     rules.Square `json:"to"`
	Score  *float64     `json:"score,omitempty"` // expected of White
}

// gamesInProgress answers with self-play games in progress.
func (d *Dashboard) gamesInProgress(s *shown, w http.ResponseWriter, r *http.Request) error {
	most, err := parameter(r, "n", 8, 1, maxGames)
	if err != nil {
		return err
	}
	a := s.About()
	games, err := s.recentGames()
	if err != nil {
		return err
	}
	list := []gameState{}
	for _, g := range games[:min(most, len(games))] {
		state := gameState{
			ID: g.ID, FEN: a.Variant.FEN(g.Position), Pieces: a.Variant.HubString(g.Position)[1:],
			Turn: g.Position.Turn.String(), Ply: g.Ply,
		}
		if g.Ply > 0 {
			state.From, state.To = g.Last.From, g.Last.To
		}
		if g.White != (rules.WDL{}) {
			score := thousandths(g.White.Score())
			state.Score = &score
		}
		list = append(list, state)
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"live": a.Live, "games": list}))
	return nil
}

// recentGames returns games in progress. All pages share one call of Run.Games per gamesInterval.
func (s *shown) recentGames() ([]Game, error) {
	s.gamesMu.Lock()
	defer s.gamesMu.Unlock()
	if time.Since(s.gamesAt) < gamesInterval {
		return s.games, nil
	}
	games, err := s.Games(maxGames)
	if err != nil {
		return nil, err
	}
	s.games, s.gamesAt = games, time.Now()
	return games, nil
}

func thousandths(p float32) float64 { return math.Round(float64(p)*1000) / 1000 }
