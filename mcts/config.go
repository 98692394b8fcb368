package mcts

import (
	"cmp"
	"fmt"
	"math"

	"damier/rules"
)

// Root is the rule by which the root spends its simulations and chooses its move.
type Root string

// The rules.
const (
	// Gumbel samples candidates without replacement, halves them over the budget and chooses the
	// best of the last (Danihelka et al., ICLR 2022, algorithm 2). Its policy target is the
	// improved policy. It needs to know the number of simulations beforehand: a search that is
	// ended by Stop alone should use PUCT.
	Gumbel Root = "gumbel"

	// PUCT treats the root as any node, with Dirichlet noise in its priors, and chooses the most
	// visited move (Silver et al., 2018), or by value: see Config.LeastVisits. Its policy target
	// is the visits.
	PUCT Root = "puct"
)

// Config holds the constants of a search. The zero Config means the defaults.
type Config struct {
	// Root is the rule at the root, default Gumbel.
	Root Root `toml:"root"`

	// Candidates is the largest number of root moves that the Gumbel rule considers; default 16,
	// or the tuning of the variant. It is limited by the numbers of legal moves and of
	// simulations.
	Candidates int `toml:"candidates"`

	// CVisit and CScale shape sigma(q) = (CVisit + max N) * CScale * q, by which the Gumbel rule
	// weighs a value in [0,1] against a logit; defaults 50 and 0.5. A CScale of 0.5 is 0.25 for
	// values in [-1,1].
	CVisit float64 `toml:"c_visit"`
	CScale float64 `toml:"c_scale"`

	// CPuct weighs the exploration term of PUCT against a value in [0,1], default 0.625: that is
	// 1.25 for values in [-1,1].
	CPuct float64 `toml:"c_puct"`

	// CPuctGrowth is the exponent, at most 1, by which exploration grows with the visits of a node: its
	// term is weighed by CPuct * (visits / 2000)^CPuctGrowth in place of CPuct. Default 0; a negative
	// one means 0.
	CPuctGrowth float64 `toml:"c_puct_growth"`

	// FPU (first play urgency) is the amount, in [0,1], by which the value of an unvisited move is
	// assumed to be lower than that of its parent, where the evaluator gives no value for it (see
	// [Leaf].Values). Default 0.1, which is 0.2 for values in [-1,1]. A negative FPU means 0.
	FPU float64 `toml:"fpu"`

	// Best is the weight, in [0,1], of the best move of a node in the value of the node; the rest
	// is the mean of all simulations through it (implicit minimax backups: Lanctot et al., CIG
	// 2014). Default 0. If the evaluator gives a value for each move (see [Leaf].Values), those of
	// untried moves count too.
	Best float64 `toml:"best"`

	// LeastVisits is a share, in (0,1], of the visits of the most visited move. Among the moves
	// with at least that share the PUCT rule chooses the one with the highest value. Default 1:
	// the most visited move.
	LeastVisits float64 `toml:"least_visits"`

	// Share makes one node of a position that several orders of moves reach. Default false.
	Share bool `toml:"share"`

	// Scout is the number of visits after which the search looks in a node for a combination, a
	// chain of offers that wins material. The first move of a combination found is tried soon,
	// whatever its prior. With the PUCT rule the root is searched at once. 0 (default) or a
	// negative number means never. It has no effect in variants in which the side with no move or
	// no piece wins.
	Scout int `toml:"scout"`

	// Alpha is the parameter of the Dirichlet noise of the PUCT rule, default 1 (about ten divided
	// by the usual number of legal moves). Fraction is the share of the noise in the root priors
	// at a Budget.Noise of 1, default 0.25; negative means none.
	Alpha    float64 `toml:"alpha"`
	Fraction float64 `toml:"fraction"`

	// RepetitionDraw is the number of occurrences, in the game and on the path together, at which
	// the search treats a position as a draw: 2 (default), or 3 as in the rules. The root itself
	// is never treated as a draw.
	RepetitionDraw int `toml:"repetition_draw"`

	// Reuse keeps the subtree of the next Start's position, if its game continues that of the last
	// search. The visits then include those of earlier searches. It is meant for play, not for
	// self-play, where the targets should depend on the budget alone.
	Reuse bool `toml:"reuse"`

	// MaxNodes limits the tree, default 500,000 nodes, which take about 75 MB (twice that with
	// Reuse). The search ends when it reaches the limit.
	MaxNodes int `toml:"max_nodes"`
}

