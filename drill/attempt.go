package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"damier/internal/usage"
)

// Limits for one input.
const (
	mostTime = 10 * time.Second
	// Additional time while the drill has used less than half of the limit in CPU time.
	busyTime   = time.Minute
	mostMemory = 1 << 30
	mostBroken = 5 // after this many failures the rest of a class is skipped
)

// class is one kind of hostile input or failure.
type class struct {
	name  string
	share float64 // its share of the time
	seeds [][]byte
	limit time.Duration // time limit for one input; 0 means mostTime
	// make returns an input; nil means mutate of a seed.
	make func(rng *rand.Rand) []byte
	// try processes an input as a program does. It returns an error if it refuses the input. A
	// panic, or an error that wraps errBroken, is a failure of the program.
	try func(ctx context.Context, input []byte) error
}

// drill is the run of one class.
type drill struct {
	class
	rng  *rand.Rand
	keep string

	tried, refused int
	longest        time.Duration
	memory         uint64 // largest increase of the heap, in bytes
	slowest        []byte // the input that took longest
	broken         []string
}

// until tries inputs until the given time.
func (d *drill) until(ctx context.Context, end time.Time) {
	for time.Now().Before(end) && ctx.Err() == nil && len(d.broken) < mostBroken {
		if d.make != nil {
			d.attempt(d.make(d.rng))
		} else {
			d.attempt(mutate(d.rng, d.seeds))
		}
	}
}

// attempt tries one input and records the result.
func (d *drill) attempt(input []byte) {
	limit := cmp.Or(d.limit, mostTime)
	ctx, cancel := context.WithTimeout(context.Background(), limit+busyTime)
	defer cancel()
	before := baseline()
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("%w: panic: %v\n%s", errBroken, r, debug.Stack())
			}
		}()
		done <- d.try(ctx, input)
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late, cpu := began.Add(limit), usage.CPU()
	var err error
	for waiting := true; waiting; {
		select {
		case err = <-done:
			waiting = false
		case <-tick.C:
			// On a busy machine the program may have to wait for a processor.
			if now := time.Now(); now.After(late) && (usage.CPU()-cpu > limit.Seconds()/2 || now.After(late.Add(busyTime))) {
				err = fmt.Errorf("%w: still at work after %s", errBroken, time.Since(began).Round(time.Second))
				waiting = false
			}
		}
		now := heap()
		d.memory = max(d.memory, now-min(before, now))
	}
	d.tried++
	if took := time.Since(began); took > d.longest {
		d.longest, d.slowest = took, input
	}
	if d.memory > mostMemory {
		err = fmt.Errorf("%w: %d MB", errBroken, d.memory>>20)
		d.memory = 0
		runtime.GC()
	}
	if err != nil {
		d.refused++
	}
	if isBroken(err) {
		d.broken = append(d.broken, fmt.Sprintf("%s: %v", keepInput(d.keep, d.name, input), err))
	}
}

// held describes the result of the class.
func (d *drill) held() string {
	if len(d.broken) == 0 {
		return "all"
	}
	return "NOT:\n  " + strings.Join(d.broken, "\n  ")
}

// mostGarbage is the garbage on the heap, in bytes, from which on it is collected before an attempt.
const mostGarbage = 1 << 24

// baseline returns the bytes of objects on the heap with little garbage. If much of it were freed
// during the attempt, the increase of the heap would hide what the input takes.
func baseline() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if heap() > sample[0].Value.Uint64()+mostGarbage {
		runtime.GC()
	}
	return heap()
}

// heap returns the bytes of objects on the heap, including garbage.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
