package alphabeta

import (
	"testing"

	"damier/rules"
)

// BenchmarkFew measures what a search pays for tables in each node that they do not know.
func BenchmarkFew(b *testing.B) {
	e := &Engine{mostProbed: 4}
	p := rules.International.Start()
	known := 0
	for range b.N {
		if e.few(&p) {
			known++
		}
	}
	if known > 0 {
		b.Fatal("the start has few pieces")
	}
}
