package web

import (
	"errors"

	"damier/rules"
)

// Said is a text as sent to a page: in English, and as the key of its translations with their
// values, which are texts or such objects. A text without a key is that of the system or of a
// library, and is shown as it is.
type Said struct {
	Text   string `json:"text"`
	Say    string `json:"say,omitempty"`
	Values []any  `json:"values,omitempty"`
}

// Say returns the text of an error as sent to a page.
func Say(err error) Said {
	m, ok := err.(rules.Messenger)
	if !ok {
		return Said{Text: err.Error()}
	}
	return sayMessage(m.Message())
}

// SayNow is [Say] for a message that is not an error: its format and values.
func SayNow(format string, values ...any) Said {
	return sayMessage(rules.Messagef(format, values...))
}

func sayMessage(m *rules.Message) Said {
	s := Said{Text: m.Error(), Say: m.Format()}
	for _, value := range m.Values() {
		if inner, ok := value.(*rules.Message); ok {
			value = sayMessage(inner)
		}
		s.Values = append(s.Values, value)
	}
	return s
}

// Failed says that the server failed, with an error that a person may not understand: that of an
// engine, a file or the system. An error that can be said in another language is said alone.
func Failed(err error) Said {
	var p *Problem
	if errors.As(err, &p) {
		return p.Said
	}
	if m, ok := err.(rules.Messenger); ok {
		return sayMessage(m.Message())
	}
	return SayNow("that has failed: %v", err)
}
