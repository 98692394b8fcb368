package arena

import (
	"fmt"

	"damier/rules"
)

// tally counts games in the order of their numbers.
type tally struct {
	match   Match
	result  Result
	next    int                // the number of the next game to count
	waiting map[int]GameRecord // finished games that wait for earlier ones
	first   map[string]int     // by the moves of a game, the number of the first game with them
}

func (t *tally) add(r GameRecord) error {
	t.waiting[r.Number] = r
	for {
		first, ok1 := t.waiting[t.next]
		second, ok2 := t.waiting[t.next+1]
		if !ok1 || !ok2 || t.result.Verdict != Inconclusive {
			return nil
		}
		delete(t.waiting, t.next)
		delete(t.waiting, t.next+1)
		t.next += 2
		if err := t.count(first, second); err != nil {
			return err
		}
	}
}

// rest counts, after an interruption, the complete pairs among the waiting games.
func (t *tally) rest() error {
	for t.next < t.match.Games && len(t.waiting) > 0 && t.result.Verdict == Inconclusive {
		first, ok1 := t.waiting[t.next]
		second, ok2 := t.waiting[t.next+1]
		delete(t.waiting, t.next)
		delete(t.waiting, t.next+1)
		t.next += 2
		if ok1 && ok2 {
			if err := t.count(first, second); err != nil {
				return err
			}
		}
	}
	return nil
}

// count adds a pair to the result.
func (t *tally) count(first, second GameRecord) error {
	r := &t.result
	r.A, r.B = first.White, first.Black
	r.Pairs.Add(first.Points(), second.Points())
	for _, g := range []GameRecord{first, second} {
		t.countGame(g)
		if t.match.OnGame != nil {
			if err := t.match.OnGame(g); err != nil {
				return fmt.Errorf("game %d: %w", g.Number, err)
			}
		}
	}
	if s := t.match.SPRT; s != nil {
		r.LLR = s.LLR(r.Pairs)
		r.Verdict = s.Verdict(r.Pairs)
	}
	return nil
}

func (t *tally) countGame(g GameRecord) {
	r := &t.result
	switch g.Points() {
	case 2:
		r.Wins++
	case 1:
		r.Draws++
	default:
		r.Losses++
	}
	r.Plies += g.Game.Ply()
	loser := g.Game.Position().Turn ^ g.A // of games lost otherwise than on the board
	switch _, reason := g.Game.Outcome(); reason {
	case rules.PlyLimit:
		r.PlyLimits++
	case rules.IllegalMove:
		r.Illegal[loser]++
	case rules.PlayerFailure:
		r.Failures[loser]++
	case rules.TimeForfeit:
		r.Forfeits[loser]++
	case rules.Adjudication:
		r.Judged++
	}
	for i, n := range g.Overruns {
		r.Overruns[i] += n
	}
	key := GameKey(g.Game)
	if n, twice := t.first[key]; twice {
		r.Duplicates = append(r.Duplicates, [2]int{n, g.Number})
		return
	}
	t.first[key] = g.Number
	r.Distinct++
}
