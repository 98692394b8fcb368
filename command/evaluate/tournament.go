package evaluate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
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
	page       string
}

func newTournamentCommand() *cobra.Command {
	var o tournamentOptions
	c := &cobra.Command{
		Use:   "tournament --player PLAYER --player PLAYER ... --out DIR [flags]",
		Short: "Let many players play each other, and rate them",
		Long: `Let many players play each other: every two of them play --games games from the same openings, each opening
with both colours. With --gauntlet N only the first N players play against the others. The folder --out has
all files. results.jsonl has one line per game and is the record; report.txt, report.json, report.png and
games.pdn are made from it at the end, or when the tournament is stopped. The same command continues a
tournament that was stopped or killed: finished games are kept, unfinished ones are lost. A later command
may ask for more --games, more players and more controls.

PLAYER is as in evaluate --a, with an optional name before it: old=tree:runs/a/models/gen-000012.nnue.
Players with limits of their own (depth, nodes, visits, time) keep them. For the others each --control is a
section with its own ratings. In a section all games are played with
  0.1s            a tenth of a second for each move
  60s+0.5s        a clock: one minute for the game plus half a second for each move
  40/5m           a clock: five minutes for every 40 moves
  visits=200      200 visits for each move, for tree search

--variant takes several variants, joined with commas, or all; then each has a folder of its own below --out.
In a player and in --openings, {variant} stands for the variant's name: old=tree:releases/{variant}.nnue.
--page FILE.md writes a page about all variants when all games are played, with images/FILE.png beside it.

With a time limit every game has its own core (--concurrency). A player whose time runs out loses, and so
does a player that fails; three failures in a row end the tournament. Every finished game is checked with
the slow, simple move generator, and so is every game of the folder when the folder is opened again.

Ratings are Elo by the model of Bradley and Terry. Their mean is 0, or --anchor NAME=ELO fixes one of them.
The 95 % intervals come from the spread of the pairs of games. A rating is no proof: see evaluate --help.`,
		Example: `  evaluate tournament --player alphabeta:depth=2 --player alphabeta:depth=3 --player random --games 20 --out ladder
  evaluate tournament --player new=tree:a.nnue --player old=tree:b.nnue --player alphabeta --control 0.1s --control 60s+0.5s --games 100 --out july
  evaluate tournament --gauntlet 1 --player tree:new.nnue --player alphabeta:depth=4 --player alphabeta:depth=6 --control visits=200 --out gauntlet
  evaluate tournament --variant frisian --unbalanced --player alphabeta:depth=4 --player alphabeta-material:depth=4 --out frisian
  evaluate tournament --variant all --player tree:visits=200 --player alphabeta-1:depth=6 --out runs/family --page docs/family.md
  evaluate tournament --out july --report`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.StringVar(&o.variant, "variant", "international", "variants, joined with commas, or all: "+strings.Join(rules.Names(), ", "))
	f.StringArrayVar(&o.players, "player", nil, "a player, PLAYER or NAME=PLAYER; repeat the flag for each")
	f.StringArrayVar(&o.controls, "control", nil, "limit of players without one of their own; each --control makes a section")
	f.IntVar(&o.gauntlet, "gauntlet", 0, "number of first players that play all others; 0: every player plays every other")
	f.IntVar(&o.games, "games", 20, "number of games between every two players, even")
	f.StringVar(&o.out, "out", "", "folder of the tournament (required)")
	f.BoolVar(&o.reportOnly, "report", false, "do not play; make the report of the folder again")
	f.StringVar(&o.page, "page", "", "write a page in Markdown, with its picture in a folder images beside it")
	f.StringVar(&o.anchor, "anchor", "", "fix the Elo of a player, NAME=ELO")
	f.StringVar(&o.openings, "openings", "", "file with openings; if empty, Damier's openings for the variant")
	f.BoolVar(&o.unbalanced, "unbalanced", false, "use Damier's openings that favour one side, or say that those of --openings do")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.IntVar(&o.concurrency, "concurrency", 0, "games at a time; 0: chosen, one per core, more with models limited by visits")
	f.Uint64Var(&o.seed, "seed", 1, "seed of players that play at random")
	f.IntVar(&o.maxPlies, "max-plies", arena.DefaultMaxPlies(rules.International),
		"length at which a game is drawn, 0 for no limit; larger boards than 10x10 have a higher default")
	f.IntVar(&o.leaves, "leaves", 0, "leaves that a tree search evaluates together; 0 is 1")
	f.StringVar(&o.adjudicate, "adjudicate", "", adjudicateHelp)
	f.StringVar(&o.egdb, "egdb", egdb.Off, egdbHelp)
	return c
}

// contestant is a player as the flags describe it.
type contestant struct {
	name, text string
}

// namedPlayer matches a player with a name, NAME=PLAYER.
var namedPlayer = regexp.MustCompile(`^([^=:,]+)=(.+)$`)

// parseContestant splits NAME=PLAYER. A player without a name gets its label as a name.
func parseContestant(text string) contestant {
	if m := namedPlayer.FindStringSubmatch(text); m != nil {
		return contestant{name: m[1], text: m[2]}
	}
	return contestant{name: open.PlayerLabel(text), text: text}
}

func (o *tournamentOptions) run(c *cobra.Command) error {
	o.ctx = c.Context()
	if o.out == "" {
		return cli.Usagef("--out is missing: which folder is the tournament's?")
	}
	anchor, err := parseAnchor(o.anchor)
	if err != nil {
		return err
	}
	if err := o.checkPage(); err != nil {
		return err
	}
	if o.reportOnly {
		events, family, err := o.folderEvents()
		defer closeAll(events)
		if err != nil {
			return err
		}
		return o.report(c, events, family, anchor, true)
	}
	o.anyLength = !c.Flags().Changed("max-plies")
	o.anyVariant = !c.Flags().Changed("variant")
	controls, err := o.sections()
	if err != nil {
		return err
	}
	events, family, err := o.newEvents(controls)
	if err != nil {
		return err
	}
	defer closeAll(events)
	missing := 0
	for _, e := range events {
		n, err := e.open(controls)
		if err != nil {
			return err
		}
		missing += n
	}
	err = o.playEvents(c, events, controls, missing)
	if e := o.report(c, events, family, anchor, err == nil); e != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return e
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped with %d games in %s; the same command goes on\n", played(events), o.out)
	}
	if err != nil {
		return err
	}
	return closeAll(events)
}

