package evaluate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/arena/tournament"
	"damier/egdb"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/internal/publish"
	"damier/models"
	"damier/rules"
)

// tournamentOptions are the flags of evaluate tournament.
type tournamentOptions struct {
	options
	players    []string
	controls   []string
	gauntlet   int
	games      int
	out        string
	anchor     string
	reportOnly bool
}

func newTournamentCommand() *cobra.Command {
	var o tournamentOptions
	c := &cobra.Command{
		Use:   "tournament --player PLAYER --player PLAYER ... --out DIR [flags]",
		Short: "Let many players meet each other, and rate them",
		Long: `Let many players meet each other, every two of them in --games games from the same openings, each opening
with both colours; with --gauntlet N only the first N players meet the others. Everything is in the folder
--out: results.jsonl has one line a game and is all that counts; report.txt, report.json, report.png and
games.pdn are made of it at the end, or when the tournament is stopped. The same command goes on with a
tournament that was stopped or killed: finished games are kept, those under way are lost. More --games,
more players and more controls may be asked for later.

A player is what --a of evaluate takes, with a name before it if one likes: old=model:runs/a/models/gen-000012.safetensors.
Those with limits of their own (depth, nodes, visits, time) play within them. For the others every
--control is a section with ratings of its own, in which all games are played by
  0.1s            a tenth of a second for each move
  60s+0.5s        the clock: a minute for the game and half a second more for each move
  40/5m           the clock: five minutes for every 40 moves
  visits=200      visits for each move, for models

With a limit of time every game has a core to itself (--concurrency). A player whose flag falls has lost, and
so has one that fails; three failures in a row end the tournament. Every finished game is played again by
the slow twin of the move generator, and so is every game of the folder when it is opened again.

Ratings are Elo by the model of Bradley and Terry, the mean of all being 0 or --anchor NAME=ELO given; the
95 % intervals come from how much the pairs of games scatter. A rating is no proof: see evaluate --help.`,
		Example: `  evaluate tournament --player alphabeta:depth=2 --player alphabeta:depth=3 --player random --games 20 --out ladder
  evaluate tournament --player new=model:a.safetensors --player old=model:b.safetensors --player alphabeta --control 0.1s --control 60s+0.5s --games 100 --out july
  evaluate tournament --gauntlet 1 --player model:new.safetensors --player alphabeta:depth=4 --player alphabeta:depth=6 --control visits=200 --out gauntlet
  evaluate tournament --variant frisian --unbalanced --player alphabeta:depth=4 --player alphabeta-material:depth=4 --out frisian
  evaluate tournament --out july --report`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.StringVar(&o.variant, "variant", "international", "variant of the game: "+strings.Join(rules.Names(), ", "))
	f.StringArrayVar(&o.players, "player", nil, "a player, PLAYER or NAME=PLAYER; once for each")
	f.StringArrayVar(&o.controls, "control", nil, "limit of players without one of their own; several make sections")
	f.IntVar(&o.gauntlet, "gauntlet", 0, "so many of the first players meet all the others; 0: everybody meets everybody")
	f.IntVar(&o.games, "games", 20, "number of games that every two players play, even")
	f.StringVar(&o.out, "out", "", "folder of the tournament (required)")
	f.BoolVar(&o.reportOnly, "report", false, "play nothing; make the report of the folder again")
	f.StringVar(&o.anchor, "anchor", "", "give a player's Elo, NAME=ELO")
	f.StringVar(&o.openings, "openings", "", "file with openings; those of Damier for the variant when empty")
	f.BoolVar(&o.unbalanced, "unbalanced", false, "openings that favour one side: Damier's list, or said of that of --openings")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.IntVar(&o.concurrency, "concurrency", 0, "games at a time; 0 chooses: one per core, more with models limited by visits")
	f.Uint64Var(&o.seed, "seed", 1, "seed of players that play at random")
	f.IntVar(&o.maxPlies, "max-plies", arena.DefaultMaxPlies(rules.International),
		"length at which a game is drawn, 0 for no limit; larger boards than 10x10 have a higher default")
	f.IntVar(&o.leaves, "leaves", 0, "leaves a model evaluates together; 0 chooses: 1, and with a limit of time 8 of an MLP")
	f.StringVar(&o.adjudicate, "adjudicate", "", adjudicateHelp)
	f.StringVar(&o.egdb, "egdb", egdb.Off, egdbHelp)
	return c
}

// contestant is a player as the flags give it.
type contestant struct {
	name, text string
}

// named is a player's own name before its description.
var namedPlayer = regexp.MustCompile(`^([^=:,]+)=(.+)$`)

func (o *tournamentOptions) run(c *cobra.Command) error {
	if o.out == "" {
		return cli.Usagef("--out is missing: which folder is the tournament's?")
	}
	anchor, err := parseAnchor(o.anchor)
	if err != nil {
		return err
	}
	if o.reportOnly {
		return o.reportFolder(c, anchor)
	}
	o.anyLength = !c.Flags().Changed("max-plies")
	o.anyVariant = !c.Flags().Changed("variant")
	t, contestants, settings, err := o.newTournament()
	if err != nil {
		return err
	}
	var players []tournament.Player
	for _, p := range contestants {
		hash, err := playerHash(t.Variant, p.text)
		if err != nil {
			return fileError(err)
		}
		players = append(players, tournament.Player{Name: p.name, Spec: p.text, Hash: hash})
	}
	controls, err := o.sections()
	if err != nil {
		return err
	}
	// What is wrong with a player is told before the folder is made.
	for _, control := range controls {
		if _, err := o.sides(t.Variant, contestants, control); err != nil {
			return err
		}
	}
	st, err := tournament.Open(o.out, t.Variant, settings, players)
	if err != nil {
		return storeError(err)
	}
	defer st.Close()
	err = o.playSections(c, st, t, contestants, controls)
	if e := o.report(c, st, anchor); e != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return e
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped with %d games in %s; the same command goes on\n", len(st.Games), o.out)
	}
	if err != nil {
		return err
	}
	return st.Close()
}

