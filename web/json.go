package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"damier/rules"
)

// Problem is the answer to a request that cannot be served. Its text is for a person.
type Problem struct {
	status int
	Code   string `json:"code"`
	Said
	Choices []string `json:"choices,omitempty"`
}

// Error returns the text.
func (p *Problem) Error() string { return p.Text }

// Refuse returns a Problem: an HTTP status, a code for the page, and a text for a person. The
// format must be a constant, see [rules.Messagef].
func Refuse(status int, code, format string, args ...any) *Problem {
	return &Problem{status: status, Code: code, Said: Say(rules.Messagef(format, args...))}
}

// AsProblem returns the Problem in err's chain, or a Problem with status 500 and err's text.
func AsProblem(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return &Problem{status: 500, Code: "failed", Said: Failed(err)}
}

// WriteJSON answers with JSON and forbids caches to store it. The page has [WriteTime] to read it,
// however long the answer took to compute.
func WriteJSON(w http.ResponseWriter, status int, text []byte) {
	// The error is ignored because a test's recorder has no deadline.
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(WriteTime))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(text)
}

// WriteProblem answers with {"error":...}. An error that is no Problem is answered as a failure of
// the server (500).
func WriteProblem(w http.ResponseWriter, err error) {
	p := AsProblem(err)
	WriteJSON(w, p.status, Encode(map[string]*Problem{"error": p}))
}

// WriteTime is how long a page may take to read an answer or an event.
const WriteTime = 10 * time.Second

// Decode reads the body of a POST: one JSON object without unknown fields.
func Decode(r *http.Request, q any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(q)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = rules.Messagef("something follows the object")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return Refuse(http.StatusRequestEntityTooLarge, "large", "more than %d bytes are not read", large.Limit)
	case err != nil:
		return Refuse(http.StatusBadRequest, "request", "the request cannot be read: %v", err)
	}
	return nil
}

// Encode returns v as JSON. It panics on a value that JSON cannot encode.
func Encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("web: a value cannot be encoded as JSON: " + err.Error())
	}
	return text
}

// Clip shortens a client's text to at most 60 bytes, to be quoted in an answer.
func Clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
