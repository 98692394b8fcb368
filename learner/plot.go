package learner

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"damier/data"
)

// The colours of the plot: distinguishable without full colour vision (Okabe and Ito, 2008).
var (
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	green  = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	red    = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	grey   = color.NRGBA{0x80, 0x80, 0x80, 0xff}
)

// PlotRun draws progress.png of the run in dir from its metrics and returns the file's name.
func PlotRun(dir string) (string, error) {
	if !IsRun(dir) {
		return "", fmt.Errorf("%w: %s is not a run: there is no %s in it", data.ErrForeign, dir, manifestFile)
	}
	events, err := ReadEvents(dir)
	if err != nil {
		return "", err
	}
	title := filepath.Base(absolute(dir))
	if c, err := ResolveRun(dir, Sources{}); err == nil {
		title += ": " + c.Variant
		for _, e := range events {
			if r := e.Evaluation; r != nil {
				r.Variant = c.Variant
				r.rate()
			}
		}
	}
	file := filepath.Join(dir, plotFile)
	return file, Plot(file, title, events)
}

// Plot draws a run's events as a picture of four panels over CPU-hours: Elo on the ladder with its 95 %
// interval, losses, results of self-play, and speed. It writes a PNG file atomically.
func Plot(path, title string, events []Event) error {
	panels := [][]*plot.Plot{
		{eloPanel(title, events), lossPanel(events)},
		{resultPanel(events), speedPanel(events)},
	}
	for _, row := range panels {
		for _, p := range row {
			p.X.Label.Text = "CPU-hours"
			p.X.Min = 0
			p.Legend.Top = true
			p.Legend.TextStyle.Font.Size = vg.Points(9)
			p.Add(plotter.NewGrid())
		}
	}
	canvas := vgimg.New(12*vg.Inch, 8*vg.Inch)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: vg.Points(16), PadY: vg.Points(16),
		PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(8)}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		for j := range row {
			panels[i][j].Draw(row[j])
		}
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return write(path, b.Bytes())
}

// eloPoints are the evaluations as points with errors.
type eloPoints struct {
	plotter.XYs
	plotter.YErrors
}

func eloPanel(title string, events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "Elo (alphabeta-1 depth 1 = 0)"
	var points eloPoints
	variant := ""
	for _, e := range events {
		if r := e.Evaluation; r != nil && r.rated() {
			variant = r.Variant
			points.XYs = append(points.XYs, plotter.XY{X: e.CPUHours, Y: r.Elo})
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{r.Elo - r.Low, r.High - r.Elo})
		}
	}
	if len(points.XYs) == 0 {
		return p
	}
	addLine(p, "Elo, 95 % interval", points.XYs, blue)
	if bars, err := plotter.NewYErrorBars(points); err == nil {
		bars.Color = blue
		p.Add(bars)
	}
	last := points.XYs[len(points.XYs)-1].X
	for _, r := range ladderMarks(variant) {
		addLine(p, "", plotter.XYs{{X: 0, Y: r.elo}, {X: last, Y: r.elo}}, grey)
		if l, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: 0, Y: r.elo}}, Labels: []string{r.name}}); err == nil {
			p.Add(l)
		}
	}
	return p
}

func lossPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "loss on held-out games (nats)"
	p.Y.Min = 0
	addSeries(p, "policy", events, blue, func(g *Progress) (float64, bool) { return g.HeldPolicy, g.HeldRows > 0 })
	addSeries(p, "entropy of the policy target", events, green, func(g *Progress) (float64, bool) { return g.HeldEntropy, g.HeldRows > 0 })
	addSeries(p, "value", events, red, func(g *Progress) (float64, bool) { return g.HeldValue, g.HeldRows > 0 })
	addSeries(p, "value by counting pieces", events, grey, func(g *Progress) (float64, bool) { return g.HeldMaterial, g.HeldRows > 0 })
	return p
}

func resultPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "self-play games (%)"
	p.Y.Min, p.Y.Max = 0, 100
	addSeries(p, "white wins", events, orange, func(g *Progress) (float64, bool) { return 100 * g.White, g.NewGames > 0 })
	addSeries(p, "draws", events, green, func(g *Progress) (float64, bool) { return 100 * g.Draws, g.NewGames > 0 })
	addSeries(p, "black wins", events, blue, func(g *Progress) (float64, bool) { return 100 * g.Black, g.NewGames > 0 })
	addSeries(p, "of the draws: ply limit", events, grey, func(g *Progress) (float64, bool) { return 100 * g.Limited, g.NewGames > 0 })
	return p
}

func speedPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "speed"
	p.Y.Min = 0
	addSeries(p, "simulations/s (thousands)", events, blue, func(g *Progress) (float64, bool) { return g.Sims / 1000, g.NewGames > 0 })
	addSeries(p, "rows played/s (hundreds)", events, orange, func(g *Progress) (float64, bool) { return g.RowsRate / 100, g.NewGames > 0 })
	addSeries(p, "rows trained/s (hundreds)", events, red, func(g *Progress) (float64, bool) { return g.TrainRate / 100, g.TrainRate > 0 })
	addSeries(p, "plies a game (tens)", events, grey, func(g *Progress) (float64, bool) { return g.Length / 10, g.NewGames > 0 })
	return p
}

func addSeries(p *plot.Plot, name string, events []Event, c color.Color, value func(*Progress) (float64, bool)) {
	var points plotter.XYs
	for _, e := range events {
		if e.Progress == nil {
			continue
		}
		if y, ok := value(e.Progress); ok {
			points = append(points, plotter.XY{X: e.CPUHours, Y: y})
		}
	}
	addLine(p, name, points, c)
}

func addLine(p *plot.Plot, name string, points plotter.XYs, c color.Color) {
	if len(points) == 0 {
		return
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return // not finite: nothing to draw
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
