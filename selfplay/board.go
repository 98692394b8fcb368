package selfplay

import (
	"damier/data"
	"damier/rules"
)

// Board is a game in progress as an onlooker sees it.
type Board struct {
	Game     string // id of its record
	Position rules.Position
	Ply      int
	Last     rules.Move // the last move; undefined at ply 0
	// The root value of the last search of the game, for White; zero before the first search.
	White rules.WDL
}

// Board returns the game in progress; ok is false if there is none. Any goroutine may call it at
// any time, except emit. It does not wait for a search, and delays the actor only for the time of
// a copy.
func (a *Actor) Board() (b Board, ok bool) {
	a.looking.Lock()
	defer a.looking.Unlock()
	if a.game == nil {
		return Board{}, false
	}
	return look(a.game.Position(), &a.record), true
}

// LookAt returns the position and state of a recorded game after its last move.
func LookAt(v *rules.Variant, record *data.Game) Board {
	p := record.Start
	if n := len(record.Plies); n > 0 {
		last := &record.Plies[n-1]
		p = v.Play(last.Position, last.Moves[last.Played])
	}
	return look(p, record)
}

func look(p rules.Position, record *data.Game) Board {
	b := Board{Game: record.ID, Position: p, Ply: len(record.Plies)}
	for i := len(record.Plies) - 1; i >= 0; i-- {
		ply := &record.Plies[i]
		if i == len(record.Plies)-1 {
			b.Last = ply.Moves[ply.Played]
		}
		if ply.Simulations == 0 {
			continue // forced
		}
		if b.White = ply.Root; ply.Position.Turn == rules.Black {
			b.White = ply.Root.Flip()
		}
		break
	}
	return b
}
