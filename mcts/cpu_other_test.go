//go:build !unix

package mcts

import "time"

var begun = time.Now()

// cpuTime returns the time that has passed: here nobody says how much of it this process had.
func cpuTime() time.Duration { return time.Since(begun) }
