package rules

import (
	"fmt"
	"regexp"
	"strings"
)

// Message is an error, or a part of one, that a program can say in another language: a format of
// package fmt and its values. The format is also the key of its translations. Error returns the
// English text.
//
// A value that has a method Message, like another Message or a Color, is translated by itself.
type Message struct {
	format string
	values []any
}

// Messenger is a value that can be said in another language.
type Messenger interface{ Message() *Message }

// Messagef returns a Message. The verb %w means, as in fmt.Errorf, that the Message wraps the
// value. The format must be a constant, so that a test can find all messages; values that are
// words of English must be messages themselves.
func Messagef(format string, values ...any) *Message { return &Message{format, values} }

// Error returns the English text.
func (m *Message) Error() string { return fmt.Errorf(m.format, m.values...).Error() }

// Unwrap returns the wrapped errors.
func (m *Message) Unwrap() []error {
	var wrapped []error
	for i, verb := range verbs.FindAllString(m.format, -1) {
		if err, ok := m.values[i].(error); ok && strings.HasSuffix(verb, "w") {
			wrapped = append(wrapped, err)
		}
	}
	return wrapped
}

// Message implements [Messenger].
func (m *Message) Message() *Message { return m }

// Format returns the format, the key of the translations.
func (m *Message) Format() string { return m.format }

// verbs finds the verbs of a format.
var verbs = regexp.MustCompile(`%(?:\.[0-9]+)?[a-z]`)

// Values returns the values in their order: a *Message, or a text that is formatted by its verb.
func (m *Message) Values() []any {
	var all []any
	for i, verb := range verbs.FindAllString(m.format, -1) {
		switch value := m.values[i].(type) {
		case Messenger:
			all = append(all, value.Message())
		default:
			if verb == "%w" {
				verb = "%v"
			}
			all = append(all, fmt.Sprintf(verb, value))
		}
	}
	return all
}

// Message implements [Messenger].
func (c Color) Message() *Message {
	if c == White {
		return Messagef("white")
	}
	return Messagef("black")
}

// listed returns words as "a", "a and b", "a, b and c".
func listed(words []string) any {
	n := len(words) - 1
	if n == 0 {
		return words[0]
	}
	return Messagef("%s and %s", strings.Join(words[:n], ", "), words[n])
}
