package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/data"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/publish"
	"damier/models"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
)

// tacticsOptions are the flags of evaluate tactics.
type tacticsOptions struct {
	variant string
	runs    []string
	pdns    []string
	compose time.Duration
	time    time.Duration
	count   int
	model   string
	out     string
	seed    uint64
}

func newTacticsCommand() *cobra.Command {
	var o tacticsOptions
	c := &cobra.Command{
		Use:   "tactics --run DIR --out FILE",
		Short: "Find combinations in games, and prove them",
		Long: `Search the games of a run (--run, newest first) or of a PDN file (--pdn) for positions in which a sacrifice
wins material or the game by force and no other move wins anything. Add the best ones to --out. A position
is kept if
  - it is quiet: neither side can capture
  - the first move is not a capture and is a sacrifice: the opponent must capture
  - it wins a man or more against every reply, and every other first move wins nothing; an alpha-beta search
    of full width without reductions proves this to the depth that the file states
  - the solver's later moves, too, are the only ones that win
From all positions found, --count are chosen, so that no two are nearly equal and rare themes and all levels
occur. Rules determine the themes (coup turc, envoi à dame, temps de repos and so on). The level depends on
the sacrifices and on the visits that the network needs to find the first move.

--compose also searches generated positions, but only for coups turcs, which are rare in games. In those
positions the opponent may threaten to capture.

The choice includes the tactics that are in --out already; those of other variants do not change. The format
is in docs/tactics.md. evaluate tactics --check FILE proves a file again.

Exit code: 0 done, 1 failure, 2 wrong usage, 3 with --check: something in the file does not hold, 4 damaged or
foreign games, 130 interrupted (nothing is written).`,
		Example: `  evaluate tactics --run runs/international --count 80 --out tactics.txt
  evaluate tactics --variant frisian --run runs/frisian --time 1m --count 30 --out tactics.txt
  evaluate tactics --pdn match.pdn --compose 30s --out tactics.txt
  evaluate tactics --check tactics.txt`,
		Args: cli.Args(cobra.NoArgs),
	}
	check, asJSON := "", false
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case check != "":
			return checkTactics(c, check, asJSON)
		case asJSON:
			return cli.Usagef("--json goes with --check; tactics that are found are written to --out")
		}
		return o.run(c)
	}
	f := c.Flags()
	f.StringVar(&o.variant, "variant", "international", "variant of the games")
	f.StringArrayVar(&o.runs, "run", nil, "folder of a run, or of shards; repeat the flag for more folders")
	f.StringArrayVar(&o.pdns, "pdn", nil, "PDN file of games; repeat the flag for more files")
	f.DurationVar(&o.compose, "compose", 0, "time to search generated positions for coups turcs; 0: do not")
	f.DurationVar(&o.time, "time", time.Minute, "time to search games")
	f.IntVar(&o.count, "count", 60, "number of tactics of the variant in the file")
	f.StringVar(&o.model, "model", "", "network file that rates the tactics by its visits; if empty, the program's own network")
	f.StringVar(&o.out, "out", "", "file to write; if it exists, its tactics are kept in the choice (required)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the generated positions")
	f.StringVar(&check, "check", "", "do not search; prove this file again")
	f.BoolVar(&asJSON, "json", false, "with --check: print a JSON object")
	c.AddCommand(newSolveCommand())
	return c
}

