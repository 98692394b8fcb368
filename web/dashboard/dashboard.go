package dashboard

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"damier/mcts"
	"damier/notation"
	"damier/rules"
	"damier/web"
)

//go:embed static
var embedded embed.FS

// files are those of the dashboard and of all pages.
var files = web.Files{web.Common, web.Sub(embedded)}

// tokenCookie is the cookie of the token.
const tokenCookie = "damier_dashboard_token"

// Run is a training run as a dashboard shows it. Its methods are called from several goroutines.
type Run interface {
	About() About

	// Phase returns what the learner does just now; the zero Phase if that is not known.
	Phase() Phase

	// Events returns the events of the run's metrics from a place in them on, as a JSON list, and the place that the next
	// begin at: who wants all asks until the place does not change. The first place is 0. Where the metrics have become
	// shorter than from, next is less than that.
	Events(from int64) (list []byte, next int64, err error)

	// Settings returns every value of the run's configuration and where it is from.
	Settings() ([]Setting, error)

	// Games returns games under way, at most so many.
	Games(most int) ([]Game, error)

	// Generations returns those whose networks are kept, ascending, and Network one of them. Its error wraps
	// fs.ErrNotExist if the run has not kept it.
	Generations() ([]int, error)
	Network(generation int) (mcts.Evaluator, error)

	// WriteMetrics writes the figures of the run in the text format of Prometheus.
	WriteMetrics(w io.Writer) error
}

// About says which run it is.
type About struct {
	Name    string
	Variant *rules.Variant
	Created time.Time
	Live    bool   // games are those of this moment; if not, of the last checkpoint
	Marks   []Mark // the ladder
}

// Mark is an opponent of known Elo.
type Mark struct {
	Name string  `json:"name"`
	Elo  float64 `json:"elo"`
}

// Phase is what a learner does: Name is "playing", "training" or "between", with Done of so many rows or steps.
type Phase struct {
	Name string `json:"name"`
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

// Setting is a value of a configuration.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Game is a game of self-play under way.
type Game struct {
	ID       string
	Position rules.Position
	Ply      int
	Last     rules.Move // of no meaning at ply 0
	White    rules.WDL  // as the last search expected it; zero if there was none
}

// Config says how a dashboard serves.
type Config struct {
	Token string // wanted with every request if set, as by a web.Guard
}

// Bounds on what the pages of a dashboard can ask for, whoever asks.
const (
	mostGames       = 32
	gamesPace       = 400 * time.Millisecond // the games are looked at so often at most
	readers         = 4                      // of the metrics at a time
	mostNetworks    = 48                     // asked about one position
	positionTime    = 7 * time.Second        // for all of them
	positionWaiters = 4                      // more are refused
	positionsKept   = 32
	longestFEN      = 1000
	shownMoves      = 6
	connections     = 128
)

// Dashboard serves the page about a run. Make it with New.
type Dashboard struct {
	run    Run
	mux    http.Handler
	reads  chan struct{}
	asking chan struct{} // who has it asks the networks
	queue  chan struct{} // who waits for that, and who has it

	gamesMu sync.Mutex
	gamesAt time.Time
	games   []Game

	keptMu sync.Mutex
	kept   []keptPosition // the latest last
}

// keptPosition is an answer that need not be found again.
type keptPosition struct {
	fen    string
	newest int // generation
	text   []byte
}

// New returns the dashboard of a run.
func New(run Run, c Config) *Dashboard {
	d := &Dashboard{
		run: run, reads: make(chan struct{}, readers), asking: make(chan struct{}, 1),
		queue: make(chan struct{}, 1+positionWaiters),
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /", files.Serve("dashboard.html"))
	for path, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /api/run":       d.about,
		"GET /api/events":    d.events,
		"GET /api/settings":  d.settings,
		"GET /api/games":     d.underWay,
		"POST /api/position": d.position,
		"GET /metrics":       d.metrics,
	} {
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				web.WriteProblem(w, err)
			}
		})
	}
	d.mux = &web.Guard{Token: c.Token, Cookie: tokenCookie, Next: m}
	return d
}

// ServeHTTP serves the page.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Serve serves a listener until ctx is done. Connections are bounded in number and time.
func (d *Dashboard) Serve(ctx context.Context, l net.Listener) error {
	return web.Serve(ctx, l, d, connections, func() {})
}

func (d *Dashboard) about(w http.ResponseWriter, _ *http.Request) error {
	a := d.run.About()
	web.WriteJSON(w, 200, web.Encode(map[string]any{
		"name": a.Name, "variant": web.Describe(a.Variant), "options": web.OptionsOf(a.Variant), "created": a.Created,
		"live": a.Live, "marks": a.Marks,
	}))
	return nil
}

