package nnue

import (
	"bytes"
	"errors"
	"testing"

	"damier/net"
	"damier/rules"
)

// FuzzLoad: a file is a network that can be written again, or is refused as damaged or foreign.
func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	if err := New(rules.English, 32, 1).Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Load(bytes.NewReader(text), nil)
		if err != nil {
			if !errors.Is(err, net.ErrDamaged) && !errors.Is(err, net.ErrForeign) {
				t.Errorf("%v", err)
			}
			return
		}
		var again bytes.Buffer
		if err := m.Save(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(&again, m.Variant); err != nil {
			t.Errorf("written, it is refused: %v", err)
		}
	})
}
