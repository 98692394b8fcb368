package net

import (
	"fmt"

	"damier/rules"
)

// The architectures.
const (
	Lattice = "lattice" // residual lattice convolutions
	MLP     = "mlp"     // one wide hidden layer: the baseline

	// NNUE is the network of package nnue, which this one cannot make.
	NNUE = "nnue"
)

// Config says which network to build. The zero value means the defaults; fields that the architecture does
// not have are ignored.
type Config struct {
	// Arch is the architecture, "lattice", "mlp" or "nnue". Default "lattice".
	Arch string `json:"arch" toml:"arch"`

	// Channels is the width of the lattice trunk: values for each square. A multiple of 8. Default 48.
	Channels int `json:"channels,omitempty" toml:"channels"`

	// Layers is the number of lattice convolutions after the stem. They form residual blocks of two, so
	// it is even. Default 6.
	Layers int `json:"layers,omitempty" toml:"layers"`

	// Taps is how many squares a lattice convolution sees: itself, its neighbours along the lines on which
	// the variant moves or captures, and those at distance two. There are four diagonal lines, in Turkish
	// draughts four orthogonal ones, in Frisian the diagonal and then the orthogonal: 5 or 9, in Frisian
	// also 13 or 17. Default 0: all at distance one, that is 5, in Frisian 9.
	Taps int `json:"taps,omitempty" toml:"taps"`

	// GlobalPool is the residual block, counted from 1, whose first layer also sees the mean of the whole
	// board, as a bias added to every square. Zero is the block in the middle, -1 is none. Default 0.
	GlobalPool int `json:"global_pool,omitempty" toml:"global_pool"`

	// Hidden is the width of the MLP's hidden layer. A multiple of 8. Default 256.
	Hidden int `json:"hidden,omitempty" toml:"hidden"`

	// Width is that of the hidden layer of an NNUE, in each of its two views. A multiple of 32. Default 128.
	Width int `json:"width,omitempty" toml:"width"`

	// PolicyRank is the length of the vectors A(from) and B(to) whose product makes the logit of a move.
	// 2*PolicyRank+2, the outputs for each square, is a multiple of 8. Default 15.
	PolicyRank int `json:"policy_rank,omitempty" toml:"policy_rank"`

	// ValueHidden is the width of the value head's hidden layer. A multiple of 8. Default 32.
	ValueHidden int `json:"value_hidden,omitempty" toml:"value_hidden"`

	// NoValueCounts takes the numbers of men and kings of both sides away from the value head, which has
	// them as inputs beside the trunk by default.
	NoValueCounts bool `json:"no_value_counts,omitempty" toml:"no_value_counts"`
}

// For returns c with the defaults in the place of zeros, those that depend on the variant among them, and
// zeros where a field does not belong to the architecture. Two configs are of the same network of a variant
// if they come out equal.
func (c Config) For(v *rules.Variant) Config {
	c = c.Resolve()
	if c.Arch == Lattice && c.Taps == 0 {
		c.Taps = 1 + len(lines(v))
	}
	return c
}

// Resolve is For without the variant: Taps stays 0 if it is.
func (c Config) Resolve() Config {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	if c.Arch == "" {
		c.Arch = Lattice
	}
	if c.Arch == NNUE {
		set(&c.Width, 128)
		return Config{Arch: NNUE, Width: c.Width}
	}
	c.Width = 0
	set(&c.PolicyRank, 15)
	set(&c.ValueHidden, 32)
	if c.Arch == MLP {
		set(&c.Hidden, 256)
		c.Channels, c.Layers, c.Taps, c.GlobalPool = 0, 0, 0, 0
		return c
	}
	set(&c.Channels, 48)
	set(&c.Layers, 6)
	set(&c.GlobalPool, c.Layers/4+1)
	c.Hidden = 0
	return c
}

// Limits that keep a config, and with it a model file, from asking for absurd amounts of memory.
const (
	maxChannels = 512
	maxLayers   = 64
	maxHidden   = 4096
	maxRank     = 63
	maxWidth    = 1024
)

// Validate returns an error that names the first bad field, nil if there is none.
func (c Config) Validate() error {
	c = c.Resolve()
	if c.Arch == NNUE {
		if c.Width < 32 || c.Width > maxWidth || c.Width%32 != 0 {
			return fmt.Errorf("net: Width %d: want a multiple of 32 from 32 to %d", c.Width, maxWidth)
		}
		return nil
	}
	switch {
	case c.Arch != Lattice && c.Arch != MLP:
		return fmt.Errorf("net: Arch %q is unknown: want %q, %q or %q", c.Arch, Lattice, MLP, NNUE)
	case c.Arch == Lattice && !width(c.Channels, maxChannels):
		return fmt.Errorf("net: Channels %d: want a multiple of 8 from 8 to %d", c.Channels, maxChannels)
	case c.Arch == Lattice && (c.Layers < 2 || c.Layers > maxLayers || c.Layers%2 != 0):
		return fmt.Errorf("net: Layers %d: want an even number from 2 to %d", c.Layers, maxLayers)
	case c.Arch == Lattice && c.Taps != 0 && (c.Taps < 5 || c.Taps > 17 || c.Taps%4 != 1):
		return fmt.Errorf("net: Taps %d: want 5 or 9, in Frisian draughts also 13 or 17; 0 for those of the variant", c.Taps)
	case c.Arch == Lattice && (c.GlobalPool < -1 || c.GlobalPool > c.Layers/2):
		return fmt.Errorf("net: GlobalPool %d: want a block from 1 to %d, -1 for none, 0 for the middle", c.GlobalPool, c.Layers/2)
	case c.Arch == MLP && !width(c.Hidden, maxHidden):
		return fmt.Errorf("net: Hidden %d: want a multiple of 8 from 8 to %d", c.Hidden, maxHidden)
	case c.PolicyRank < 1 || c.PolicyRank > maxRank || (2*c.PolicyRank+2)%8 != 0:
		return fmt.Errorf("net: PolicyRank %d: want 3, 7, 11, 15, ... up to %d", c.PolicyRank, maxRank)
	case !width(c.ValueHidden, maxChannels):
		return fmt.Errorf("net: ValueHidden %d: want a multiple of 8 from 8 to %d", c.ValueHidden, maxChannels)
	}
	return nil
}

func width(n, limit int) bool { return n >= 8 && n <= limit && n%8 == 0 }
