package learner

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"damier/data"
	"damier/internal/chart"
)

// PlotRun draws progress.png of the run in dir from its metrics and returns the name of the file.
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

// Plot draws the events of a run as a picture of four panels over CPU-hours: Elo on the ladder
// with its 95 % interval, losses, results of self-play, and speed. It writes a PNG file
// atomically.
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
	content, err := chart.PNG(panels, 12, 8)
	if err != nil {
		return err
	}
	return write(path, content)
}

func eloPanel(title string, events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "Elo (alphabeta-1 depth 1 = 0)"
	var points chart.Points
	variant := ""
	for _, e := range events {
		if r := e.Evaluation; r != nil && r.rated() {
			variant = r.Variant
			points.Add(e.CPUHours, r.Elo, r.Low, r.High)
		}
	}
	if len(points.XYs) == 0 {
		return p
	}
	chart.Intervals(p, "Elo, 95 % interval", points, chart.Blue)
	last := points.XYs[len(points.XYs)-1].X
	for _, r := range ladderMarks(variant) {
		chart.Line(p, "", plotter.XYs{{X: 0, Y: r.elo}, {X: last, Y: r.elo}}, chart.Grey)
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
	addSeries(p, "value", events, chart.Red, func(g *Progress) (float64, bool) { return g.HeldValue, g.HeldRows > 0 })
	addSeries(p, "value by counting pieces", events, chart.Grey, func(g *Progress) (float64, bool) { return g.HeldMaterial, g.HeldRows > 0 })
	return p
}

func resultPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "self-play games (%)"
	p.Y.Min, p.Y.Max = 0, 100
	addSeries(p, "white wins", events, chart.Orange, func(g *Progress) (float64, bool) { return 100 * g.White, g.NewGames > 0 })
	addSeries(p, "draws", events, chart.Green, func(g *Progress) (float64, bool) { return 100 * g.Draws, g.NewGames > 0 })
	addSeries(p, "black wins", events, chart.Blue, func(g *Progress) (float64, bool) { return 100 * g.Black, g.NewGames > 0 })
	addSeries(p, "of the draws: ply limit", events, chart.Grey, func(g *Progress) (float64, bool) { return 100 * g.Limited, g.NewGames > 0 })
	return p
}

func speedPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "speed"
	p.Y.Min = 0
	addSeries(p, "simulations/s (thousands)", events, chart.Blue, func(g *Progress) (float64, bool) { return g.Sims / 1000, g.NewGames > 0 })
	addSeries(p, "rows played/s (hundreds)", events, chart.Orange, func(g *Progress) (float64, bool) { return g.RowsRate / 100, g.NewGames > 0 })
	addSeries(p, "rows trained/s (hundreds)", events, chart.Red, func(g *Progress) (float64, bool) { return g.TrainRate / 100, g.TrainRate > 0 })
	addSeries(p, "plies a game (tens)", events, chart.Grey, func(g *Progress) (float64, bool) { return g.Length / 10, g.NewGames > 0 })
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
	chart.Line(p, name, points, c)
}
