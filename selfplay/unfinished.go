package selfplay

import (
	"errors"
	"fmt"
	"slices"

	"damier/data"
	"damier/rules"
)

// Unfinished returns the records of the game in progress and of the waiting ones, with outcome
// Ongoing. It leaves out a game without a move.
func (a *Actor) Unfinished() []data.Game {
	var games []data.Game
	if a.game != nil && len(a.record.Plies) > 0 {
		g := a.record
		g.Model, g.Generation = a.id.Model, a.id.Generation
		games = append(games, g)
	}
	return append(games, a.waiting...)
}

// Restore adds games that [Actor.Unfinished] of this or another actor returned: they continue, one
// after another, before new ones begin. A game continues exactly as it would have, if the network
// is the same and no tree is reused from move to move. Restore leaves out a game that cannot
// continue and names it in the error.
func (a *Actor) Restore(games []data.Game) error {
	var wrong error
	for _, record := range games {
		if err := a.check(record); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("self-play: game %s: %w", record.ID, err))
			continue
		}
		a.waiting = append(a.waiting, record)
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.game == nil && len(a.waiting) > 0 {
		a.resume()
	}
	return wrong
}

// check returns an error if the record of an unfinished game is wrong.
func (a *Actor) check(record data.Game) error {
	if record.Variant != a.variant.Name || record.Options != a.variant.Options.String() || record.Rules != rules.Version {
		return fmt.Errorf("it is of %s[%s], rules version %d; here are %s, rules version %d",
			record.Variant, record.Options, record.Rules, a.variant, rules.Version)
	}
	game := rules.NewGameFrom(a.variant, record.Start)
	for i, ply := range record.Plies {
		if ply.Played < 0 || ply.Played >= len(ply.Moves) {
			return fmt.Errorf("ply %d: move number %d of %d was played", i, ply.Played, len(ply.Moves))
		}
		if err := game.Play(ply.Moves[ply.Played]); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
	}
	if game.Over() || game.Ply() >= a.cfg.MaxPlies {
		return errors.New("it is over")
	}
	return nil
}

// resume puts the first waiting game on the board. The game has passed check.
func (a *Actor) resume() {
	record := a.waiting[0]
	a.waiting = a.waiting[1:]
	a.game, a.record = rules.NewGameFrom(a.variant, record.Start), record
	a.record.Plies = slices.Clip(record.Plies)
	for _, ply := range record.Plies {
		if err := a.game.Play(ply.Moves[ply.Played]); err != nil {
			panic("selfplay: a checked game has an illegal move: " + err.Error())
		}
	}
}
