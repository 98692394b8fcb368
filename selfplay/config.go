package selfplay

import (
	"fmt"
	"math"

	"damier/mcts"
	"damier/rules"
)

// Config says how self-play games are made. Every field has a default that its zero value stands for;
// where none makes sense, a negative value says it.
type Config struct {
	// Games is how many games one actor plays at once: one leaf of each fills a batch. Default 32.
	Games int `toml:"games"`

	// FullVisits and CheapVisits are the simulations of a full and of a cheap search. Default 32 and 8.
	FullVisits  int `toml:"full_visits"`
	CheapVisits int `toml:"cheap_visits"`
	// FullShare is the share of full searches, in (0,1]. Default 0.25.
	FullShare float64 `toml:"full_share"`

	// Forcing is how many of the candidates of a full search are forcing moves at least, see [mcts.Budget]: without
	// them neither side looks at the offers with which combinations begin, neither is punished for leaving one to the
	// other, and the network never learns them. Default 4 where [Forcing]
	// says so, none elsewhere; negative for none. A simple [Stage] has none either.
	Forcing int `toml:"forcing"`

	// SimpleShare is the share of the games of a simple [Stage] that begin with some of the pieces only, 0 to 1.
	// Default 0.6; negative for none.
	SimpleShare float64 `toml:"simple_share"`

	// OpeningShare is the share of games that begin with random moves, 0 to OpeningPlies of them,
	// which are not recorded. Default 0.5 and, as boards differ in size, a fifth of the playing squares:
	// 6, 10, 12 or 14 on 32, 50, 64 or 72; negative for none.
	OpeningShare float64 `toml:"opening_share"`
	OpeningPlies int     `toml:"opening_plies"`

	// The scale of the root noise is 1 for the first NoisePlies searched plies of a game, then halves
	// every NoiseHalving plies down to NoiseFloor. Default 10, 8 and 0.15; a negative NoisePlies or
	// NoiseFloor is 0.
	NoisePlies   int     `toml:"noise_plies"`
	NoiseHalving int     `toml:"noise_halving"`
	NoiseFloor   float64 `toml:"noise_floor"`
	// CheapNoisePlies is how many searched plies of a game have noise in cheap searches too, so that
	// openings differ. Default 20; negative for none.
	CheapNoisePlies int `toml:"cheap_noise_plies"`

	// RandomShare is the share of the moves of a game that are drawn at random, without a search and without a row, 0 to
	// 1. Default none.
	RandomShare float64 `toml:"random_share"`

	// Tree is how many visits make a position of a full search's tree a row of its own, worth what the search thinks of it.
	// Default 0, none.
	Tree int `toml:"tree"`

	// MaxPlies ends a game as a draw by rules.PlyLimit. Default 300, on boards of more than 50 playing
	// squares 6 for each.
	MaxPlies int `toml:"max_plies"`

	// Cache is how many evaluations are kept for each game that is played at once, 192 bytes each, by all actors
	// of a process together: a position that comes again, mostly in the next search of its game, is not
	// evaluated again. Games are the same with any number. Default 256; negative for none.
	Cache int `toml:"cache"`

	// Precision is the arithmetic the network is computed in: "float32", or "int8", which is faster and judges nearly
	// the same. It is for those who make an actor's evaluator. Default "float32".
	Precision string `toml:"precision"`

	// Tables is the setting of endgame tables: "on", the user's, and of up to 3 pieces at least those made in memory; the
	// name of their folder; or "off". A game that has entered them is over with its value, unless PlayOn is set; see
	// [Actor.SetTables]. It is for those who open an actor's tables. Default "off".
	Tables string `toml:"egdb"`
	PlayOn bool   `toml:"egdb_play_on"`

	// Search is the tree search, by default without a share for forcing moves, of which the play of a match has one
	// in some variants: who is punished for every advance before knowing how to make one stands still.
	Search mcts.Config `toml:"search"`
}

// For returns c with its zero fields filled in, those that depend on the board among them.
func (c Config) For(v *rules.Variant) Config {
	c.OpeningPlies = or(c.OpeningPlies, v.Board.Squares()/5)
	c.MaxPlies = or(c.MaxPlies, max(300, 6*v.Board.Squares()))
	c.Forcing = or(c.Forcing, Forcing(v))
	return c.WithDefaults()
}

// Contempt returns the contempt with which self-play of v searches by default, see [mcts.Config]. Where men may move
// sideways nothing forces either side on, and two players who have just learnt that advancing is dangerous shuffle
// their whole armies until a repetition: four tenths of the games of Turkish draughts, which teach nothing.
func Contempt(v *rules.Variant) float64 {
	if v.MoveLines[0].Orthogonal() {
		return 0.3
	}
	return 0
}

