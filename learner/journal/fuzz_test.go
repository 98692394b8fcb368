package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzJournal: a line of a journal is an event or skipped. The events that are read, written again,
// are a sound journal with as many events.
func FuzzJournal(f *testing.F) {
	for _, text := range []string{
		"{\"event\":\"start\",\"message\":\"session 1\"}\n{\"event\":\"generation\",\"progress\":{\"rows\":5}}\n",
		"{\"event\":\"evaluation\",\"evaluation\":{\"generation\":1,\"rungs\":[]}}\n", "{\"event\":", "\x00\x00\n", "{\"event\":7}\n", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		events, err := Decode(bytes.NewReader(text))
		if err != nil && len(text) < maxLine {
			t.Errorf("%v", err)
		}
		if len(events) > bytes.Count(text, []byte("\n"))+1 {
			t.Errorf("%d events", len(events))
		}
		if err := Check(bytes.NewReader(text)); err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("an error without its line: %v", err)
		}
		var again bytes.Buffer
		for _, e := range events {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(line, '\n'))
		}
		if err := Check(bytes.NewReader(again.Bytes())); err != nil {
			t.Errorf("written again: %v", err)
		}
		if back, err := Decode(&again); err != nil || len(back) != len(events) {
			t.Errorf("written again: %d of %d events, %v", len(back), len(events), err)
		}
	})
}
