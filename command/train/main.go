// Package train is the command train: the whole loop in one process, with self-play on every core,
// training, checkpoints and evaluation.
package train

import (
	"bytes"
	"errors"
	"fmt"
	stdnet "net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"damier/cluster"
	"damier/data"
	"damier/internal/cli"
	"damier/internal/shell"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
	"damier/models"
	"damier/net"
	"damier/rules"
)

// New returns the command train.
func New() *cobra.Command { return command() }

// method is the method of the run.
var method learner.Method = sparse.Method{}

// flags are the flags of the command itself.
type flags struct {
	run, variant, preset, from, config string
	variantGiven                       func() bool // whether the flag --variant was given
	generations                        int
	minutes, cpuMinutes                float64
	set                                []string
	quiet                              bool
	serve                              serveFlags
	cluster                            clusterFlags
}

func command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a draughts network from zero: self-play, learning, evaluation, in one process",
		Long: `Train a draughts network from nothing but the rules.

Without flags it trains international draughts for an hour in runs/international, or continues the run there.
Ctrl-C stops cleanly and prints the command that continues; a second Ctrl-C stops at once and loses a few seconds.

Presets:
` + presets(),
		Example: `  train                                   international draughts, one hour
  train --preset smoke --run /tmp/try     two minutes: see that it learns here
  train --preset day                      a day; stop and go on whenever you like
  train --minutes 120                     go on with runs/international to two hours in all
  train --run runs/small --set net.width=64 --set selfplay.tree_rows=4
  train --set selfplay.search=alphabeta --run runs/ab   self-play by alpha-beta
  train --from runs/international/models/gen-000150.nnue --run runs/second
  train --variant pool --from runs/russian/models/gen-000150.nnue      a relative knows something already
  train --serve                           and show it in the browser while it runs
  train --listen=0.0.0.0:4222             and let other machines play for it; it prints what they type
  train dashboard                         show a run that has ended, or that another process trains
  train --preset quick --cpu-minutes 20   as much work as ten idle minutes of two cores
  train config --preset day               every setting, and where it comes from
  train watch --run runs/international    on the whole screen of a terminal
  train plot --run runs/international     draw progress.png again`,
		Args: cli.Args(func(c *cobra.Command, args []string) error {
			if len(args) == 1 && f.cluster.Listen == c.Flags().Lookup("listen").NoOptDefVal {
				f.cluster.Listen = args[0] // most people type --listen HOST:PORT
				return nil
			}
			if len(args) == 1 && f.serve.address == defaultAddress {
				return fmt.Errorf("%q: an address is joined to its flag, --serve=%s", args[0], args[0])
			}
			return cobra.NoArgs(c, args)
		}),
		RunE: func(c *cobra.Command, _ []string) error { return f.train(c) },
	}
	p := c.PersistentFlags()
	p.StringVar(&f.run, "run", "", "run directory (default runs/VARIANT)")
	p.StringVar(&f.variant, "variant", "international", "variant of draughts")
	f.variantGiven = func() bool { return p.Changed("variant") }
	p.StringVar(&f.preset, "preset", "hour", "size of the run: "+strings.Join(settings.PresetNames(), ", "))
	cli.CompleteVariant(c)
	cli.Complete(c, "preset", settings.PresetNames()...)
	p.StringVar(&f.config, "config", "", "TOML file with settings, over the preset's")
	p.StringArrayVar(&f.set, "set", nil, "one setting, KEY=VALUE; may be repeated")
	p.IntVar(&f.generations, "generations", 0, "stop after this many generations (default: the preset's)")
	p.Float64Var(&f.minutes, "minutes", 0, "stop after this many minutes, over all parts of the run (default: the preset's)")
	p.Float64Var(&f.cpuMinutes, "cpu-minutes", 0, "stop after this much CPU time of all threads instead, in minutes")
	c.Flags().StringVar(&f.from, "from", "", "begin a new run with the weights of this model file, also of another variant")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "no progress bars, and no forecast of how long the run takes")
	c.Flags().StringVar(&f.serve.address, "serve", "", "show the run in the browser; --serve=ADDRESS listens there")
	c.Flags().Lookup("serve").NoOptDefVal = defaultAddress
	c.Flags().StringVar(&f.serve.token, "token", "", "token that a browser needs for --serve; if empty and the address is not the loopback, a random one")
	f.cluster.add(c.Flags())
	c.AddCommand(
		f.clusterCommand(),
		nnueCommand(),
		f.dashboardCommand(),
		f.fitCommand(),
		f.watchCommand(),
		f.benchCommand(),
		f.cardCommand(),
		f.gamesCommand(),
		f.configCommand(),
		f.verifyCommand(),
		&cobra.Command{
			Use:     "best",
			Short:   "Print the file of a run's best network: the last one, or that of the refit if it has won",
			Example: "  play --variant russian --model \"$(train best --run runs/russian)\"",
			Args:    cli.Args(cobra.NoArgs),
			RunE:    func(*cobra.Command, []string) error { return code(f.best()) },
		},
		&cobra.Command{
			Use:     "plot",
			Short:   "Draw progress.png of a run from its metrics",
			Example: "  train plot --run runs/international",
			Args:    cli.Args(cobra.NoArgs),
			RunE:    func(c *cobra.Command, _ []string) error { return code(f.plot()) },
		},
	)
	return c
}

