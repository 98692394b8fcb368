package train

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"damier/internal/cli"
	"damier/learner"
)

// cardCommand returns the command that writes the page of a released network.
func (f *flags) cardCommand() *cobra.Command {
	var matches []string
	var card learner.Card
	c := &cobra.Command{
		Use:   "card",
		Short: "Print the model card of a run's network: how to train it again, its training curve, its strength",
		Long: `Print a page in Markdown about the best network of a run: its rules, size and training, the command that makes
it again, its matches, and its way up the ladder. Matches are files that 'evaluate --json' has written.`,
		Example: `  evaluate --variant russian --a tree:FILE --b alphabeta:time=0.1s --time 0.1s --games 100 --json > match.json
  train card --run runs/russian --match match.json --note "It underestimates the main road." > docs/models/russian.md`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range matches {
				m, err := readMatch(name)
				if err != nil {
					return err
				}
				card.Matches = append(card.Matches, m)
			}
			if card.Model == "" {
				card.Model = f.variant + method.Extension()
				if v, err := learner.OpenView(f.dir(), method); err == nil {
					card.Model = v.Variant.Name + method.Extension()
				}
			}
			return code(learner.WriteCard(os.Stdout, f.dir(), method, card))
		},
	}
	p := c.Flags()
	p.StringArrayVar(&matches, "match", nil, "result of a match, as evaluate --json prints it; may be repeated")
	p.StringArrayVar(&card.Notes, "note", nil, "a paragraph on what else is known of the network; may be repeated")
	p.StringVar(&card.Model, "name", "", "file name of the network when it is released (default VARIANT.nnue)")
	p.StringVar(&card.Picture, "picture", "", "address of a picture of its curve, as the page has it")
	return c
}

// readMatch reads the output of evaluate --json.
func readMatch(name string) (learner.CardMatch, error) {
	var m learner.CardMatch
	text, err := os.ReadFile(name)
	if err != nil {
		return m, fmt.Errorf("match: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Variant == "" || m.Games == 0 || m.Wins+m.Draws+m.Losses != m.Games {
		return m, cli.Usagef("match %s: not the result of a match as evaluate --json prints it", name)
	}
	return m, nil
}
