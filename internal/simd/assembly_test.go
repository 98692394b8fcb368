package simd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The assembly has no instruction in the legacy encoding of SSE, because within AVX code such an
// instruction takes a hundred cycles and more on some Intel processors (two of them tripled the
// time of an evaluation by an NNUE).
func TestNoOldEncoding(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kernels := 0
		for _, part := range strings.Split(string(text), "\n// func ")[1:] {
			kernels++
			name, rest, _ := strings.Cut(part, "(")
			_, needs, found := strings.Cut(rest, "// Requires: ") // as avo writes it
			needs, _, _ = strings.Cut(needs, "\n")
			if !found || strings.Contains(needs, "SSE") {
				t.Errorf("%s: %s needs %q", file, name, needs)
			}
		}
		if kernels == 0 {
			t.Errorf("%s has no kernel", file)
		}
	}
}
