package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdnet "net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"damier/cluster"
	"damier/internal/cli"
	"damier/internal/shell"
	"damier/learner"
	"damier/learner/journal"
	"damier/mcts"
	"damier/selfplay"
	"damier/web"
	"damier/web/dashboard"
)

// defaultAddress is the default address of a dashboard. If it is in use, any free port is taken.
const defaultAddress = "127.0.0.1:8091"

// serveFlags are the flags of the address of a dashboard.
type serveFlags struct {
	address, token string
	hub            *cluster.Hub // nil for none
	play           string       // what playCommand returns
}

// listen listens on the address. It makes a token if other machines can reach the address.
func (s *serveFlags) listen() (stdnet.Listener, error) {
	l, err := stdnet.Listen("tcp", s.address)
	if err != nil && s.address == defaultAddress {
		l, err = stdnet.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, cli.Usagef("the address %s: %w", s.address, err)
	}
	if s.token == "" && !l.Addr().(*stdnet.TCPAddr).IP.IsLoopback() {
		s.token = web.NewToken()
	}
	return l, nil
}

// printed returns the address to open.
func (s *serveFlags) printed(l stdnet.Listener) string {
	a := l.Addr().(*stdnet.TCPAddr)
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if a.IP.IsUnspecified() {
		u.Host = fmt.Sprintf("localhost:%d", a.Port)
	}
	if s.token != "" {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// beside serves the run while it trains, and returns a function that ends that. An error of the
// dashboard does not stop the run.
func (s *serveFlags) beside(ctx context.Context, listener stdnet.Listener, run *learner.Run, l *learner.Learner, phases *phaseReporter) (end func()) {
	shown := &shownRun{view: run.View(), live: l, phase: phases, hub: s.hub, play: s.play}
	d := dashboard.New(shown, dashboard.Config{Token: s.token})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	phases.Note("dashboard: %s", s.printed(listener))
	go func() {
		defer close(done)
		if err := d.Serve(ctx, listener); err != nil && !errors.Is(err, context.Canceled) {
			phases.Warn("the dashboard is not served any more: %v", err)
		}
	}()
	return func() { cancel(); <-done }
}

// dashboardCommand returns the command that shows a run from its directory.
func (f *flags) dashboardCommand() *cobra.Command {
	s := serveFlags{}
	var dirs []string
	c := &cobra.Command{
		Use:   "dashboard",
		Short: "Show runs in the browser: those that have ended, or that another process trains",
		Long: `Show a run in the browser, and print the address. The run's directory is only read: Elo on the ladder, losses,
results and length of games, speed, time left, what its networks say of a position, the networks to download, the games
that were under way at its last checkpoint, its settings. The figures are at /metrics too, in the format of Prometheus.

Give --run several times, or a folder of runs, and the page lays the charts of the runs over each other; the rest of
the page is about one of them, which you choose there.

Of a run that is being trained the page is as new as its last generation; ` + "`train --serve`" + ` shows its games while
they are played.

It listens on the loopback. With another --addr a browser needs a token, which is part of the printed address; --token
sets it. Prometheus sends it as a bearer token.`,
		Example: `  train dashboard --run runs/international
  train dashboard --run runs/first --run runs/second    both in every chart
  train dashboard --run runs                            all runs in a folder
  train dashboard --run runs/international --addr 0.0.0.0:8091 --token secret`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(dirs) == 0 {
				dirs = []string{f.dir()}
			}
			views, err := openViews(dirs)
			if err != nil {
				return code(err)
			}
			var runs []dashboard.Run
			for _, v := range views {
				runs = append(runs, &shownRun{view: v, play: playCommand(c)})
			}
			l, err := s.listen()
			if err != nil {
				return err
			}
			d := dashboard.New(runs[0], dashboard.Config{Token: s.token, Others: runs[1:]})
			if _, err := fmt.Fprintln(os.Stdout, s.printed(l)); err != nil {
				l.Close()
				return fmt.Errorf("writing the address: %w", err)
			}
			fmt.Fprintln(os.Stderr, "Open this address in a browser. Ctrl-C ends.")
			return d.Serve(c.Context(), l)
		},
	}
	c.Flags().StringVar(&s.address, "addr", defaultAddress, "address to listen on; port 0 takes any free port")
	c.Flags().StringVar(&s.token, "token", "", "token that a browser needs; if empty and the address is not the loopback, a random one")
	c.Flags().StringArrayVar(&dirs, "run", nil, "run directory, or a folder of runs; may be repeated (default runs/VARIANT)")
	return c
}

// maxRuns is the number of runs that a dashboard shows at most.
const maxRuns = 100

// openViews opens the runs in the given directories; of a directory that is not a run it opens the
// runs that are folders of it, by name. Runs of the same name get the names of their directories.
func openViews(dirs []string) ([]*learner.View, error) {
	var views []*learner.View
	names := map[string]int{}
	add := func(dir string) error {
		v, err := learner.OpenView(dir, method)
		if err != nil {
			return err
		}
		if len(views) == maxRuns {
			return cli.Usagef("there are more than %d runs; name fewer of them with --run", maxRuns)
		}
		views = append(views, v)
		names[v.Name]++
		return nil
	}
	for _, dir := range dirs {
		within := runsIn(dir)
		if learner.IsRun(dir) || len(within) == 0 {
			within = []string{dir}
		}
		for _, run := range within {
			if err := add(run); err != nil {
				return nil, err
			}
		}
	}
	for _, v := range views {
		if names[v.Name] > 1 {
			v.Name = v.Dir
		}
	}
	return views, nil
}

// runsIn returns the runs that are folders of dir, by name.
func runsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // OpenView reports it
	}
	var runs []string
	for _, e := range entries {
		if run := filepath.Join(dir, e.Name()); learner.IsRun(run) {
			runs = append(runs, run)
		}
	}
	return runs
}

