package arena

import (
	"bytes"
	"testing"

	"damier/rules"
)

// TestMakeEndings makes the endings twice, with the same result, and reads the written file back.
func TestMakeEndings(t *testing.T) {
	v := rules.Russian
	c := EndingsConfig{Count: 5, Seed: 3, MinPieces: 5, MaxPieces: 7, Depth: 2}
	first, err := MakeEndings(t.Context(), v, c)
	if err != nil {
		t.Fatal(err)
	}
	second, err := MakeEndings(t.Context(), v, c)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[rules.Position]bool{}
	for i, o := range first {
		p := o.Start
		white, black := p.Pieces(rules.White).Len(), p.Pieces(rules.Black).Len()
		if p != second[i].Start || len(o.Moves) > 0 || seen[p] || seen[v.Rotate(p)] {
			t.Errorf("ending %d: %s, the second time %s", i, v.FEN(p), v.FEN(second[i].Start))
		}
		if n := white + black; n < 5 || n > 7 || max(white-black, black-white) > 1 || v.HasCaptures(p) {
			t.Errorf("%s is no ending to begin from", v.FEN(p))
		}
		seen[p] = true
	}
	var file bytes.Buffer
	if err := WriteOpenings(&file, v, "a comment", first); err != nil {
		t.Fatal(err)
	}
	read, err := ParseOpenings(v, "endings", &file)
	if err != nil || len(read) != len(first) {
		t.Fatalf("%d endings read, %v", len(read), err)
	}
	for i := range read {
		if read[i].Start != first[i].Start {
			t.Errorf("%s is read as %s", v.FEN(first[i].Start), v.FEN(read[i].Start))
		}
	}
	for _, bad := range []EndingsConfig{{}, {Count: 1, MinPieces: 3, MaxPieces: 4}, {Count: 1, MinPieces: 6, MaxPieces: 5}, {Count: 1, MinPieces: 4, MaxPieces: 5, Depth: 101}} {
		if _, err := MakeEndings(t.Context(), v, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
