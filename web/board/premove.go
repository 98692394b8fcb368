package board

import (
	"slices"
	"time"

	"damier/rules"
	"damier/web"
)

// Bounds on the premoves of a position, because a constructed one can have very many.
const (
	maxPremoves = 1024
	premoveTime = 250 * time.Millisecond // checked after each reply

	// premoveJumps is the number of jumps of the longest capture whose paths are listed. A longer one
	// is entered by its first and last square, because it can have millions of paths.
	premoveJumps = 6
)

// premoves returns the paths of all moves that the side not to move may have next: those that are
// legal after at least one of the moves now legal. There are none unless an engine searches for its
// move and a person plays the other side. The caller holds the lock.
func (b *board) premoves() []web.Squares {
	turn := b.game.Position().Turn
	waits := b.thinking != nil && b.auto && !b.over() &&
		b.seats[turn].Player != person && b.seats[turn.Opponent()].Player == person
	if !waits {
		return nil
	}
	return premovesOf(b.game.Clone(), time.Now().Add(premoveTime))
}

// premovesOf returns the premoves in g, of the replies that could be looked at before end. g is as
// it was afterwards.
func premovesOf(g *rules.Game, end time.Time) (list []web.Squares) {
	seen := map[string]bool{}
	jumps := web.PathJumps
	add := func(path web.Squares) {
		key := string(path)
		if !seen[key] && len(list) < maxPremoves {
			seen[key] = true
			list = append(list, path)
		}
	}
	for _, reply := range slices.Clone(g.Legal()) {
		if err := g.Play(reply); err != nil {
			return list // the game is over by a draw that nobody claimed
		}
		if !g.Over() {
			for _, m := range g.Legal() {
				var paths [][]rules.Square
				if m.IsCapture() && m.Captured().Len() <= premoveJumps {
					paths = g.Variant().CapturePathsWithin(g.Position(), m, &jumps)
				}
				for _, path := range paths[:min(len(paths), web.PathsEach)] {
					add(path)
				}
				if len(paths) == 0 {
					add(web.Squares{m.From, m.To})
				}
			}
		}
		g.Undo()
		if time.Now().After(end) {
			break
		}
	}
	return list
}
