package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A line that a killed process has left broken is passed over, and does not take the next one with
// it.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	for i := range 3 {
		if err := Append(dir, Event{Kind: "generation", Generation: i, Progress: &Progress{Rows: i}}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, s.Size()-10); err != nil {
		t.Fatal(err)
	}
	events, err := Read(filepath.Dir(path))
	if err != nil || len(events) != 2 || events[1].Progress.Rows != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	if err := Append(dir, Event{Kind: "stop", Time: time.Now(), Generation: 7}); err != nil {
		t.Fatal(err)
	}
	events, err = Read(filepath.Dir(path))
	if err != nil || len(events) != 3 || events[2].Kind != "stop" || events[2].Generation != 7 {
		t.Errorf("%+v, %v", events, err)
	}
	if events, err := Decode(strings.NewReader("\n{}\nnonsense\n{\"event\":\"start\"}\n")); err != nil || len(events) != 1 {
		t.Errorf("%+v, %v", events, err)
	}
}

// After a loss of power the last line may end anywhere, and zeros may follow. Neither is damage, and
// an event that is whole counts.
func TestEventsAfterLossOfPower(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	if err := Append(dir, Event{Kind: "generation", Progress: &Progress{Rows: 5}}); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(line) {
		for _, zeros := range []int{0, len(line) - end} {
			if err := os.WriteFile(path, append(bytes.Clone(line[:end]), make([]byte, zeros)...), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Append(dir, Event{Kind: "stop"}); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err == nil {
				err = Check(bytes.NewReader(text))
			}
			if err != nil {
				t.Errorf("%d bytes and %d zeros: %v", end, zeros, err)
			}
			want := 1
			if end == len(line)-1 { // only the line feed is missing
				want = 2
			}
			if events, err := Read(filepath.Dir(path)); err != nil || len(events) != want || events[want-1].Kind != "stop" {
				t.Errorf("%d bytes and %d zeros: %d events, %v", end, zeros, len(events), err)
			}
		}
	}
}

// A journal of an earlier version has another name for the visits.
func TestFullVisits(t *testing.T) {
	for line, want := range map[string]int{`{"full_visits":9}`: 9, `{"visits":7,"full_visits":9}`: 7, `{"visits":7}`: 7} {
		events, err := Decode(strings.NewReader(`{"event":"generation","progress":` + line + "}\n"))
		if err != nil || len(events) != 1 || events[0].Progress.Visits != want || events[0].Progress.FullVisits != 0 {
			t.Errorf("%s: %+v, %v", line, events, err)
		}
	}
}
