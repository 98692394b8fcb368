package journal

// Rating is the strength of a network on the ladder.
type Rating struct {
	Variant    string       `json:"-"` // variant of the ladder
	Generation int          `json:"generation"`
	Refit      bool         `json:"refit,omitempty"` // of the refitted network, not of the run's own
	Elo        float64      `json:"elo"`             // alphabeta-1 at depth 1 is 0
	Low        float64      `json:"low"`             // 95 % interval
	High       float64      `json:"high"`            //
	Gain       *Gain        `json:"gain,omitempty"`  // since the measure before of the run's own network
	Total      *Gain        `json:"total,omitempty"` // since the first measure
	Visits     int          `json:"visits"`
	Rungs      []RungResult `json:"rungs"`
	Gate       *GateResult  `json:"gate,omitempty"`
	Own        *GateResult  `json:"own,omitempty"` // of the refitted network against the run's own
	Seconds    float64      `json:"seconds"`       // duration of the evaluation
}

// Gain is a difference of Elo between two networks of a run. It is known better than the Elo of
// either, because the networks have played each other.
type Gain struct {
	Since int     `json:"since"` // generation of the earlier network
	Elo   float64 `json:"elo"`
	Half  float64 `json:"half"` // of the 95 % interval
}

// Rated reports whether the Elo is known: whether matches lead from the network to a rung of known
// Elo.
func (r Rating) Rated() bool { return r.Low < r.High }

// RungResult is a match against one rung of the ladder.
type RungResult struct {
	Rung     string  `json:"rung"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Score    float64 `json:"score"`
	Distinct int     `json:"distinct"` // number of different games
}

// GateResult is a match against an earlier network of the run, the accepted one.
type GateResult struct {
	Against int     `json:"against"` // generation
	Wins    int     `json:"wins"`
	Draws   int     `json:"draws"`
	Losses  int     `json:"losses"`
	Low     float64 `json:"low"`  // of the score's 95 % interval
	High    float64 `json:"high"` //
	Passed  bool    `json:"passed"`
}

// Ratings returns the ratings among events, which are those of a run from its beginning.
func Ratings(events []Event) (all []*Rating) {
	for _, e := range events {
		if e.Evaluation != nil {
			all = append(all, e.Evaluation)
		}
	}
	return all
}
