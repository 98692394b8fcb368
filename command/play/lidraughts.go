package play

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"damier/arena"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/protocol/lidraughts"
	"damier/rules"
)

// lidraughtsOptions are the flags of play lidraughts.
type lidraughtsOptions struct {
	options
	tokenFile, server string
	upgrade           bool
	variants, users   []string
	rated, bots       bool
	noClock           bool
	shortest, longest time.Duration
	games             int
	draw              float64
}

// NewLidraughts returns the command play lidraughts, which damier also has as lidraughts.
func NewLidraughts() *cobra.Command {
	o := &lidraughtsOptions{}
	c := &cobra.Command{
		Use:   "lidraughts --token-file FILE [flags]",
		Short: "Play on lidraughts.org as a bot",
		Long: `Play on a lidraughts server as a bot, by the server's public interface: accept challenges, play the games.

The account must be a bot account. --upgrade turns a new account that has played no game into one; this cannot be undone. The
token, made on the server's page "API access tokens" with the rights bot:play and challenge:read, is read from a
file; it is never printed.

The seven variants of the server are played, Frysk! by its own rules and network. The engine, chosen as for play, uses
the game's clock, less a margin for the connection; with --time or --visits, that limit for each move.

A stream that breaks is opened again, and games go on. Ctrl-C leaves the games under way as they are; the same command
goes on with them.

Exit code: 0 never by itself, 1 the server refuses the token or the account, 2 wrong usage, 130 stopped by Ctrl-C.`,
		Example: `  play lidraughts --token-file token.txt --upgrade
  play lidraughts --token-file token.txt
  play lidraughts --token-file token.txt --accept international,frysk --level 4 --shortest 3m --longest 30m
  play lidraughts --token-file token.txt --user somebody --rated=false`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	o.players(c)
	o.levels(c)
	f := c.Flags()
	f.StringVar(&o.tokenFile, "token-file", "", "file with the bot's token (required)")
	f.StringVar(&o.server, "server", lidraughts.Server, "address of the server")
	f.BoolVar(&o.upgrade, "upgrade", false, "make the account a bot account, which cannot be undone, and exit")
	f.StringSliceVar(&o.variants, "accept", nil, "variants that are accepted; when not given that of a network's file, or all of the server")
	f.StringSliceVar(&o.users, "user", nil, "accept challenges of these users alone")
	f.BoolVar(&o.rated, "rated", true, "accept rated games too")
	f.BoolVar(&o.bots, "bots", true, "accept challenges of other bots")
	f.BoolVar(&o.noClock, "no-clock", false, "accept games without a clock, with a second for each move unless --time says otherwise")
	f.DurationVar(&o.shortest, "shortest", time.Minute, "shortest game that is accepted: the clock and forty increments")
	f.DurationVar(&o.longest, "longest", 3*time.Hour, "longest game that is accepted")
	f.IntVar(&o.games, "games", 1, "games at a time")
	f.Float64Var(&o.draw, "draw", 0.5, "accept a draw when this score or less is expected, in [0,1]; 0 never")
	return c
}

// served returns the variants of the server. It identifies them by their PDN number, or by numbers
// of its own: modules/draughts/src/main/variant of its source.
func served() []*rules.Variant {
	var all []*rules.Variant
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil || v.Tuning().StandIn != "" && v.GameType < 96 {
			continue
		}
		switch v.GameType {
		case 20, 25, 26, 40, 96, 97, 98:
			all = append(all, v)
		}
	}
	return all
}

// mostToken is the largest size in bytes of the file of a token.
const mostToken = 4096

func (o *lidraughtsOptions) run(c *cobra.Command) error {
	if o.tokenFile == "" {
		return cli.Usagef("--token-file is missing: the file with the bot's token")
	}
	if err := o.checkStrength(c); err != nil {
		return err
	}
	token, err := files.Read(o.tokenFile, mostToken)
	if err != nil {
		return err
	}
	client, err := lidraughts.NewClient(o.server, strings.TrimSpace(string(token)))
	if err != nil {
		return cli.WithCode(cli.Usage, err)
	}
	if info, err := os.Stat(o.tokenFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(c.ErrOrStderr(), "%s can be read by others on this machine: chmod 600 %[1]s\n", o.tokenFile)
	}
	if o.upgrade {
		if err := client.Upgrade(c.Context()); err != nil {
			return err
		}
		fmt.Fprintln(c.OutOrStdout(), "the account is one of a bot now")
		return nil
	}
	variants := served()
	accepted := o.variants
	spec, _ := open.ParseSpec(o.player) // engine reads it
	file := cmp.Or(o.model, spec.File)
	switch {
	case len(accepted) > 0:
	case file != "":
		v, err := open.FileVariant(file)
		if err != nil {
			return err
		}
		accepted = []string{v.Name}
	default:
		for _, v := range variants {
			accepted = append(accepted, v.Name)
		}
	}
	for i, name := range accepted {
		v, err := cli.Variant(name, "")
		if err != nil {
			return err
		}
		accepted[i] = v.Name
		if _, err := o.engine(v); err != nil { // now, not in the first game
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	limited := o.time > 0 || o.visits > 0 || o.player != "" && spec.Limited()
	bot, err := lidraughts.NewBot(lidraughts.Config{
		Client: client, Variants: variants, Games: o.games, Draw: o.draw,
		Policy: lidraughts.Policy{
			Variants: accepted, Rated: o.rated, Casual: true, Bots: o.bots, Users: o.users,
			Shortest: o.shortest, Longest: o.longest, NoClock: o.noClock,
		},
		New: func(v *rules.Variant) (lidraughts.Thinker, error) {
			e, err := o.engine(v)
			if err != nil {
				return nil, err
			}
			return &remote{engine: e, limited: limited}, nil
		},
		Log: func(line string) {
			fmt.Fprintln(c.ErrOrStderr(), time.Now().Format(time.TimeOnly), line)
		},
	})
	if err != nil {
		return cli.WithCode(cli.Usage, err)
	}
	return bot.Run(c.Context())
}

// remote is an engine in a game on a server.
type remote struct {
	engine  engine.Engine
	limited bool // by its own settings, not by the clock
}

// overhead is the part of the time of a move that is reserved for the connection to the server.
const overhead = 300 * time.Millisecond

// Think implements [lidraughts.Thinker].
func (r *remote) Think(ctx context.Context, g *rules.Game, c lidraughts.Clock) (lidraughts.Choice, error) {
	limits := engine.Limits{}
	switch {
	case r.limited:
	case c.Unlimited:
		limits.Time = engine.DefaultTime
	default:
		control := arena.Control{Time: c.Left, Increment: c.Increment}
		limits.Time = max(control.Allot(max(c.Left-overhead, overhead), 0), time.Millisecond)
		deadline := max(c.Left/2, limits.Time)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	t, err := r.engine.Think(ctx, g, limits, nil)
	return lidraughts.Choice{Move: t.Move, Expected: t.Expected}, err
}

// Close implements [lidraughts.Thinker].
func (r *remote) Close() error { return nil }
