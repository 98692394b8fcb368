package nnue

import (
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"damier/rules"
)

// TestPython runs the example in Python, which needs no package, on the network that comes with the
// program, and compares its scores with ours.
func TestPython(t *testing.T) {
	if exec.Command("python3", "--version").Run() != nil {
		if os.Getenv("DAMIER_PYTHON") == "required" {
			t.Fatal("no python3 is here, and DAMIER_PYTHON=required")
		}
		t.Skip("no python3 is here")
	}
	v := rules.International
	const file = "../../models/international.nnue"
	m, err := LoadFile(file, v)
	if err != nil {
		t.Fatal(err)
	}
	fens := []string{
		"W:W31-50:B1-20", "B:W31-50:B1-20", "W:W28,32,37,K3:B23,19,K50", "B:W27,32,38,K46:B12,13,18,K5",
		"B:WK1,44:B6", "W:W28,32,33,34,37,38,39,42,43,47,48,49:B2,3,8,9,12,13,14,18,19,22,23,24",
	}
	out, err := exec.Command("python3", append([]string{"../../examples/python/run.py", file}, fens...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(fens) {
		t.Fatalf("%d scores of %d positions: %s", len(lines), len(fens), out)
	}
	for i, fen := range fens {
		p, err := rules.ParseFEN(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 / (1 + math.Exp(-float64(m.Logit(p))))
		if got, err := strconv.ParseFloat(lines[i], 64); err != nil || math.Abs(got-want) > 2e-6 {
			t.Errorf("%s: Python says %s, want %.6f", fen, lines[i], want)
		}
	}
}
