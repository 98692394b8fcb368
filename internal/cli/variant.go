package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"damier/rules"
)

// Variant returns the variant with that name, in upper or lower case, and options such as
// "draws=immediate". For an unknown name it returns a usage error that suggests a similar one.
func Variant(name, options string) (*rules.Variant, error) {
	o, err := rules.ParseOptions(options)
	if err != nil {
		return nil, Usagef("--options: %w", err)
	}
	v, err := rules.Lookup(strings.ToLower(name), o)
	if err == nil {
		return v, nil
	}
	for _, known := range rules.Names() {
		if known == strings.ToLower(name) {
			return nil, WithCode(Usage, err) // the options are wrong
		}
	}
	return nil, Usagef("unknown variant %q%s; known are: %s", name, DidYouMean(name, rules.Names()), strings.Join(rules.Names(), ", "))
}

// VariantFlags are the flags --variant and --options.
type VariantFlags struct{ Name, Options string }

// Add adds the flags to a command.
func (f *VariantFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Name, "variant", "international",
		"variant of the game: "+strings.Join(rules.Names(), ", "))
	c.Flags().StringVar(&f.Options, "options", "",
		"options of the variant, such as kings=strict (see docs/variants.md)")
	CompleteVariant(c)
}

// Lookup returns the variant.
func (f *VariantFlags) Lookup() (*rules.Variant, error) { return Variant(f.Name, f.Options) }

// CompleteVariant completes the value of the flag --variant of a command.
func CompleteVariant(c *cobra.Command) { Complete(c, "variant", rules.Names()...) }

// Complete registers words as the completions of a flag's value.
func Complete(c *cobra.Command, flag string, words ...string) {
	c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
}
