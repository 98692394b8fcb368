package selfplay

import (
	"math"

	"damier/rules"
)

// Stats counts the work of an actor. The zero value is ready to use; Stats of several actors can
// be added.
type Stats struct {
	Simulations int64 // of all finished searches; for alpha-beta the nodes
	Searches    int64 // finished searches
	Rows        int64 // searched positions of finished games
	Tree        int64 // tree positions that are rows

	Games   int64 // finished games
	Plies   int64 // of finished games, including forced moves
	Wins    int64 // of White
	Draws   int64
	Losses  int64
	Limited int64 // games ended by the ply limit; counted in Draws too
	Reasons map[rules.Reason]int64

	// Sums over searches that have a policy: entropy of the policy target in nats, KL(target,
	// prior) in nats.
	Targets       int64
	TargetEntropy float64
	TargetKL      float64
}

// Add adds t to s.
func (s *Stats) Add(t Stats) {
	s.Simulations += t.Simulations
	s.Searches += t.Searches
	s.Rows += t.Rows
	s.Tree += t.Tree
	s.Games += t.Games
	s.Plies += t.Plies
	s.Wins += t.Wins
	s.Draws += t.Draws
	s.Losses += t.Losses
	s.Limited += t.Limited
	s.Targets += t.Targets
	s.TargetEntropy += t.TargetEntropy
	s.TargetKL += t.TargetKL
	for r, n := range t.Reasons {
		if s.Reasons == nil {
			s.Reasons = map[rules.Reason]int64{}
		}
		s.Reasons[r] += n
	}
}

func (s *Stats) finished(plies int, o rules.Outcome, r rules.Reason) {
	s.Games++
	s.Plies += int64(plies)
	switch o {
	case rules.WhiteWins:
		s.Wins++
	case rules.BlackWins:
		s.Losses++
	default:
		s.Draws++
	}
	if r == rules.PlyLimit {
		s.Limited++
	}
	if s.Reasons == nil {
		s.Reasons = map[rules.Reason]int64{}
	}
	s.Reasons[r]++
}

func (s *Stats) target(policy, priors []float32) {
	s.Targets++
	for i, p := range policy {
		if p > 0 {
			l := math.Log(float64(p))
			s.TargetEntropy -= float64(p) * l
			s.TargetKL += float64(p) * (l - math.Log(max(float64(priors[i]), 1e-12)))
		}
	}
}