// tournament checks the flags and makes the tournament of them, without its players, and the
// settings of the folder.
func (o *tournamentOptions) newTournament() (t arena.Tournament, players []contestant, s tournament.Settings, err error) {
	fail := func(err error) (arena.Tournament, []contestant, tournament.Settings, error) { return t, nil, s, err }
	var texts []string
	for _, text := range o.players {
		if m := namedPlayer.FindStringSubmatch(text); m != nil {
			text = m[2]
		}
		texts = append(texts, text)
	}
	v, err := o.playedVariant(texts...)
	if err != nil {
		return fail(err)
	}
	switch {
	case len(o.players) < 2:
		return fail(cli.Usagef("%d players; give at least two --player: %s", len(o.players), open.SpecHelp))
	case o.gauntlet < 0 || o.gauntlet >= len(o.players):
		return fail(cli.Usagef("--gauntlet %d of %d players leaves no opponent", o.gauntlet, len(o.players)))
	case o.games < 2 || o.games%2 != 0:
		return fail(cli.Usagef("--games %d must be even and above 0: every opening is played with both colours", o.games))
	case o.maxPlies < 0 || o.leaves < 0 || o.concurrency < 0:
		return fail(cli.Usagef("--max-plies, --leaves and --concurrency must not be negative"))
	}
	seen := map[string]bool{}
	for _, text := range o.players {
		p := contestant{text: text}
		if m := namedPlayer.FindStringSubmatch(text); m != nil {
			p.name, p.text = m[1], m[2]
		} else {
			p.name = open.PlayerLabel(text)
		}
		if seen[p.name] {
			return fail(cli.Usagef("two players are named %q: give them names, as in --player NAME=%s", p.name, p.text))
		}
		seen[p.name] = true
		players = append(players, p)
	}
	t = arena.Tournament{Variant: v, Gauntlet: o.gauntlet, Pairs: o.games / 2, Seed: o.seed, MaxPlies: o.maxPlies}
	switch {
	case o.anyLength:
		t.MaxPlies = arena.DefaultMaxPlies(v)
	case o.maxPlies == 0:
		t.MaxPlies = -1
	}
	if t.Adjudication, err = parseAdjudication(o.adjudicate); err != nil {
		return fail(err)
	}
	if t.Openings, err = readOpenings(v, o.openings, o.unbalanced); err != nil {
		return fail(err)
	}
	s = tournament.Settings{
		Version: tournament.Version, Variant: v.String(), Openings: describeOpenings(v, t.Openings), Unbalanced: o.unbalanced,
		MaxPlies: t.MaxPlies, Seed: o.seed,
	}
	if t.Tables, err = judgingTables(o.context(), v, o.egdb); err != nil {
		return fail(err)
	}
	if t.Adjudication != nil {
		s.Adjudication = t.Adjudication.String()
	}
	if t.Tables != nil {
		s.Adjudication = strings.TrimPrefix(fmt.Sprintf("%s,egdb=%d", s.Adjudication, t.Tables.Pieces()), ",")
	}
	return t, players, s, nil
}

// describeOpenings names a list of openings by its content.
func describeOpenings(v *rules.Variant, openings []arena.Opening) string {
	h := sha256.New()
	for _, o := range openings {
		fmt.Fprintf(h, "%s %v\n", v.FEN(o.Start), o.Moves)
	}
	return fmt.Sprintf("%d openings %.6x", len(openings), h.Sum(nil))
}

