package cluster

import "time"

// wallClock returns the date and time of this machine, which people and programs may change at any
// moment; nil means time.Now. It is shown to people and decides nothing: leases, rates and waiting
// times are differences of two time.Now, which Go takes from the monotonic clock.
type wallClock func() time.Time

// seconds returns the seconds since 1970, rounded down to a millisecond.
func (c wallClock) seconds() float64 {
	now := time.Now
	if c != nil {
		now = c
	}
	return float64(now().UnixMilli()) / 1000
}
