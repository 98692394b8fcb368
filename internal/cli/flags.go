package cli

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Args wraps a check of the number of arguments so that its error is a usage error.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err != nil && c.HasAvailableSubCommands() && len(args) > 0 && !strings.Contains(err.Error(), "joined") {
			return unknown(c, args[0])
		}
		return WithCode(Usage, err)
	}
}

// unknown returns the error for a word that is not a subcommand of c.
func unknown(c *cobra.Command, word string) error {
	var names []string
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			names = append(names, s.Name())
		}
	}
	return Usagef("unknown command %q of %s%s; there are %s", word, c.CommandPath(), DidYouMean(word, names), strings.Join(names, ", "))
}

// unknownArgument matches cobra's error for a word that is not a subcommand.
var unknownArgument = regexp.MustCompile(`^unknown command "(.*)" for `)

// unknownCommand converts cobra's error for an unknown command of root to a usage error of ours.
func unknownCommand(root *cobra.Command, err error) error {
	var coded *Error
	if m := unknownArgument.FindStringSubmatch(err.Error()); m != nil && !errors.As(err, &coded) {
		return unknown(root, m[1])
	}
	return err
}

// NewFile returns a usage error if the file that a flag names cannot be a new one, because something
// is there already: it may be a person's.
func NewFile(flag, path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return Usagef("--%s %s: the file is there; give another name, or remove it", flag, path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// The errors of pflag.
var (
	badValue    = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: (.*)$`)
	unknownFlag = regexp.MustCompile(`^unknown flag: --([\w-]+)`)
)

// wanted describes the values of flags, by the type name of pflag.
var wanted = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number, not negative",
	"uint": "a whole number, not negative", "float64": "a number", "duration": "a duration such as 0.1s or 5m",
	"bool": "true or false", "intSlice": "a list of whole numbers such as 1,2,3",
}

// flagError converts an error of pflag to a usage error with our text.
func flagError(c *cobra.Command, err error) error {
	text := err.Error()
	if m := badValue.FindStringSubmatch(text); m != nil {
		if f := c.Flag(m[2]); f != nil && wanted[f.Value.Type()] != "" {
			return Usagef("--%s %q is not %s", m[2], m[1], wanted[f.Value.Type()])
		}
	}
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return Usagef("unknown flag: --%s%s", m[1], strings.Replace(DidYouMean(m[1], names), `"`, `"--`, 1))
	}
	return WithCode(Usage, err)
}
