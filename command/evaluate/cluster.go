package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"damier/arena"
	"damier/book"
	"damier/cluster"
	"damier/egdb"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/models"
	"damier/net/nnue"
	"damier/rules"
)

// clusterFlags are the flags of matches whose games other machines play.
type clusterFlags struct {
	listen, tokens, cert, key string
	check                     float64
	join                      cluster.Access
	label                     string
}

// add defines the flags.
func (f *clusterFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.listen, "listen", "", "give the pairs of games to workers on other machines; --listen=HOST:PORT listens there")
	s.Lookup("listen").NoOptDefVal = fmt.Sprintf("127.0.0.1:%d", cluster.DefaultPort)
	s.StringVar(&f.tokens, "worker-tokens", "", "file of the tokens of workers, one a line, with --listen (default: one is generated)")
	s.StringVar(&f.cert, "tls-cert", "", "PEM file of a certificate, with --listen (default: self-signed, if not on the loopback)")
	s.StringVar(&f.key, "tls-key", "", "PEM file of the key of --tls-cert")
	s.Float64Var(&f.check, "check", 0.02, "share of the workers' pairs that this machine plays again to compare, 0 to 1, with --listen")
	s.StringVar(&f.join.URL, "join", "", "play pairs of games for a match on another machine: the address that evaluate --listen prints there")
	s.StringVar(&f.join.TokenFile, "token-file", "", "file with the token, with --join")
	s.StringVar(&f.join.Fingerprint, "fingerprint", "", "SHA-256 of the hub's certificate, with --join")
	s.StringVar(&f.label, "label", "", "label of the token, with --join, if the hub gives it one")
}

// joinFlags are the flags that go with --join.
var joinFlags = []string{"join", "token-file", "fingerprint", "label", "concurrency"}

// validate returns an error for flags that do not go together. changed reports whether a flag is
// given.
func (f *clusterFlags) validate(changed func(string) bool) error {
	if f.join.URL != "" {
		return validateJoin(changed)
	}
	switch {
	case f.join != (cluster.Access{}) || f.label != "":
		return cli.Usagef("--token-file, --fingerprint and --label go with --join")
	case f.listen == "" && (f.tokens != "" || f.cert != "" || changed("check")):
		return cli.Usagef("--worker-tokens, --tls-cert and --check go with --listen")
	case (f.cert == "") != (f.key == ""):
		return cli.Usagef("--tls-cert and --tls-key go together")
	case !(f.check >= 0 && f.check <= 1):
		return cli.Usagef("--check %g is not a share, 0 to 1", f.check)
	}
	return nil
}

// validateJoin returns an error that names a flag of the match itself, which --join would ignore.
func validateJoin(changed func(string) bool) (err error) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(options).addFlags(all)
	all.VisitAll(func(g *pflag.Flag) {
		if err == nil && changed(g.Name) && !slices.Contains(joinFlags, g.Name) {
			err = cli.Usagef("--join plays the match of another machine: leave out --%s, or give it there", g.Name)
		}
	})
	return err
}

// parsePortable parses the description of a player. It returns an error for a player that another
// machine cannot play identically: only Damier's own players without a time limit are possible. A
// worker calls it too, because a description from outside could start programs.
func parsePortable(text string) (open.Spec, error) {
	spec, err := open.ParseSpec(text)
	switch {
	case err != nil:
		return spec, cli.WithCode(cli.Usage, err)
	case spec.Kind == open.Hub || spec.Kind == open.DXP:
		return spec, cli.Usagef("player %q: other programs play on this machine only: leave out --listen", text)
	case spec.Time > 0:
		return spec, cli.Usagef("player %q: machines are not equally fast: with --listen give visits, depth or nodes, not time", text)
	case spec.Tables != "" && spec.Tables != egdb.Off:
		return spec, cli.Usagef("player %q: endgame tables are files of this machine: with --listen leave out egdb", text)
	case spec.Book != "" && spec.Book != book.Off:
		return spec, cli.Usagef("player %q: an opening book is a file of this machine: with --listen leave out book", text)
	}
	return spec, nil
}

