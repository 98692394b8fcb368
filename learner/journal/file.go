package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"damier/internal/files"
	"damier/internal/publish"
)

// File is the name of the journal in the directory of a run.
const File = "metrics.jsonl"

// Append appends one line to the journal of the run in dir. A killed process leaves at most one
// broken line, which [Read] skips.
func Append(dir string, e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return publish.Append(filepath.Join(dir, File), line)
}

// Read reads the journal of the run in dir. It skips incomplete lines.
func Read(dir string) ([]Event, error) {
	f, _, err := files.Open(filepath.Join(dir, File), MaxBytes)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Decode(f)
}

// MaxBytes is the largest size of a journal that is read: a run of four months with a generation
// every five seconds has less. A damaged file may seem much larger, and reading it would take too
// long.
const MaxBytes = 1 << 32

// maxLine is the longest line, in bytes.
const maxLine = 1 << 22

// Decode reads the events of a journal, or of whole lines of it. It skips lines that are no events.
func Decode(r io.Reader) ([]Event, error) {
	var events []Event
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	for lines.Scan() {
		if e, ok := parse(text(lines.Bytes())); ok {
			e.Progress.update()
			events = append(events, e)
		}
	}
	if err := lines.Err(); err != nil {
		return events, fmt.Errorf("metrics: %w", err)
	}
	return events, nil
}

// text returns a line of metrics without white space around it, and without the zeros that a
// loss of power may leave where its last bytes were, or only its line feed.
func text(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimRight(line, "\x00"))
}

// parse reads one line of metrics, as [text] returns it, and reports whether it is an event.
func parse(line []byte) (e Event, ok bool) {
	ok = json.Unmarshal(line, &e) == nil && e.Kind != ""
	return e, ok
}

// Check returns an error if a journal has a line that no run writes. A killed process may leave an
// incomplete line, and a loss of power zeros at its end; these are no errors.
func Check(r io.Reader) error {
	begins := []byte(`{"event":"`)
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := text(lines.Bytes())
		if _, ok := parse(line); ok {
			continue
		}
		if k := min(len(line), len(begins)); json.Valid(line) || !bytes.Equal(line[:k], begins[:k]) {
			return fmt.Errorf("line %d is no event, nor the beginning of one", n)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}
