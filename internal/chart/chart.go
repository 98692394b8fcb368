package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

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

// Trend draws a line through the means of neighbouring points, with its name in the legend, and the
// points themselves as a pale line behind it. So a course is seen through the noise.
func Trend(p *plot.Plot, name string, points plotter.XYs, c color.NRGBA) {
	near := len(points) / 50
	if near == 0 {
		Line(p, name, points, c)
		return
	}
	pale := c
	pale.A = 0x40
	if line, err := plotter.NewLine(points); err == nil {
		line.Color, line.Width = pale, vg.Points(0.8)
		p.Add(line)
	}
	Line(p, name, means(points, near), c)
}

// means returns the points with the mean y of the near points on either side and of the point itself.
// At the ends there are fewer on both sides.
func means(points plotter.XYs, near int) plotter.XYs {
	smooth := make(plotter.XYs, len(points))
	for i := range points {
		n := min(near, i, len(points)-1-i)
		sum := 0.0
		for _, q := range points[i-n : i+n+1] {
			sum += q.Y
		}
		smooth[i] = plotter.XY{X: points[i].X, Y: sum / float64(2*n+1)}
	}
	return smooth
}

// Logarithmic makes the axis of y logarithmic, if the values on it allow that. Call it when all lines
// are drawn.
func Logarithmic(p *plot.Plot) {
	if p.Y.Min > 0 && p.Y.Min < p.Y.Max && !math.IsInf(p.Y.Max, 0) {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powers{}
	}
}

// powers are the marks of a logarithmic axis, with the powers of ten as text: 10, 1,000, 1 M.
type powers struct{}

func (powers) Ticks(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	for i, t := range ticks {
		switch {
		case t.Label == "":
		case t.Value >= 1e6:
			ticks[i].Label = fmt.Sprintf("%g M", t.Value/1e6)
		case t.Value >= 1e3:
			ticks[i].Label = fmt.Sprintf("%g,000", t.Value/1e3)
		}
	}
	return ticks
}

// Headroom raises the upper end of the axis of y by a share of its length, so that the legend lies
// above the lines. Call it when all lines are drawn.
func Headroom(p *plot.Plot, share float64) {
	if _, is := p.Y.Scale.(plot.LogScale); is {
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, share)
		return
	}
	p.Y.Max += share * (p.Y.Max - p.Y.Min)
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