// openHub starts the hub of a match and makes workers play its games.
func (o *options) openHub(c *cobra.Command, m *arena.Match) (*cluster.MatchHub, error) {
	switch {
	case o.time > 0 || o.clock != "":
		return nil, cli.Usagef("machines are not equally fast: with --listen give --visits, " +
			"or players with depth or nodes, not --time or --clock")
	case o.egdb != egdb.Off && o.egdb != "":
		return nil, cli.Usagef("endgame tables are files of this machine: with --listen leave out --egdb")
	}
	networks := map[string][]byte{}
	for _, text := range []string{o.a, o.b} {
		spec, err := parsePortable(text)
		if err != nil {
			return nil, err
		}
		if spec.Kind != open.NNUE && spec.Kind != open.Tree {
			continue
		}
		if spec.File == "" {
			networks[""], err = models.NNUEContent(m.Variant)
		} else {
			networks[spec.File], err = files.Read(spec.File, maxNetwork)
		}
		if err != nil {
			return nil, err
		}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("there is no folder for the token of the match: %w", err)
	}
	config := cluster.MatchConfig{
		Dir: filepath.Join(dir, "damier", "match"), Listen: o.listen, Tokens: o.tokens, Certificate: o.cert, CertKey: o.key,
		Order: cluster.MatchOrder{
			Variant: m.Variant.Name, Options: m.Variant.Options.String(), A: o.a, B: o.b, Visits: o.visits, Leaves: o.leaves,
			Seed: m.Seed, MaxPlies: m.MaxPlies, Adjudicate: o.adjudicate,
		},
		Networks: networks, Version: cli.Version(), Check: o.check,
		Note: func(format string, args ...any) { fmt.Fprintf(c.ErrOrStderr(), format+"\n", args...) },
	}
	if o.check == 0 {
		config.Check = -1
	}
	h, err := cluster.NewMatchHub(config)
	if err != nil {
		if errors.Is(err, cluster.ErrAddress) {
			err = cli.WithCode(cli.Usage, err)
		}
		return nil, err
	}
	program := "evaluate"
	if c.Root().Name() != "evaluate" {
		program = "damier evaluate"
	}
	config.Note("workers join with: %s --join %s", program, h.Join())
	m.Elsewhere = h.Elsewhere(*m)
	return h, nil
}

// maxNetwork is the largest size of a network file, in bytes; larger files are not read.
const maxNetwork = 64 << 20

// joinMatch plays pairs of games for matches on another machine.
func (o *options) joinMatch(c *cobra.Command) error {
	note := func(format string, args ...any) { fmt.Fprintf(c.ErrOrStderr(), format+"\n", args...) }
	w := &cluster.MatchWorker{
		Access: o.join, Name: cluster.WorkerName(o.label), Games: o.concurrency, Version: cli.Version(), Make: matchOfOrder, Note: note,
	}
	switch {
	case w.Games < 0:
		return cli.Usagef("--concurrency %d is negative", w.Games)
	case w.Games == 0:
		w.Games = cores()
	}
	note("worker %s joins %s", w.Name, o.join.URL)
	err := w.Run(c.Context())
	if errors.Is(err, cluster.ErrVersion) {
		err = cli.WithCode(cli.Usage, err)
	}
	return err
}

// matchOfOrder makes the match of an order from another machine.
func matchOfOrder(ctx context.Context, order cluster.MatchOrder, networks map[string][]byte) (m arena.Match, err error) {
	v, err := cli.Variant(order.Variant, order.Options)
	if err != nil {
		return m, err
	}
	m = arena.Match{Variant: v, Games: 2, Seed: order.Seed, MaxPlies: order.MaxPlies}
	if m.Adjudication, err = parseAdjudication(order.Adjudicate); err != nil {
		return m, err
	}
	load := func(v *rules.Variant, file string) (*nnue.Model, error) {
		content, ok := networks[file]
		if !ok {
			return nil, fmt.Errorf("the hub did not send network %q", file)
		}
		return nnue.Load(bytes.NewReader(content), v)
	}
	var sides []*open.Side
	for _, text := range []string{order.A, order.B} {
		if _, err := parsePortable(text); err != nil {
			return m, err
		}
		s, err := open.NewSide(ctx, v, text, open.Defaults{Visits: order.Visits, Leaves: order.Leaves, Seed: order.Seed, Network: load})
		if err != nil {
			return m, err
		}
		if s.Timed {
			return m, fmt.Errorf("player %q is limited by time", text)
		}
		if err := s.Open(); err != nil {
			return m, err
		}
		sides = append(sides, s)
	}
	m.A, m.B = sides[0].Make, sides[1].Make
	return m, m.Validate()
}
