package settings

import (
	"fmt"

	"damier/mcts"
	"damier/rules"
)

// widths is a method for the tests: it prefers a root that follows PUCT, and its networks have 32
// units or a multiple.
type widths struct{}

func (widths) Defaults(c *Config, v *rules.Variant) {
	c.Net.Width = 32
	c.SelfPlay.MCTS = mcts.Config{Root: mcts.PUCT, Fraction: -1, Share: true, MaxNodes: 4096}.For(v)
}

func (widths) Check(c Config) error {
	if c.Net.Width%32 != 0 {
		return fmt.Errorf("net.width is %d; it must be a multiple of 32", c.Net.Width)
	}
	return nil
}
