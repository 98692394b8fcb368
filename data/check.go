package data

import (
	"fmt"
	"math"
	"slices"

	"damier/rules"
)

// tolerance is the largest error of the sum of a recorded distribution. It is well above the
// rounding to 16 bits (128 priors, each within 0.017 %), and well below any real mistake.
const tolerance = 2e-3

// checker replays games by the rules and compares records with them. Writer and reader both use
// it.
type checker struct {
	v    *rules.Variant
	game *rules.Game
	seen map[string]bool // ids of the games checked so far
}

func newChecker(v *rules.Variant) *checker {
	return &checker{v: v, game: rules.NewGame(v), seen: map[string]bool{}}
}

// checkGame checks a whole game in memory.
func (c *checker) checkGame(g *Game) error {
	if err := c.begin(g); err != nil {
		return fmt.Errorf("game %q: %w", g.ID, err)
	}
	for i := range g.Plies {
		if err := c.ply(&g.Plies[i]); err != nil {
			return fmt.Errorf("game %q, ply %d: %w", g.ID, i, err)
		}
	}
	if err := c.end(g); err != nil {
		return fmt.Errorf("game %q, at its end: %w", g.ID, err)
	}
	return nil
}

// begin checks the fields of the game as a whole and sets up its start.
func (c *checker) begin(g *Game) error {
	switch {
	case g.ID == "":
		return fmt.Errorf("it has no id")
	case c.seen[g.ID]:
		return fmt.Errorf("the id is there twice")
	case g.Variant != c.v.Name || g.Options != c.v.Options.String() || g.Rules != rules.Version:
		return fmt.Errorf("%w: played by %s[%s], rules version %d, and here are %s, rules version %d",
			ErrForeign, g.Variant, g.Options, g.Rules, c.v, rules.Version)
	case g.Generation < 0 || g.Generation > math.MaxInt32:
		return fmt.Errorf("generation %d is out of range", g.Generation)
	case len(g.Plies) == 0:
		return fmt.Errorf("it has no ply")
	case len(g.Plies) > math.MaxUint16:
		return fmt.Errorf("it has %d plies, more than %d", len(g.Plies), math.MaxUint16)
	}
	if err := rules.Validate(c.v, g.Start); err != nil {
		return fmt.Errorf("its start: %w", err)
	}
	if g.Start.Road != 0 {
		return fmt.Errorf("its start is said to have %d plies of a king on the main road behind it, which no record keeps: begin with 0", g.Start.Road)
	}
	c.seen[g.ID] = true
	c.game.Reset(g.Start)
	return nil
}

// ply checks p against the position on the board and plays its move.
func (c *checker) ply(p *Ply) error {
	if err := c.choice(p); err != nil {
		return err
	}
	if err := checkTree(p); err != nil {
		return err
	}
	for i := range p.Tree {
		n := &p.Tree[i]
		at, err := follow(c.v, p.Position, n.Line)
		if err == nil && n.Position != at {
			err = fmt.Errorf("it is %s, and its line leads to %s", c.v.FEN(n.Position), c.v.FEN(at))
		}
		if err != nil {
			return fmt.Errorf("position %d of the tree: %w", i, err)
		}
	}
	return c.game.Play(p.Moves[p.Played])
}

// choice checks p against the position on the board, except its tree.
func (c *checker) choice(p *Ply) error {
	if c.game.Over() {
		_, reason := c.game.Outcome()
		return fmt.Errorf("the game goes on after its end by %s", reason)
	}
	if at := c.game.Position(); p.Position != at {
		return fmt.Errorf("the position is %s (quiet %d, endgame %d), and the moves so far lead to %s (quiet %d, endgame %d)",
			c.v.FEN(p.Position), p.Position.Quiet, p.Position.Endgame, c.v.FEN(at), at.Quiet, at.Endgame)
	}
	if n := c.game.Occurrences(); int(p.Occurrences) != n {
		return fmt.Errorf("the position is said to occur for time %d, and it is time %d", p.Occurrences, n)
	}
	if legal := c.game.Legal(); !slices.Equal(p.Moves, legal) {
		return fmt.Errorf("the %d moves of the record are not the %d legal ones in canonical order", len(p.Moves), len(legal))
	}
	if p.Played < 0 || p.Played >= len(p.Moves) {
		return fmt.Errorf("move number %d of %d was played", p.Played, len(p.Moves))
	}
	return checkSearch(p)
}

