package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Args returns a check of the number of arguments whose error is a usage error.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err != nil && c.HasAvailableSubCommands() && len(args) > 0 && !strings.Contains(err.Error(), "joined") {
			return unknown(c, args[0])
		}
		return WithCode(Usage, err)
	}
}

// unknown returns the error about a word that is no subcommand of c.
func unknown(c *cobra.Command, word string) error {
	var names []string
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			names = append(names, s.Name())
		}
	}
	return Usagef("unknown command %q of %s%s; there are %s", word, c.CommandPath(), DidYouMean(word, names), strings.Join(names, ", "))
}

// unknownArgument is what cobra says of a word that is no subcommand.
var unknownArgument = regexp.MustCompile(`^unknown command "(.*)" for `)

// unknownCommand makes cobra's error about an unknown command of root ours.
func unknownCommand(root *cobra.Command, err error) error {
	var coded *Error
	if m := unknownArgument.FindStringSubmatch(err.Error()); m != nil && !errors.As(err, &coded) {
		return unknown(root, m[1])
	}
	return err
}

// What pflag says of flags.
var (
	badValue    = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: (.*)$`)
	unknownFlag = regexp.MustCompile(`^unknown flag: --([\w-]+)`)
)

// wanted says what the values of flags are, by the type that pflag names.
var wanted = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number, not negative",
	"uint": "a whole number, not negative", "float64": "a number", "duration": "a duration such as 0.1s or 5m",
	"bool": "true or false",
}

// flagError turns what pflag says of a flag into a usage error in our words.
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
