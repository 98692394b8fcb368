package cluster

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Status is what a hub knows of its workers.
type Status struct {
	Run        string `json:"run"`
	Variant    string `json:"variant"`
	Version    string `json:"version"`
	Generation int    `json:"generation"`
	Order      string `json:"order"`
	// GamesAccepted counts the games on the learner's disk, in all sessions.
	GamesAccepted int64 `json:"games_accepted"`
	// GamesRefused and the counts below are of this session.
	GamesRefused int64   `json:"games_refused"`
	Duplicates   int64   `json:"games_duplicate"`
	Stale        int64   `json:"games_stale"`
	Checked      int64   `json:"searches_recomputed"`
	Backlog      uint64  `json:"backlog"`       // messages that the hub has not read
	Pending      int     `json:"games_pending"` // checked, and not on the disk yet
	PerMinute    float64 `json:"games_per_minute"`
	// IntakeSeconds is the time spent on decoding, replay and recomputation.
	IntakeSeconds float64           `json:"intake_seconds"`
	Workers       []WorkerStatus    `json:"workers"`
	Barred        map[string]string `json:"barred,omitempty"`
}

// WorkerStatus is what a hub knows of one worker.
type WorkerStatus struct {
	Name          string  `json:"name"`
	Host          string  `json:"host"`
	Version       string  `json:"version"`
	Platform      string  `json:"platform"`
	Actors        int     `json:"actors"`
	Generation    int     `json:"generation"`
	GamesAccepted int64   `json:"games_accepted"`
	GamesRefused  int64   `json:"games_refused"`
	PerMinute     float64 `json:"games_per_minute"`   // finished, by the worker's clock
	Waiting       int     `json:"games_waiting"`      // finished, not acknowledged
	Lag           float64 `json:"lag_seconds"`        // from an order until the worker has it
	Heard         float64 `json:"heard_seconds"`      // since the last heartbeat
	Skew          float64 `json:"clock_skew_seconds"` // worker's clock minus hub's
	Gone          bool    `json:"gone"`               // its lease has expired
}

// heartbeat is the message that a worker sends every few seconds.
type heartbeat struct {
	Protocol  int     `json:"protocol"`
	Rules     int     `json:"rules"`
	Host      string  `json:"host"`
	Version   string  `json:"version"`
	Platform  string  `json:"platform"`
	Actors    int     `json:"actors"`
	Order     string  `json:"order"`
	PerMinute float64 `json:"games_per_minute"`
	Waiting   int     `json:"waiting"`
	Time      float64 `json:"time"` // seconds since 1970 by the worker's clock
}

// A worker sends a heartbeat every heartbeatPeriod and counts as gone when none came for lease.
const (
	heartbeatPeriod = 5 * time.Second
	lease           = 20 * time.Second
	forgetAfter     = 24 * time.Hour // a worker that is gone for this long is not shown
)

// WriteText writes the status as a table for people.
func (s *Status) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "run %s (%s), generation %d: %d games accepted, %d refused, %.0f a minute; %d messages wait\n",
		s.Run, s.Variant, s.Generation, s.GamesAccepted, s.GamesRefused, s.PerMinute, s.Backlog)
	fmt.Fprintf(&b, "%-20s %-16s %-7s %6s %4s %9s %9s %8s %8s  %s\n",
		"worker", "host", "arch", "actors", "gen", "accepted", "refused", "games/m", "heard", "version")
	for i := range s.Workers {
		x := &s.Workers[i]
		heard := fmt.Sprintf("%.0f s", x.Heard)
		if x.Gone {
			heard = "gone"
		}
		fmt.Fprintf(&b, "%-20s %-16s %-7s %6d %4d %9d %9d %8.1f %8s  %s\n",
			x.Name, x.Host, x.Platform, x.Actors, x.Generation, x.GamesAccepted, x.GamesRefused, x.PerMinute, heard, x.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Barred)) {
		fmt.Fprintf(&b, "barred: %s: %s\n", name, s.Barred[name])
	}
	_, err := w.Write(b.Bytes())
	return err
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// WritePrometheus writes the status in the text format of Prometheus, version 0.0.4.
func (s *Status) WritePrometheus(w io.Writer) error {
	var b bytes.Buffer
	present := 0
	for i := range s.Workers {
		if !s.Workers[i].Gone {
			present++
		}
	}
	for _, m := range []struct {
		name, kind, help string
		value            float64
	}{
		{"damier_cluster_games_accepted_total", "counter", "Games of workers that are on the learner's disk.", float64(s.GamesAccepted)},
		{"damier_cluster_games_refused_total", "counter", "Games of workers that were refused.", float64(s.GamesRefused)},
		{"damier_cluster_games_duplicate_total", "counter", "Games that came a second time.", float64(s.Duplicates)},
		{"damier_cluster_games_stale_total", "counter", "Games played by orders that are no longer kept.", float64(s.Stale)},
		{"damier_cluster_searches_recomputed_total", "counter", "Searches of workers that the hub recomputed.", float64(s.Checked)},
		{"damier_cluster_intake_seconds_total", "counter", "Time spent on unpacking, replaying and checking games.", s.IntakeSeconds},
		{"damier_cluster_backlog_messages", "gauge", "Messages of games that the hub has not read.", float64(s.Backlog)},
		{"damier_cluster_workers", "gauge", "Workers that sent a heartbeat lately.", float64(present)},
		{"damier_cluster_barred", "gauge", "Workers and keys that are barred.", float64(len(s.Barred))},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	perMinute := func(w *WorkerStatus) float64 { return w.PerMinute }
	accepted := func(w *WorkerStatus) float64 { return float64(w.GamesAccepted) }
	refused := func(w *WorkerStatus) float64 { return float64(w.GamesRefused) }
	lag := func(w *WorkerStatus) float64 { return w.Lag }
	for _, m := range []struct {
		name, kind, help string
		value            func(*WorkerStatus) float64
	}{
		{"damier_cluster_worker_games_per_minute", "gauge", "Games that a worker finishes.", perMinute},
		{"damier_cluster_worker_games_accepted_total", "counter", "Games of a worker that were accepted.", accepted},
		{"damier_cluster_worker_games_refused_total", "counter", "Games of a worker that were refused.", refused},
		{"damier_cluster_worker_lag_seconds", "gauge", "Time from the last order until the worker has it.", lag},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
		for i := range s.Workers {
			if x := &s.Workers[i]; !x.Gone {
				worker := labelEscapes.Replace(x.Name)
				host := labelEscapes.Replace(x.Host)
				fmt.Fprintf(&b, "%s{worker=\"%s\",host=\"%s\"} %g\n", m.name, worker, host, m.value(x))
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
