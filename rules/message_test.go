package rules

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestMessage(t *testing.T) {
	inner := Messagef("%s has %d pieces", Black, 21)
	m := Messagef("FEN at byte %d, %q: %w; %w", 3, "x\n", inner, io.EOF)
	if got, want := m.Error(), `FEN at byte 3, "x\n": black has 21 pieces; EOF`; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if !errors.Is(m, io.EOF) || !errors.Is(m, inner) || errors.Is(inner, io.EOF) {
		t.Error("wrong errors are wrapped")
	}
	values := m.Values()
	if got := fmt.Sprintf("%v", values[:2]); got != `[3 "x\n"]` || values[2] != any(inner) || values[3] != any("EOF") {
		t.Errorf("the values are %q", values)
	}
	side, ok := inner.Values()[0].(*Message)
	if !ok || side.Format() != "black" {
		t.Errorf("the side is %v", inner.Values()[0])
	}
}
