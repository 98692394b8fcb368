package chart

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// painted counts the pixels of a picture that have the colour Red, in its left and its right half.
func painted(t *testing.T, content []byte) (left, right int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if picture.Bounds().Size() != (image.Point{8 * 96, 3 * 96}) {
		t.Errorf("the picture is %v", picture.Bounds())
	}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); uint8(r>>8) == Red.R && uint8(g>>8) == Red.G && uint8(b>>8) == Red.B {
				if x < picture.Bounds().Dx()/2 {
					left++
				} else {
					right++
				}
			}
		}
	}
	return left, right
}

// A panel is drawn at its place, with lines and intervals in their colours. Missing values and
// values that are not finite are not drawn.
func TestPNG(t *testing.T) {
	draw := func(fill func(right *plot.Plot)) (int, int) {
		t.Helper()
		a, b := plot.New(), plot.New()
		fill(b)
		content, err := PNG([][]*plot.Plot{{a, b}}, 8, 3)
		if err != nil {
			t.Fatal(err)
		}
		return painted(t, content)
	}
	line := plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 0}}
	left, solid := draw(func(p *plot.Plot) { Line(p, "a", line, Red) })
	if left != 0 || solid == 0 {
		t.Errorf("a line in the right panel: %d pixels on the left, %d on the right", left, solid)
	}
	if _, dashed := draw(func(p *plot.Plot) { Line(p, "", line, Red) }); dashed == 0 || dashed >= solid {
		t.Errorf("a line without a name has %d pixels, one with a name %d", dashed, solid)
	}
	var points Points
	for _, at := range line {
		points.Add(at.X, at.Y, at.Y-0.3, at.Y+0.2)
	}
	// With the same axes only the bars differ.
	_, alone := draw(func(p *plot.Plot) { Line(p, "a", line, Red); p.Y.Min, p.Y.Max = -1, 2 })
	if _, bars := draw(func(p *plot.Plot) { Intervals(p, "a", points, Red); p.Y.Min, p.Y.Max = -1, 2 }); bars <= alone {
		t.Errorf("a line with intervals has %d pixels, one without %d", bars, alone)
	}
	for what, fill := range map[string]func(*plot.Plot){
		"no points":  func(p *plot.Plot) { Intervals(p, "a", Points{}, Red) },
		"not finite": func(p *plot.Plot) { Line(p, "a", plotter.XYs{{X: 0, Y: math.NaN()}, {X: 1, Y: 1}}, Red) },
	} {
		if left, right := draw(fill); left+right != 0 {
			t.Errorf("%s: %d pixels", what, left+right)
		}
	}
}