// playerHash returns a hash of what a player is beyond its description: its network, and what its
// level stands for; "" if it has neither.
func playerHash(v *rules.Variant, text string) (string, error) {
	spec, err := open.ParseSpec(text)
	if err != nil {
		return "", nil // it is told of later
	}
	var network []byte
	switch {
	case (spec.Kind == open.NNUE || spec.Kind == open.Tree) && spec.File == "":
		network, err = models.NNUEContent(v)
	case spec.Kind == open.NNUE || spec.Kind == open.Tree:
		network, err = files.Read(spec.File, 1<<31)
	case spec.Level == 0:
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("model: %w", err)
	}
	h := sha256.New()
	h.Write(network)
	fmt.Fprintf(h, "%s visits=%d time=%s", spec.Settings(), spec.Visits, spec.Time)
	if spec.Depth > 0 || spec.Nodes > 0 {
		fmt.Fprintf(h, " depth=%d nodes=%d", spec.Depth, spec.Nodes)
	}
	if spec.Level > 0 {
		fmt.Fprintf(h, " level=%+v", engine.LevelOf(spec.Level))
	}
	return fmt.Sprintf("%.12x", h.Sum(nil)), nil
}

// limit is a section's: one of the three is set.
type limit struct {
	name   string
	visits int
	time   time.Duration
	clock  *arena.Control
}

// ownLimits names the section of players that all have limits of their own.
const ownLimits = "own limits"

// sections reads the controls.
func (o *tournamentOptions) sections() ([]limit, error) {
	if len(o.controls) == 0 {
		all := !slices.ContainsFunc(o.players, func(text string) bool {
			if m := namedPlayer.FindStringSubmatch(text); m != nil {
				text = m[2]
			}
			spec, err := open.ParseSpec(text)
			return err == nil && !spec.Limited() && spec.Kind != open.Random
		})
		if all {
			return []limit{{name: ownLimits, visits: 200}}, nil
		}
		return []limit{{name: "visits=200", visits: 200}}, nil
	}
	var all []limit
	for _, text := range o.controls {
		l, err := parseLimit(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other limit) bool { return other.name == l.name }) {
			return nil, cli.Usagef("--control %s is given twice", l.name)
		}
		all = append(all, l)
	}
	return all, nil
}

func parseLimit(text string) (limit, error) {
	if value, ok := strings.CutPrefix(text, "visits="); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return limit{}, cli.Usagef("--control %s: %q is not a number above 0", text, value)
		}
		return limit{name: text, visits: n}, nil
	}
	if strings.ContainsAny(text, "/+") {
		c, err := arena.ParseControl(text)
		if err != nil {
			return limit{}, cli.WithCode(cli.Usage, err)
		}
		return limit{name: c.String(), time: c.Time, clock: &c}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return limit{}, cli.Usagef("--control %q is not a limit such as 0.1s, 60s+0.5s, 40/5m or visits=200", text)
	}
	return limit{name: d.String(), time: d}, nil
}

