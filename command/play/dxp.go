package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/notation"
	"damier/notation/gamefile"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
)

// dxpOptions are the flags of play dxp.
type dxpOptions struct {
	options
	listen, connect string
	role            string
	games           int
	clock           time.Duration
	moves           int
	name            string
	say             string
	takeBack        bool
	trace           bool

	rules  *rules.Variant
	ours   engine.Engine
	own    bool // the engine has a limit of its own for a move
	start  *rules.Position
	first  rules.Color // our side in the first game that we ask for
	played int
	out    io.Writer
	log    io.Writer
	mu     sync.Mutex // of log
}

func newDXPCommand() *cobra.Command {
	o := &dxpOptions{}
	c := &cobra.Command{
		Use:   "dxp [--listen ADDRESS | --connect ADDRESS] [flags]",
		Short: "Play another program over DamExchange (DXP), international draughts only",
		Long: `Play games against another program over DamExchange, DXP. One program listens and the other connects;
independently of that, one is the initiator, who asks for games and says colours, time and position, and the
other the follower. Without flags this one listens on 127.0.0.1:27531, for this machine only, and follows; with
--connect it is the initiator. --role says otherwise.

The engine, chosen as for play, uses the clock that the initiator has set; with --time or --visits, or a --player
with a limit, that limit for each move, as long as the clock allows. DXP has no words for other games than
international draughts, so --variant must be that.

Every finished game is a line on standard output, and goes into the file of --pdn.

Exit code: 0 the games were played, 1 failure (the partner was lost, or a game was broken off), 2 wrong usage,
4 damaged or foreign model file, 130 stopped by Ctrl-C.`,
		Example: `  play dxp
  play dxp --connect localhost:27531 --games 20 --clock 3m --pdn games.pdn
  play dxp --connect localhost --player alphabeta:time=0.1s --say "console depth 6"
  play dxp --listen 0.0.0.0:27531 --visits 800`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.players(c)
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "", "listen at this address, HOST:PORT; 127.0.0.1 and 27531 where a part is missing")
	f.StringVar(&o.connect, "connect", "", "connect to this address instead")
	f.StringVar(&o.role, "role", "", "initiator or follower; with --connect initiator, else follower")
	f.IntVar(&o.games, "games", 0, "number of games, colours in turn; 0 is one for the initiator, for the follower as many as are asked for")
	f.DurationVar(&o.clock, "clock", 5*time.Minute, "initiator: time of each player for a game, 0 for none; whole minutes, or less where the partner reads 0.5")
	f.IntVar(&o.moves, "moves", 0, "initiator: moves of each player for a game, 0 for no limit")
	f.StringVar(&o.side, "side", "white", "initiator: our side in the first game, white or black")
	f.StringVar(&o.fen, "fen", "", "initiator: begin with this position")
	f.StringVar(&o.name, "name", "", "name that the partner is told; that of the engine when empty")
	f.StringVar(&o.say, "say", "", "a text for the partner, sent at the beginning")
	f.BoolVar(&o.takeBack, "take-back", false, "let the partner take moves back")
	f.BoolVar(&o.trace, "trace", false, "show all messages on standard error")
	f.StringVar(&o.pdn, "pdn", "", "add the games to this PDN file")
	return c
}

func (o *dxpOptions) run(c *cobra.Command) error {
	role, err := o.check(c)
	if err != nil {
		return err
	}
	if o.ours, err = o.engine(o.rules); err != nil {
		return err
	}
	spec, _ := open.ParseSpec(o.player) // engine has read it
	o.own = o.time > 0 || o.visits > 0 || o.player != "" && spec.Limited()
	if o.name == "" {
		o.name = programName(o.ours)
	}
	o.out, o.log = c.OutOrStdout(), c.ErrOrStderr()
	if o.connect != "" {
		d := net.Dialer{Timeout: 10 * time.Second}
		conn, err := d.DialContext(c.Context(), "tcp", o.connect)
		if err != nil {
			return fmt.Errorf("%w: is a DXP program listening there?", err)
		}
		return o.converse(c.Context(), conn, role)
	}
	return o.accept(c.Context(), role)
}

// check checks the flags.
func (o *dxpOptions) check(c *cobra.Command) (role dxp.Role, err error) {
	if o.rules, err = o.variant(c); err != nil {
		return role, err
	}
	if err := dxp.Supports(o.rules); err != nil {
		return role, cli.WithCode(cli.Usage, err)
	}
	if o.listen != "" && o.connect != "" {
		return role, cli.Usagef("--listen and --connect contradict each other: give one of them")
	}
	for _, address := range []*string{&o.listen, &o.connect} {
		if address == &o.connect && o.connect == "" {
			continue
		}
		if *address, err = dxp.Address(*address); err != nil {
			return role, cli.WithCode(cli.Usage, err)
		}
	}
	switch o.role {
	case "initiator":
		role = dxp.Initiator
	case "follower":
		role = dxp.Follower
	case "":
		if o.connect == "" {
			role = dxp.Follower
		}
	default:
		return role, cli.Usagef("--role %q is not known; use initiator or follower", o.role)
	}
	if role == dxp.Follower {
		for _, name := range []string{"clock", "moves", "side", "fen"} {
			if c.Flags().Changed(name) {
				return role, cli.Usagef("--%s is for the initiator to say; give --role initiator, or leave it to the partner", name)
			}
		}
	}
	if o.games < 0 || o.moves < 0 || o.moves > 999 {
		return role, cli.Usagef("--games must not be negative, --moves is 0 to 999")
	}
	if _, err := dxp.FormatTime(o.clock); err != nil {
		return role, cli.Usagef("--clock: %w", err)
	}
	switch o.side {
	case "white":
	case "black":
		o.first = rules.Black
	default:
		return role, cli.Usagef("--side %q is not known; use white or black", o.side)
	}
	if o.fen != "" {
		p, err := parseFEN(o.rules, o.fen)
		if err != nil {
			return role, err
		}
		o.start = &p
	}
	return role, nil
}

