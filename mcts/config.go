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
	// Gumbel samples candidates without replacement, halves them over the budget and chooses the best of
	// the last (Danihelka et al., ICLR 2022, algorithm 2). Its policy target is the improved policy.
	// It needs to know the number of simulations beforehand: a search that is ended by Stop alone should
	// use PUCT.
	Gumbel Root = "gumbel"

	// PUCT treats the root as any node, with Dirichlet noise in its priors, and chooses the most visited
	// move (Silver et al., 2018), or by value: see Config.LeastVisits. Its policy target is the visits.
	PUCT Root = "puct"
)

// Config are the constants of a search. The zero Config stands for the defaults.
type Config struct {
	// Root is the rule at the root, default Gumbel.
	Root Root `toml:"root"`

	// Candidates is how many root moves the Gumbel rule considers at most, default 16 or what the tuning of the variant says. It
	// is never more than there are legal moves or simulations.
	Candidates int `toml:"candidates"`

	// CVisit and CScale shape sigma(q) = (CVisit + max N) * CScale * q, by which the Gumbel rule weighs a
	// value in [0,1] against a logit; defaults 50 and 0.5. A CScale of 0.5 is 0.25 for values in [-1,1].
	CVisit float64 `toml:"c_visit"`
	CScale float64 `toml:"c_scale"`

	// CPuct weighs the exploration term of PUCT against a value in [0,1], default 0.625: that is 1.25 for
	// values in [-1,1].
	CPuct float64 `toml:"c_puct"`

	// FPU (first play urgency) is how much lower than its parent's value, in [0,1], an unvisited move is
	// thought to be; default 0.1, that is 0.2 for values in [-1,1], or as in the tuning of the variant. A negative FPU means 0.
	FPU float64 `toml:"fpu"`

	// Best is how much the best move of a node counts in the value of the node, in [0,1], the rest being the mean of all
	// simulations through it (implicit minimax backups: Lanctot et al., CIG 2014). Default 0. With the children's values
	// known in advance (see [Leaf].Values) those of untried moves count too.
	Best float64 `toml:"best"`

	// LeastVisits is the share of the most visits, in (0,1], that a move must have for the PUCT rule to choose it: of
	// such moves it chooses that of the highest value. Default 1: the most visited.
	LeastVisits float64 `toml:"least_visits"`

	// Share lets a position that several orders of moves lead to be one node. Default false.
	Share bool `toml:"share"`

	// Forcing is the share of the priors of every node below the root that goes in equal parts to its forcing
	// moves, the quiet ones after which the opponent must capture. The root keeps the evaluator's priors, for a
	// policy target is made of them (with Reuse a root that was below another has had its share). Default 0, none,
	// or as in the tuning of the variant; negative for none.
	Forcing float64 `toml:"forcing"`

	// Scout is the number of visits after which a node is searched for a combination, a chain of offers that wins
	// material, once; its first move is then tried soon, whatever its prior. With the PUCT rule the root is searched at
	// once. 0 (default) or a negative number for never. Where it is lost to have the most men it does nothing.
	Scout int `toml:"scout"`

	// Alpha is the parameter of the Dirichlet noise of the PUCT rule, default 1 (about ten divided by
	// the usual number of legal moves). Fraction is the noise's share of the root priors at a Budget.Noise
	// of 1, default 0.25; negative for none.
	Alpha    float64 `toml:"alpha"`
	Fraction float64 `toml:"fraction"`

	// RepetitionDraw is the number of occurrences, in the game and on the path together, at which the
	// search takes a position for drawn: 2 (default), or 3 for the letter of the rule. The root itself is
	// never taken for drawn.
	RepetitionDraw int `toml:"repetition_draw"`

	// Contempt is how much less than one half a draw counts for the player at the root, and how much more for
	// the opponent: 0 (default) to 0.5. It makes self-play try for more where both sides would shuffle; scores
	// and values of moves hold it, the win, draw and loss of a result do not. It cannot go with Reuse, whose
	// scores would be of the other player.
	Contempt float64 `toml:"contempt"`

	// Reuse keeps the part of the last search's tree that belongs to the position of the next Start, if
	// that game continues the last. Visits then include earlier searches. For play, not for self-play,
	// where the targets should come from the budget alone.
	Reuse bool `toml:"reuse"`

	// MaxNodes caps the tree, default 500,000 nodes, which take about 250 MB (twice that with Reuse). A
	// search that reaches the cap is done.
	MaxNodes int `toml:"max_nodes"`
}

// maxNodes keeps indices into the edge slab within int32.
const maxNodes = 1 << 23

// For returns c with every zero field replaced by its default, those that depend on the variant among them.
func (c Config) For(v *rules.Variant) Config {
	t := v.Tuning()
	c.Candidates = cmp.Or(c.Candidates, t.Candidates)
	c.FPU = cmp.Or(c.FPU, t.FPU)
	c.Forcing = cmp.Or(c.Forcing, t.Forcing)
	return c.WithDefaults()
}

// WithDefaults is For with the defaults of most variants.
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
		{"FPU", d.FPU, -1, 1},
		{"Best", d.Best, 0, 1},
		{"LeastVisits", d.LeastVisits, 1e-6, 1},
		{"Forcing", d.Forcing, -1, 1},
		{"Alpha", d.Alpha, 1e-3, 1e6},
		{"Fraction", d.Fraction, -1, 1},
		{"RepetitionDraw", float64(d.RepetitionDraw), 2, 3},
		{"Contempt", d.Contempt, 0, 0.5},
		{"MaxNodes", float64(d.MaxNodes), 1, maxNodes},
	} {
		if !(f.value >= f.low && f.value <= f.high) {
			return fmt.Errorf("mcts: %s is %g, want %g to %g", f.name, f.value, f.low, f.high)
		}
	}
	if d.Contempt > 0 && d.Reuse {
		return fmt.Errorf("mcts: Contempt is %g with Reuse, want one of them: a tree that is kept holds the scores of the other player", d.Contempt)
	}
	return nil
}

// Budget is what one search may spend, and how much it explores.
type Budget struct {
	// Simulations is the number of simulations of this search, those of a reused tree not counted. With
	// 0 the root is evaluated and the choice is the evaluator's own. A search that is to be ended by Stop
	// (a clock, say) takes a large number here and wants Config.Root PUCT: the Gumbel rule would still be
	// at its first candidates.
	Simulations int

	// Noise scales the randomness at the root. For the Gumbel rule it multiplies the Gumbel noise, 1
	// makes the choice a sample of the improved policy. For the PUCT rule it multiplies Config.Fraction.
	// With 0 there is no randomness: the Gumbel rule then takes the moves of highest prior as candidates
	// and chooses the best by prior and value together.
	Noise float64

	// Forcing is how many of the Gumbel rule's candidates are forcing moves at least (see Config.Forcing), as far as
	// there are so many, but no more than half of the candidates. Their priors and values speak for them as for any
	// other: what they win gets into the policy target. The PUCT rule takes no notice of it.
	Forcing int
}
