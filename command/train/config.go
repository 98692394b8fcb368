package train

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/learner"
	"damier/learner/settings"
)

// configCommand returns the command that prints the settings.
func (f *flags) configCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "config",
		Short: "Print every setting as TOML, with the source of its value",
		Long: `Print every setting as TOML, with the source of its value; with --json as a list of objects with "key", "value"
and "origin".`,
		Example: `  train config --preset day
  train config --run runs/international
  train config --preset day --json | jq -r '.[] | select(.origin != "default") | .key'`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.printConfig(c, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (f *flags) printConfig(c *cobra.Command, asJSON bool) error {
	s, err := f.sources(c)
	if err != nil {
		return err
	}
	var r *settings.Resolved
	if learner.IsRun(f.dir()) && !c.Flags().Changed("preset") {
		r, err = learner.ResolveRun(f.dir(), method, s)
	} else {
		r, err = settings.Resolve(method, s)
	}
	if err != nil {
		return code(err)
	}
	if asJSON {
		return writeJSON(r.Entries())
	}
	_, err = os.Stdout.Write(r.WriteTOML(true))
	return err
}

// writeJSON writes a value to standard output, indented.
func writeJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "\t")
	return e.Encode(v)
}