func presets() string {
	var b strings.Builder
	for _, p := range settings.Presets() {
		fmt.Fprintf(&b, "  %-6s %s\n", p.Name, p.Summary)
	}
	return b.String()
}

// dir returns the directory of the run.
func (f *flags) dir() string {
	if f.run != "" {
		return f.run
	}
	return filepath.Join("runs", f.chosen())
}

// chosen returns the name of the variant, from whichever source sets it.
func (f *flags) chosen() string {
	if f.variantGiven() {
		return strings.ToLower(f.variant)
	}
	set := map[string]string{}
	for _, kv := range f.set {
		if k, v, ok := strings.Cut(kv, "="); ok && k == "variant" {
			set[k] = v
		}
	}
	r, err := settings.Resolve(method, settings.Sources{File: f.config, Env: os.Environ(), Set: set})
	if err != nil {
		return f.variant // later code reports what is wrong with the settings
	}
	return r.Variant
}

// sources returns the sources of the settings. A run that exists keeps its own settings, except
// those given on the command line.
func (f *flags) sources(c *cobra.Command) (settings.Sources, error) {
	s := settings.Sources{File: f.config, Env: os.Environ(), Set: map[string]string{}, From: f.from}
	if c.Flags().Changed("preset") || !learner.IsRun(f.dir()) {
		s.Preset = f.preset
	}
	for _, kv := range f.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return s, cli.Usagef("--set %q is not KEY=VALUE", kv)
		}
		s.Set[k] = v
	}
	if c.Flags().Changed("variant") {
		v, err := cli.Variant(f.variant, "")
		if err != nil {
			return s, err
		}
		s.Set["variant"] = v.Name
	}
	if s.Preset != "" && !slices.Contains(settings.PresetNames(), s.Preset) {
		return s, cli.Usagef("unknown preset %q%s; known are: %s", s.Preset, cli.DidYouMean(s.Preset, settings.PresetNames()), strings.Join(settings.PresetNames(), ", "))
	}
	if c.Flags().Changed("generations") {
		s.Set["generations"] = strconv.Itoa(f.generations)
	}
	if c.Flags().Changed("minutes") {
		s.Set["minutes"] = strconv.FormatFloat(f.minutes, 'g', -1, 64)
	}
	if c.Flags().Changed("cpu-minutes") {
		s.Set["cpu_minutes"] = strconv.FormatFloat(f.cpuMinutes, 'g', -1, 64)
		if _, asked := s.Set["minutes"]; !asked {
			s.Set["minutes"] = "0"
		}
	}
	return s, nil
}

