package train

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"damier/data"
	"damier/learner"
	"damier/learner/settings"
)

// address waits until a program has printed the address of its server, and returns it.
func address(t *testing.T, out io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := regexp.MustCompile(`http://[^/]+/`).FindString(lines.Text()); m != "" {
			go io.Copy(io.Discard, out)
			return strings.TrimSuffix(m, "/")
		}
	}
	t.Fatal("no address")
	return ""
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	a, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// answer returns the JSON at path, by GET or, if there is a body, by POST.
func answer[T any](t *testing.T, address, path, body string) (a T) {
	t.Helper()
	var response *http.Response
	var err error
	if body == "" {
		response, err = http.Get(address + path)
	} else {
		r, _ := http.NewRequest("POST", address+path, strings.NewReader(body))
		r.Header.Set("Origin", address)
		r.Header.Set("Content-Type", "application/json")
		response, err = http.DefaultClient.Do(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %d %s, %v", path, response.StatusCode, text, err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
	return a
}

type (
	shownEvents struct {
		Next   int64
		Events []struct {
			Event      string
			Generation int
		}
		Phase struct{ Name string }
	}
	shownGames struct {
		Live  bool
		Games []struct {
			ID, FEN string
			Ply     int
		}
	}
	shownPosition struct {
		Moves    []string
		Networks []struct {
			Generation int
			Score      float64
			Priors     []float64
		}
	}
)

func stop(t *testing.T, c *exec.Cmd, code int) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}

// The dashboard shows a run during its training, and afterwards from its directory.
func TestDashboard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	// With two hundred visits a move a game lasts long enough to be seen, even on one core.
	c := process(t, append(endless(dir), "--serve=127.0.0.1:0", "--set", "selfplay.visits=0:200")...)
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	home := address(t, out)

	if status, text := get(t, home+"/"); status != 200 || !strings.Contains(text, "dashboard.js") {
		t.Errorf("the page: %d %.80s", status, text)
	}
	run := answer[struct {
		Name    string
		Live    bool
		Variant struct{ Name string }
	}](t, home, "/api/run", "")
	if run.Name != "run" || !run.Live || run.Variant.Name != "international" {
		t.Errorf("%+v", run)
	}
	if len(answer[struct{ Settings []any }](t, home, "/api/settings", "").Settings) < 40 {
		t.Error("settings are missing")
	}

	// The run continues: generations are added, games advance, the learner plays and trains.
	var at int64
	generation := 0
	phases, seen := map[string]bool{}, map[string]bool{}
	for end := time.Now().Add(time.Minute); (generation < 3 || len(seen) < 5 || len(phases) < 2) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		e := answer[shownEvents](t, home, fmt.Sprintf("/api/events?from=%d", at), "")
		at = e.Next
		phases[e.Phase.Name] = true
		for _, k := range e.Events {
			generation = max(generation, k.Generation)
		}
		g := answer[shownGames](t, home, "/api/games?n=4", "")
		if !g.Live || len(g.Games) > 4 {
			t.Fatalf("%+v", g)
		}
		for _, k := range g.Games {
			seen[k.FEN] = true
		}
	}
	if generation < 3 || len(seen) < 5 || len(phases) < 2 {
		t.Errorf("generation %d, %d positions, phases %v", generation, len(seen), phases)
	}
	opinions := answer[shownPosition](t, home, "/api/position", `{"fen":"W:W31-50:B1-20"}`)
	if n := len(opinions.Networks); n == 0 || len(opinions.Moves) != 6 || len(opinions.Networks[n-1].Priors) != 6 || !(opinions.Networks[n-1].Score > 0 && opinions.Networks[n-1].Score < 1) {
		t.Errorf("%+v", opinions)
	}
	status, text := get(t, home+"/metrics")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, want := range []string{
		`^damier_run_info\{run="run",variant="international",options="[^"]*"\} 1$`, `^damier_generation [0-9]+$`, `^damier_running 1$`,
		`^damier_games_total [1-9][0-9]*$`, `^damier_loss_nats\{set="training"\} [0-9.]+$`, `^# TYPE damier_rows_total counter$`,
	} {
		if !regexp.MustCompile("(?m)" + want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	kept := answer[struct{ Generations []int }](t, home, "/api/networks", "").Generations
	if len(kept) == 0 {
		t.Fatal("no network is kept")
	}
	network := answer[struct{ Name, SHA256, Play string }](t, home, fmt.Sprintf("/api/network?generation=%d", kept[len(kept)-1]), "")
	path := filepath.Join(dir, "models", network.Name)
	if content, err := os.ReadFile(path); err == nil { // the run may have deleted it since
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != network.SHA256 {
			t.Errorf("%s has the hash %s, the page says %s", path, got, network.SHA256)
		}
	}
	if !strings.HasSuffix(network.Play, "play --model "+path) {
		t.Errorf("it is played by %q", network.Play)
	}
	stop(t, c, 130)

	// Showing a directory does not write to it.
	before := files(t, dir)
	d := process(t, "dashboard", "--run", dir, "--addr", "127.0.0.1:0", "--token", "secret")
	out, err = d.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	defer d.Process.Kill()
	home = address(t, out)
	if status, _ := get(t, home+"/metrics"); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	r, _ := http.NewRequest("GET", home+"/api/games?n=32", nil)
	r.Header.Set("Authorization", "Bearer secret")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var games shownGames
	under := strings.Contains(before, "unfinished-") // false if every actor had just finished a game
	if err := json.NewDecoder(a.Body).Decode(&games); err != nil || games.Live || len(games.Games) > 0 != under {
		t.Errorf("games of the checkpoint: %+v, %v; there are some: %t", games, err, under)
	}
	stop(t, d, 130)
	if after := files(t, dir); after != before {
		t.Errorf("the directory was\n%sand is\n%s", before, after)
	}
}

// A dashboard shows the runs that are named, and those in a folder.
func TestOpenViews(t *testing.T) {
	dir := t.TempDir()
	begin := func(name ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, name...)...)
		run, err := learner.Open(path, method, settings.Sources{Preset: "tiny"})
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
		return path
	}
	b, a := begin("folder", "b"), begin("folder", "a")
	other := begin("other", "a")
	if err := os.MkdirAll(filepath.Join(dir, "folder", "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dirs, want []string }{
		{[]string{b}, []string{"b"}},
		{[]string{b, a}, []string{"b", "a"}},
		{[]string{filepath.Join(dir, "folder")}, []string{"a", "b"}},
		{[]string{filepath.Join(dir, "folder"), other}, []string{a, "b", other}}, // two of one name
	} {
		views, err := openViews(c.dirs)
		if err != nil {
			t.Errorf("%v: %v", c.dirs, err)
		}
		var names []string
		for _, v := range views {
			names = append(names, v.Name)
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%v: %v, want %v", c.dirs, names, c.want)
		}
	}
	for _, bad := range []string{filepath.Join(dir, "nothing"), filepath.Join(dir, "folder", "notes")} {
		if _, err := openViews([]string{a, bad}); !errors.Is(err, data.ErrForeign) || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// files lists the files of a directory with their sizes and times.
func files(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
