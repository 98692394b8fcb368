package egdb

import (
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"damier/egdb"
	"damier/internal/cli"
	"damier/rules"
)

func newCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "egdb",
		Short: "Make endgame tables of any variant, verify them and ask them",
		Long: `Endgame tables hold the value of every position of a few pieces, by the rules alone: won, drawn or lost
for the side to move, and in how many plies. They are made here, for every variant; nothing is downloaded.

Tables lie in a folder for each variant below --egdb DIR, else below $` + egdb.Environment + `, else in
damier/egdb of the user's data directory. See docs/egdb.md.

Exit code: 0 ok, 1 failure, 2 wrong usage, 4 a damaged or foreign file, 130 interrupted.`,
		Example: `  egdb build --variant english --pieces 4
  egdb verify --variant english
  egdb probe --variant english --fen "W:WK1,K2:BK32"
  egdb list`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.Usagef("give a command: build, verify, probe or list")
		},
	}
	c.AddCommand(newBuildCommand(), newVerifyCommand(), newProbeCommand(), newListCommand())
	return c
}

// tableFlags are the flags that choose tables.
type tableFlags struct {
	cli.VariantFlags
	dir string
}

func (f *tableFlags) add(c *cobra.Command) {
	f.Add(c)
	f.addDir(c)
}

func (f *tableFlags) addDir(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "egdb", "", "folder of the tables; when empty $"+egdb.Environment+", else damier/egdb in the user's data directory")
}

// folder returns the folder of the tables.
func (f *tableFlags) folder() (string, error) {
	dir, err := egdb.Dir(f.dir)
	if err != nil {
		return "", cli.Usagef("%w, or give --egdb DIR", err)
	}
	return dir, nil
}

// workFlags are the flags of the commands that work through the tables of a variant.
type workFlags struct {
	tableFlags
	pieces int
	memory string
}

// add adds the flags; pieces is the default of --pieces, 0 for all tables that exist.
func (f *workFlags) add(c *cobra.Command, pieces int, ofPieces, ofMemory string) {
	f.tableFlags.add(c)
	c.Flags().IntVar(&f.pieces, "pieces", pieces, ofPieces)
	c.Flags().StringVar(&f.memory, "memory", "2GB", ofMemory)
}

// work is what the flags choose.
type work struct {
	variant *rules.Variant
	dir     string // of all variants
	memory  uint64 // bytes
}

// prepare reads the flags. all tells that --pieces may be 0.
func (f *workFlags) prepare(all bool) (w work, err error) {
	if w.variant, err = f.Lookup(); err != nil {
		return w, err
	}
	if w.dir, err = f.folder(); err != nil {
		return w, err
	}
	if !(all && f.pieces == 0) && (f.pieces < 2 || f.pieces > egdb.MaxPieces) {
		return w, cli.Usagef("--pieces %d: tables have 2 to %d pieces", f.pieces, egdb.MaxPieces)
	}
	w.memory, err = parseBytes(f.memory)
	return w, err
}

// limitMemory makes the garbage collector run before the limit is exceeded.
func (w work) limitMemory() { debug.SetMemoryLimit(int64(w.memory)) }

// parseBytes reads a size such as 2GB, 500MB or 1.5GB.
func parseBytes(s string) (uint64, error) {
	text, unit := strings.ToUpper(strings.TrimSpace(s)), 0.0
	switch {
	case strings.HasSuffix(text, "GB"):
		unit = 1 << 30
	case strings.HasSuffix(text, "MB"):
		unit = 1 << 20
	}
	if unit > 0 {
		n, err := strconv.ParseFloat(strings.TrimSpace(text[:len(text)-2]), 64)
		if err == nil && n > 0 && n*unit >= 1<<20 && n*unit <= 1<<50 {
			return uint64(n * unit), nil
		}
	}
	return 0, cli.Usagef("--memory %.20q is not a size such as 2GB or 500MB, at least 1MB", s)
}

// withCode gives an error of package egdb its exit code.
func withCode(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, egdb.ErrDamaged), errors.Is(err, egdb.ErrForeign):
		return cli.WithCode(cli.Damaged, err)
	case errors.Is(err, egdb.ErrMemory):
		return cli.Usagef("%w; give a larger --memory", err)
	case errors.Is(err, fs.ErrNotExist):
		return cli.WithCode(cli.Failure, err)
	}
	return err
}
