package hub

import (
	"fmt"
	"strings"
)

// Line is one message: a command and its arguments.
type Line struct {
	Command string
	Args    []Arg
}

// Arg is an argument: a bare name, or a name with a value.
type Arg struct {
	Name, Value string
	HasValue    bool
}

// ParseLine reads a message. Blanks separate its parts and may surround "=". A name or value ends
// at a blank, "=" or quote; a quoted value may contain anything but a quote. A blank line is the
// zero Line.
func ParseLine(text string) (Line, error) {
	l := lineReader{text: strings.TrimRight(text, "\r\n")}
	var line Line
	l.blanks()
	if l.done() {
		return line, nil
	}
	var err error
	if line.Command, err = l.bare("a command"); err != nil {
		return Line{}, err
	}
	for l.blanks(); !l.done(); l.blanks() {
		var a Arg
		if a.Name, err = l.bare("an argument"); err != nil {
			return Line{}, err
		}
		l.blanks()
		if !l.done() && l.text[l.pos] == '=' {
			l.pos++
			l.blanks()
			a.HasValue = true
			if a.Value, err = l.value(a.Name); err != nil {
				return Line{}, err
			}
		}
		line.Args = append(line.Args, a)
	}
	return line, nil
}

// Get returns the value of an argument; ok is false if there is no argument of that name with a
// value.
func (l Line) Get(name string) (value string, ok bool) {
	for _, a := range l.Args {
		if a.Name == name && a.HasValue {
			return a.Value, true
		}
	}
	return "", false
}

// Has reports whether there is an argument of that name without a value.
func (l Line) Has(name string) bool {
	for _, a := range l.Args {
		if a.Name == name && !a.HasValue {
			return true
		}
	}
	return false
}

// String returns the message without a line break. The protocol has no escapes, so quotes within a
// value become apostrophes, and control characters blanks.
func (l Line) String() string {
	var b strings.Builder
	b.WriteString(l.Command)
	for _, a := range l.Args {
		b.WriteByte(' ')
		b.WriteString(a.Name)
		if a.HasValue {
			b.WriteByte('=')
			b.WriteString(quote(a.Value))
		}
	}
	return b.String()
}

// with returns l with another argument.
func (l Line) with(name, value string) Line {
	l.Args = append(l.Args[:len(l.Args):len(l.Args)], Arg{name, value, true})
	return l
}

func quote(value string) string {
	clean := []byte(value)
	bare := len(clean) > 0
	for i, c := range clean {
		switch {
		case c == '"':
			clean[i] = '\''
		case c <= ' ' || c == 0x7f:
			clean[i] = ' '
			bare = false
		case c == '=':
			bare = false
		}
	}
	if bare {
		return string(clean)
	}
	return `"` + string(clean) + `"`
}

// lineReader reads a line from left to right.
type lineReader struct {
	text string
	pos  int
}

func (l *lineReader) done() bool { return l.pos == len(l.text) }

func (l *lineReader) blanks() {
	for !l.done() && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
}

// bare reads ordinary characters up to the next special one. If there are none, the error says
// that what is missing.
func (l *lineReader) bare(what string) (string, error) {
	start := l.pos
	for !l.done() {
		c := l.text[l.pos]
		if c == ' ' || c == '\t' || c == '=' || c == '"' {
			break
		}
		if c < ' ' || c == 0x7f {
			return "", fmt.Errorf("control character %#02x at byte %d", c, l.pos)
		}
		l.pos++
	}
	if l.pos == start {
		return "", fmt.Errorf("%s is missing at byte %d", what, start)
	}
	return l.text[start:l.pos], nil
}

// value reads a value, bare or in quotes.
func (l *lineReader) value(name string) (string, error) {
	if l.done() || l.text[l.pos] != '"' {
		return l.bare("the value of " + name)
	}
	n := strings.IndexByte(l.text[l.pos+1:], '"')
	if n < 0 {
		return "", fmt.Errorf("the value of %s has no closing quote", name)
	}
	value := l.text[l.pos+1 : l.pos+1+n]
	l.pos += n + 2
	return value, nil
}