// events answers with a part of the metrics and what the learner does now.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request) error {
	from := int64(0)
	if text := r.URL.Query().Get("from"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return web.Refuse(http.StatusUnprocessableEntity, "request", "from is %q; it is a place that an answer has named", web.Clip(text))
		}
		from = n
	}
	select {
	case d.reads <- struct{}{}:
		defer func() { <-d.reads }()
	case <-r.Context().Done():
		return nil
	}
	list, next, err := d.run.Events(from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"next":%d,"phase":%s,"workers":%s,"events":`, next, web.Encode(d.run.Phase()), web.Encode(d.workers()))
	b.Write(list)
	b.WriteByte('}')
	web.WriteJSON(w, 200, b.Bytes())
	return nil
}

func (d *Dashboard) settings(w http.ResponseWriter, _ *http.Request) error {
	settings, err := d.run.Settings()
	if err != nil {
		return err
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"settings": settings}))
	return nil
}

func (d *Dashboard) metrics(w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	if err := d.run.WriteMetrics(&b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err := w.Write(b.Bytes())
	if err != nil {
		panic(http.ErrAbortHandler) // nobody listens any more
	}
	return nil
}

// gameState is a game under way as the page draws it.
type gameState struct {
	ID     string       `json:"id"`
	FEN    string       `json:"fen"`
	Pieces string       `json:"pieces"` // a letter for each square: w b W B, e for none
	Turn   string       `json:"turn"`
	Ply    int          `json:"ply"`
	From   rules.Square `json:"from"` // of the last move, 0 before the first
	To     rules.Square `json:"to"`
	WDL    *[3]float64  `json:"wdl,omitempty"` // White wins, draw, Black wins
}

// underWay answers with games of self-play.
func (d *Dashboard) underWay(w http.ResponseWriter, r *http.Request) error {
	most := 8
	if text := r.URL.Query().Get("n"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostGames {
			return web.Refuse(http.StatusUnprocessableEntity, "request", "n is %q; it is 1 to %d", web.Clip(text), mostGames)
		}
		most = n
	}
	a := d.run.About()
	games, err := d.look()
	if err != nil {
		return err
	}
	list := []gameState{}
	for _, g := range games[:min(most, len(games))] {
		s := gameState{
			ID: g.ID, FEN: a.Variant.FEN(g.Position), Pieces: a.Variant.HubString(g.Position)[1:],
			Turn: g.Position.Turn.String(), Ply: g.Ply,
		}
		if g.Ply > 0 {
			s.From, s.To = g.Last.From, g.Last.To
		}
		if g.White != (rules.WDL{}) {
			s.WDL = shares(g.White)
		}
		list = append(list, s)
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"live": a.Live, "games": list}))
	return nil
}

// look returns games under way, looked at for all pages together.
func (d *Dashboard) look() ([]Game, error) {
	d.gamesMu.Lock()
	defer d.gamesMu.Unlock()
	if time.Since(d.gamesAt) < gamesPace {
		return d.games, nil
	}
	games, err := d.run.Games(mostGames)
	if err != nil {
		return nil, err
	}
	d.games, d.gamesAt = games, time.Now()
	return games, nil
}

// shares returns a distribution in thousandths.
func shares(w rules.WDL) *[3]float64 {
	return &[3]float64{thousandths(w.Win), thousandths(w.Draw), thousandths(w.Loss)}
}

func thousandths(p float32) float64 { return math.Round(float64(p)*1000) / 1000 }

// opinion is what a network says of a position.
type opinion struct {
	Generation int        `json:"generation"`
	WDL        [3]float64 `json:"wdl"`    // White wins, draw, Black wins
	Priors     []float64  `json:"priors"` // of the moves shown
	all        []float32  // of all moves
}

// position asks the networks that the run has kept about a position.
func (d *Dashboard) position(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		FEN string `json:"fen"`
	}
	if err := web.Decode(r, &q); err != nil {
		return err
	}
	v := d.run.About().Variant
	p := v.Start()
	if len(q.FEN) > longestFEN {
		return web.Refuse(http.StatusUnprocessableEntity, "fen", "a position has %d characters at most", longestFEN)
	}
	if q.FEN != "" {
		var err error
		if p, err = rules.ParseFEN(v, q.FEN); err != nil {
			return web.Refuse(http.StatusUnprocessableEntity, "fen", "%v", err)
		}
	}
	moves := v.AppendMoves(nil, p)
	if len(moves) == 0 {
		return web.Refuse(http.StatusUnprocessableEntity, "over", "the game is over: there is no legal move")
	}
	generations, err := d.run.Generations()
	if err != nil {
		return err
	}
	fen, newest := v.FEN(p), -1
	if len(generations) > 0 {
		newest = generations[len(generations)-1]
	}
	text := d.remembered(fen, newest)
	if text == nil {
		whole := false
		if text, whole, err = d.ask(r.Context(), v, p, moves, spread(generations, mostNetworks)); err != nil {
			return err
		}
		if whole {
			d.remember(keptPosition{fen, newest, text})
		}
	}
	web.WriteJSON(w, 200, text)
	return nil
}

// spread returns at most so many of a list, evenly, the first and the last among them.
func spread(list []int, most int) []int {
	if len(list) <= most {
		return list
	}
	some := make([]int, most)
	for i := range some {
		some[i] = list[i*(len(list)-1)/(most-1)]
	}
	return some
}

// ask evaluates a position with networks of the run, one after the other and for one page at a time: training goes on
// beside it. Whole says that none was left out.
func (d *Dashboard) ask(ctx context.Context, v *rules.Variant, p rules.Position, moves []rules.Move, generations []int) (text []byte, whole bool, err error) {
	select {
	case d.queue <- struct{}{}:
		defer func() { <-d.queue }()
	default:
		return nil, false, web.Refuse(http.StatusServiceUnavailable, "busy", "too many positions are asked about; try again in a moment")
	}
	ctx, cancel := context.WithTimeout(ctx, positionTime)
	defer cancel()
	busy := web.Refuse(http.StatusServiceUnavailable, "busy", "the networks have not answered in %v; try again in a moment", positionTime)
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return nil, false, busy
	}
	var opinions []opinion
	leftOut := 0
	for i, g := range slices.Backward(generations) { // if the time is up, the oldest are left out
		if ctx.Err() != nil {
			leftOut += i + 1
			break
		}
		o, err := d.opinion(ctx, g, p, moves)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since the list was made
		case err != nil:
			leftOut++
		default:
			opinions = append(opinions, o)
		}
	}
	if len(opinions) == 0 && leftOut > 0 {
		return nil, false, busy
	}
	slices.Reverse(opinions)

	order := make([]int, len(moves))
	for i := range order {
		order[i] = i
	}
	if len(opinions) > 0 {
		last := opinions[len(opinions)-1].all
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case last[i] > last[j]:
				return -1
			case last[i] < last[j]:
				return 1
			}
			return 0
		})
	}
	order = order[:min(len(order), shownMoves)]
	names := []string{}
	for _, i := range order {
		names = append(names, notation.FormatMove(v, p, moves[i]))
	}
	for k := range opinions {
		opinions[k].Priors = []float64{}
		for _, i := range order {
			opinions[k].Priors = append(opinions[k].Priors, thousandths(opinions[k].all[i]))
		}
	}
	if opinions == nil {
		opinions = []opinion{}
	}
	return web.Encode(map[string]any{
		"fen": v.FEN(p), "pieces": v.HubString(p)[1:], "turn": p.Turn.String(), "legal": len(moves),
		"moves": names, "networks": opinions, "left_out": leftOut,
	}), leftOut == 0, nil
}

// opinion asks one network.
func (d *Dashboard) opinion(ctx context.Context, generation int, p rules.Position, moves []rules.Move) (opinion, error) {
	e, err := d.run.Network(generation)
	if err != nil {
		return opinion{}, err
	}
	leaf := []mcts.Leaf{{Position: p, Moves: moves, Occurrences: 1, Priors: make([]float32, len(moves)), Values: make([]float32, len(moves))}}
	if err := e.Evaluate(ctx, leaf); err != nil {
		return opinion{}, err
	}
	value := leaf[0].Value
	if p.Turn == rules.Black {
		value = value.Flip()
	}
	return opinion{Generation: generation, WDL: *shares(value), all: leaf[0].Priors}, nil
}

func (d *Dashboard) remembered(fen string, newest int) []byte {
	d.keptMu.Lock()
	defer d.keptMu.Unlock()
	for _, k := range d.kept {
		if k.fen == fen && k.newest == newest {
			return k.text
		}
	}
	return nil
}

func (d *Dashboard) remember(k keptPosition) {
	d.keptMu.Lock()
	defer d.keptMu.Unlock()
	d.kept = slices.DeleteFunc(d.kept, func(old keptPosition) bool { return old.fen == k.fen })
	if len(d.kept) >= positionsKept {
		d.kept = slices.Delete(d.kept, 0, 1)
	}
	d.kept = append(d.kept, k)
}
