package lidraughts

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy says which challenges the bot accepts. The zero Policy accepts none.
type Policy struct {
	Variants []string // names of variants as package rules has them
	Rated    bool     // rated games
	Casual   bool     // games that are not rated
	Bots     bool     // games against other bots
	Users    []string // accept only these, regardless of case; empty means everybody
	// Least expected time of a game for one side: the clock and forty increments.
	Shortest time.Duration
	Longest  time.Duration // greatest expected time; 0 for no limit
	NoClock  bool          // correspondence games, and games without a limit of time
}

// Validate returns an error that names the first bad field.
func (p Policy) Validate() error {
	switch {
	case len(p.Variants) == 0:
		return fmt.Errorf("no variant is accepted; name at least one")
	case !p.Rated && !p.Casual:
		return fmt.Errorf("neither rated games nor casual ones are accepted")
	case p.Longest > 0 && p.Longest < p.Shortest:
		return fmt.Errorf("games of at least %s and at most %s: there are none", p.Shortest, p.Longest)
	}
	return nil
}

// Refuse returns the reason why a challenge in the named variant is declined, "" if it is
// accepted.
func (p Policy) Refuse(c Challenge, variant string) string {
	switch {
	case c.Challenger == nil:
		return "the challenger has no account"
	case len(p.Users) > 0 && !slices.ContainsFunc(p.Users, func(u string) bool {
		return strings.EqualFold(u, c.Challenger.ID)
	}):
		return "not one of the users that are accepted"
	case c.Challenger.Title == "BOT" && !p.Bots:
		return "other bots are not accepted"
	case variant == "":
		return fmt.Sprintf("the variant %q is not known here", c.Variant.Key)
	case !slices.Contains(p.Variants, variant):
		return fmt.Sprintf("%s is not accepted", variant)
	case c.Rated && !p.Rated:
		return "rated games are not accepted"
	case !c.Rated && !p.Casual:
		return "casual games are not accepted"
	}
	if c.TimeControl.Type != "clock" {
		if p.NoClock {
			return ""
		}
		return "games without a clock are not accepted"
	}
	expected := time.Duration(c.TimeControl.Limit+40*c.TimeControl.Increment) * time.Second
	switch {
	case expected < p.Shortest:
		return "the game is too fast"
	case p.Longest > 0 && expected > p.Longest:
		return "the game is too slow"
	}
	return ""
}
