package play

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"damier/protocol/lidraughts"
	"damier/rules"
)

// TestServedVariants: each variant of the server maps to one of our variants and has its game type
// number.
func TestServedVariants(t *testing.T) {
	seen := map[int]string{}
	for _, v := range served() {
		if seen[v.GameType] != "" {
			t.Errorf("%s and %s have the number %d", v.Name, seen[v.GameType], v.GameType)
		}
		seen[v.GameType] = v.Name
	}
	if len(seen) != 7 {
		t.Errorf("%d variants, want 7: %v", len(seen), seen)
	}
}

// TestLidraughtsPlays: the command plays a move, within its clock, in a game that the server
// reports as begun.
func TestLidraughtsPlays(t *testing.T) {
	const token = "lip_0123456789"
	moved := make(chan string, 10)
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		line := func(x any) {
			json.NewEncoder(w).Encode(x)
			w.(http.Flusher).Flush()
		}
		switch path := r.URL.Path; {
		case path == "/api/account":
			line(map[string]string{"id": "damier", "username": "Damier", "title": "BOT"})
		case path == "/api/stream/event":
			line(map[string]any{"type": "gameStart", "game": map[string]string{"id": "abcdefgh"}})
			<-r.Context().Done()
		case strings.HasPrefix(path, "/api/bot/game/stream/"):
			asked.Add(1)
			line(map[string]any{"type": "gameFull", "variant": map[string]any{"key": "frysk", "gameType": "97"},
				"white": map[string]string{"id": "damier"}, "black": map[string]string{"id": "x"}, "initialFen": "startpos",
				"state": map[string]any{"moves": "", "wtime": 2000, "btime": 2000, "winc": 0, "binc": 0}})
			<-r.Context().Done()
		case strings.Contains(path, "/move/"):
			moved <- path[strings.LastIndex(path, "/")+1:]
			line(map[string]bool{"ok": true})
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCommand()
	var said strings.Builder
	c.SetErr(&said)
	c.SetArgs([]string{"lidraughts", "--token-file", file, "--server", server.URL})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- c.ExecuteContext(ctx) }()
	select {
	case leg := <-moved:
		v, err := rules.Lookup("frysk", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lidraughts.Moves(rules.NewGame(v), leg); err != nil {
			t.Error(err)
		}
		if spent := time.Since(began); spent > 30*time.Second {
			t.Errorf("a move took %s", spent)
		}
	case err := <-done:
		t.Fatalf("%v\n%s", err, &said)
	}
	cancel()
	<-done
	if asked.Load() != 1 || strings.Contains(said.String(), token) {
		t.Errorf("%d streams of the game; printed\n%s", asked.Load(), &said)
	}
	for args, want := range map[string]string{
		"": "--token-file is missing", "--token-file " + file + " --server http://lidraughts.org": "https alone",
		"--token-file " + file + " --games 0 --server " + server.URL: "at least 1",
	} {
		c := newCommand()
		c.SetArgs(append([]string{"lidraughts"}, strings.Fields(args)...))
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}
