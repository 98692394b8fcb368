package journal

import (
	"time"

	"damier/rules"
)

// Event is one line of metrics.jsonl. Kind says which of the parts are set.
type Event struct {
	Kind       string    `json:"event"` // "start", "generation", "refit", "evaluation", "warning", "stop"
	Time       time.Time `json:"time"`
	Seconds    float64   `json:"seconds"`    // of the run so far, on the clock
	CPUHours   float64   `json:"cpu_hours"`  // of the run so far, all threads
	Generation int       `json:"generation"` // published so far
	Message    string    `json:"message,omitempty"`

	Progress   *Progress `json:"progress,omitempty"`   // in a "generation" event
	Refit      *Refit    `json:"refit,omitempty"`      // in a "refit" event
	Evaluation *Rating   `json:"evaluation,omitempty"` // in an "evaluation" event
}

// Progress holds the numbers of one generation.
type Progress struct {
	Steps  int `json:"steps"`  // of training so far
	Rows   int `json:"rows"`   // searched positions so far
	Games  int `json:"games"`  // so far
	Window int `json:"window"` // rows in the replay window

	AlphaBeta bool `json:"alphabeta,omitempty"` // self-play was by alpha-beta, not by tree search
	Visits    int  `json:"visits"`              // visits of a tree search
	// FullVisits is Visits in metrics of earlier versions. [Read] moves it there.
	FullVisits int `json:"full_visits,omitempty"`

	// Self-play of this generation.
	NewGames  int                    `json:"new_games"`
	NewRows   int                    `json:"new_rows"`
	TreeRows  int                    `json:"tree_rows"` // tree positions, not counted in NewRows
	White     float64                `json:"white"`     // shares of this generation's games
	Draws     float64                `json:"draws"`
	Black     float64                `json:"black"`
	Limited   float64                `json:"limited"` // share of games ended by the ply limit
	Reasons   map[rules.Reason]int64 `json:"reasons,omitempty"`
	Length    float64                `json:"length"`   // plies of a game, mean
	Entropy   float64                `json:"entropy"`  // of the policy of a tree search, nats, mean
	KL        float64                `json:"kl"`       // of that policy from the priors, nats, mean
	Distinct  float64                `json:"distinct"` // share of positions that are new within this generation
	Sims      float64                `json:"sims_per_second"`
	GamesRate float64                `json:"games_per_second"`
	RowsRate  float64                `json:"rows_per_second"`
	PlaySecs  float64                `json:"play_seconds"`
	PlayBusy  float64                `json:"play_busy"` // CPU time over cores times clock, in [0,1]
	TrainSecs float64                `json:"train_seconds"`
	TrainBusy float64                `json:"train_busy"`
	OtherSecs float64                `json:"other_seconds"` // checkpoint, shards, held-out loss
	TrainRate float64                `json:"train_rows_per_second"`
	Passes    float64                `json:"passes"` // training rows for each row played, so far
	LearnRate float64                `json:"learning_rate_factor"`

	// Losses in nats: of the training batches, and on held-out games with the published weights.
	Value        float64 `json:"value_loss"`
	GradNorm     float64 `json:"gradient_norm"`
	HeldValue    float64 `json:"heldout_value_loss,omitempty"`
	HeldMaterial float64 `json:"heldout_material_loss,omitempty"` // value loss of a baseline that only counts pieces
	HeldRows     int     `json:"heldout_rows,omitempty"`

	Memory int64 `json:"resident_bytes"`
}

// update replaces fields that earlier versions wrote by those that have taken their place.
func (p *Progress) update() {
	if p == nil {
		return
	}
	if p.Visits == 0 {
		p.Visits = p.FullVisits
	}
	p.FullVisits = 0
}

// Refit is the result of a refit: a new network learnt the window, and played the run's own
// network.
type Refit struct {
	Generation int     `json:"generation"`         // of the run's own network
	Played     int     `json:"played"`             // rows of the run
	Adopted    bool    `json:"adopted,omitempty"`  // the run has gone on with the new network, as its next generation
	Rows       int     `json:"rows"`               // rows learnt, including repetitions
	Loss       float64 `json:"heldout_value_loss"` // of the new network, in nats; 0 without held-out rows
	Own        float64 `json:"own_heldout_value_loss"`
	Visits     int     `json:"visits"` // for a move in the games
	Wins       int     `json:"wins"`   // of the new network
	Draws      int     `json:"draws"`
	Losses     int     `json:"losses"`
	Score      float64 `json:"score"`
	Low        float64 `json:"score_low"` // of the 95 % interval
	High       float64 `json:"score_high"`
}
