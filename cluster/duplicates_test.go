package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"damier/learner/sparse"
)

// A message that is sent again, with the same id, with another id, or late, counts once.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	w, games := record(t, h, "w1", 40)
	x := newIntruder(t, accessTo(h), "w1")
	var messages [][]byte
	for i := 0; i < len(games); i += 4 {
		m, err := encodeBatch(w.variant, header{Platform: "amd64"}, games[i:i+4])
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	for round := range 3 {
		for i := range messages { // each round in another order and with other ids
			n := (i*7 + round) % len(messages)
			x.put(t, fmt.Sprint(round, n), messages[n])
			x.put(t, fmt.Sprint(round, n), messages[n]) // the server drops the repetition
		}
	}
	wait(t, h, "duplicates", func(s Status) bool { return s.GamesAccepted == 40 && s.Duplicates == 80 })
	stop()
	// A hub without its ledger makes it again from the shards.
	if err := os.Remove(filepath.Join(dir, "cluster", ledgerFile)); err != nil {
		t.Fatal(err)
	}
	h, stop = startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	x = newIntruder(t, accessTo(h), "w1")
	x.put(t, "again", messages[0])
	// The server sends again the messages whose acknowledgement it had not processed when it
	// ended.
	wait(t, h, "duplicates", func(s Status) bool {
		stream, err := h.js.Stream(t.Context(), gamesStream)
		return err == nil && stream.CachedInfo().State.Msgs == 0 && s.Duplicates >= 4
	})
	stop()
	if n := len(accepted(t, dir)); n != 40 {
		t.Errorf("%d games, want 40", n)
	}
}

// A game that is there twice in one message counts once, and does not keep the games of others from
// the disk.
func TestTwiceInAMessage(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	for _, name := range []string{"w1", "w2"} {
		w, games := record(t, h, name, 2)
		if name == "w1" {
			games = append(games, games[0])
		}
		m, err := encodeBatch(w.variant, header{Platform: runtime.GOARCH}, games)
		if err != nil {
			t.Fatal(err)
		}
		newIntruder(t, accessTo(h), name).put(t, "m", m)
	}
	s := wait(t, h, "4 games", func(s Status) bool { return s.GamesAccepted == 4 })
	if s.Duplicates != 1 || len(s.Barred) > 0 {
		t.Errorf("%+v", s)
	}
	stop()
	if n := len(accepted(t, dir)); n != 4 {
		t.Errorf("%d games, want 4", n)
	}
}
