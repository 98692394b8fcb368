package journal

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"damier/internal/chart"
	"damier/internal/publish"
)

// Plot draws the events of a run as a picture of four panels over CPU-hours: Elo on the ladder
// with its 95 % interval, losses, results of self-play, and speed. Each generation is a pale line,
// and the mean of its neighbours a strong one. It writes a PNG file atomically.
func Plot(path, title string, events []Event) error {
	panels := [][]*plot.Plot{
		{eloPanel(title, events), lossPanel(events)},
		{resultPanel(events), speedPanel(events)},
	}
	hours := 0.0
	for _, e := range events {
		hours = max(hours, e.CPUHours)
	}
	for _, row := range panels {
		for _, p := range row {
			p.X.Label.Text = "CPU-hours"
			p.X.Min = 0
			if hours > 0 {
				p.X.Max = 1.02 * hours // room for the interval of the newest Elo
			}
			p.Legend.Top = true
			p.Legend.TextStyle.Font.Size = vg.Points(9)
			p.Legend.Padding = vg.Points(1.5)
			p.Legend.YOffs = -vg.Points(3)
			p.Add(plotter.NewGrid())
			if p.Y.Max > p.Y.Min { // else the panel is empty
				chart.Headroom(p, 0.25)
			}
		}
	}
	content, err := chart.PNG(panels, 12, 8)
	if err != nil {
		return err
	}
	return publish.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func eloPanel(title string, events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "Elo (alphabeta-1 depth 1 = 0)"
	var points chart.Points
	variant := ""
	for _, e := range events {
		if r := e.Evaluation; r != nil && r.Rated() {
			variant = r.Variant
			points.Add(e.CPUHours, r.Elo, r.Low, r.High)
		}
	}
	if len(points.XYs) == 0 {
		p.Title.Text += ", not measured yet"
		return p
	}
	chart.Intervals(p, "Elo, 95 % interval", points, chart.Blue)
	last := points.XYs[len(points.XYs)-1].X
	for _, r := range Marks(variant) {
		chart.Line(p, "", plotter.XYs{{X: 0, Y: r.Elo}, {X: last, Y: r.Elo}}, chart.Grey)
		if l, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: 0, Y: r.Elo}}, Labels: []string{r.Name}}); err == nil {
			p.Add(l)
		}
	}
	return p
}

func lossPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "loss on held-out games (nats)"
	addSeries(p, "by counting pieces", events, chart.Grey, func(g *Progress) (float64, bool) { return g.HeldMaterial, g.HeldRows > 0 })
	addSeries(p, "of the network", events, chart.Red, func(g *Progress) (float64, bool) { return g.HeldValue, g.HeldRows > 0 })
	return p
}

func resultPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "self-play games (%)"
	p.Y.Min = 0
	addSeries(p, "white wins", events, chart.Orange, func(g *Progress) (float64, bool) { return 100 * g.White, g.NewGames > 0 })
	addSeries(p, "draws", events, chart.Green, func(g *Progress) (float64, bool) { return 100 * g.Draws, g.NewGames > 0 })
	addSeries(p, "black wins", events, chart.Blue, func(g *Progress) (float64, bool) { return 100 * g.Black, g.NewGames > 0 })
	addSeries(p, "of the draws: ply limit", events, chart.Grey, func(g *Progress) (float64, bool) { return 100 * g.Limited, g.NewGames > 0 })
	return p
}

func speedPanel(events []Event) *plot.Plot {
	p := plot.New()
	p.Title.Text = "speed"
	positive := func(x float64) (float64, bool) { return x, x > 0 }
	addSeries(p, "rows trained/s", events, chart.Red, func(g *Progress) (float64, bool) { return positive(g.TrainRate) })
	addSeries(p, "simulations/s", events, chart.Blue, func(g *Progress) (float64, bool) { return positive(g.Sims) })
	addSeries(p, "rows played/s", events, chart.Orange, func(g *Progress) (float64, bool) { return positive(g.RowsRate) })
	addSeries(p, "plies a game", events, chart.Grey, func(g *Progress) (float64, bool) { return positive(g.Length) })
	chart.Logarithmic(p)
	return p
}

func addSeries(p *plot.Plot, name string, events []Event, c color.NRGBA, value func(*Progress) (float64, bool)) {
	var points plotter.XYs
	for _, e := range events {
		if e.Progress == nil {
			continue
		}
		if y, ok := value(e.Progress); ok {
			points = append(points, plotter.XY{X: e.CPUHours, Y: y})
		}
	}
	chart.Trend(p, name, points, c)
}
