// Gen writes the assembly of package simd, with avo. It is a module of its own
// so that the project itself does not depend on avo.
//
// Run it with
//
//	go generate ./internal/simd
//
// which rewrites the files *_amd64.s and *_stubs_amd64.go; verify.sh checks
// that they are what the generator writes. Each family of kernels is a file
// here (rows.go, sparse.go, vector.go, prefetch.go), and each kernel is one Go
// function that is run once per instruction set: what avo's functions in
// capitals say is emitted in that order.
//
// All kernels keep to the same conventions. Floats are 32 bits; a row is
// Lanes = 32 of them, 128 bytes; there is no alignment to rely
// on; counts are at least 1 unless said otherwise.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	floatBytes = 4
	lanes      = 32 // simd.Lanes
	rowBytes   = lanes * floatBytes
)

// isa is an instruction set: what differs between AVX2 and AVX-512.
type isa struct {
	name  string // suffix of the kernels' names
	lanes int    // floats in a vector
	vec   func() reg.VecVirtual
}

func (a isa) bytes() int { return a.lanes * floatBytes }

// vecs returns n new vector registers.
func (a isa) vecs(n int) []reg.VecVirtual {
	var v []reg.VecVirtual
	for range n {
		v = append(v, a.vec())
	}
	return v
}

// zero emits code that clears v. (VXORPS on ZMM would need AVX-512DQ.)
func (a isa) zero(v reg.VecVirtual) {
	if a.lanes == 16 {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// move emits a move of integers between memory and a register.
func (a isa) move(from, to Op) {
	if a.lanes == 16 {
		VMOVDQU32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

var (
	avx2   = isa{"AVX2", 8, YMM}
	avx512 = isa{"AVX512", 16, ZMM}
)

// kernels lists what goes into each pair of files.
var kernels = map[string]func(){
	"vector": func() {
		for _, a := range []isa{avx2, avx512} {
			axpy(a)
			scale(a)
			sumOfSquares(a)
			dotProduct(a)
			clippedSquare(a)
			clippedSquareGrad(a)
			clip(a)
			adamW(a)
		}
	},
	"rows": func() {
		for _, of := range []struct {
			a       isa
			vectors int
		}{{avx2, 8}, {avx2, 4}, {avx512, 8}, {avx512, 2}} {
			sumRows(of.a, of.vectors)
			addToRows(of.a, of.vectors)
		}
	},
	"sparse": func() {
		for vectors := 4; vectors <= 8; vectors *= 2 {
			sparse(avx2, vectors, true)
			sparse(avx2, vectors, false)
			sparseSwaps(avx2, vectors)
		}
		for vectors := 2; vectors <= 16; vectors *= 2 {
			sparse(avx512, vectors, true)
			sparse(avx512, vectors, false)
			if vectors <= 8 { // the registers of the lower half hold no more
				sparseSwaps(avx512, vectors)
			}
		}
	},
	"prefetch": func() { prefetch() },
}

func main() {
	kernel := flag.String("kernel", "", "family of kernels: rows, sparse, vector or prefetch")
	flag.Parse()
	emit, ok := kernels[*kernel]
	if !ok {
		fmt.Fprintf(os.Stderr, "gen: unknown kernel %q: want rows, sparse, vector or prefetch\n", *kernel)
		os.Exit(2)
	}
	ConstraintExpr("!purego")
	emit()
	Generate()
}

// function begins a function of the package and documents its stub.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Doc(doc...)
	Pragma("noescape")
}

// end ends a function that has used vector registers.
func end() {
	VZEROUPPER()
	RET()
}