// Forcing returns how many forcing candidates a full search has by default in self-play of v: 4 where they brought much,
// in Canadian and in Turkish draughts, negative for none elsewhere (docs/experiments/forcing.md).
func Forcing(v *rules.Variant) int {
	switch v.Name {
	case "canadian", "turkish":
		return 4
	}
	return -1
}

// WithDefaults is For on the board of international draughts.
func (c Config) WithDefaults() Config {
	c.Games = or(c.Games, 32)
	c.FullVisits = or(c.FullVisits, 32)
	c.CheapVisits = or(c.CheapVisits, 8)
	c.FullShare = or(c.FullShare, 0.25)
	c.Forcing = or(c.Forcing, -1)
	c.SimpleShare = or(c.SimpleShare, 0.6)
	c.OpeningShare = or(c.OpeningShare, 0.5)
	c.OpeningPlies = or(c.OpeningPlies, 10)
	c.NoisePlies = or(c.NoisePlies, 10)
	c.NoiseHalving = or(c.NoiseHalving, 8)
	c.NoiseFloor = or(c.NoiseFloor, 0.15)
	c.CheapNoisePlies = or(c.CheapNoisePlies, 20)
	c.MaxPlies = or(c.MaxPlies, 300)
	c.Cache = or(c.Cache, 256)
	c.Precision = or(c.Precision, "float32")
	c.Tables = or(c.Tables, "off")
	c.Search.Forcing = or(c.Search.Forcing, -1)
	return c
}

// NewCache returns the cache that so many actors share, nil for none; see [Actor.SetCache].
func (c Config) NewCache(actors int) *mcts.Cache {
	if c = c.WithDefaults(); c.Cache < 0 {
		return nil
	}
	return mcts.NewCache(actors * c.Games * c.Cache)
}

func or[T int | float64 | string](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Validate returns an error that names the first field out of range, after defaults.
func (c Config) Validate() error {
	c = c.WithDefaults()
	// The conditions are written so that what is not a number fails them.
	switch {
	case c.Games < 1 || c.Games > 4096:
		return fmt.Errorf("games is %d; it must be 1 to 4096", c.Games)
	case c.FullVisits < 1 || c.FullVisits > math.MaxUint16:
		return fmt.Errorf("full_visits is %d; it must be 1 to %d", c.FullVisits, math.MaxUint16)
	case c.CheapVisits < 1:
		return fmt.Errorf("cheap_visits is %d; it must be at least 1", c.CheapVisits)
	case c.CheapVisits > c.FullVisits:
		return fmt.Errorf("cheap_visits is %d and full_visits %d; a cheap search must not be dearer than a full one", c.CheapVisits, c.FullVisits)
	case !(c.FullShare > 0 && c.FullShare <= 1):
		return fmt.Errorf("full_share is %g; it must be above 0 and at most 1", c.FullShare)
	case c.Forcing > math.MaxUint8:
		return fmt.Errorf("forcing is %d; it must be at most %d", c.Forcing, math.MaxUint8)
	case !(c.SimpleShare <= 1):
		return fmt.Errorf("simple_share is %g; it must be at most 1", c.SimpleShare)
	case !(c.OpeningShare <= 1):
		return fmt.Errorf("opening_share is %g; it must be at most 1", c.OpeningShare)
	case !(c.RandomShare >= 0 && c.RandomShare <= 1):
		return fmt.Errorf("random_share is %g; it must be 0 to 1", c.RandomShare)
	case c.Tree < 0 || c.Tree > math.MaxUint16:
		return fmt.Errorf("tree is %d; it must be 0 to %d", c.Tree, math.MaxUint16)
	case c.OpeningPlies > 60:
		return fmt.Errorf("opening_plies is %d; it must be at most 60", c.OpeningPlies)
	case c.NoisePlies > 10000:
		return fmt.Errorf("noise_plies is %d; it must be at most 10000", c.NoisePlies)
	case c.NoiseHalving < 1:
		return fmt.Errorf("noise_halving is %d; it must be at least 1", c.NoiseHalving)
	case !(c.NoiseFloor <= 1):
		return fmt.Errorf("noise_floor is %g; it must be at most 1", c.NoiseFloor)
	case c.MaxPlies < 20 || c.MaxPlies > 10000:
		return fmt.Errorf("max_plies is %d; it must be 20 to 10000", c.MaxPlies)
	case c.Cache > 1<<16:
		return fmt.Errorf("cache is %d; it must be at most %d", c.Cache, 1<<16)
	}
	if c.Precision != "float32" && c.Precision != "int8" {
		return fmt.Errorf("precision is %q; it must be float32 or int8", c.Precision)
	}
	if err := c.Search.Validate(); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// noise returns the scale of the root noise for the n-th searched ply of a game, counted from 0.
func (c Config) noise(n int) float64 {
	scale, floor := 1.0, max(c.NoiseFloor, 0)
	for n -= max(c.NoisePlies, 0); n >= 0 && scale > floor; n -= c.NoiseHalving {
		scale /= 2
	}
	return max(scale, floor)
}
