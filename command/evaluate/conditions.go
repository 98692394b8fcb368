package evaluate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"damier/arena"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/rules"
)

// checkLimits returns an error if player A is missing or the limits of the players contradict each
// other. Without a limit it sets the default, 200 visits.
func (o *options) checkLimits() error {
	switch {
	case o.a == "":
		return cli.Usagef("--a is missing: who plays? Use %s", open.SpecHelp)
	case o.visits < 0 || o.time < 0:
		return cli.Usagef("--visits and --time must be above 0")
	case o.maxPlies < 0 || o.leaves < 0:
		return cli.Usagef("--max-plies and --leaves must not be negative")
	case o.visits > 0 && o.time > 0:
		return cli.Usagef("--visits and --time contradict each other: give one of them")
	case o.clock != "" && (o.visits > 0 || o.time > 0):
		return cli.Usagef("--clock contradicts --visits and --time: give one of them")
	case o.visits == 0 && o.time == 0 && o.clock == "":
		o.visits = 200
	}
	return nil
}

// setConditions sets the length of games, the sequential test, the clock and the adjudication.
func (o *options) setConditions(m *arena.Match) (err error) {
	m.MaxPlies = o.maxPlies
	switch {
	case o.anyLength:
		m.MaxPlies = 0 // the variant's default
	case o.maxPlies == 0:
		m.MaxPlies = -1 // no limit
	}
	if o.sprt != "" {
		if m.SPRT, err = parseSPRT(o.sprt); err != nil {
			return err
		}
	}
	if o.clock != "" {
		if m.Clock, err = o.parseClock(o.clock); err != nil {
			return err
		}
	}
	m.Adjudication, err = parseAdjudication(o.adjudicate)
	return err
}

// setPlayers sets the players and how many games they play at a time. It checks the whole match
// before it loads networks, because loading may take long.
func (o *options) setPlayers(m *arena.Match) error {
	a, err := o.side(m.Variant, o.a)
	if err != nil {
		return err
	}
	b, err := o.side(m.Variant, o.b)
	if err != nil {
		return err
	}
	timed := a.Timed || b.Timed || m.Clock != nil
	if m.Concurrency, err = o.gamesAtATime([]*open.Side{a, b}, timed); err != nil {
		return err
	}
	m.A, m.B = a.Make, b.Make // for Validate; Open replaces those of networks
	if err := m.Validate(); err != nil {
		return cli.WithCode(cli.Usage, errors.New(strings.TrimPrefix(err.Error(), "match: ")))
	}
	for _, s := range []*open.Side{a, b} {
		if err := s.Open(); err != nil {
			return err
		}
	}
	m.A, m.B = a.Make, b.Make
	if m.Clock != nil {
		m.A, m.B = open.Clocked(a.Make, o.a, m.Clock), open.Clocked(b.Make, o.b, m.Clock)
	}
	return nil
}

// gamesAtATime returns --concurrency, or if it is 0 the number of games that suits all sides.
// timed says that time limits the players.
func (o *options) gamesAtATime(sides []*open.Side, timed bool) (int, error) {
	single := slices.ContainsFunc(sides, func(s *open.Side) bool { return s.Single })
	switch {
	case o.concurrency > 1 && single:
		return 0, cli.Usagef("--concurrency %d: a program behind DXP plays one game at a time", o.concurrency)
	case o.concurrency != 0:
		return o.concurrency, nil
	case single:
		return 1, nil
	case timed:
		return open.TimedGames(sides), nil
	}
	return open.Together(sides), nil
}

// readOpenings reads the openings of a file. Without a file it returns those of Damier.
func readOpenings(v *rules.Variant, file string, unbalanced bool) ([]arena.Opening, error) {
	switch {
	case file != "":
		openings, err := arena.ReadOpenings(v, file)
		return openings, fileError(err)
	case unbalanced:
		openings, err := arena.UnbalancedOpenings(v)
		if err != nil {
			err = cli.Usagef("%w: make some with evaluate openings --unbalanced --variant %s, "+
				"and use them with --openings FILE --unbalanced", err, v.Name)
		}
		return openings, err
	}
	openings, err := arena.Openings(v)
	return openings, fileError(err)
}

// parseClock parses a time control. It also sets --time, so that players without a limit of their
// own start with one; the clock changes it before every move.
func (o *options) parseClock(text string) (*arena.Control, error) {
	c, err := arena.ParseControl(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	o.time = c.Time
	o.control = &c
	return &c, nil
}

// parseAdjudication parses --adjudicate; "" means nil, no adjudication.
func parseAdjudication(text string) (*arena.Adjudication, error) {
	if text == "" {
		return nil, nil
	}
	a, err := arena.ParseAdjudication(text)
	if err != nil {
		return nil, cli.WithCode(cli.Usage, fmt.Errorf("--adjudicate: %w", err))
	}
	return &a, nil
}

// fileError gives an error about a file its exit code: 2 if the file does not exist, 1 if it may
// not be read, 4 for all errors inside the file.
func fileError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return cli.WithCode(cli.Usage, err)
	case errors.Is(err, fs.ErrPermission):
		return err
	}
	return cli.WithCode(cli.Damaged, err)
}

// parseSPRT parses two normalised Elo differences such as 0,50.
func parseSPRT(text string) (*arena.SPRT, error) {
	low, high, ok := strings.Cut(text, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || err0 != nil || err1 != nil {
		return nil, cli.Usagef("--sprt %q is not two numbers such as 0,50", text)
	}
	s := &arena.SPRT{Elo0: elo0, Elo1: elo1}
	return s, cli.WithCode(cli.Usage, s.Validate())
}