func (o *tacticsOptions) run(c *cobra.Command) error {
	v, err := cli.Variant(o.variant, "")
	switch {
	case err != nil:
		return cli.WithCode(cli.Usage, err)
	case v.NoMovesWins:
		return cli.Usagef("--variant %s: nothing is won there by material", v.Name)
	case o.out == "":
		return cli.Usagef("--out is missing: where should the tactics go?")
	case len(o.runs)+len(o.pdns) == 0 && o.compose == 0:
		return cli.Usagef("--run, --pdn or --compose is missing: where should they come from?")
	case o.count < 1:
		return cli.Usagef("--count %d is too small", o.count)
	}
	var pool, others []tactics.Tactic
	old, err := readTactics(o.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, t := range old {
		if t.Variant.String() == v.String() {
			pool = append(pool, t)
		} else {
			others = append(others, t)
		}
	}
	until := time.Now().Add(o.time)
	m := &miner{finder: tactics.NewFinder(v), v: v, log: c.ErrOrStderr(), until: until}
	for _, dir := range o.runs {
		if err := m.searchRun(c.Context(), dir); err != nil {
			return err
		}
	}
	for _, file := range o.pdns {
		if err := m.searchPDN(c.Context(), file); err != nil {
			return err
		}
	}
	m.report("games")
	if o.compose > 0 {
		if err := m.searchComposed(c.Context(), o.compose, o.seed); err != nil {
			return err
		}
		m.report("with generated positions")
	}
	for i := range m.found {
		m.found[i].Rate()
	}
	chosen := tactics.Choose(append(pool, m.found...), o.count)
	if err := o.rate(c.Context(), v, chosen); err != nil {
		return err
	}
	tactics.Sort(chosen)
	fmt.Fprintf(c.ErrOrStderr(), "%d in the file\n", len(chosen))
	all := append(others, chosen...)
	slices.SortStableFunc(all, func(a, b tactics.Tactic) int {
		return strings.Compare(a.Variant.Name, b.Variant.Name)
	})
	return publish.Write(o.out, func(w io.Writer) error { return tactics.Write(w, all) })
}

// readTactics reads a file of tactics. A damaged file has exit code 4.
func readTactics(name string) ([]tactics.Tactic, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	defer f.Close()
	all, err := tactics.Read(f)
	if err != nil {
		return nil, cli.WithCode(cli.Damaged, fmt.Errorf("%s: %w", name, err))
	}
	return all, nil
}

// rate lets the network search the chosen tactics that have no number of visits yet, if there is a
// network for the variant. It then sets the levels of all, and the nodes where they are missing.
func (o *tacticsOptions) rate(ctx context.Context, v *rules.Variant, chosen []tactics.Tactic) error {
	// Without the scout, because the scout finds every combination at once.
	spec, err := open.ParseSpec("tree:scout=0,share=false,best=0.01")
	if err != nil {
		return err
	}
	spec.File = o.model
	e, err := open.Engine(v, spec, open.Settings{Cores: 1})
	switch {
	case err != nil && o.model == "" && errors.Is(err, models.ErrNone):
	case err != nil:
		return err
	default:
		var fresh []*tactics.Tactic
		for i := range chosen {
			if chosen[i].Visits == 0 {
				fresh = append(fresh, &chosen[i])
			}
		}
		if err := tactics.AskVisits(ctx, fresh, e); err != nil {
			return err
		}
	}
	var unasked []*tactics.Tactic
	for i := range chosen {
		chosen[i].Rate()
		if chosen[i].Nodes == 0 {
			unasked = append(unasked, &chosen[i])
		}
	}
	return tactics.AskNodes(ctx, unasked)
}

// miner searches games for tactics.
type miner struct {
	finder *tactics.Finder
	v      *rules.Variant
	log    io.Writer
	until  time.Time // when the search ends
	games  int
	found  []tactics.Tactic
}

// report prints how much was searched and found.
func (m *miner) report(what string) {
	fmt.Fprintf(m.log, "%s: %d games, %d positions, %d combinations\n", what, m.games, m.finder.Tried, len(m.found))
}

// add adds a tactic unless a similar one is there.
func (m *miner) add(t tactics.Tactic) {
	if !slices.ContainsFunc(m.found, func(f tactics.Tactic) bool { return tactics.Near(&f, &t) }) {
		m.found = append(m.found, t)
	}
}

// stride is the number of plies after a combination at which the search for the next one begins:
// the positions in between contain the same combination.
const stride = 6

// searchGame searches the positions of a game.
func (m *miner) searchGame(positions []rules.Position, source string) {
	m.games++
	for i := 0; i < len(positions); i++ {
		if t, ok := m.finder.Find(positions[i]); ok {
			t.Source = source
			m.add(t)
			i += stride
		}
	}
}

// timeUp reports whether the time is over or the context is done.
func (m *miner) timeUp(ctx context.Context) bool {
	return ctx.Err() != nil || time.Now().After(m.until)
}

// searchRun searches the shards of a run, the newest first.
func (m *miner) searchRun(ctx context.Context, dir string) error {
	folder := filepath.Join(dir, "games")
	if _, err := os.Stat(folder); err != nil {
		folder = dir
	}
	shards, err := data.Shards(folder)
	if err != nil || len(shards) == 0 {
		return cli.Usagef("--run %s: there are no games in %s", dir, folder)
	}
	slices.Reverse(shards)
	for _, shard := range shards {
		if m.timeUp(ctx) {
			break
		}
		games, err := data.ReadShard(filepath.Join(folder, shard), m.v)
		switch {
		case errors.Is(err, data.ErrDamaged) || errors.Is(err, data.ErrForeign):
			return cli.WithCode(cli.Damaged, err)
		case err != nil:
			return err
		}
		for _, g := range games {
			if m.timeUp(ctx) {
				break
			}
			var positions []rules.Position
			for i := range g.Plies {
				positions = append(positions, g.Plies[i].Position)
			}
			m.searchGame(positions, fmt.Sprintf("self-play, generation %d", g.Generation))
		}
	}
	return ctx.Err()
}

// searchPDN searches a PDN file.
func (m *miner) searchPDN(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return cli.WithCode(cli.Usage, err)
	}
	defer f.Close()
	r := notation.NewReader(f, m.v)
	clean := strings.NewReplacer("\t", " ", "\r", " ", "\n", " ")
	read, bad := 0, error(nil)
	for !m.timeUp(ctx) {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Fprintf(m.log, "%s: %v; the game is skipped\n", name, err)
			bad = err
			continue
		}
		read++
		source := fmt.Sprintf("game, %s - %s", g.Tags.Get("White"), g.Tags.Get("Black"))
		m.searchGame(g.Positions(), clean.Replace(source))
	}
	if read == 0 && bad != nil {
		return cli.WithCode(cli.Damaged, fmt.Errorf("%s: none of its games can be read: %w", name, bad))
	}
	return ctx.Err()
}

