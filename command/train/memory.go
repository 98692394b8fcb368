package train

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Most of the memory of a run is its window, which grows to some 450 MB and holds no pointers. With
// a garbage collector that lets the heap grow by a share, garbage would take a share of that too.
const (
	garbage     = 32 << 20 // bytes of garbage to allow
	leastShare  = 5        // percent of the live heap that it is at least
	mostShare   = 100      // and at most
	sharePeriod = 500 * time.Millisecond
)

// boundGarbage keeps the garbage on the heap small until ctx ends, unless GOGC is set. A collection
// is cheap, because it does not look into the window.
func boundGarbage(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	last := 0
	tick := time.NewTicker(sharePeriod)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(sample)
		if share := garbageShare(sample[0].Value.Uint64()); share != last {
			debug.SetGCPercent(share)
			last = share
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// garbageShare returns the percentage of a live heap of so many bytes that garbage may take.
func garbageShare(live uint64) int {
	share := int(garbage * 100 / max(live, 1))
	return min(max(share, leastShare), mostShare)
}
