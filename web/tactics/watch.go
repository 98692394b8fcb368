package tactics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
	"damier/web"
	"damier/web/searches"
)

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
