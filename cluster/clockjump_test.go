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

// In this build the clock can be moved: [TestFaultsClock] builds it with a changed time package.
// On SIGUSR1 a process sets its clock to a random time within three days of the right one.
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
