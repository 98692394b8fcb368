package learn

import (
	"fmt"
	"io"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"damier/internal/chart"
	"damier/internal/publish"
)

// plotFile is the picture of a run.
const plotFile = "progress.png"

// Plot draws progress.png of the run in dir from its metrics, over CPU-minutes: the score against the baseline with its
// 95 % interval, the losses, and how games end. It returns the file's name.
func Plot(dir string) (string, error) {
	generations, err := ReadMetrics(dir)
	if err != nil {
		return "", err
	}
	score, loss, ends := plot.New(), plot.New(), plot.New()
	score.Title.Text = filepath.Base(dir) + fmt.Sprintf(": score at depth %d against the baseline (%%)", matchDepth)
	score.Y.Min, score.Y.Max = 0, 100
	loss.Title.Text = "loss (nats)"
	ends.Title.Text = "self-play games (%)"
	ends.Y.Min, ends.Y.Max = 0, 100
	var points chart.Points
	series := map[string]*plotter.XYs{"held-out": {}, "learnt": {}, "white wins": {}, "draws": {}, "black wins": {}}
	for _, g := range generations {
		x := g.CPUSeconds / 60
		if m := g.Match; m != nil {
			points.Add(x, 100*m.Score, 100*m.Low, 100*m.High)
		}
		if g.Refit != nil { // its losses are of another network, on other positions
			continue
		}
		add := func(name string, y float64) { *series[name] = append(*series[name], plotter.XY{X: x, Y: y}) }
		if g.Generation > 2 { // before, only the worth of pieces is learnt
			add("held-out", g.Loss)
			add("learnt", g.Train)
		}
		add("white wins", 100*g.White)
		add("draws", 100*g.Draw)
		add("black wins", 100*g.Black)
	}
	chart.Intervals(score, "score, 95 % interval", points, chart.Blue)
	chart.Line(loss, "on games not yet learnt", *series["held-out"], chart.Blue)
	chart.Line(loss, "on games of the window", *series["learnt"], chart.Grey)
	chart.Line(ends, "white wins", *series["white wins"], chart.Orange)
	chart.Line(ends, "draws", *series["draws"], chart.Green)
	chart.Line(ends, "black wins", *series["black wins"], chart.Blue)

	panels := []*plot.Plot{score, loss, ends}
	for _, p := range panels {
		p.X.Label.Text = "CPU-minutes"
		p.X.Min = 0
		p.Legend.TextStyle.Font.Size = vg.Points(9)
		p.Add(plotter.NewGrid())
	}
	loss.Legend.Top = true
	picture, err := chart.PNG([][]*plot.Plot{panels}, 15, 4.5)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, plotFile)
	return file, publish.Write(file, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
