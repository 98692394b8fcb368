package dashboard

// Workers is the state of the remote machines that play for a run.
type Workers struct {
	Accepted  int64    `json:"accepted"` // games
	Refused   int64    `json:"refused"`
	PerMinute float64  `json:"per_minute"` // games accepted in the last minute
	Backlog   uint64   `json:"backlog"`    // messages with games that wait to be read
	Present   int      `json:"present"`    // number of workers connected
	Barred    int      `json:"barred"`     // number of barred workers and keys
	List      []Worker `json:"list"`       // the first workers; may be fewer than all
}

// Worker is one remote machine that plays for a run.
type Worker struct {
	Name       string  `json:"name"`
	Host       string  `json:"host"`
	Actors     int     `json:"actors"`
	Generation int     `json:"generation"` // of the network that it plays with
	PerMinute  float64 `json:"per_minute"`
	Accepted   int64   `json:"accepted"` // games
	Refused    int64   `json:"refused"`
	Lag        float64 `json:"lag"` // seconds from a network's publication to its arrival
	Gone       bool    `json:"gone"`
}

// Joined is a Run that remote workers may join. Workers returns nil if they may not.
type Joined interface {
	Run
	Workers() *Workers
}

// workers returns the workers of the run, nil if no worker can join it.
func (s *shown) workers() *Workers {
	if j, ok := s.Run.(Joined); ok {
		return j.Workers()
	}
	return nil
}