// sides makes a side of every player under a control.
func (o *tournamentOptions) sides(v *rules.Variant, players []contestant, l limit) ([]*open.Side, error) {
	under := o.options
	under.visits, under.time, under.control = l.visits, l.time, l.clock
	var sides []*open.Side
	for _, p := range players {
		s, err := under.side(v, p.text)
		if err != nil {
			return nil, err
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// play plays what is missing of all sections.
func (o *tournamentOptions) playSections(c *cobra.Command, st *tournament.Store, t arena.Tournament, players []contestant, controls []limit) error {
	for _, l := range controls {
		if err := o.playSection(c, st, t, players, l); err != nil {
			return err
		}
	}
	return nil
}

func (o *tournamentOptions) playSection(c *cobra.Command, st *tournament.Store, t arena.Tournament, players []contestant, l limit) error {
	sides, err := o.sides(t.Variant, players, l)
	if err != nil {
		return err
	}
	t.Clock, t.Concurrency = l.clock, o.concurrency
	timed := l.clock != nil
	for _, s := range sides {
		timed = timed || s.Timed
		if s.Single {
			if o.concurrency > 1 {
				return cli.Usagef("--concurrency %d: a program behind DXP plays one game at a time", o.concurrency)
			}
			t.Concurrency = 1
		}
	}
	for i, s := range sides {
		if err := s.Open(); err != nil {
			return err
		}
		entrant := arena.Entrant{Name: players[i].name, New: s.Make}
		if l.clock != nil {
			entrant.New = open.Clocked(s.Make, players[i].text, l.clock)
		}
		t.Entrants = append(t.Entrants, entrant)
	}
	// A program behind DXP plays one game at a time.
	single := slices.ContainsFunc(players, func(p contestant) bool { return strings.HasPrefix(p.text, "dxp:") })
	switch {
	case single:
		t.Concurrency = 1
	case t.Concurrency == 0 && timed:
		t.Concurrency = open.TimedGames(sides)
	case t.Concurrency == 0:
		t.Concurrency = open.Together(sides)
	case timed && t.Concurrency > cores():
		fmt.Fprintf(c.ErrOrStderr(), "%d games at a time share %d cores: no player has the time it is said to have\n", t.Concurrency, cores())
	}
	if t.Pairs > len(t.Openings) {
		fmt.Fprintf(c.ErrOrStderr(), "%d pairs of games have %d openings: some are played more than once\n", t.Pairs, len(t.Openings))
	}
	key := func(m arena.Meeting) tournament.Key {
		k := tournament.Key{Control: l.name, White: players[m.A].name, Black: players[m.B].name, Pair: m.Pair}
		if m.Side == rules.Black {
			k.White, k.Black = k.Black, k.White
		}
		return k
	}
	t.Played = func(m arena.Meeting) bool { return st.Played(key(m)) }
	missing := 0
	for _, m := range t.Schedule() {
		if !t.Played(m) {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	// The store is read by the schedule while games are added: what was played before is known
	// beforehand.
	before := map[arena.Meeting]bool{}
	for _, m := range t.Schedule() {
		before[m] = t.Played(m)
	}
	t.Played = func(m arena.Meeting) bool { return before[m] }
	bar := newProgress(c.ErrOrStderr(), missing)
	defer bar.done()
	t.OnGame = func(g arena.TournamentGame) error {
		bar.step(l.name)
		if g.Failure != nil {
			fmt.Fprintf(c.ErrOrStderr(), "%s - %s, pair %d: %v\n", g.White, g.Black, g.Meeting.Pair+1, g.Failure)
		}
		return st.Add(tournament.Record(l.name, g))
	}
	return t.Play(c.Context())
}

// storeError gives an error of a folder its exit code.
func storeError(err error) error {
	switch {
	case errors.Is(err, tournament.ErrOther):
		return cli.WithCode(cli.Usage, fmt.Errorf("%w; give another --out, or the same flags as before", err))
	case errors.Is(err, tournament.ErrDamaged):
		return cli.WithCode(cli.Damaged, err)
	}
	return err
}

func parseAnchor(text string) (*tournament.Anchor, error) {
	if text == "" {
		return nil, nil
	}
	at := strings.LastIndexByte(text, '=')
	if at < 1 {
		return nil, cli.Usagef("--anchor %q is not NAME=ELO", text)
	}
	elo, err := strconv.ParseFloat(text[at+1:], 64)
	if err != nil || elo < -1e6 || elo > 1e6 || elo != elo {
		return nil, cli.Usagef("--anchor %q: %q is not an Elo", text, text[at+1:])
	}
	return &tournament.Anchor{Name: text[:at], Elo: elo}, nil
}

// reportFolder makes the report of a folder without playing.
func (o *tournamentOptions) reportFolder(c *cobra.Command, anchor *tournament.Anchor) error {
	if !tournament.Exists(o.out) {
		return cli.Usagef("%s is no tournament: there is no %s in it", o.out, tournament.ResultsFile)
	}
	settings, players, err := tournament.Peek(o.out)
	if err != nil {
		return storeError(err)
	}
	name, _, _ := strings.Cut(settings.Variant, "[")
	v, err := rules.Lookup(name, nil)
	if err != nil {
		return cli.WithCode(cli.Damaged, fmt.Errorf("%s: %w", o.out, err))
	}
	st, err := tournament.Open(o.out, v, settings, players)
	if err != nil {
		return storeError(err)
	}
	defer st.Close()
	return o.report(c, st, anchor)
}

// report writes the files of the report into the folder and prints it.
func (o *tournamentOptions) report(c *cobra.Command, st *tournament.Store, anchor *tournament.Anchor) error {
	r, err := tournament.Make(st, anchor)
	if err != nil {
		return cli.WithCode(cli.Usage, err)
	}
	object, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	object = append(object, '\n')
	picture, err := r.Picture()
	if err != nil {
		return err
	}
	pdn, err := st.PDN()
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	text := []byte(r.Text())
	for _, file := range []struct {
		name string
		text []byte
	}{{"report.txt", text}, {"report.json", object}, {"report.png", picture}, {"games.pdn", pdn}} {
		if file.text == nil {
			continue
		}
		err := publish.Write(filepath.Join(o.out, file.name), func(w io.Writer) error {
			_, err := w.Write(file.text)
			return err
		})
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	if o.json {
		text = object
	}
	if _, err := bytes.NewReader(text).WriteTo(c.OutOrStdout()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