func (f *flags) train(c *cobra.Command) error {
	s, err := f.sources(c)
	if err != nil {
		return err
	}
	if err := f.cluster.validate(c.Flags().Changed); err != nil {
		return err
	}
	var listener stdnet.Listener
	if f.serve.address != "" { // report a bad address before anything is written
		if listener, err = f.serve.listen(); err != nil {
			return err
		}
		defer listener.Close()
	}
	run, err := learner.Open(f.dir(), method, s)
	if err != nil {
		return code(err)
	}
	defer run.Close()
	go boundGarbage(c.Context())
	console := &learner.Console{
		Out:      os.Stderr,
		Terminal: !f.quiet && term.IsTerminal(int(os.Stderr.Fd())),
		Command:  f.again(c),
		Play:     playCommand(c),
	}
	var report learner.Reporter = console
	phases := &phaseReporter{Reporter: console}
	if listener != nil {
		report = phases
	}
	l, err := learner.New(c.Context(), run, report)
	if err != nil {
		return code(err)
	}
	defer l.Close()
	l.Forecast, l.Typical = !f.quiet, typical(run.Variant)
	if f.cluster.wanted() {
		hub, end, err := f.cluster.beside(c, f.dir(), console)
		if err != nil {
			return code(err)
		}
		defer end()
		f.serve.hub = hub
	}
	if listener != nil {
		f.serve.play = playCommand(c)
		defer f.serve.beside(c.Context(), listener, run, l, phases)()
	}
	return code(l.Run(c.Context()))
}

// typical returns the network that comes with the program for v, nil if there is none, or none for
// its options.
func typical(v *rules.Variant) learner.Network {
	text, err := models.NNUEContent(v)
	if err != nil {
		return nil
	}
	n, err := method.Read(bytes.NewReader(text), v)
	if err != nil {
		return nil
	}
	return n
}

// playCommand returns the command line that plays a network, to which the file is appended: of
// damier itself, or of the program play next to the program train.
func playCommand(c *cobra.Command) string {
	words := cli.Program(c)
	switch {
	case c.Root().Name() != "train":
		words = append(words, "play")
	case words[0] == "go":
		words[len(words)-1] = "./cmd/play"
	default:
		// In the same folder, or on the path.
		words[0] = strings.TrimSuffix(words[0], filepath.Base(words[0])) + "play"
	}
	return shellLine(append(words, "--model"))
}

// again returns the command line that continues the run.
func (f *flags) again(c *cobra.Command) string {
	words := append(cli.Program(c), strings.Fields(strings.TrimPrefix(c.CommandPath(), c.Root().Name()))...)
	if c.Flags().Changed("run") {
		words = append(words, "--run", f.run)
	} else if v := f.chosen(); v != settings.Default().Variant {
		words = append(words, "--variant", v)
	}
	return shellLine(words)
}

// shellLine joins words to a line that a shell takes apart into the same words.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shell.Word(w)
	}
	return strings.Join(quoted, " ")
}

// verifyCommand returns the command that checks a run.
func (f *flags) verifyCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check that a run is undamaged: manifest, checkpoint, network, every game of every shard",
		Long: `Check that a run is undamaged: manifest, checkpoint, network, every game of every shard. With --json print one
object: "sound", what the run holds, and in "wrong" a list of what is damaged.

Exit code: 0 sound, 1 failure, 2 wrong usage, 4 damaged.`,
		Example: `  train verify --run runs/international
  train verify --run runs/international --json | jq .sound`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if !asJSON {
				return code(learner.Verify(c.Context(), f.dir(), method, os.Stdout))
			}
			found, err := learner.Check(c.Context(), f.dir(), method)
			if found != nil {
				err = errors.Join(err, writeJSON(found))
			}
			return code(err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (f *flags) plot() error {
	file, err := learner.PlotRun(f.dir())
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	fmt.Println(file)
	return nil
}

func (f *flags) best() error {
	file, err := learner.BestNetwork(f.dir())
	if err != nil {
		return err
	}
	_, err = fmt.Println(file)
	return err
}

// code gives an error its exit code.
func code(err error) error {
	switch {
	case errors.Is(err, settings.ErrSettings), errors.Is(err, learner.ErrConflict), errors.Is(err, cluster.ErrAddress):
		return cli.WithCode(cli.Usage, err)
	case errors.Is(err, data.ErrDamaged), errors.Is(err, data.ErrForeign), errors.Is(err, net.ErrDamaged), errors.Is(err, net.ErrForeign):
		return cli.WithCode(cli.Damaged, err)
	}
	return err
}
