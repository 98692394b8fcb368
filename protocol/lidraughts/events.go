package lidraughts

import (
	"encoding/json"
	"time"
)

// Event is a line of the stream of events: a challenge to the bot, or a game that has begun.
type Event struct {
	Type      string    `json:"type"` // "challenge" or "gameStart"; ignore others
	Challenge Challenge `json:"challenge"`
	Game      struct {
		ID string `json:"id"`
	} `json:"game"`
}

// Challenge is a challenge to a game.
type Challenge struct {
	ID          string      `json:"id"`
	Challenger  *User       `json:"challenger"`
	Variant     Variant     `json:"variant"`
	Rated       bool        `json:"rated"`
	Speed       string      `json:"speed"`
	TimeControl TimeControl `json:"timeControl"`
	InitialFEN  string      `json:"initialFen"`
}

// TimeControl is the time control of a game.
type TimeControl struct {
	Type      string `json:"type"`      // "clock", "correspondence" or "unlimited"
	Limit     int    `json:"limit"`     // seconds for the game, of a clock
	Increment int    `json:"increment"` // seconds for each move, of a clock
}

// User is a player on the server.
type User struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Title string `json:"title"` // "BOT" for a program
}

// Variant is a variant. GameType is its number in PDN and on the server.
type Variant struct {
	Key      string `json:"key"`
	GameType number `json:"gameType"`
}

// number is a whole number that JSON has as a number or as a string.
type number int

func (n *number) UnmarshalJSON(b []byte) error {
	if len(b) > 2 && b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	return json.Unmarshal(b, (*int)(n))
}

// GameEvent is a line of the stream of a game. The first one, "gameFull", has all fields; a
// "gameState" has those of [State].
type GameEvent struct {
	Type       string  `json:"type"` // "gameFull", "gameState" or "chatLine"
	ID         string  `json:"id"`
	Variant    Variant `json:"variant"`
	White      *User   `json:"white"`
	Black      *User   `json:"black"`
	InitialFEN string  `json:"initialFen"` // "startpos" for the variant's start
	Full       *State  `json:"state"`      // of "gameFull"
	State
}

// State is the state of a game.
type State struct {
	Moves     string `json:"moves"` // see [Moves]
	WhiteTime int64  `json:"wtime"` // milliseconds left
	BlackTime int64  `json:"btime"`
	WhiteInc  int64  `json:"winc"` // milliseconds for each move
	BlackInc  int64  `json:"binc"`
	WhiteDraw bool   `json:"wdraw"` // White offers a draw
	BlackDraw bool   `json:"bdraw"`
	Status    string `json:"status"` // "" or "started" while the game goes on
}

// Clock is the time of a player.
type Clock struct {
	Left      time.Duration
	Increment time.Duration
	Unlimited bool // the game has no clock
}

// noClock is the time that the server sends for a game without a clock: the largest 32-bit
// integer.
const noClock = 1<<31 - 1

func clockOf(left, increment int64) Clock {
	if left >= noClock {
		return Clock{Unlimited: true}
	}
	bounded := func(ms int64) time.Duration {
		return time.Duration(min(max(ms, 0), noClock)) * time.Millisecond
	}
	return Clock{Left: bounded(left), Increment: bounded(increment)}
}
