package onnx

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"damier/net/nnue"
	"damier/rules"
)

// python returns a Python that knows onnx and numpy, "" if there is none.
func python() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy, onnx.checker").Run() == nil {
			return name
		}
	}
	return ""
}

// TestPython runs the example in Python on the network that comes with the program and holds its values against ours;
// onnx itself checks the model.
func TestPython(t *testing.T) {
	py := python()
	if py == "" {
		const missing = "no Python with numpy and onnx (Debian: python3-onnx) is here"
		if os.Getenv("DAMIER_PYTHON") == "required" {
			t.Fatal(missing + ", and DAMIER_PYTHON=required")
		}
		t.Skip(missing)
	}
	v := rules.International
	m, err := nnue.LoadFile("../../models/international.nnue", v)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.onnx")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fens := []string{
		"W:W31-50:B1-20", "B:W31-50:B1-20", "W:W28,32,37,K3:B23,19,K50", "B:W27,32,38,K46:B12,13,18,K5", "B:WK1,44:B6",
	}
	out, err := exec.Command(py, append([]string{"../../examples/python/evaluate.py", file}, fens...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(fens) {
		t.Fatalf("%d values of %d positions: %s", len(lines), len(fens), out)
	}
	for i, fen := range fens {
		p, err := rules.ParseFEN(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		got, err := strconv.ParseFloat(lines[i], 64)
		if want := math.Tanh(float64(m.Logit(p)) / 2); err != nil || math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: %s, want %g", fen, lines[i], want)
		}
	}
}
