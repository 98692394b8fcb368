package searches

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestQueueIsBounded(t *testing.T) {
	w := &Worker{Rand: rand.New(rand.NewPCG(1, 1))}
	q := New(2, []*Worker{w})
	release, running := make(chan struct{}), make(chan struct{})
	ctx := context.Background()
	var order []int
	var mu sync.Mutex
	job1 := func(n int, background bool) *Job {
		return &Job{Context: ctx, Background: background, Run: func(context.Context, *Worker) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, n)
		}}
	}
	if err := q.Add(&Job{Context: ctx, Run: func(context.Context, *Worker) { close(running); <-release }}); err != nil {
		t.Fatal(err)
	}
	<-running
	for i, want := range []error{nil, nil, ErrBusy} {
		if err := q.Add(job1(i, i == 0)); err != want {
			t.Errorf("job %d: %v, want %v", i, err, want)
		}
	}
	close(release)
	for {
		mu.Lock()
		n := len(order)
		mu.Unlock()
		if n == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !slices.Equal(order, []int{1, 0}) {
		t.Errorf("the order is %v; the search for a move must be first", order)
	}
	q.Close()
	if err := q.Add(job1(9, false)); err != ErrBusy {
		t.Errorf("closed: %v", err)
	}
}
