package learner

import (
	"time"

	"damier/data"
	"damier/learner/journal"
)

// ManifestFormat is the version of run.json.
const ManifestFormat = 2

// Manifest is run.json. It is replaced atomically after every generation, when everything it names
// is on disk.
type Manifest struct {
	Format  int       `json:"format"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Variant string    `json:"variant"`
	Options string    `json:"options"`
	Rules   int       `json:"rules"`          // rules.Version
	From    string    `json:"from,omitempty"` // file of its initial weights

	Session    int     `json:"session"`     // number of times the run was started
	Generation int     `json:"generation"`  // number of networks published so far
	Steps      int     `json:"steps"`       // training steps so far, without those of refits at the end
	Debt       float64 `json:"debt"`        // training rows that the rows played allow and that are not learnt yet
	Seconds    float64 `json:"seconds"`     // on the clock, over all sessions
	CPUSeconds float64 `json:"cpu_seconds"` // of all threads, over all sessions

	Checkpoints int  `json:"checkpoints"` // number of checkpoints written so far
	Checkpoint  File `json:"checkpoint"`  // in checkpoint/
	Unfinished  File `json:"unfinished"`  // games in progress, in checkpoint/; may be absent
	Model       File `json:"model"`       // the last published network, in models/

	Refit    *RefitResult `json:"refit,omitempty"`          // the last one
	Replaced int          `json:"replaced_steps,omitempty"` // training steps of networks whose place that of a refit took

	Accepted   File `json:"accepted"`    // the last network that passed the gate
	GateClosed bool `json:"gate_closed"` // self-play uses Accepted, not Model

	Games   data.StoreState `json:"games"`   // the shards of games/, and the totals of removed ones
	Pending int             `json:"pending"` // rows that came since the last training

	LastEvaluation float64          `json:"last_evaluation"` // Seconds at its end
	Evaluations    []journal.Rating `json:"evaluations"`
	NotFinite      int              `json:"not_finite"` // number of losses that were not finite
}

// File is a file of the run and the checksum of its content; the zero File means none.
type File struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// rate rates all networks that were measured so far.
func (m *Manifest) rate(variant string) {
	all := make([]*journal.Rating, len(m.Evaluations))
	for i := range all {
		all[i] = &m.Evaluations[i]
	}
	journal.Rate(variant, all)
}