// accept plays whoever connects, one after another, until all games have been played.
func (o *dxpOptions) accept(ctx context.Context, role dxp.Role) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	o.logf("listening at %s", l.Addr())
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		err = o.converse(ctx, conn, role)
		switch {
		case role == dxp.Initiator || !errors.Is(err, dxp.ErrLost) || o.games > 0 && o.played >= o.games:
			return err
		default:
			o.logf("%v", err)
		}
	}
}

// logf writes a line to the log.
func (o *dxpOptions) logf(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintf(o.log, format+"\n", args...)
}

// converse plays games over a connection until enough are played or the partner wants no more. The
// error of a partner who goes away wraps dxp.ErrLost.
func (o *dxpOptions) converse(ctx context.Context, conn net.Conn, role dxp.Role) error {
	config := dxp.Config{
		Variant: o.rules, Name: o.name, TakeBack: o.takeBack, Idle: 10 * time.Minute,
		Chat: func(text string) { o.logf("the partner says: %s", strings.TrimSpace(text)) },
	}
	if o.trace {
		config.Trace = func(direction, text string) { o.logf("%s %s", direction, text) }
	}
	s, err := dxp.NewSession(conn, role, config)
	if err != nil {
		return err
	}
	defer s.Close()
	if o.say != "" {
		if err := s.Say(o.say); err != nil {
			return err
		}
	}
	broken := 0
	for {
		if role == dxp.Initiator {
			ours := rules.Color(o.played%2) ^ o.first
			err = s.Request(ctx, dxp.GameReq{Follower: ours.Opponent(), Time: o.clock, Moves: o.moves, Start: o.start})
		} else {
			_, err = s.Await(ctx, nil)
		}
		if err != nil {
			return err
		}
		o.ours.NewGame()
		report, err := s.Play(ctx, o.think)
		if e := o.finished(report); e != nil && err == nil {
			err = e
		}
		if err != nil {
			return err
		}
		if report.Fault != "" {
			broken++
		}
		if o.games > 0 && o.played >= o.games || o.games == 0 && role == dxp.Initiator || report.Stop {
			if broken > 0 {
				return fmt.Errorf("%d of the games had a fault", broken)
			}
			return nil
		}
	}
}

// think is the engine as a dxp.Thinker.
func (o *dxpOptions) think(ctx context.Context, g *rules.Game, c dxp.Clock) (rules.Move, error) {
	if legal := g.Legal(); len(legal) == 1 {
		return legal[0], nil
	}
	var limits engine.Limits // none: the engine's own
	if c.Limited {
		should, must := hub.Clock{Time: c.Left, Moves: c.Moves}.Plan(g.Position())
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, must)
		defer cancel()
		if !o.own {
			limits.Time = should
		}
	}
	t, err := o.ours.Think(ctx, g, limits, nil)
	if err != nil {
		return rules.Move{}, err
	}
	return t.Move, nil
}

// finished reports a game.
func (o *dxpOptions) finished(r dxp.Report) error {
	if r.Game == nil {
		return nil
	}
	o.played++
	names := [2]string{r.Partner, r.Partner}
	names[r.Mine] = o.name
	game := notation.NewGame(r.Game, notation.Tags{
		{Name: "Event", Value: "DamExchange game"},
		{Name: "Date", Value: time.Now().Format("2006.01.02")},
		{Name: "Round", Value: fmt.Sprint(o.played)},
		{Name: "White", Value: names[rules.White]},
		{Name: "Black", Value: names[rules.Black]},
		{Name: "WhiteType", Value: "program"},
		{Name: "BlackType", Value: "program"},
	})
	if r.Request.Time > 0 {
		control := fmt.Sprintf("%g", r.Request.Time.Seconds())
		if r.Request.Moves > 0 {
			control = fmt.Sprintf("%d/%s", r.Request.Moves, control)
		}
		game.Tags.Set("TimeControl", control)
	}
	_, reason := r.Game.Outcome()
	how := string(reason)
	if r.Fault != "" {
		how = r.Fault
		game.Tags.Set("Termination", how)
	} else if how == "" {
		how = "no result"
	}
	_, err := fmt.Fprintf(o.out, "game %d: %s - %s  %s  %s, %d plies, %.1f s and %.1f s\n", o.played,
		names[rules.White], names[rules.Black], game.Result, how, r.Game.Ply(), r.Elapsed[rules.White].Seconds(), r.Elapsed[rules.Black].Seconds())
	if err != nil || o.pdn == "" {
		return err
	}
	return gamefile.Append(o.pdn, []*notation.Game{game}, notation.Write)
}