// searchComposed searches generated positions for coups turcs.
func (m *miner) searchComposed(ctx context.Context, limit time.Duration, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x74757263))
	m.until = time.Now().Add(limit)
	m.finder.Threats = true
	for n := 0; n%1024 != 0 || !m.timeUp(ctx); n++ {
		for _, p := range tactics.Compose(m.v, rng) {
			if t, ok := m.finder.Find(p); ok && slices.Contains(t.Themes, tactics.Turc) {
				t.Source = "composed"
				m.add(t)
			}
		}
	}
	return ctx.Err()
}

// checkedJSON is the result of proving a file again.
type checkedJSON struct {
	Tactics int      `json:"tactics"`
	Wrong   []string `json:"wrong"` // of each tactic that does not hold, why
}

// checkTactics proves the tactics of a file again.
func checkTactics(c *cobra.Command, name string, asJSON bool) error {
	all, err := readTactics(name)
	if err != nil {
		return err
	}
	checked := checkedJSON{len(all), []string{}}
	for i := range all {
		err := all[i].Check()
		if err == nil {
			err = all[i].Prove()
		}
		if err != nil {
			checked.Wrong = append(checked.Wrong, err.Error())
			if !asJSON {
				fmt.Fprintln(c.OutOrStdout(), err)
			}
		}
		if err := c.Context().Err(); err != nil {
			return err
		}
	}
	if asJSON {
		if err := json.NewEncoder(c.OutOrStdout()).Encode(checked); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.OutOrStdout(), "%d tactics, %d do not hold\n", len(all), len(checked.Wrong))
	}
	if len(checked.Wrong) > 0 {
		return silent(cli.No)
	}
	return nil
}
