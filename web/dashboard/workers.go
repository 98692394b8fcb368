package dashboard

// Workers are the machines that play for a run, as a dashboard shows them.
type Workers struct {
	Accepted  int64    `json:"accepted"` // games
	Refused   int64    `json:"refused"`
	PerMinute float64  `json:"per_minute"` // games accepted in the last minute
	Backlog   uint64   `json:"backlog"`    // messages of games that wait
	Present   int      `json:"present"`    // workers
	Barred    int      `json:"barred"`     // workers and keys
	List      []Worker `json:"list"`       // the first of them
}

// Worker is one of these machines.
type Worker struct {
	Name       string  `json:"name"`
	Host       string  `json:"host"`
	Actors     int     `json:"actors"`
	Generation int     `json:"generation"` // that it plays with
	PerMinute  float64 `json:"per_minute"`
	Accepted   int64   `json:"accepted"` // games
	Refused    int64   `json:"refused"`
	Lag        float64 `json:"lag"` // seconds from the last network to its having it
	Gone       bool    `json:"gone"`
}

// Joined is a Run that other machines may join: Workers returns nil if they may not.
type Joined interface {
	Run
	Workers() *Workers
}

// workers returns the machines that play for the run, nil if none can.
func (d *Dashboard) workers() *Workers {
	if j, ok := d.run.(Joined); ok {
		return j.Workers()
	}
	return nil
}