// checkTree checks the tree positions of p, except that their lines lead to them.
func checkTree(p *Ply) error {
	if len(p.Tree) > 0 && len(p.Visits) == 0 {
		return fmt.Errorf("positions of a tree without a search")
	}
	for i := range p.Tree {
		switch n := &p.Tree[i]; {
		case len(n.Line) == 0:
			return fmt.Errorf("position %d of the tree: it has no line", i)
		case !(n.Value >= 0 && n.Value <= 1):
			return fmt.Errorf("position %d of the tree: its value is %v", i, n.Value)
		}
	}
	return nil
}

// checkSearch checks that the numbers of a ply agree with each other.
func checkSearch(p *Ply) error {
	if err := checkWDL("root", p.Root); err != nil {
		return err
	}
	if err := checkWDL("raw", p.Raw); err != nil {
		return err
	}
	if p.Simulations < 0 || p.Simulations > math.MaxInt32 {
		return fmt.Errorf("%d simulations", p.Simulations)
	}
	n := len(p.Visits)
	if len(p.Priors) != n || len(p.Values) != n || n != 0 && n != len(p.Moves) {
		return fmt.Errorf("%d moves have %d visits, %d priors and %d values", len(p.Moves), n, len(p.Priors), len(p.Values))
	}
	if n == 0 {
		if p.Full {
			return fmt.Errorf("a full search without visits")
		}
		return nil
	}
	if p.Root == (rules.WDL{}) {
		return fmt.Errorf("a search without a root value")
	}
	sum := 0.0
	for i, prior := range p.Priors {
		if !(prior >= 0 && prior <= 1) {
			return fmt.Errorf("prior %d is %v", i, prior)
		}
		sum += float64(prior)
		switch value := p.Values[i]; {
		case p.Visits[i] == 0 && value == value:
			return fmt.Errorf("move %d has no visit but the value %v", i, value)
		case p.Visits[i] > 0 && !(value >= 0 && value <= 1):
			return fmt.Errorf("move %d has the value %v", i, value)
		}
	}
	if math.Abs(sum-1) > tolerance {
		return fmt.Errorf("the priors sum to %v", sum)
	}
	return nil
}

// checkWDL accepts a distribution, or the zero value, which means none.
func checkWDL(name string, w rules.WDL) error {
	if w == (rules.WDL{}) {
		return nil
	}
	for _, x := range [3]float32{w.Win, w.Draw, w.Loss} {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("%s value %v is out of range", name, w)
		}
	}
	if sum := float64(w.Win) + float64(w.Draw) + float64(w.Loss); math.Abs(sum-1) > tolerance {
		return fmt.Errorf("%s value %v sums to %v", name, w, sum)
	}
	return nil
}

// end checks the outcome: it must be that of the rules, or if the rules give none, one from
// outside the rules.
func (c *checker) end(g *Game) error {
	outcome, reason := c.game.Outcome()
	if c.game.Over() {
		if outcome != g.Outcome || reason != g.Reason {
			return fmt.Errorf("the outcome is %s by %q, and by the rules it is %s by %q", outcomeName(g.Outcome), g.Reason, outcome, reason)
		}
		return nil
	}
	switch g.Reason {
	case rules.NoReason:
		if g.Outcome == rules.Ongoing {
			return nil
		}
		return fmt.Errorf("the game is %s without a reason", outcomeName(g.Outcome))
	case rules.PlyLimit, rules.Resignation, rules.Agreement, rules.TimeForfeit, rules.IllegalMove,
		rules.Adjudication, rules.PlayerFailure:
	default:
		return fmt.Errorf("the rules do not end the game here by %q", g.Reason)
	}
	if g.Outcome == rules.Ongoing || g.Outcome > rules.Draw {
		return fmt.Errorf("the game has no outcome")
	}
	return nil
}

func outcomeName(o rules.Outcome) string {
	if o > rules.Draw {
		return fmt.Sprintf("outcome %d", uint8(o))
	}
	return o.String()
}
