package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/internal/cli"
	"damier/rules"
	"damier/tactics"
)

// solveOptions are the flags of evaluate tactics solve.
type solveOptions struct {
	options
	players []string
	only    string
	json    bool
}

func newSolveCommand() *cobra.Command {
	var o solveOptions
	c := &cobra.Command{
		Use:   "solve --player PLAYER [FILE]",
		Short: "Count the combinations that players find",
		Long: `Give each player every combination of FILE, or of the program's collection without FILE, and count those
in which it plays the first move of the solution. A combination has only one winning move, so every other
move is wrong. PLAYER is as in evaluate --a; its limit is its own, or --time or --visits.

Exit code: 0 done, 1 failure, 2 wrong usage, 4 damaged file, 130 interrupted (the counts so far are printed).`,
		Example: `  evaluate tactics solve --player tree:time=0.1s --player nnue:time=0.1s
  evaluate tactics solve --variant international --player alphabeta:depth=8
  evaluate tactics solve --player tree --visits 1000 tactics.txt
  evaluate tactics solve --player tree --json | jq -r '[.variant, .players[0].solved] | @tsv'`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
	}
	c.RunE = func(c *cobra.Command, args []string) error { return o.run(c, args) }
	f := c.Flags()
	f.StringArrayVar(&o.players, "player", nil, "player to test; repeat the flag for more players (required)")
	f.StringVar(&o.only, "variant", "", "only combinations of this variant; all when empty")
	f.DurationVar(&o.time, "time", 0, "time for each combination, for players without a limit of their own")
	f.BoolVar(&o.json, "json", false, "print a JSON object for each variant")
	f.IntVar(&o.visits, "visits", 400, "visits of a network without a limit of its own, if --time is not given")
	return c
}

func (o *solveOptions) run(c *cobra.Command, args []string) error {
	o.ctx = c.Context()
	if len(o.players) == 0 {
		return cli.Usagef("--player is missing: who should solve them?")
	}
	all := tactics.Collection()
	if len(args) > 0 {
		var err error
		if all, err = readTactics(args[0]); err != nil {
			return err
		}
	}
	var groups [][]tactics.Tactic // one group per variant
	for _, t := range all {
		if o.only != "" && t.Variant.Name != o.only {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1][0].Variant.String() != t.Variant.String() {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], t)
	}
	if len(groups) == 0 {
		return cli.Usagef("--variant %q: there is no combination of it", o.only)
	}
	bar := newProgress(c.ErrOrStderr(), len(o.players)*countAll(groups))
	s := solver{options: &o.options, players: o.players, bar: bar}
	err := s.solve(c.Context(), groups)
	s.bar.done()
	switch {
	case o.json:
		err = errors.Join(err, s.writeJSON(c.OutOrStdout()))
	case len(s.rows) > 0:
		s.write(c.OutOrStdout())
	}
	return err
}

// countAll returns the number of combinations in all groups.
func countAll(groups [][]tactics.Tactic) int {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	return n
}

// solver counts the combinations that players solve.
type solver struct {
	*options
	players []string
	bar     *progress
	rows    []solved
}

// solved is how many combinations of a variant each player solved.
type solved struct {
	variant string
	all     int   // number of combinations
	by      []int // solved, by player
}

// solve makes a row for each group.
func (s *solver) solve(ctx context.Context, groups [][]tactics.Tactic) error {
	for _, g := range groups {
		row := solved{variant: g[0].Variant.Name, all: len(g)}
		for _, text := range s.players {
			n, err := s.countSolved(ctx, g[0].Variant, text, g)
			if err != nil {
				return err
			}
			row.by = append(row.by, n)
		}
		s.rows = append(s.rows, row)
	}
	return nil
}

// countSolved returns how many of the combinations the player solves.
func (s *solver) countSolved(
	ctx context.Context, v *rules.Variant, text string, all []tactics.Tactic,
) (int, error) {
	side, err := s.side(v, text)
	if err != nil {
		return 0, err
	}
	if err := side.Open(); err != nil {
		return 0, err
	}
	p, err := side.Make()
	if err != nil {
		return 0, err
	}
	if c, ok := p.(io.Closer); ok {
		defer c.Close()
	}
	n := 0
	for i := range all {
		ok, err := solves(ctx, p, &all[i])
		if err != nil {
			return 0, fmt.Errorf("%s, combination %s: %w", text, all[i].ID(), err)
		}
		if ok {
			n++
		}
		s.bar.step(v.Name)
	}
	return n, nil
}

// solves reports whether p plays the first move of the solution of t.
func solves(ctx context.Context, p arena.Player, t *tactics.Tactic) (bool, error) {
	p.NewGame()
	m, err := p.Play(ctx, rules.NewGameFrom(t.Variant, t.Start))
	return m == t.Line[0], err
}

// solvedJSON is a row in JSON.
type solvedJSON struct {
	Variant      string       `json:"variant"`
	Combinations int          `json:"combinations"`
	Players      []solverJSON `json:"players"`
}

// solverJSON is how many of the combinations of a row a player solved.
type solverJSON struct {
	Player string `json:"player"`
	Solved int    `json:"solved"`
}

// writeJSON prints an object for each variant.
func (s *solver) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	for _, r := range s.rows {
		row := solvedJSON{r.variant, r.all, []solverJSON{}}
		for i, n := range r.by {
			row.Players = append(row.Players, solverJSON{s.players[i], n})
		}
		if err := e.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// write prints a row for each variant and their sum.
func (s *solver) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "variant\tcombinations\t")
	for _, p := range s.players {
		fmt.Fprintf(t, "%s\t", p)
	}
	fmt.Fprintln(t)
	sum := solved{variant: "all", by: make([]int, len(s.players))}
	for _, r := range s.rows {
		sum.all += r.all
		for i, n := range r.by {
			sum.by[i] += n
		}
	}
	for _, r := range append(s.rows, sum) {
		fmt.Fprintf(t, "%s\t%d\t", r.variant, r.all)
		for _, n := range r.by {
			fmt.Fprintf(t, "%d\t", n)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
