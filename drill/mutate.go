package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// nasty are texts that often cause errors in programs.
var nasty = []string{
	"", "\x00", "\xff\xfe", "\r\n", "\n\n\n", "\x1b[2J\x1b]0;x\x07", "\u202e", "%s%n", "../../../../etc/passwd", "*?[a-z]", "NaN", "Inf", "-1", "0", "1e999",
	"9223372036854775807", "-9223372036854775808", "18446744073709551616", "99999999999999999999", "0x10", "1_000", "{{{{{{{{", "((((((((", "[[[[[[[[",
	"\"", "\\", "'", ";", ",", ":", "=", "<", ">", "W:WK5:B30", "K", "1x2x3x4", "32-28", "null", "true",
}

// mutate returns one of the seeds with some changes, from a flipped bit to a text of a megabyte.
func mutate(rng *rand.Rand, seeds [][]byte) []byte {
	b := append([]byte(nil), seeds[rng.IntN(len(seeds))]...)
	for range 1 + int(rng.ExpFloat64()*2) {
		at := rng.IntN(len(b) + 1)
		end := min(len(b), at+int(rng.ExpFloat64()*8))
		switch rng.IntN(10) {
		case 0, 1: // flip
			if at < len(b) {
				b[at] ^= 1 << rng.IntN(8)
			}
		case 2: // cut short
			b = b[:at]
		case 3: // leave out
			b = append(b[:at:at], b[end:]...)
		case 4: // twice, or a thousand times
			times := 1
			if rng.IntN(20) == 0 {
				times = 1 + rng.IntN(1<<20)/(1+end-at)
			}
			b = insert(b, at, strings.Repeat(string(b[at:end]), times))
		case 5, 6:
			b = insert(b, at, nasty[rng.IntN(len(nasty))])
		case 7: // a part of another
			other := seeds[rng.IntN(len(seeds))]
			from := rng.IntN(len(other) + 1)
			b = insert(b, at, string(other[from:min(len(other), from+rng.IntN(200))]))
		case 8: // a number of eight bytes
			for i, x := range [8]byte(le(extreme(rng))) {
				if at+i < len(b) {
					b[at+i] = x
				}
			}
		case 9: // a number in digits
			b = insert(append(b[:at:at], b[end:]...), at, strconv.FormatInt(int64(extreme(rng)), 10))
		}
	}
	return b
}

func insert(b []byte, at int, text string) []byte {
	return append(append(b[:at:at], text...), b[at:]...)
}

// extreme returns a number at the edge of some range.
func extreme(rng *rand.Rand) uint64 {
	return []uint64{0, 1, 127, 255, 1 << 15, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 40, math.MaxInt64, math.MaxUint64}[rng.IntN(11)]
}

// le returns x in eight bytes, the lowest first.
func le(x uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(x >> (8 * i))
	}
	return b
}
