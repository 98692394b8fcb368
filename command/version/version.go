// Package version is the command version: what this build is, for people and for programs.
package version

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/internal/simd"
	"damier/rules"
)

// Build is what version --json prints.
type Build struct {
	Version  string `json:"version"`          // of the release or the module, "devel" without one
	Commit   string `json:"commit,omitempty"` // empty where the build does not know it
	Modified bool   `json:"modified"`         // sources were changed since the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernels  string `json:"kernels"`  // in use on this machine: avx512, avx2 or generic
	Rules    int    `json:"rules"`    // version of the rules that games and networks depend on
	Variants int    `json:"variants"` // that can be played
}

// Of returns this build.
func Of() Build {
	b := cli.BuildOf()
	return Build{
		Version: b.Version, Commit: b.Commit, Modified: b.Modified,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: simd.Best().String(), Rules: rules.Version, Variants: len(rules.Names()),
	}
}

// New returns the command version.
func New() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version; with --json what the build is and which kernels it uses here",
		Long: `Print the version of the build, as --version of every command does. With --json print one object:
version, commit and modified (where the build knows them), go, os, arch, kernels (those in use on this
machine: avx512, avx2 or generic), rules (the version that games and networks depend on) and variants
(how many can be played).`,
		Example: "  damier version --json",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if !asJSON {
				_, err := fmt.Fprintf(c.OutOrStdout(), "%s version %s\n", c.Root().Name(), cli.Version())
				return err
			}
			if err := json.NewEncoder(c.OutOrStdout()).Encode(Of()); err != nil {
				return fmt.Errorf("writing the version: %w", err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
