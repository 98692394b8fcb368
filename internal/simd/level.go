package simd

import "fmt"

// Level is an instruction set the kernels are written for.
type Level int

// The levels, slowest first.
const (
	Generic Level = iota // pure Go, runs everywhere
	AVX2                 // 8 lanes a vector, needs AVX2 and FMA
	AVX512               // 16 lanes a vector, needs AVX-512F
)

var levelNames = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

// String returns the name ParseLevel understands, such as "avx2".
func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levelNames[l]
}

// ParseLevel returns the level called name: "generic", "avx2" or "avx512". It
// is an error if there is none, or if this machine or build cannot run it.
func ParseLevel(name string) (Level, error) {
	for i, n := range levelNames {
		if n != name {
			continue
		}
		if l := Level(i); l <= best {
			return l, nil
		}
		return Generic, fmt.Errorf("simd level %q cannot run here: the best is %q", name, best)
	}
	return Generic, fmt.Errorf("unknown simd level %q: want generic, avx2 or avx512", name)
}

// best is found once, when the program starts; it is not changed afterwards.
var best = detect()

// Best returns the fastest level that this machine and build can run.
func Best() Level { return best }

// Levels returns the levels that this machine and build can run, slowest
// first: Generic is always the first, Best the last.
func Levels() []Level {
	var ls []Level
	for l := Generic; l <= best; l++ {
		ls = append(ls, l)
	}
	return ls
}

// mustRun panics if the level is none of Levels.
func (l Level) mustRun() {
	if l < Generic || l > best {
		panic("simd: level cannot run on this machine")
	}
}
