package webtest

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Pictures is the environment variable that names the folder for the pictures of the documentation.
const Pictures = "DAMIER_PICTURES"

// MaxPicture is the largest size in bytes of a picture of the documentation.
const MaxPicture = 150_000

// NeedPictures skips the test if no folder for pictures is named.
func NeedPictures(t *testing.T) {
	t.Helper()
	if os.Getenv(Pictures) == "" {
		t.Skip(Pictures + " names no folder for the pictures of the documentation")
	}
}

// Picture writes what the window shows as NAME.png for the documentation: with 256 colors at most,
// so that the file is small.
func (p *Tab) Picture(name string) {
	p.Helper()
	dir := os.Getenv(Pictures)
	time.Sleep(500 * time.Millisecond) // animations end
	shot, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.Fatal(err)
	}
	small := image.NewPaletted(whole.Bounds(), fewColors(whole, 256))
	draw.Draw(small, whole.Bounds(), whole, whole.Bounds().Min, draw.Src)
	var text bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, small); err != nil {
		p.Fatal(err)
	}
	if text.Len() > MaxPicture {
		p.Errorf("%s.png has %d bytes, more than %d", name, text.Len(), MaxPicture)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), text.Bytes(), 0o644); err != nil {
		p.Fatal(err)
	}
}

// counted is a color and the number of its pixels.
type counted struct {
	rgb [3]int
	n   int
}

// fewColors returns at most n colors for a picture, after median cut (P. Heckbert, Color
// Image Quantization for Frame Buffer Display, 1982): it divides the box with the most pixels times
// its longest side in the middle, until there are n.
func fewColors(m image.Image, n int) color.Palette {
	part := m.Bounds()
	seen := map[[3]int]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			seen[[3]int{int(r >> 8), int(g >> 8), int(b >> 8)}]++
		}
	}
	var all []counted
	for rgb, n := range seen {
		all = append(all, counted{rgb, n})
	}
	slices.SortFunc(all, func(a, b counted) int { return slices.Compare(a.rgb[:], b.rgb[:]) })
	boxes := [][]counted{all}
	for len(boxes) < n {
		worst, most, axis := -1, 0, 0
		for i, box := range boxes {
			side, at := longest(box)
			pixels := 0
			for _, c := range box {
				pixels += c.n
			}
			if worth := side * pixels; worth > most {
				worst, most, axis = i, worth, at
			}
		}
		if worst < 0 {
			break // every box is one color
		}
		box := boxes[worst]
		slices.SortStableFunc(box, func(a, b counted) int {
			return cmp.Compare(a.rgb[axis], b.rgb[axis])
		})
		half := (box[0].rgb[axis] + box[len(box)-1].rgb[axis]) / 2
		cut := slices.IndexFunc(box, func(c counted) bool { return c.rgb[axis] > half })
		boxes[worst] = box[:cut]
		boxes = append(boxes, box[cut:])
	}
	var colors color.Palette
	for _, box := range boxes {
		best := slices.MaxFunc(box, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
		colors = append(colors, color.RGBA{
			uint8(best.rgb[0]), uint8(best.rgb[1]), uint8(best.rgb[2]), 255,
		})
	}
	return colors
}

// longest returns the length of the longest side of a box, and which it is: red, green or blue.
func longest(box []counted) (side, axis int) {
	for i := range 3 {
		low, high := 255, 0
		for _, c := range box {
			low, high = min(low, c.rgb[i]), max(high, c.rgb[i])
		}
		if high-low > side {
			side, axis = high-low, i
		}
	}
	return side, axis
}
