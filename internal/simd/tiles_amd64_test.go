//go:build !purego

package simd

import "testing"

// Tables are plain Go, so those of AVX-512 are tested on any amd64.
func TestTiles(t *testing.T) {
	for level := Generic; level <= AVX512; level++ {
		for co := 8; co <= 256; co += 8 {
			at := 0
			for at < co {
				w := convWidth(level, co-at)
				ok := w == 4
				switch level {
				case AVX2:
					ok = w == 4 || w == 6
				case AVX512:
					ok = w == 8
				}
				if !ok {
					t.Fatalf("%v: tile of %d channels, no kernel has that", level, w)
				}
				at += w
			}
			if at != co {
				t.Errorf("%v: tiles of %d output channels cover %d", level, co, at)
			}
		}
	}
	for level, most := range map[Level]int{AVX2: 3, AVX512: 4} {
		for ci := 1; ci <= 100; ci++ {
			at, last := 0, most
			for _, tiles := range level.gradInputs(ci) {
				if tiles.first != at || tiles.count < 1 || tiles.width > last || tiles.width < 1 {
					t.Errorf("%v: %d input channels are cut into %+v", level, ci, level.gradInputs(ci))
				}
				if tiles.width == 1 && ci > 1 {
					t.Errorf("%v: %d input channels leave a tile of one", level, ci)
				}
				at += tiles.width * tiles.count
				last = tiles.width
			}
			if at != ci {
				t.Errorf("%v: tiles of %d input channels cover %d", level, ci, at)
			}
		}
	}
}

// TestInt8Tiles: whatever the shape and with VNNI or without, every tile has a kernel. Those of VNNI run only where there is
// such a processor.
func TestInt8Tiles(t *testing.T) {
	defer func(was bool) { vnni = was }(vnni)
	for _, vnni = range []bool{false, true} {
		for level := AVX2; level <= AVX512; level++ {
			for _, squares := range []int{1, 3, 4, 72} {
				size, lanes, most := int8Shape(level, squares)
				if want := vnni && level == AVX512; (lanes == 16) != want || (size == int8Squares) != (want && squares >= 4) {
					t.Errorf("%v, vnni %v, %d squares: groups of %d, vectors of %d", level, vnni, squares, size, lanes)
				}
				for ci := Int8Step; ci <= 512; ci *= 2 {
					for co := Int8Step; co <= 256; co += Int8Step {
						at := 0
						for _, tile := range int8Tiles(lanes, most, 9, ci, co) {
							vecs := tile.width / lanes
							if tile.co != at || tile.width%lanes != 0 || vecs > most || lanes == 8 && vecs%2 != 0 {
								t.Fatalf("%v, vnni %v, %d to %d channels: tile %+v", level, vnni, ci, co, tile)
							}
							at += tile.width
						}
						if at != co {
							t.Fatalf("%v, vnni %v: tiles of %d channels cover %d", level, vnni, co, at)
						}
					}
				}
			}
		}
	}
}
