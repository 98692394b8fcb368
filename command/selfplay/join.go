package selfplay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"damier/cluster"
	"damier/internal/cli"
)

// playFor plays for a run on another machine.
func (f *flags) playFor(ctx context.Context) error {
	switch {
	case f.run != "" || f.model != "" || f.out != "":
		return cli.Usagef("--join needs no --run, --model or --out: the hub sends the network and takes the games")
	case f.visits != 0 || f.search != "":
		return cli.Usagef("--visits and --search go with --model; a run has its own")
	case f.games < 0:
		return cli.Usagef("--games %d is negative", f.games)
	case f.actors < 1:
		return cli.Usagef("--actors %d: at least one is needed", f.actors)
	}
	talk := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	var last cluster.Progress
	told := time.Now()
	w := &cluster.Worker{
		Access: f.join, Method: method, Name: cluster.WorkerName(f.label), Actors: f.actors, Games: f.games,
		Version: cli.Version(), Tables: f.tables, Note: talk,
		Progress: func(p cluster.Progress) {
			last = p
			if time.Since(told) < 10*time.Second {
				return
			}
			told = time.Now()
			talk("generation %d: %d games finished, %d with the hub (%.1f games/s, %.1fk sims/s)", p.Generation,
				p.Finished, p.Acknowledged, float64(p.Finished)/p.Seconds, float64(p.Stats.Simulations)/p.Seconds/1000)
		},
	}
	talk("worker %s joins %s", w.Name, f.join.URL)
	err := w.Run(ctx)
	last = w.Done()
	talk("%d games finished, %d with the hub", last.Finished, last.Acknowledged)
	if err == nil || errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}
