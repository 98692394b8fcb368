package lidraughts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"damier/rules"
)

// game is a game that the bot plays.
type game struct {
	bot     *Bot
	id      string
	variant *rules.Variant
	start   rules.Position
	color   rules.Color // the bot's
	thinker Thinker

	// The last choice, and the moves before it. If the server repeats a state, no second search is
	// needed.
	at     []rules.Move
	chosen *Choice

	accepted int // number of moves that the server has accepted
}

var (
	errOver     = errors.New("the game is over")
	errNotMine  = errors.New("the bot does not play in it")
	errNonsense = errors.New("the server sends an impossible game")
)

// patience is the number of times in a row that the server may send something impossible, or close
// the stream of a game, before the bot gives the game up.
const patience = 3

// play plays a game to its end, over as many streams as necessary. over is false if the game may
// be continued later.
func (b *Bot) play(ctx context.Context, id string) (over bool, err error) {
	g := &game{bot: b, id: id}
	defer func() {
		if g.thinker != nil {
			err = errors.Join(err, g.thinker.Close())
		}
	}()
	pause := b.config.Client.Pause
	for wrong, closed := 0, 0; ; {
		moves := g.accepted
		err := b.config.Client.Game(ctx, id, func(e GameEvent) error { return g.hear(ctx, e) })
		if g.accepted > moves {
			wrong, closed = 0, 0
			pause = b.config.Client.Pause
		}
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, errOver):
			b.log("game %s is over", id)
			return true, nil
		case errors.Is(err, errNotMine), final(err):
			return true, err
		case errors.Is(err, errNonsense):
			if wrong++; wrong == patience {
				return true, fmt.Errorf("left: %w", err)
			}
		case err == nil:
			// The server also closes the stream when the game has ended, for example by
			// resignation or on time.
			if closed++; closed == patience {
				b.log("game %s: the server has closed it", id)
				return true, nil
			}
		default:
			b.log("game %s: %v; connecting again in %s", id, err, pause)
		}
		if !sleep(ctx, pause) {
			return false, ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

func (g *game) hear(ctx context.Context, e GameEvent) error {
	switch e.Type {
	case "gameFull":
		if e.Full == nil {
			return fmt.Errorf("%w: a game without a state", errNonsense)
		}
		if err := g.meet(e); err != nil {
			return err
		}
		return g.follow(ctx, *e.Full, true)
	case "gameState":
		if g.thinker == nil {
			return fmt.Errorf("%w: a state before the game", errNonsense)
		}
		return g.follow(ctx, e.State, false)
	}
	return nil // ignore chat
}

// meet reads the variant, the start and the colour of the game.
func (g *game) meet(e GameEvent) error {
	v := g.bot.variant(e.Variant)
	if v == nil {
		return fmt.Errorf("%w: the variant %q is not known here", errNotMine, e.Variant.Key)
	}
	start := v.Start()
	if e.InitialFEN != "" && e.InitialFEN != "startpos" {
		p, err := rules.ParseFEN(v, e.InitialFEN)
		if err != nil {
			return fmt.Errorf("%w: its first position: %w", errNonsense, err)
		}
		start = p
	}
	color := rules.White
	switch {
	case e.White != nil && e.White.ID == g.bot.me.ID:
	case e.Black != nil && e.Black.ID == g.bot.me.ID:
		color = rules.Black
	default:
		return errNotMine
	}
	if g.thinker != nil {
		if g.variant != v || g.start != start || g.color != color {
			return fmt.Errorf("%w: it is another game than before", errNonsense)
		}
		return nil
	}
	thinker, err := g.bot.config.New(v)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotMine, err)
	}
	g.variant, g.start, g.color, g.thinker = v, start, color, thinker
	g.bot.log("game %s: %s, playing %s", g.id, v.Name, color)
	return nil
}

// follow handles a state, and moves if it is the bot's turn. first says that it is the first state
// of a stream: what was sent over an earlier stream may be lost.
func (g *game) follow(ctx context.Context, s State, first bool) error {
	if s.Status != "" && s.Status != "started" && s.Status != "created" {
		return errOver
	}
	position := rules.NewGameFrom(g.variant, g.start)
	begun, err := Moves(position, s.Moves)
	if err != nil {
		return fmt.Errorf("%w: %w", errNonsense, err)
	}
	if position.Over() {
		return errOver
	}
	if position.Position().Turn != g.color {
		return nil
	}
	known := g.chosen != nil && slices.Equal(g.at, position.Moves())
	if known && !first {
		return nil // a repeated state, or the server's echo of a leg
	}
	left, increment, offered := s.WhiteTime, s.WhiteInc, s.BlackDraw
	if g.color == rules.Black {
		left, increment, offered = s.BlackTime, s.BlackInc, s.WhiteDraw
	}
	if !known {
		choice, err := g.thinker.Think(ctx, position.Clone(), clockOf(left, increment))
		if err != nil {
			return err
		}
		g.at, g.chosen = slices.Clone(position.Moves()), &choice
	}
	return g.send(ctx, position, begun, offered)
}

// send plays the chosen move. It completes a capture that was begun before, perhaps by an earlier
// run of the bot.
func (g *game) send(ctx context.Context, position *rules.Game, begun []rules.Square, offered bool) error {
	p := position.Position()
	legs := Legs(g.variant, p, g.chosen.Move, begun)
	if legs == nil {
		for _, m := range position.Legal() {
			if legs = Legs(g.variant, p, m, begun); legs != nil {
				break
			}
		}
	}
	if legs == nil {
		return fmt.Errorf("%w: no move goes on from the legs that were played", errNonsense)
	}
	draw := offered && g.bot.config.Draw > 0 && g.chosen.Expected <= g.bot.config.Draw
	for i, leg := range legs {
		err := g.bot.config.Client.Move(ctx, g.id, leg, draw && i == 0)
		if final(err) {
			g.bot.log("game %s: the move %s is refused: %v", g.id, leg, err)
			return nil // the server may already have it: the next state will tell
		}
		if err != nil {
			return err
		}
	}
	g.accepted++
	return nil
}