// newEvent makes the tournament of a variant, without touching its folder.
func (o *tournamentOptions) newEvent(v *rules.Variant) (*event, error) {
	e := &event{}
	for _, text := range o.players {
		p := parseContestant(text)
		p.text = inVariant(p.text, v)
		e.players = append(e.players, p)
	}
	if err := o.checkPlayers(e.players); err != nil {
		return nil, err
	}
	e.Tournament = arena.Tournament{Variant: v, Gauntlet: o.gauntlet, Pairs: o.games / 2, Seed: o.seed, MaxPlies: o.maxPlies}
	t := &e.Tournament
	switch {
	case o.anyLength:
		t.MaxPlies = arena.DefaultMaxPlies(v)
	case o.maxPlies == 0:
		t.MaxPlies = -1
	}
	var err error
	if t.Adjudication, err = parseAdjudication(o.adjudicate); err != nil {
		return nil, err
	}
	if t.Openings, err = readOpenings(v, inVariant(o.openings, v), o.unbalanced); err != nil {
		return nil, err
	}
	e.settings = tournament.Settings{
		Version: tournament.Version, Variant: v.String(), Openings: describeOpenings(v, t.Openings), Unbalanced: o.unbalanced,
		MaxPlies: t.MaxPlies, Seed: o.seed,
	}
	if t.Tables, err = judgingTables(o.context(), v, o.egdb); err != nil {
		return nil, err
	}
	if t.Adjudication != nil {
		e.settings.Adjudication = t.Adjudication.String()
	}
	if t.Tables != nil {
		e.settings.Adjudication = strings.TrimPrefix(fmt.Sprintf("%s,egdb=%d", e.settings.Adjudication, t.Tables.Pieces()), ",")
	}
	for _, p := range e.players {
		hash, err := playerHash(v, p.text)
		if err != nil {
			return nil, fileError(err)
		}
		e.hashed = append(e.hashed, tournament.Player{Name: p.name, Spec: p.text, Hash: hash})
	}
	return e, nil
}

// checkPlayers returns an error if the flags have a wrong number of players or games, or if two
// players have the same name.
func (o *tournamentOptions) checkPlayers(players []contestant) error {
	switch {
	case len(players) < 2:
		return cli.Usagef("%d players; give at least two --player: %s", len(players), open.SpecHelp)
	case o.gauntlet < 0 || o.gauntlet >= len(players):
		return cli.Usagef("--gauntlet %d of %d players leaves no opponent", o.gauntlet, len(players))
	case o.games < 2 || o.games%2 != 0:
		return cli.Usagef("--games %d must be even and above 0: every opening is played with both colours", o.games)
	case o.maxPlies < 0 || o.leaves < 0 || o.concurrency < 0:
		return cli.Usagef("--max-plies, --leaves and --concurrency must not be negative")
	}
	seen := map[string]bool{}
	for _, p := range players {
		if strings.Contains(p.name, variantMark) {
			return cli.Usagef("a player with %s in it needs a name: --player NAME=%s", variantMark, p.name)
		}
		if seen[p.name] {
			return cli.Usagef("two players are named %q: give them names, as in --player NAME=%s", p.name, p.text)
		}
		seen[p.name] = true
	}
	return nil
}

// describeOpenings returns the number of openings and a hash of them.
func describeOpenings(v *rules.Variant, openings []arena.Opening) string {
	h := sha256.New()
	for _, o := range openings {
		fmt.Fprintf(h, "%s %v\n", v.FEN(o.Start), o.Moves)
	}
	return fmt.Sprintf("%d openings %.6x", len(openings), h.Sum(nil))
}

