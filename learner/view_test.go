package learner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"damier/data"
	"damier/internal/files"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
)

// recorded returns the view of a run that has the metrics of testdata, of a run of international
// draughts, and nothing else.
func recorded(t *testing.T) *View {
	t.Helper()
	dir := t.TempDir()
	manifest, err := json.Marshal(Manifest{Format: ManifestFormat, Name: "recorded", Variant: "international", Rules: rules.Version, Created: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := os.ReadFile("testdata/metrics.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	config := "variant = \"international\"  # default\n\n[train]\nbatch = 512  # flag\n\n[evaluation]\nrungs = [\"random\", \"alphabeta:depth=1\"]  # file /tmp/a b.toml\n"
	for name, text := range map[string][]byte{manifestFile: manifest, journal.File: metrics, configFile: []byte(config)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, modelsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	v, err := OpenView(dir, toyMethod{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Metrics of earlier versions have other names for some fields.
func TestViewOldMetrics(t *testing.T) {
	events, _, err := recorded(t).Events(0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Progress == nil {
			continue
		}
		if n++; e.Progress.Visits == 0 || e.Progress.FullVisits != 0 {
			t.Errorf("generation %d: %d visits, %d full visits", e.Generation, e.Progress.Visits, e.Progress.FullVisits)
		}
	}
	if n != 15 {
		t.Errorf("%d generations, want 15", n)
	}
}

func TestViewRefuses(t *testing.T) {
	if _, err := OpenView(t.TempDir(), toyMethod{}); !errors.Is(err, data.ErrForeign) {
		t.Errorf("an empty directory: %v", err)
	}
	v := recorded(t)
	if v.Name != "recorded" || v.Variant.Name != "international" || v.Created.Unix() != 1e9 {
		t.Errorf("%+v", v)
	}
	if err := os.WriteFile(filepath.Join(v.Dir, manifestFile), []byte(`{"format":99}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenView(v.Dir, toyMethod{}); !errors.Is(err, data.ErrForeign) {
		t.Errorf("a manifest of another format: %v", err)
	}
}

// The metrics are read as they grow: a line that is being written waits, a damaged one is passed
// over.
func TestViewEvents(t *testing.T) {
	v := recorded(t)
	events, next, err := v.Events(0)
	if err != nil || len(events) != 20 || events[0].Kind != "start" || events[19].Message != "finished" {
		t.Fatalf("%d events, %v", len(events), err)
	}
	ratings := 0
	for _, e := range events {
		if r := e.Evaluation; r != nil {
			ratings++
			if r.Variant != "international" || !r.Rated() {
				t.Errorf("generation %d is not rated", e.Generation)
			}
		}
	}
	if ratings != 3 {
		t.Errorf("%d ratings", ratings)
	}
	file := filepath.Join(v.Dir, journal.File)
	write := func(text string) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		text string
		want int
	}{{"", 0}, {`{"event":"warn`, 0}, {`ing","message":"a"}`, 0}, {"\n", 1}, {"not JSON\n{}\n", 0}, {"{\"event\":\"stop\"}\n{\"event\":\"start\"}\n{\"ev", 2}} {
		write(c.text)
		events, now, err := v.Events(next)
		if err != nil || len(events) != c.want || now < next {
			t.Errorf("after %q: %d events to byte %d from %d, %v", c.text, len(events), now, next, err)
		}
		next = now
	}
	s, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if events, next, err := v.Events(s.Size() + 100); len(events) != 0 || next != s.Size() || err != nil {
		t.Errorf("beyond the end: %d events, next %d, %v", len(events), next, err)
	}
	if events, _, err := v.Events(-5); len(events) != 23 || err != nil {
		t.Errorf("before the beginning: %d events, %v", len(events), err)
	}

	// More than a piece: all of it comes, in pieces.
	line := `{"event":"warning","message":"` + strings.Repeat("x", 1000) + "\"}\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(line, 3000)), 0o644); err != nil {
		t.Fatal(err)
	}
	all, pieces := 0, 0
	for at := int64(0); ; pieces++ {
		events, next, err := v.Events(at)
		if err != nil {
			t.Fatal(err)
		}
		if next == at {
			break
		}
		if next-at > tailBytes {
			t.Errorf("a piece of %d bytes", next-at)
		}
		all, at = all+len(events), next
	}
	if all != 3000 || pieces < 3 {
		t.Errorf("%d events in %d pieces", all, pieces)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if events, next, err := v.Events(7); len(events) != 0 || next != 0 || err != nil {
		t.Errorf("without metrics: %d events, next %d, %v", len(events), next, err)
	}
}

func TestViewSettings(t *testing.T) {
	got, err := recorded(t).Settings()
	want := []settings.Written{
		{Key: "variant", Value: `"international"`, Origin: "default"}, {Key: "train.batch", Value: "512", Origin: "flag"},
		{Key: "evaluation.rungs", Value: `["random", "alphabeta:depth=1"]`, Origin: "file /tmp/a b.toml"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// Networks are those that the run keeps in its own folder, whatever else lies there.
func TestViewOfARun(t *testing.T) {
	atOnce(t, 3)
	var dir string
	var l *Learner
	for try := range 20 { // a run may come to its end between two games, and then has no boards
		dir = filepath.Join(t.TempDir(), fmt.Sprint("run", try))
		if _, err := session(t, context.Background(), dir, tiny(map[string]string{"generations": "2", "actors": "3"}), newSpy(), func(learner *Learner) { l = learner }); err != nil {
			t.Fatal(err)
		}
		if len(l.Boards(1)) > 0 {
			break
		}
	}
	v, err := OpenView(dir, toyMethod{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gen-7.toy", "gen-000009.toy.tmp", "other.toy"} {
		if err := os.WriteFile(filepath.Join(dir, modelsDir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, modelsDir, "gen-000008.toy"), 0o755); err != nil {
		t.Fatal(err)
	}
	generations, err := v.Generations()
	if err != nil || len(generations) != 2 || generations[0] != 1 || generations[1] != 2 {
		t.Fatalf("%v, %v", generations, err)
	}
	m, err := v.Model(2)
	if err != nil || m.Generation() != 2 {
		t.Errorf("%v, %v", m, err)
	}
	for _, g := range []int{-1, 3} {
		if _, err := v.Model(g); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("generation %d: %v", g, err)
		}
	}
	boards, err := v.Boards(4)
	if err != nil || len(boards) == 0 || len(boards) > 4 {
		t.Errorf("%d boards at the last checkpoint, %v", len(boards), err)
	}
	live := l.Boards(1000)
	all, err := v.Boards(1000)
	if err != nil || len(live) == 0 || len(l.Boards(1)) != 1 {
		t.Errorf("%d games live, %d at the checkpoint, %v", len(live), len(all), err)
	}
}

var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)$`)

// parseExposition reads the text format of Prometheus strictly and returns the values by name and
// labels.
func parseExposition(t *testing.T, text string) map[string]float64 {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	values, families := map[string]float64{}, map[string]string{}
	current := ""
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		words := strings.SplitN(line, " ", 4)
		switch {
		case strings.HasPrefix(line, "# HELP "):
			if current = words[2]; families[current] != "" || len(words) < 4 {
				t.Errorf("line %d: a family for the second time, or without help: %s", i+1, line)
			}
			families[current] = "help"
		case strings.HasPrefix(line, "# TYPE "):
			if words[2] != current || families[current] != "help" || len(words) != 4 || words[3] != "gauge" && words[3] != "counter" {
				t.Errorf("line %d: %s", i+1, line)
			}
			families[current] = words[3]
			if strings.HasSuffix(current, "_total") != (words[3] == "counter") {
				t.Errorf("line %d: a counter's name ends in _total, and only that: %s", i+1, line)
			}
		default:
			m := sampleLine.FindStringSubmatch(line)
			if m == nil || m[1] != current || len(families[current]) < 5 {
				t.Fatalf("line %d is none of family %q: %s", i+1, current, line)
			}
			value, err := strconv.ParseFloat(m[4], 64)
			if _, twice := values[m[1]+m[2]]; err != nil || twice {
				t.Errorf("line %d: %s: %v, twice %t", i+1, line, err, twice)
			}
			values[m[1]+m[2]] = value
		}
	}
	return values
}

func TestPrometheus(t *testing.T) {
	v := recorded(t)
	v.Name = "a \"name\"\\ of\ntwo lines"
	text := func() string {
		var b bytes.Buffer
		if err := v.WritePrometheus(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	values := parseExposition(t, text())
	for name, want := range map[string]float64{
		"damier_generation":         120,
		"damier_running":            0,
		"damier_warnings_total":     0,
		"damier_games_total":        36945,
		"damier_elo{bound=\"low\"}": 0,
		`damier_run_info{run="a \"name\"\\ of\ntwo lines",variant="international",options="` + v.Variant.Options.String() + `"}`: 1,
	} {
		got, ok := values[name]
		if !ok || want != 0 && got != want {
			t.Errorf("%s is %v (there: %t), want %v", name, got, ok, want)
		}
	}
	if elo, low, high := values[`damier_elo{bound="estimate"}`], values[`damier_elo{bound="low"}`], values[`damier_elo{bound="high"}`]; !(low < elo && elo < high) {
		t.Errorf("Elo %g (%g to %g)", elo, low, high)
	}
	sum := values[`damier_results_ratio{result="white"}`] + values[`damier_results_ratio{result="draw"}`] + values[`damier_results_ratio{result="black"}`]
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("the results are %g together", sum)
	}
	// It follows the file as it grows.
	f, err := os.OpenFile(filepath.Join(v.Dir, journal.File), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("{\"event\":\"warning\",\"generation\":121,\"message\":\"m\"}\n")
	if values := parseExposition(t, text()); values["damier_generation"] != 121 || values["damier_running"] != 1 || values["damier_warnings_total"] != 1 {
		t.Errorf("after another event: %v", values)
	}
	// A run that has nothing yet says so little.
	if err := os.Remove(filepath.Join(v.Dir, journal.File)); err != nil {
		t.Fatal(err)
	}
	empty := &View{Dir: v.Dir, Name: "new", Variant: v.Variant}
	var b bytes.Buffer
	if err := empty.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	if values := parseExposition(t, b.String()); len(values) != 2 {
		t.Errorf("a run without metrics: %v", values)
	}
}

// TestEndlessMetrics: metrics that seem to have a terabyte are refused at once by all who read
// them.
func TestEndlessMetrics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := session(t, context.Background(), dir, tiny(map[string]string{"generations": "1"}), newSpy()); err != nil {
		t.Fatal(err)
	}
	v, err := OpenView(dir, toyMethod{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, journal.File), 1<<40); err != nil {
		t.Skip("no files with holes here: ", err)
	}
	if _, err := journal.Read(dir); !errors.Is(err, files.ErrTooLarge) {
		t.Errorf("read: %v", err)
	}
	if _, _, err := v.Events(0); !errors.Is(err, files.ErrTooLarge) {
		t.Errorf("shown: %v", err)
	}
	if err := Verify(t.Context(), dir, toyMethod{}, io.Discard); err == nil {
		t.Error("verify finds nothing wrong")
	}
}
