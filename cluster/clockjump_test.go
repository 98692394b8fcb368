//go:build clockjump

package cluster

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The clock of this build can be put forward and back: [TestFaultsClock] builds it over a time package of its own.
// A process puts its clock to another time, at most three days from the right one, whenever it gets SIGUSR1.
func init() {
	clockJumps = true
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			seconds := rand.Int64N(6*24*3600) - 3*24*3600
			time.SetClock(seconds)
			fmt.Fprintf(os.Stderr, "%s: its clock is %.1f hours off\n", os.Getenv("DAMIER_CLUSTER_ROLE")[:7], float64(seconds)/3600)
		}
	}()
}