// playerHash returns a hash of what decides how a player plays beside its description: the content
// of its network and the meaning of its level. It is "" if the player has neither.
func playerHash(v *rules.Variant, text string) (string, error) {
	spec, err := open.ParseSpec(text)
	if err != nil {
		return "", nil // sides reports the error
	}
	network, err := open.NetworkContent(v, spec)
	if err != nil {
		return "", fmt.Errorf("model: %w", err)
	}
	if network == nil && spec.Level == 0 {
		return "", nil
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
	// Older hashes have neither of these, so they are in it only where they are given.
	if spec.Version != "" {
		fmt.Fprintf(h, " version=%s", spec.Version)
	}
	if spec.Book != "" {
		fmt.Fprintf(h, " book=%s", spec.Book)
	}
	return fmt.Sprintf("%.12x", h.Sum(nil)), nil
}

// limit is the limit of the players of a section. One of visits, time and clock is set.
type limit struct {
	name   string
	visits int
	time   time.Duration
	clock  *arena.Control
}

// ownLimits is the name of the section in which all players have limits of their own.
const ownLimits = "own limits"

// sections parses the controls. Without any there is one section: own limits if all players have
// them, otherwise 200 visits.
func (o *tournamentOptions) sections() ([]limit, error) {
	if len(o.controls) == 0 {
		all := !slices.ContainsFunc(o.players, func(text string) bool {
			spec, err := open.ParseSpec(parseContestant(text).text)
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

// parseLimit parses a control such as visits=200, 0.1s, 60s+0.5s or 40/5m.
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

// sides makes a side for every player under a limit.
func (o *tournamentOptions) sides(v *rules.Variant, players []contestant, l limit) ([]*open.Side, error) {
	under := o.options
	under.visits = l.visits
	under.time = l.time
	under.control = l.clock
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

// playEvents plays the missing games of all variants and sections.
func (o *tournamentOptions) playEvents(c *cobra.Command, events []*event, controls []limit, missing int) error {
	if missing == 0 {
		return nil
	}
	bar := newProgress(c.ErrOrStderr(), missing)
	defer bar.done()
	for _, e := range events {
		for _, l := range controls {
			if err := o.playSection(c, e, l, bar); err != nil {
				return err
			}
		}
	}
	return nil
}

// playSection plays the missing games of a section.
func (o *tournamentOptions) playSection(c *cobra.Command, e *event, l limit, bar *progress) error {
	// Play asks Played while games are added to the store, so find the missing games first.
	missing := e.missing(l)
	if len(missing) == 0 {
		return nil
	}
	t := e.Tournament
	sides, err := o.sides(t.Variant, e.players, l)
	if err != nil {
		return err
	}
	t.Clock = l.clock
	timed := l.clock != nil || slices.ContainsFunc(sides, func(s *open.Side) bool { return s.Timed })
	if t.Concurrency, err = o.gamesAtATime(sides, timed); err != nil {
		return err
	}
	for i, s := range sides {
		if err := s.Open(); err != nil {
			return err
		}
		entrant := arena.Entrant{Name: e.players[i].name, New: s.Make}
		if l.clock != nil {
			entrant.New = open.Clocked(s.Make, e.players[i].text, l.clock)
		}
		t.Entrants = append(t.Entrants, entrant)
	}
	if timed && o.concurrency > cores() {
		fmt.Fprintf(c.ErrOrStderr(), "%d games at a time share %d cores: players get less time than their limit says\n",
			t.Concurrency, cores())
	}
	if t.Pairs > len(t.Openings) {
		fmt.Fprintf(c.ErrOrStderr(), "%d pairs of games have %d openings: some are played more than once\n",
			t.Pairs, len(t.Openings))
	}
	t.Played = func(m arena.Meeting) bool { return !missing[m] }
	t.OnGame = func(g arena.TournamentGame) error {
		bar.step(t.Variant.Name + " " + l.name)
		if g.Failure != nil {
			fmt.Fprintf(c.ErrOrStderr(), "%s, %s - %s, pair %d: %v\n", t.Variant.Name, g.White, g.Black, g.Meeting.Pair+1, g.Failure)
		}
		return e.store.Add(tournament.Record(l.name, g))
	}
	return t.Play(c.Context())
}

// meetingKey returns the key of a game in the store.
func meetingKey(m arena.Meeting, l limit, players []contestant) tournament.Key {
	white, black := players[m.A].name, players[m.B].name
	if m.Side == rules.Black {
		white, black = black, white
	}
	return tournament.Key{Control: l.name, White: white, Black: black, Pair: m.Pair}
}

// storeError gives an error of the folder its exit code.
func storeError(err error) error {
	switch {
	case errors.Is(err, tournament.ErrOther):
		return cli.WithCode(cli.Usage, fmt.Errorf("%w; give another --out, or the same flags as before", err))
	case errors.Is(err, tournament.ErrDamaged):
		return cli.WithCode(cli.Damaged, err)
	}
	return err
}

// parseAnchor parses --anchor, NAME=ELO.
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
		return nil, cli.Usagef("--anchor %q: %q is not an Elo rating", text, text[at+1:])
	}
	return &tournament.Anchor{Name: text[:at], Elo: elo}, nil
}
