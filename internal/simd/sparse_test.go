package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// sparseCase is a random network with its inputs.
type sparseCase struct {
	width, most, outputs int
	rows, bias, weights  []int16
}

func newSparseCase(rng *rand.Rand, width, most, inputs, outputs int, extreme bool) sparseCase {
	c := sparseCase{width: width, most: most, outputs: outputs}
	draw := func(n, bound int) []int16 {
		x := make([]int16, n)
		for i := range x {
			if x[i] = int16(rng.IntN(2*bound+1) - bound); extreme {
				x[i] = int16(bound * (1 - 2*rng.IntN(2)))
			}
		}
		return x
	}
	c.rows, c.bias = draw(inputs*width, MostSparse(most)), draw(width, MostSparse(most))
	c.weights = draw(outputs*width, min(1<<21/width, 8191))
	return c
}

// slow is the definition in the doc comment.
func (c sparseCase) slow(inputs []uint16, o int) int32 {
	sum := 0
	for lane := range c.width {
		x := int(c.bias[lane])
		for _, i := range inputs {
			x += int(c.rows[int(i)*c.width+lane])
		}
		x = min(max(x, 0), 255)
		sum += x * x / 64 * int(c.weights[o*c.width+lane])
	}
	return int32(sum)
}

// some returns n different inputs of all.
func some(rng *rand.Rand, n, all int) []uint16 {
	var x []uint16
	for _, i := range rng.Perm(all)[:n] {
		x = append(x, uint16(i))
	}
	return x
}

func TestSparseNet(t *testing.T) {
	for _, level := range Levels() {
		for _, width := range []int{64, 128, 192, 256, 384, 512} {
			for _, extreme := range []bool{false, true} {
				t.Run(fmt.Sprint(level, width, extreme), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(width), 1))
					const most, all = 40, 200
					c := newSparseCase(rng, width, most, all, 3, extreme)
					sums := NewSparseNet(level, width, most, c.rows, c.bias, c.weights).Sums()
					seen := map[int32]bool{}
					for count := range most + 1 {
						inputs := some(rng, count, all)
						sums.Clear()
						got, want := sums.Output(nil, inputs, count%3), c.slow(inputs, count%3)
						if got != want {
							t.Fatalf("%d inputs: %d, want %d", count, got, want)
						}
						seen[got] = true
					}
					if len(seen) < most/4 {
						t.Errorf("only %d different outputs of %d", len(seen), most+1)
					}
				})
			}
		}
	}
}

// Inputs may change in any way from one output to the next.
func TestSparseSumsChange(t *testing.T) {
	for _, level := range Levels() {
		for _, extreme := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(7, 1))
			const width, most, all = 256, 40, 200
			c := newSparseCase(rng, width, most, all, 3, extreme)
			sums := NewSparseNet(level, width, most, c.rows, c.bias, c.weights).Sums()
			var inputs []uint16
			for step := range 500 {
				var removed, added []uint16
				for _, i := range some(rng, rng.IntN(len(inputs)+1), len(inputs)) {
					removed = append(removed, inputs[i])
				}
				left := slices.DeleteFunc(slices.Clone(inputs), func(i uint16) bool { return slices.Contains(removed, i) })
				for _, i := range some(rng, all, all)[:rng.IntN(most-len(left)+1)] {
					if !slices.Contains(inputs, i) {
						added = append(added, i)
					}
				}
				inputs = append(left, added...)
				if got, want := sums.Output(removed, added, step%3), c.slow(inputs, step%3); got != want {
					t.Fatalf("%v, step %d, %d inputs of which %d are new, %d gone: %d, want %d", level, step, len(inputs), len(added), len(removed), got, want)
				}
			}
		}
	}
}

