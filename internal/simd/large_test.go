package simd

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// What is in the memory stays, whatever its size.
func TestContentsStay(t *testing.T) {
	for _, n := range []int{0, 1, 1000, largeFrom/8 - 1, largeFrom / 8, largeFrom/8 + 12345} {
		s := make([]uint64, n, n+n/3)
		for i := range s {
			s[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		got := Large(s)
		if len(got) != n || cap(got) < cap(s) || n > 0 && &got[0] != &s[0] {
			t.Fatalf("%d: another slice came back", n)
		}
		for i := range got {
			if got[i] != uint64(i)*0x9e3779b97f4a7c15 {
				t.Fatalf("%d: element %d has changed", n, i)
			}
		}
	}
}

// Where the system gives large pages on request, a table has them. It is no short test, because
// those also run under an emulator of another processor, which may ignore the request.
func TestPagesAreLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("an emulator may ignore the request")
	}
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !strings.Contains(string(mode), "[madvise]") {
		t.Skipf("this system does not give large pages on request: %s %v", mode, err)
	}
	s := Large(make([]uint64, 64<<20/8))
	for i := range s {
		s[i] = uint64(i)
	}
	// The middle of the table lies in a part of the process's memory that has the flag "hg"
	// (proc(5)).
	if flags := flagsOf(t, uintptr(unsafe.Pointer(&s[len(s)/2]))); !strings.Contains(flags+" ", " hg ") {
		t.Errorf("the memory of the table has the flags %q, without hg", flags)
	}
}

// flagsOf returns the flags that the system keeps of the memory at an address.
func flagsOf(t *testing.T, at uintptr) string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return flags
		}
	}
	t.Skip("this system does not tell the flags of memory")
	return ""
}

var sum uint64

// An operation is a read at random in a table of 256 MB.
func BenchmarkRandomReads(b *testing.B) {
	for _, c := range []struct {
		name  string
		table func() []uint64
	}{
		{"small", func() []uint64 { return make([]uint64, 1<<25) }},
		{"large", func() []uint64 { return Large(make([]uint64, 1<<25)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			table := c.table()
			for i := range table {
				table[i] = uint64(i)
			}
			rng := rand.NewPCG(1, 2)
			x := rng.Uint64()
			for b.Loop() {
				x = x*6364136223846793005 + table[x>>39] + 1442695040888963407
			}
			sum += x
		})
	}
}
