package tui

import (
	"fmt"

	"damier/notation"
)

// leave writes the game to its file, unless it is already there or nothing has been played.
func (g *Game) leave() error {
	if g.cfg.PDN == "" || g.cfg.Save == nil || g.whole().Ply() == 0 || g.saved == g.record() {
		return nil
	}
	if err := g.cfg.Save(g.cfg.PDN, g.written()); err != nil {
		return err
	}
	g.saved = g.record()
	return nil
}

// record returns a text that differs for different games: the moves and the end.
func (g *Game) record() string {
	game := g.whole()
	outcome, _ := game.Outcome()
	return fmt.Sprint(game.Moves(), outcome)
}

// written returns the game for PDN.
func (g *Game) written() *notation.Game {
	tags := notation.Tags{{Name: "Event", Value: "Damier"}}
	if g.cfg.Date != "" {
		tags.Set("Date", g.cfg.Date)
	}
	for c, names := range [2][2]string{{"White", "WhiteType"}, {"Black", "BlackType"}} {
		name, kind := g.engine.Name(), "program"
		if g.people[c] {
			name, kind = "you", "human"
		}
		tags.Set(names[0], name)
		tags.Set(names[1], kind)
	}
	return notation.NewGame(g.whole(), tags)
}
