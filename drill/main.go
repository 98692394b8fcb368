// Drill tries to break Damier: it passes hostile inputs to everything that reads data from
// outside, and kills trainings at random moments. For each class it prints a line: the number of
// inputs tried and refused, the longest time and the largest memory for one, and the failures. It
// saves an input that caused a failure to a file.
//
//	go run ./drill                            # five minutes
//	DRILL_MINUTES=60 go run ./drill           # an hour
//	go run ./drill --only http --seed 7       # one class, other inputs
//	go run ./drill --only fen --input FILE    # an input that was kept
//	go run ./drill --corpus . --minutes 2     # inputs for the fuzz tests
//	go run ./drill --long train --minutes 120 --picture memory.png
//
// The exit code is 1 if there was a failure, 130 if it was interrupted.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "drill:", err)
		os.Exit(1)
	}
}

// run runs the drill.
func run(ctx context.Context, args []string, out io.Writer) error {
	minutes, err := strconv.ParseFloat(cmp.Or(os.Getenv("DRILL_MINUTES"), "5"), 64)
	if err != nil || !(minutes > 0 && minutes < 1e6) {
		return fmt.Errorf("DRILL_MINUTES=%s: not a number of minutes", os.Getenv("DRILL_MINUTES"))
	}
	f := flag.NewFlagSet("drill", flag.ContinueOnError)
	f.SetOutput(out)
	f.Float64Var(&minutes, "minutes", minutes, "how long")
	seed := f.Uint64("seed", 1, "of the inputs")
	only := f.String("only", "", "one class alone")
	input := f.String("input", "", "a file: one input, for the class that --only names")
	slowest := f.Bool("slowest", false, "show the input of each class that took longest")
	long := f.String("long", "", "instead, a long run of train, web or hub, of which the memory is watched")
	var training begin
	f.StringVar(&training.dir, "run", "", "folder of the run that --long train makes; it is kept (default: one that is removed)")
	f.StringVar(&training.preset, "preset", "smoke", "of the run that --long train makes")
	corpus := f.String("corpus", "", "instead, write inputs for the fuzz tests of the source tree in this folder")
	picture := f.String("picture", "", "file for the memory curve of --long, *.png")
	keep := f.String("keep", os.TempDir(), "folder for inputs that broke something")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *corpus != "" {
		return writeCorpora(*corpus, time.Duration(minutes*float64(time.Minute))/time.Duration(20), *seed, out)
	}
	if *long != "" {
		return runLong(ctx, *long, minutes, *seed, training, *picture, out)
	}
	dir, err := os.MkdirTemp("", "damier-drill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	debug.SetMemoryLimit(4 << 30)
	classes, err := allClasses(dir)
	if err != nil {
		return err
	}
	var names []string
	total := 0.0
	for _, c := range classes {
		names = append(names, c.name)
		if *only == "" || c.name == *only {
			total += c.share
		}
	}
	if total == 0 {
		return fmt.Errorf("--only %s: no such class; there are %s", *only, strings.Join(names, ", "))
	}
	fmt.Fprintf(out, "%-10s %8s %8s %9s %8s  %s\n", "class", "tried", "refused", "longest", "memory", "held")
	broken := 0
	for i, c := range classes {
		if *only != "" && c.name != *only {
			continue
		}
		d := &drill{class: c, rng: rand.New(rand.NewPCG(*seed, uint64(i))), keep: *keep}
		if *input != "" {
			text, err := os.ReadFile(*input)
			if err != nil {
				return err
			}
			d.attempt(text)
		} else {
			d.until(ctx, time.Now().Add(time.Duration(minutes*c.share/total*float64(time.Minute))))
		}
		fmt.Fprintf(out, "%-10s %8d %8d %7.2f s %5d MB  %s\n", c.name, d.tried, d.refused, d.longest.Seconds(), d.memory>>20, d.held())
		if *slowest {
			fmt.Fprintf(out, "  the longest: %.300q\n", d.slowest)
		}
		broken += len(d.broken)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d inputs or kills did not hold", broken)
	}
	return nil
}

// keepInput writes an input that caused a failure to a new file and returns the name of the file.
func keepInput(dir, class string, input []byte) string {
	f, err := os.CreateTemp(dir, "drill-"+class+"-*")
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if _, err := f.Write(input); err != nil {
		return err.Error()
	}
	return filepath.Clean(f.Name())
}
