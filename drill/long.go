package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
)

// build builds one of the programs into dir and returns its path.
func build(dir, name string) (string, error) {
	program := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-o", program, "damier/cmd/"+name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return program, nil
}

// long is a long run of one of the programs whose memory is watched.
type long struct {
	name string
	run  func(ctx context.Context, dir string, rng *rand.Rand, m *memory, end time.Time) (string, error)
}

// begin holds the settings of a training that is killed again and again.
type begin struct {
	dir    string // folder of the run; if empty, a temporary one
	preset string
}

// runLong runs one of them for the given minutes and draws its memory.
func runLong(ctx context.Context, name string, minutes float64, seed uint64, training begin, picture string, out io.Writer) error {
	longs := []long{{"train", training.run}, {"web", longWeb}, {"hub", longHub}}
	i := slices.IndexFunc(longs, func(l long) bool { return l.name == name })
	if i < 0 {
		return fmt.Errorf("--long %s: no such run; there are train, web and hub", name)
	}
	dir, err := os.MkdirTemp("", "damier-long-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &memory{began: time.Now()}
	end := m.began.Add(time.Duration(minutes * float64(time.Minute)))
	did, err := longs[i].run(ctx, dir, rand.New(rand.NewPCG(seed, 2)), m, end)
	line := fmt.Sprintf("%s: %.0f minutes, %s; resident at most %.0f MB, median of the first quarter %.0f MB, of the last %.0f MB",
		name, time.Since(m.began).Minutes(), did, m.most, m.median(0, 0.25), m.median(0.75, 1))
	fmt.Fprintln(out, line)
	if picture != "" {
		err = errors.Join(err, m.draw(picture, name+": "+did))
	}
	return err
}

// run trains, kills the training every few minutes, verifies the run and resumes it, until the
// time is over.
func (b begin) run(ctx context.Context, dir string, rng *rand.Rand, m *memory, end time.Time) (string, error) {
	train, err := build(dir, "train")
	if err != nil {
		return "", err
	}
	run := b.dir
	if run == "" {
		run = filepath.Join(dir, "run")
	}
	minutes := strconv.FormatFloat(time.Until(end).Minutes(), 'f', 2, 64)
	kills, said := 0, ""
	did := func() string { return fmt.Sprintf("preset %s, killed %d times; %s", b.preset, kills, said) }
	for done := false; !done && ctx.Err() == nil; {
		c := exec.Command(train, "--run", run, "--preset", b.preset, "--quiet", "--minutes", minutes)
		var talk bytes.Buffer
		c.Stderr, c.Stdout = &talk, &talk
		if err := c.Start(); err != nil {
			return did(), err
		}
		stop := m.watch(c.Process.Pid)
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case err := <-ended:
			if done = true; err != nil {
				stop()
				return did(), fmt.Errorf("the training ended by itself: %w\n%s", err, &talk)
			}
		case <-time.After(time.Duration((1 + 3*rng.Float64()) * float64(time.Minute))):
			c.Process.Kill()
			<-ended
			kills++
		case <-ctx.Done():
			c.Process.Kill()
			<-ended
		}
		stop()
		text, err := exec.Command(train, "verify", "--run", run).CombinedOutput()
		if err != nil {
			return did(), fmt.Errorf("verify: %w\n%s", err, text)
		}
		said, _, _ = strings.Cut(strings.TrimSpace(string(text)), ";")
	}
	return did(), ctx.Err()
}

// longHub plays games against random moves with `play hub`, all in one process, until the end of
// the time or for 1,000 games.
func longHub(ctx context.Context, dir string, rng *rand.Rand, m *memory, end time.Time) (string, error) {
	play, err := build(dir, "play")
	if err != nil {
		return "", err
	}
	c := exec.Command(play, "hub", "--player", "nnue:level=2")
	in, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	talk, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	defer m.watch(c.Process.Pid)()
	games, plies := 0, 0
	did := func() string { return fmt.Sprintf("%d games of %d plies in all", games, plies) }
	engine := hub.NewClient(talk, in)
	err = errors.Join(engine.Hello(ctx, 10*time.Second), engine.Init(ctx, time.Minute))
	v := rules.International
	for ; err == nil && games < 1000 && time.Now().Before(end); games++ {
		err = engine.Send(hub.Line{Command: "new-game"})
		for g := rules.NewGame(v); err == nil && !g.Over() && g.Ply() < 300; plies++ {
			if (g.Ply()+games)%2 == 0 {
				err = g.Play(g.Legal()[rng.IntN(len(g.Legal()))])
				continue
			}
			var done hub.Line
			if done, err = engine.Think(ctx, g, hub.Limits{Time: 10 * time.Millisecond}, time.Minute, time.Second, func(hub.Line) {}); err != nil {
				break
			}
			text, _ := done.Get("move")
			var move rules.Move
			if move, err = notation.ParseHub(v, g.Position(), text); err == nil {
				err = g.Play(move)
			}
		}
	}
	c.Process.Kill()
	c.Wait()
	return did(), err
}

// longWeb plays on the web board in place of a browser, with eight clients at a time.
func longWeb(ctx context.Context, dir string, rng *rand.Rand, m *memory, end time.Time) (string, error) {
	play, err := build(dir, "play")
	if err != nil {
		return "", err
	}
	c := exec.Command(play, "web", "--addr", "127.0.0.1:0")
	talk, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return "", err
	}
	defer c.Wait()
	defer c.Process.Kill()
	defer m.watch(c.Process.Pid)()
	address, lines := "", bufio.NewScanner(talk)
	for address == "" && lines.Scan() {
		address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text())
	}
	go io.Copy(io.Discard, talk)
	if address == "" {
		return "", errors.New("the board says no address")
	}
	var clients sync.WaitGroup
	var games, posts, refused atomic.Int64
	failed := make(chan error, 8)
	for i := range 8 {
		seed := rng.Uint64()
		clients.Go(func() {
			jar, _ := cookiejar.New(nil)
			w := &webClient{home: address, http: &http.Client{Jar: jar, Timeout: time.Minute}, rng: rand.New(rand.NewPCG(seed, uint64(i))), posts: &posts, refused: &refused}
			for ctx.Err() == nil && time.Now().Before(end) {
				if err := w.game(ctx, end); err != nil {
					failed <- err
					return
				}
				games.Add(1)
			}
		})
	}
	clients.Wait()
	close(failed)
	for e := range failed {
		err = errors.Join(err, e)
	}
	return fmt.Sprintf("8 clients, %d games, %d requests of which %d were told to wait", games.Load(), posts.Load(), refused.Load()), err
}
