package arena

import (
	"io"
	"time"

	"damier/rules"
)

// Named is a Player under another name. It has all optional methods of a player; those that the
// inner player does not have do nothing.
type Named struct {
	Player
	As string

	// Unpaced keeps the player's own limits in a match by the clock. Its clock runs nevertheless.
	Unpaced bool
}

// Name returns the name given.
func (n Named) Name() string { return n.As }

// Seed seeds a [Seeder].
func (n Named) Seed(seed uint64) {
	if p, ok := n.Player.(Seeder); ok {
		p.Seed(seed)
	}
}

// MoveTime returns the limit of a [Timed] player, 0 for others.
func (n Named) MoveTime() time.Duration {
	if p, ok := n.Player.(Timed); ok {
		return p.MoveTime()
	}
	return 0
}

// Expectation returns the expectation of an [Estimator].
func (n Named) Expectation() (float64, bool) {
	if p, ok := n.Player.(Estimator); ok {
		return p.Expectation()
	}
	return 0, false
}

// GameOver calls GameOver of a [Finisher].
func (n Named) GameOver(g *rules.Game) {
	if p, ok := n.Player.(Finisher); ok {
		p.GameOver(g)
	}
}

// Close closes an io.Closer.
func (n Named) Close() error {
	if p, ok := n.Player.(io.Closer); ok {
		return p.Close()
	}
	return nil
}