// An output of other inputs changes nothing.
func TestSparseSumsPeek(t *testing.T) {
	for _, level := range Levels() {
		for _, width := range []int{64, 128, 256, 512} {
			rng := rand.New(rand.NewPCG(8, uint64(width)))
			const most, all = 40, 200
			c := newSparseCase(rng, width, most, all, 2, false)
			sums := NewSparseNet(level, width, most, c.rows, c.bias, c.weights).Sums()
			for step := range 60 {
				order := some(rng, all, all)
				inputs, others := order[:20], order[20:]
				sums.Clear()
				sums.Output(nil, inputs, 0)
				less, more := rng.IntN(6), rng.IntN(6)
				changed := slices.Concat(inputs[less:], others[:more])
				if got, want := sums.Peek(inputs[:less], others[:more], step%2), c.slow(changed, step%2); got != want {
					t.Fatalf("%v, width %d: %d less and %d more: %d, want %d", level, width, less, more, got, want)
				}
				swapped := make([]int32, rng.IntN(12))
				var swaps []uint16
				for i := range swapped {
					swaps = append(swaps, inputs[i], others[2*i])
				}
				sums.Swaps(swapped, swaps, step%2)
				for i, got := range swapped {
					with := slices.Clone(inputs)
					with[i] = others[2*i]
					if want := c.slow(with, step%2); got != want {
						t.Fatalf("%v, width %d, swap %d: %d, want %d", level, width, i, got, want)
					}
				}
				if got, want := sums.Output(nil, nil, 1), c.slow(inputs, 1); got != want {
					t.Fatalf("%v, width %d: the sums have changed: %d, want %d", level, width, got, want)
				}
			}
		}
	}
}

// The sums of the most inputs with the greatest weights fit, whatever their sign.
func TestSparseNetLimits(t *testing.T) {
	const width, most = 128, 40
	bound := int16(MostSparse(most))
	for _, level := range Levels() {
		for _, sign := range []int16{1, -1} {
			c := sparseCase{width: width, most: most, outputs: 1,
				rows: slices.Repeat([]int16{sign * bound}, most*width), bias: slices.Repeat([]int16{sign * bound}, width),
				weights: slices.Repeat([]int16{1}, width)}
			inputs := some(rand.New(rand.NewPCG(1, 2)), most, most)
			if got, want := NewSparseNet(level, width, most, c.rows, c.bias, c.weights).Sums().Output(nil, inputs, 0), c.slow(inputs, 0); got != want {
				t.Errorf("%v, sign %d: %d, want %d", level, sign, got, want)
			}
		}
		for name, spoil := range map[string]func(c *sparseCase){
			"row":     func(c *sparseCase) { c.rows[5] = bound + 1 },
			"bias":    func(c *sparseCase) { c.bias[5] = -bound - 1 },
			"weights": func(c *sparseCase) { c.weights = slices.Repeat([]int16{32767}, width) },
			"width":   func(c *sparseCase) { c.width = 32 },
		} {
			c := newSparseCase(rand.New(rand.NewPCG(1, 3)), width, most, most, 1, false)
			spoil(&c)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v: a bad %s is accepted", level, name)
					}
				}()
				NewSparseNet(level, c.width, most, c.rows, c.bias, c.weights)
			}()
		}
	}
}

// An operation is ten outputs that each swap one input for another.
func BenchmarkSparseSwaps(b *testing.B) {
	for _, level := range Levels() {
		for _, width := range []int{128, 256} {
			b.Run(fmt.Sprint(level, "/", width), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(9, 1))
				c := newSparseCase(rng, width, 40, 200, 2, false)
				sums := NewSparseNet(level, width, 40, c.rows, c.bias, c.weights).Sums()
				order := some(rng, 200, 200)
				sums.Output(nil, order[:30], 0)
				var swaps []uint16
				for i := range 10 {
					swaps = append(swaps, order[i], order[100+i])
				}
				dst := make([]int32, 10)
				for b.Loop() {
					sums.Swaps(dst, swaps, 0)
				}
			})
		}
	}
}

// An operation is an output for other inputs: all of them new, or some of them.
func BenchmarkSparseSums(b *testing.B) {
	for _, level := range Levels() {
		for _, width := range []int{64, 128, 256} {
			for _, changed := range []int{26, 6} {
				b.Run(fmt.Sprintf("%v/%d/%d", level, width, changed), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 4))
					c := newSparseCase(rng, width, 40, 200, 4, false)
					sums := NewSparseNet(level, width, 40, c.rows, c.bias, c.weights).Sums()
					inputs := some(rng, 200, 200)
					sums.Output(nil, inputs[:26], 0)
					at, half := 0, changed/2
					for b.Loop() {
						if changed == 26 {
							sums.Clear()
							sums.Output(nil, inputs[at:at+26], 2)
							at = (at + 1) % 170
							continue
						}
						if at+26+half > 200 {
							sums.Clear()
							sums.Output(nil, inputs[:26], 2)
							at = 0
						}
						sums.Output(inputs[at:at+half], inputs[at+26:at+26+half], 2)
						at += half
					}
				})
			}
		}
	}
}