// shownRun is a run as the dashboard shows it: from its directory, and from its learner if that is
// in this process.
type shownRun struct {
	view  *learner.View
	live  *learner.Learner // nil for none
	phase *phaseReporter   // nil for none
	hub   *cluster.Hub     // nil for none
	play  string           // command that plays a network, to which its file is appended
}

var _ dashboard.Run = (*shownRun)(nil)

func (s *shownRun) About() dashboard.About {
	a := dashboard.About{Name: s.view.Name, Variant: s.view.Variant, Created: s.view.Created, Live: s.live != nil, Marks: []dashboard.Mark{}}
	for _, k := range journal.Marks(s.view.Variant.Name) {
		a.Marks = append(a.Marks, dashboard.Mark(k))
	}
	return a
}

func (s *shownRun) Phase() dashboard.Phase {
	if s.phase == nil {
		return dashboard.Phase{}
	}
	if p := s.phase.now.Load(); p != nil {
		return *p
	}
	return dashboard.Phase{}
}

func (s *shownRun) Events(from int64) (list []byte, next int64, err error) {
	events, next, err := s.view.Events(from)
	if err != nil {
		return nil, 0, err
	}
	if events == nil {
		events = []journal.Event{}
	}
	list, err = json.Marshal(events)
	return list, next, err
}

func (s *shownRun) Settings() ([]dashboard.Setting, error) {
	keys, err := s.view.Settings()
	list := []dashboard.Setting{}
	for _, k := range keys {
		list = append(list, dashboard.Setting(k))
	}
	return list, err
}

func (s *shownRun) Games(most int) ([]dashboard.Game, error) {
	var boards []selfplay.Board
	var err error
	if s.live != nil {
		boards = s.live.Boards(most)
	} else {
		boards, err = s.view.Boards(most)
	}
	var games []dashboard.Game
	for _, b := range boards {
		games = append(games, dashboard.Game{ID: b.Game, Position: b.Position, Ply: b.Ply, Last: b.Last, White: b.White})
	}
	return games, err
}

func (s *shownRun) Generations() ([]int, error) { return s.view.Generations() }

func (s *shownRun) Network(generation int) (mcts.Evaluator, error) {
	m, err := s.view.Model(generation)
	if err != nil {
		return nil, err
	}
	return m.Evaluator()
}

func (s *shownRun) NetworkFile(generation int) (dashboard.NetworkFile, error) {
	path, content, err := s.view.ModelFile(generation)
	if err != nil {
		return dashboard.NetworkFile{}, err
	}
	return dashboard.NetworkFile{
		Name:    filepath.Base(path),
		Content: content,
		Play:    s.play + " " + shell.Word(path),
	}, nil
}

func (s *shownRun) WriteMetrics(w io.Writer) error {
	if err := s.view.WritePrometheus(w); err != nil || s.hub == nil {
		return err
	}
	workers := s.hub.Status()
	return workers.WritePrometheus(w)
}

// shownWorkers bounds the workers that a page lists.
const shownWorkers = 100

var _ dashboard.Joined = (*shownRun)(nil)

func (s *shownRun) Workers() *dashboard.Workers {
	if s.hub == nil {
		return nil
	}
	all := s.hub.Status()
	w := &dashboard.Workers{
		Accepted: all.GamesAccepted, Refused: all.GamesRefused, PerMinute: all.PerMinute, Backlog: all.Backlog,
		Barred: len(all.Barred), List: []dashboard.Worker{},
	}
	for _, x := range all.Workers {
		if !x.Gone {
			w.Present++
		}
		if len(w.List) < shownWorkers {
			w.List = append(w.List, dashboard.Worker{
				Name: x.Name, Host: x.Host, Actors: x.Actors, Generation: x.Generation, PerMinute: x.PerMinute,
				Accepted: x.GamesAccepted, Refused: x.GamesRefused, Lag: x.Lag, Gone: x.Gone,
			})
		}
	}
	return w
}

// phaseReporter forwards reports and remembers the present phase of the learner.
type phaseReporter struct {
	learner.Reporter
	now atomic.Pointer[dashboard.Phase]
}

// Playing records how much of the generation has been played.
func (p *phaseReporter) Playing(l *learner.Learner, rows, want int) {
	p.now.Store(&dashboard.Phase{Name: "playing", Done: min(rows, want), Of: want})
	p.Reporter.Playing(l, rows, want)
}

// Training records how much of the generation has been learnt.
func (p *phaseReporter) Training(l *learner.Learner, step, steps int) {
	p.now.Store(&dashboard.Phase{Name: "training", Done: step, Of: steps})
	p.Reporter.Training(l, step, steps)
}

// Generation records that a network is published; matches may follow.
func (p *phaseReporter) Generation(l *learner.Learner, g *journal.Progress) {
	p.now.Store(&dashboard.Phase{Name: "between"})
	p.Reporter.Generation(l, g)
}
