package chart

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
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

// The mean of neighbours leaves a straight line as it is, keeps the number of points, and takes noise
// away.
func TestMeans(t *testing.T) {
	var straight, noisy plotter.XYs
	for i := range 100 {
		straight = append(straight, plotter.XY{X: float64(i), Y: 3 * float64(i)})
		noisy = append(noisy, plotter.XY{X: float64(i), Y: float64(i % 2)})
	}
	for i, at := range means(straight, 7) {
		if at != straight[i] {
			t.Errorf("point %d of a straight line is %v, want %v", i, at, straight[i])
		}
	}
	for i, at := range means(noisy, 7)[7:93] {
		if math.Abs(at.Y-0.5) > 1.0/15 {
			t.Errorf("point %d between 0 and 1 is %v", i+7, at)
		}
	}
	if got := means(noisy[:3], 7); got[0] != noisy[0] || got[2] != noisy[2] || got[1].Y != 1.0/3 {
		t.Errorf("three points are %v", got)
	}
}

// An axis is logarithmic where that is possible, and its powers of ten have a text.
func TestLogarithmic(t *testing.T) {
	for name, test := range map[string]struct {
		low, high float64
		want      bool
	}{
		"positive":   {60, 2e6, true},
		"zero":       {0, 10, false},
		"one value":  {10, 10, false},
		"no value":   {math.Inf(1), math.Inf(-1), false},
		"not finite": {1, math.Inf(1), false},
	} {
		p := plot.New()
		p.Y.Min, p.Y.Max = test.low, test.high
		Logarithmic(p)
		if _, is := p.Y.Scale.(plot.LogScale); is != test.want {
			t.Errorf("%s: logarithmic %v, want %v", name, is, test.want)
		}
		if Headroom(p, 0.25); test.want && math.Abs(math.Log(p.Y.Max/test.low)/math.Log(test.high/test.low)-1.25) > 1e-9 {
			t.Errorf("%s: the axis goes to %g", name, p.Y.Max)
		}
	}
	var text []string
	for _, tick := range (powers{}).Ticks(10, 2e7) {
		if tick.Label != "" {
			text = append(text, tick.Label)
		}
	}
	if got := strings.Join(text, " "); got != "10 100 1,000 10,000 100,000 1 M 10 M 100 M" {
		t.Errorf("the marks are %s", got)
	}
}
