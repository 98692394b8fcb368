package chart

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Colours that can be distinguished without full colour vision (Okabe and Ito, 2008).
var (
	Blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	Orange = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	Green  = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	Red    = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	Grey   = color.NRGBA{0x80, 0x80, 0x80, 0xff}
)

// Line draws a line through the points, with its name in the legend. Without a name it is dashed
// and not in the legend. If a coordinate is not finite, the point and the lines to it are not
// drawn.
func Line(p *plot.Plot, name string, points plotter.XYs, c color.Color) {
	if len(points) == 0 {
		return
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return
	}
	line.Color = c
	line.Width = vg.Points(1.2)
	p.Add(line)
	if name == "" {
		line.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
		return
	}
	p.Legend.Add(name, line)
}

// Points are estimates with their intervals in y.
type Points struct {
	plotter.XYs
	plotter.YErrors
}

// Add adds an estimate at x.
func (p *Points) Add(x, y, low, high float64) {
	p.XYs = append(p.XYs, plotter.XY{X: x, Y: y})
	p.YErrors = append(p.YErrors, struct{ Low, High float64 }{y - low, high - y})
}

// Intervals draws a line through the estimates, and a bar for each interval.
func Intervals(p *plot.Plot, name string, points Points, c color.Color) {
	Line(p, name, points.XYs, c)
	if len(points.XYs) == 0 {
		return
	}
	if bars, err := plotter.NewYErrorBars(points); err == nil {
		bars.Color = c
		p.Add(bars)
	}
}

// PNG draws rows of panels, all of the same size and aligned, as a picture of width x height
// inches.
func PNG(panels [][]*plot.Plot, width, height float64) ([]byte, error) {
	canvas := vgimg.New(vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch)
	tiles := draw.Tiles{
		Rows: len(panels), Cols: len(panels[0]), PadX: vg.Points(16), PadY: vg.Points(16),
		PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(12),
	}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		for j := range row {
			panels[i][j].Draw(row[j])
		}
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return b.Bytes(), nil
}
