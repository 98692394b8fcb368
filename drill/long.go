package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"damier/internal/chart"
	"damier/internal/publish"
	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
)

// memory records the resident memory of a program over time.
type memory struct {
	began time.Time
	mu    sync.Mutex
	curve []plotter.XYs // minutes and MB, a line for each process
	most  float64       // MB
}

// watch samples the memory of a process until stop is called.
func (m *memory) watch(pid int) (stop func()) {
	m.mu.Lock()
	m.curve = append(m.curve, nil)
	line := len(m.curve) - 1
	m.mu.Unlock()
	done := make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			if mb, err := resident(pid); err == nil && mb > 0 { // otherwise the process has ended
				m.mu.Lock()
				m.curve[line] = append(m.curve[line], plotter.XY{X: time.Since(m.began).Minutes(), Y: mb})
				m.most = max(m.most, mb)
				m.mu.Unlock()
			}
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() { close(done); sampling.Wait() }
}

// resident returns the resident memory of a process in MB.
func resident(pid int) (float64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, err
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kb / 1024, err
}

// median returns the median of the samples in the part from..to of the time, in [0,1].
func (m *memory) median(from, to float64) float64 {
	end := time.Since(m.began).Minutes()
	var all []float64
	for _, line := range m.curve {
		for _, p := range line {
			if p.X >= from*end && p.X <= to*end {
				all = append(all, p.Y)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// draw writes the curve as a picture.
func (m *memory) draw(file, title string) error {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "minutes", "resident MB"
	p.X.Min, p.Y.Min = 0, 0
	for _, line := range m.curve {
		if l, err := plotter.NewLine(line); err == nil && len(line) > 0 {
			l.Color = chart.Blue
			p.Add(l)
		}
	}
	p.Y.Max = max(1.2*m.most, 1)
	p.Add(plotter.NewGrid())
	picture, err := chart.PNG([][]*plot.Plot{{p}}, 9, 3.5)
	if err != nil {
		return err
	}
	return publish.Write(file, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}

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

// webClient is a client that plays games on the web board.
type webClient struct {
	home           string
	http           *http.Client
	rng            *rand.Rand
	posts, refused *atomic.Int64
}

// boardState is the part of a board's state that the client reads.
type boardState struct {
	ID      string            `json:"id"`
	Ply     int               `json:"ply"`
	Turn    string            `json:"turn"`
	Legal   []json.RawMessage `json:"legal"`
	Outcome string            `json:"outcome"`
}

// ask sends a request, and repeats it while the server is busy.
func (w *webClient) ask(ctx context.Context, method, path, body string) (s boardState, err error) {
	for {
		r, err := http.NewRequestWithContext(ctx, method, w.home+path, strings.NewReader(body))
		if err != nil {
			return s, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", w.home)
		w.posts.Add(1)
		answer, err := w.http.Do(r)
		if err != nil {
			return s, err
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<24))
		answer.Body.Close()
		switch {
		case err != nil:
			return s, err
		case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable:
			w.refused.Add(1)
			time.Sleep(200 * time.Millisecond)
			continue
		case answer.StatusCode >= 400:
			return s, fmt.Errorf("%s %s: status %d: %s", method, path, answer.StatusCode, text)
		}
		if len(text) == 0 {
			return s, nil
		}
		return s, json.Unmarshal(text, &s)
	}
}

// game plays one game of random moves against a quick level.
func (w *webClient) game(ctx context.Context, end time.Time) error {
	v := family[w.rng.IntN(len(family))]
	seats := fmt.Sprintf(`{"variant":%q,"seats":{"white":{"player":"person"},"black":{"player":"alphabeta","level":%d}}}`, v.Name, 1+w.rng.IntN(3))
	s, err := w.ask(ctx, http.MethodPost, "/api/boards", seats)
	if err != nil {
		return err
	}
	board := "/api/boards/" + s.ID
	for err == nil && s.Outcome == "*" && s.Ply < 120 && time.Now().Before(end) {
		if s.Turn == "white" {
			if len(s.Legal) == 0 {
				break
			}
			_, err = w.ask(ctx, http.MethodPost, board+"/move", fmt.Sprintf(`{"ply":%d,"index":%d}`, s.Ply, w.rng.IntN(len(s.Legal))))
		}
		time.Sleep(300 * time.Millisecond) // less than a person needs
		if err == nil {
			s, err = w.ask(ctx, http.MethodGet, board, "")
		}
	}
	if err == nil {
		_, err = w.ask(ctx, http.MethodPost, board+"/close", "{}")
	}
	return err
}
