package cluster

import (
	"fmt"
	"runtime"
	"time"

	"damier/internal/plain"
	"damier/rules"
)

// MatchOrder is all that a worker must know to play pairs of a match.
type MatchOrder struct {
	Protocol int    `json:"protocol"`
	Rules    int    `json:"rules"`    // rules.Version
	Version  string `json:"version"`  // of the program: another may search differently
	Platform string `json:"platform"` // GOARCH: only equal platforms search bit for bit alike
	ID       string `json:"id"`

	Variant    string `json:"variant"`
	Options    string `json:"options"`
	A          string `json:"a"` // the players, as evaluate describes them
	B          string `json:"b"`
	Visits     int    `json:"visits"`
	Leaves     int    `json:"leaves"`
	Seed       uint64 `json:"seed"`
	MaxPlies   int    `json:"max_plies"`
	Adjudicate string `json:"adjudicate"`
	// Networks has the SHA-256 of each network file, by the names in A and B.
	Networks map[string]string `json:"networks"`
}

// check returns an error if this program cannot play the match exactly as ordered.
func (o *MatchOrder) check(version string) error {
	switch {
	case o.Protocol != Protocol || o.Rules != rules.Version || o.Version != version:
		return fmt.Errorf("%w: the match is played with Damier %s, but this is %s: "+
			"install the same release on both machines", ErrVersion, plain.Text(o.Version), version)
	case o.Platform != runtime.GOARCH:
		return fmt.Errorf("%w: the match is played on %s processors, but this is a %s processor: "+
			"they round differently, so the games would differ",
			ErrVersion, plain.Text(o.Platform), runtime.GOARCH)
	}
	return nil
}

// opening is the wire form of an opening. A move is an index into the legal moves.
type opening struct {
	Start string `json:"start"` // FEN
	Moves []int  `json:"moves"`
}

// pairAnswer is the hub's reply to a worker that asks for a pair.
type pairAnswer struct {
	Match   string   `json:"match"`
	Pair    int      `json:"pair"`
	Opening *opening `json:"opening,omitempty"`
	Wait    bool     `json:"wait,omitempty"` // all pairs are assigned, but one may become free
	Over    bool     `json:"over,omitempty"` // this match has ended
}

// pairResult is the result of a pair. The hub replies with a pairAnswer.
type pairResult struct {
	Match string        `json:"match"`
	Slot  int           `json:"slot"`
	Pair  int           `json:"pair"`
	Games [2]playedGame `json:"games"`
}

// playedGame is the wire form of a finished game.
type playedGame struct {
	Moves   []int            `json:"moves"` // after the opening; indexes into the legal moves
	Outcome rules.Outcome    `json:"outcome"`
	Reason  rules.Reason     `json:"reason"`
	Elapsed [2]time.Duration `json:"elapsed"` // by colour
}

// moveIndexes returns the moves of a game, from a ply on, as indexes into the legal moves.
func moveIndexes(g *rules.Game, from int) ([]int, error) {
	again := rules.NewGameFrom(g.Variant(), g.Start())
	all := []int{}
	for i, m := range g.Moves() {
		k := 0
		for k < len(again.Legal()) && again.Legal()[k] != m {
			k++
		}
		if err := again.Play(m); err != nil {
			return nil, err
		}
		if i >= from {
			all = append(all, k)
		}
	}
	return all, nil
}
