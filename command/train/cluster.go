package train

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"damier/cluster"
	"damier/internal/cli"
	"damier/learner"
)

// clusterFlags are the flags with which other machines can join a run.
type clusterFlags struct {
	cluster.HubConfig
}

func (f *clusterFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.Listen, "listen", "", "let workers join over the network; --listen=HOST:PORT listens there")
	s.Lookup("listen").NoOptDefVal = fmt.Sprintf("127.0.0.1:%d", cluster.DefaultPort)
	s.StringVar(&f.URL, "cluster", "", "let workers join over a NATS cluster that somebody runs: its addresses, commas between them")
	s.StringVar(&f.Credentials, "credentials", "", "file of credentials, with --cluster")
	s.IntVar(&f.Replicas, "replicas", 0, "copies that the cluster keeps of what it carries, with --cluster (default 3)")
	s.StringVar(&f.Tokens, "worker-tokens", "", "file of the tokens that let workers in, one a line, with --listen (default: one is made up)")
	s.StringVar(&f.Keys, "worker-keys", "", "file of public nkeys that let workers in, one and a label a line, with --listen")
	s.StringVar(&f.Certificate, "tls-cert", "", "PEM file of a certificate, with --listen (default: one is made up beyond the loopback)")
	s.StringVar(&f.CertKey, "tls-key", "", "PEM file of its key")
	s.Float64Var(&f.Check, "check", 0.02, "share of the workers' games of which a search is computed again, 0 to 1")
}

// wanted reports whether workers may join.
func (f *clusterFlags) wanted() bool { return f.Listen != "" || f.URL != "" }

// validate returns an error for flags that exclude each other. changed reports whether a flag was
// given.
func (f *clusterFlags) validate(changed func(string) bool) error {
	switch {
	case f.Listen != "" && f.URL != "":
		return cli.Usagef("--listen starts a server of its own and --cluster joins one: give one of them")
	case f.URL == "" && (f.Credentials != "" || f.Replicas != 0):
		return cli.Usagef("--credentials and --replicas go with --cluster")
	case f.Listen == "" && (f.Tokens != "" || f.Keys != "" || f.Certificate != ""):
		return cli.Usagef("--worker-tokens, --worker-keys and --tls-cert go with --listen")
	case (f.Certificate == "") != (f.CertKey == ""):
		return cli.Usagef("--tls-cert and --tls-key go together")
	case !(f.Check >= 0 && f.Check <= 1):
		return cli.Usagef("--check %g is not a share, 0 to 1", f.Check)
	case changed("check") && !f.wanted():
		return cli.Usagef("--check goes with --listen and --cluster: without workers there are no games to compute again")
	}
	return nil
}

// beside runs the hub next to the learner. An error of the hub does not stop the run. end ends the
// hub; the games that it has checked are then on disk.
func (f *clusterFlags) beside(cmd *cobra.Command, dir string, report learner.Reporter) (h *cluster.Hub, end func(), err error) {
	c := f.HubConfig
	c.Dir, c.Method, c.Version = dir, method, cli.Version()
	c.Note, c.Warn = report.Note, report.Warn
	if c.Check == 0 {
		c.Check = -1
	}
	if h, err = cluster.NewHub(cmd.Context(), c); err != nil {
		if errors.Is(err, cluster.ErrAddress) {
			err = cli.WithCode(cli.Usage, err)
		}
		return nil, nil, err
	}
	program := "selfplay"
	if cmd.Root().Name() != "train" {
		program = "damier selfplay"
	}
	report.Note("workers join with: %s --join %s", program, h.Join())
	ctx, cancel := context.WithCancel(cmd.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := h.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			report.Warn("workers cannot join any more: %v", err)
		}
	}()
	return h, func() { cancel(); <-done; h.Close() }, nil
}

// joinFlags defines the flags with which a hub is reached.
func joinFlags(s *pflag.FlagSet, a *cluster.Access) {
	s.StringVar(&a.URL, "join", "", "address of the hub: what train --listen prints")
	s.StringVar(&a.TokenFile, "token-file", "", "file with the token")
	s.StringVar(&a.NKey, "nkey", "", "file with the seed of an nkey, instead of a token")
	s.StringVar(&a.Credentials, "credentials", "", "file of credentials of a NATS cluster, instead of a token")
	s.StringVar(&a.Fingerprint, "fingerprint", "", "SHA-256 of the hub's certificate")
}

// clusterCommand returns the command that shows the workers of a run.
func (f *flags) clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Machines that play for a run",
		Args:  cli.Args(cobra.NoArgs),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var a cluster.Access
	asJSON := false
	status := &cobra.Command{
		Use:   "status --join ADDRESS",
		Short: "Workers of a run, their games, rates and versions",
		Example: `  train cluster status --join nats://127.0.0.1:4222 --token-file runs/international/cluster/token
  train cluster status --join nats://127.0.0.1:4222 --token-file T --json | jq .games_accepted`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if a.URL == "" {
				return cli.Usagef("--join ADDRESS is needed: what train --listen prints")
			}
			s, err := cluster.AskStatus(c.Context(), a)
			if err != nil {
				return err
			}
			if !asJSON {
				return s.WriteText(os.Stdout)
			}
			return writeJSON(s)
		},
	}
	joinFlags(status.Flags(), &a)
	status.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(status)
	return c
}