// maxNodes is the largest MaxNodes. It keeps indices into the edge slab within int32, and those of
// nodes within the bits that a slot of the table of shared positions has for them.
const maxNodes = 1 << nodeBits

// For returns c with every zero field replaced by its default, also those that depend on the
// variant.
func (c Config) For(v *rules.Variant) Config {
	c.Candidates = cmp.Or(c.Candidates, v.Tuning().Candidates)
	return c.WithDefaults()
}

// WithDefaults is For with the defaults that most variants have.
func (c Config) WithDefaults() Config {
	if c.Root == "" {
		c.Root = Gumbel
	}
	if c.Candidates == 0 {
		c.Candidates = 16
	}
	if c.RepetitionDraw == 0 {
		c.RepetitionDraw = 2
	}
	if c.MaxNodes == 0 {
		c.MaxNodes = 500_000
	}
	for _, d := range []struct {
		field *float64
		value float64
	}{
		{&c.CVisit, 50}, {&c.CScale, 0.5}, {&c.CPuct, 0.625}, {&c.FPU, 0.1}, {&c.Alpha, 1}, {&c.Fraction, 0.25}, {&c.LeastVisits, 1},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return c
}

// Validate returns an error that names the first field with an impossible value.
func (c Config) Validate() error {
	d := c.WithDefaults()
	if d.Root != Gumbel && d.Root != PUCT {
		return fmt.Errorf("mcts: Root is %q, want %q or %q", c.Root, Gumbel, PUCT)
	}
	for _, f := range []struct {
		name             string
		value, low, high float64
	}{
		{"Candidates", float64(d.Candidates), 1, math.MaxUint8},
		{"CVisit", d.CVisit, 0, 1e6},
		{"CScale", d.CScale, 0, 1e6},
		{"CPuct", d.CPuct, 0, 1e6},
		{"CPuctGrowth", d.CPuctGrowth, -1, 1},
		{"FPU", d.FPU, -1, 1},
		{"Best", d.Best, 0, 1},
		{"LeastVisits", d.LeastVisits, 1e-6, 1},
		{"Alpha", d.Alpha, 1e-3, 1e6},
		{"Fraction", d.Fraction, -1, 1},
		{"RepetitionDraw", float64(d.RepetitionDraw), 2, 3},
		{"MaxNodes", float64(d.MaxNodes), 1, maxNodes},
	} {
		if !(f.value >= f.low && f.value <= f.high) {
			return fmt.Errorf("mcts: %s is %g, want %g to %g", f.name, f.value, f.low, f.high)
		}
	}
	return nil
}

// Budget limits one search, and says how much it explores.
type Budget struct {
	// Simulations is the number of simulations of this search, not counting those of a reused
	// tree. With 0 the search evaluates the root only and chooses by that. A search that Stop will
	// end (by a clock, for example) takes a large number here and needs PUCT in Config.Root,
	// because the Gumbel rule would still be at its first candidates.
	Simulations int

	// Noise scales the randomness at the root. For the Gumbel rule it multiplies the Gumbel noise;
	// with 1 the choice is a sample of the improved policy. For the PUCT rule it multiplies
	// Config.Fraction. With 0 there is no randomness: the Gumbel rule then takes the moves with
	// the highest priors as candidates and chooses by prior and value.
	Noise float64
}
