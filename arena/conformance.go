package arena

import (
	"context"
	"errors"
	"fmt"

	"damier/rules"
)

// TestPlayer checks that the players of a factory keep the contract of [Player], and returns an
// error that names the broken part. It checks that every move is legal, that Play does not change
// the game, that a player can play two games in a row and enter a game in the middle, that Play
// returns the error of a finished context, and that a [Seeder] with the same seed plays the same
// moves. It plays a few dozen moves, so the factory should make a fast player.
func TestPlayer(ctx context.Context, v *rules.Variant, make Factory) error {
	p, err := make()
	if err != nil {
		return fmt.Errorf("factory: %w", err)
	}
	if p.Name() == "" {
		return errors.New("the player has no name")
	}
	if first, second := p.Name(), p.Name(); first != second {
		return fmt.Errorf("the player's name changes from %q to %q", first, second)
	}
	other := NewRandom(1)
	for game := range 3 {
		p.NewGame()
		other.Seed(uint64(game))
		g := rules.NewGame(v)
		for !g.Over() && g.Ply() < 16+game {
			// In the last game the player enters late, and misses a turn in between.
			mine := int(g.Position().Turn) == game%2
			if game == 2 && (g.Ply() < 7 || g.Ply() == 10) {
				mine = false
			}
			var m rules.Move
			if mine {
				m, err = playChecked(ctx, p, g)
			} else {
				m, err = other.Play(ctx, g)
			}
			if err != nil {
				return fmt.Errorf("game %d, ply %d: %w", game, g.Ply(), err)
			}
			if err := g.Play(m); err != nil {
				return fmt.Errorf("game %d, ply %d: %s: %w", game, g.Ply(), p.Name(), err)
			}
		}
	}
	if s, ok := p.(Seeder); ok {
		var first [12]rules.Move
		for round := range 2 {
			s.Seed(42)
			p.NewGame()
			g := rules.NewGame(v)
			for i := range first {
				m, err := playChecked(ctx, p, g)
				if err != nil {
					return fmt.Errorf("seeded game, ply %d: %w", i, err)
				}
				if round == 0 {
					first[i] = m
				} else if first[i] != m {
					return fmt.Errorf("seeded alike, the player plays another move at ply %d", i)
				}
				if err := g.Play(m); err != nil {
					return fmt.Errorf("seeded game, ply %d: %w", i, err)
				}
			}
		}
	}
	over, stop := context.WithCancel(ctx)
	stop()
	p.NewGame()
	if _, err := p.Play(over, rules.NewGame(v)); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("with a finished context Play returns the error %v, not the context's", err)
	}
	return nil
}

// playChecked asks p for a move and checks that the game was not changed.
func playChecked(ctx context.Context, p Player, g *rules.Game) (rules.Move, error) {
	before, ply := g.Position(), g.Ply()
	m, err := p.Play(ctx, g)
	if err != nil {
		return m, err
	}
	if g.Position() != before || g.Ply() != ply || g.Over() {
		return m, errors.New("Play changed the game")
	}
	return m, nil
}
