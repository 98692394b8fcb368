package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// sendBatches sends finished games in batches until the queue is closed. While the hub accepts
// none, the queue fills, and then the actors wait.
func (w *Worker) sendBatches(ctx context.Context, cancel context.CancelCauseFunc) error {
	var batch []played
	tick := time.NewTicker(batchPeriod)
	defer tick.Stop()
	for open := true; open; {
		full := false
		select {
		case g, ok := <-w.queue:
			if open = ok; ok {
				batch = append(batch, g)
			}
			full = len(batch) >= batchGames
		case <-tick.C:
			full = true
		}
		if len(batch) == 0 || !full && open {
			continue
		}
		if err := w.deliver(ctx, batch); err != nil {
			cancel(err)
			for range w.queue { // empty it, so that the actors can stop
			}
			return err
		}
		batch = nil
	}
	return nil
}

// deliver sends games until the server has them on its disk. It returns an error if the worker
// stops and they cannot be delivered within flushPeriod.
func (w *Worker) deliver(ctx context.Context, games []played) error {
	message, err := encodeBatch(w.variant, header{Version: w.Version, Platform: runtime.GOARCH}, games)
	if err != nil {
		return err
	}
	if len(message) > batchBytes {
		if len(games) == 1 {
			w.note("game %s is dropped: its %d bytes do not fit in a message", games[0].game.ID, len(message))
			return nil
		}
		half := len(games) / 2
		return errors.Join(w.deliver(ctx, games[:half]), w.deliver(ctx, games[half:]))
	}
	if err := publishUntilAcked(ctx, w.js, w.Name, games[0].game.ID, message, func(err error) {
		w.note("the hub accepts no games now (%v); they wait", err)
	}); err != nil {
		return fmt.Errorf("%d finished games could not be delivered: %w", len(games), err)
	}
	w.acked.Add(int64(len(games)))
	if w.acknowledged != nil {
		w.acknowledged(games)
	}
	return nil
}

// publishUntilAcked publishes a message of games until the server acknowledges it. The message has
// an id, so the server keeps one copy if it arrives twice. When the context is done,
// publishUntilAcked tries for flushPeriod more. It calls onFailure, if not nil, at the first
// failure.
func publishUntilAcked(
	ctx context.Context, js jetstream.JetStream, name, id string, message []byte,
	onFailure func(error),
) error {
	m := &nats.Msg{Subject: gamesSubject + name, Data: message}
	sum := sha256.Sum256(message)
	id += "." + hex.EncodeToString(sum[:8]) // so that no other worker can use the id first
	wait := 250 * time.Millisecond
	var end time.Time
	for {
		inner, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		_, err := js.PublishMsg(inner, m, jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			return nil
		}
		if onFailure != nil {
			onFailure(err)
			onFailure = nil
		}
		if ctx.Err() != nil {
			if end.IsZero() {
				end = time.Now().Add(flushPeriod)
			}
			if time.Now().After(end) || errors.Is(context.Cause(ctx), ErrBarred) {
				return err
			}
		}
		if errors.Is(err, nats.ErrConnectionClosed) { // permanent: the hub refuses this worker
			return err
		}
		if strings.Contains(err.Error(), "Permissions Violation") {
			return err
		}
		time.Sleep(wait)
		wait = min(2*wait, 5*time.Second)
	}
}
