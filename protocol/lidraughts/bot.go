package lidraughts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"damier/internal/plain"
	"damier/rules"
)

// Thinker chooses moves in one game. Only the goroutine of that game uses it.
type Thinker interface {
	// Think returns a legal move of a game that is not over. It returns early when ctx is done.
	Think(ctx context.Context, g *rules.Game, c Clock) (Choice, error)
	// Close releases the Thinker.
	Close() error
}

// Choice is the answer of a Thinker.
type Choice struct {
	Move     rules.Move
	Expected float64 // expected score of the side to move, in [0,1]
}

// Config holds the settings of a Bot.
type Config struct {
	Client *Client
	Policy Policy

	// Variants are the variants that the bot can play. The server identifies a variant by its
	// number.
	Variants []*rules.Variant

	// New returns a Thinker for a game. Several games may be played at the same time.
	New func(v *rules.Variant) (Thinker, error)

	// Games is the number of games played at a time, at least 1. Further challenges are declined.
	Games int

	// Draw accepts the opponent's draw offer if the bot expects a score of at most Draw. 0 accepts
	// none.
	Draw float64

	// Log, if not nil, is called with a line for each event, possibly from several goroutines.
	Log func(line string)
}

// Bot plays on a server.
type Bot struct {
	config Config
	me     User
	games  sync.WaitGroup

	mu      sync.Mutex
	playing map[string]bool // games by id
	ended   map[string]bool // finished games, which the server may still mention
}

// NewBot returns a Bot, or an error that names the first bad field of c.
func NewBot(c Config) (*Bot, error) {
	switch {
	case c.Client == nil || c.New == nil || len(c.Variants) == 0:
		return nil, errors.New("a bot needs a client, variants and thinkers")
	case c.Games < 1:
		return nil, fmt.Errorf("%d games at a time: at least 1", c.Games)
	case !(c.Draw >= 0 && c.Draw <= 1):
		return nil, fmt.Errorf("draws are accepted at an expected score of %g: it is between 0 and 1", c.Draw)
	}
	if err := c.Policy.Validate(); err != nil {
		return nil, err
	}
	return &Bot{config: c, playing: map[string]bool{}, ended: map[string]bool{}}, nil
}

func (b *Bot) log(format string, args ...any) {
	if b.config.Log != nil {
		b.config.Log(plain.Line(fmt.Sprintf(format, args...)))
	}
}

// longestPause is the longest pause between two attempts to connect.
const longestPause = time.Minute

// Run plays until ctx is done. It leaves games in progress as they are: the server keeps them, and
// the next Run continues them. It returns an error if the server refuses the token, or if the
// account is not a bot account.
func (b *Bot) Run(ctx context.Context) error {
	me, err := b.config.Client.Account(ctx)
	if err != nil {
		return err
	}
	if me.Title != "BOT" {
		return fmt.Errorf("%s is no account of a bot; a new account becomes one by the upgrade", plain.Line(me.Name))
	}
	b.me = me
	b.log("playing as %s", me.Name)
	defer b.games.Wait()
	pause := b.config.Client.Pause
	for {
		heard := false
		err := b.config.Client.Events(ctx, func(e Event) error {
			heard = true
			b.hear(ctx, e)
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case final(err):
			return err
		case heard:
			pause = b.config.Client.Pause
		}
		b.log("the stream of events ended (%s); connecting again in %s", ending(err), pause)
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

func ending(err error) string {
	if err == nil {
		return "the server closed it"
	}
	return err.Error()
}

func (b *Bot) hear(ctx context.Context, e Event) {
	switch e.Type {
	case "challenge":
		b.answer(ctx, e.Challenge)
	case "gameStart":
		b.begin(ctx, e.Game.ID)
	}
}

// variant returns the variant that the server means, nil if the bot does not play it.
func (b *Bot) variant(v Variant) *rules.Variant {
	number := int(v.GameType)
	if number == fromPosition {
		number = international
	}
	for _, mine := range b.config.Variants {
		if mine.GameType == number {
			return mine
		}
	}
	return nil
}

// Numbers of the server: an international game from another start position has its own.
const (
	fromPosition  = 99
	international = 20
)

func (b *Bot) answer(ctx context.Context, c Challenge) {
	if !isID(c.ID) || c.Challenger != nil && c.Challenger.ID == b.me.ID {
		return // our own challenge, or an invalid one
	}
	name := ""
	if v := b.variant(c.Variant); v != nil {
		name = v.Name
	}
	why := b.config.Policy.Refuse(c, name)
	b.mu.Lock()
	if why == "" && len(b.playing) >= b.config.Games {
		why = "all games that are played at a time are under way"
	}
	b.mu.Unlock()
	var err error
	if why == "" {
		b.log("accepting the challenge %s", c.ID)
		err = b.config.Client.Accept(ctx, c.ID)
	} else {
		b.log("declining the challenge %s: %s", c.ID, why)
		err = b.config.Client.Decline(ctx, c.ID)
	}
	if err != nil && ctx.Err() == nil {
		b.log("challenge %s: %v", c.ID, err) // for example because it was withdrawn
	}
}

// isID reports whether s has the form of the id of a game or a challenge.
func isID(s string) bool {
	if len(s) < 8 || len(s) > 12 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// mostEnded is the largest number of finished games that a Bot remembers.
const mostEnded = 10_000

// begin plays a game on its own goroutine, unless it is in progress or finished.
func (b *Bot) begin(ctx context.Context, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !isID(id), b.playing[id], b.ended[id]:
		return
	case len(b.playing) >= 2*b.config.Games: // games from before a restart count too
		b.log("game %s: left alone, too many games are under way", id)
		return
	}
	b.playing[id] = true
	b.games.Go(func() {
		over, err := b.play(ctx, id)
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.playing, id)
		if over {
			if len(b.ended) >= mostEnded {
				clear(b.ended)
			}
			b.ended[id] = true
		}
		if err != nil && ctx.Err() == nil {
			b.log("game %s: %v", id, err)
		}
	})
}
