package learn

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"damier/internal/publish"
)

// plotFile is the picture of a run.
const plotFile = "progress.png"

// The colours of the plot: distinguishable without full colour vision (Okabe and Ito, 2008).
var (
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	green  = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	grey   = color.NRGBA{0x80, 0x80, 0x80, 0xff}
)

// scores are measurements as points with errors.
type scores struct {
	plotter.XYs
	plotter.YErrors
}

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
	var points scores
	series := map[string]*plotter.XYs{"held-out": {}, "learnt": {}, "white wins": {}, "draws": {}, "black wins": {}}
	for _, g := range generations {
		x := g.CPUSeconds / 60
		add := func(name string, y float64) { *series[name] = append(*series[name], plotter.XY{X: x, Y: y}) }
		if g.Generation > 2 { // before, only the worth of pieces is learnt
			add("held-out", g.Loss)
			add("learnt", g.Train)
		}
		add("white wins", 100*g.White)
		add("draws", 100*g.Draw)
		add("black wins", 100*g.Black)
		if m := g.Match; m != nil {
			points.XYs = append(points.XYs, plotter.XY{X: x, Y: 100 * m.Score})
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{100 * (m.Score - m.Low), 100 * (m.High - m.Score)})
		}
	}
	line(score, "score, 95 % interval", points.XYs, blue)
	if bars, err := plotter.NewYErrorBars(points); err == nil && len(points.XYs) > 0 {
		bars.Color = blue
		score.Add(bars)
	}
	line(loss, "on games not yet learnt", *series["held-out"], blue)
	line(loss, "on games of the window", *series["learnt"], grey)
	line(ends, "white wins", *series["white wins"], orange)
	line(ends, "draws", *series["draws"], green)
	line(ends, "black wins", *series["black wins"], blue)

	panels := [][]*plot.Plot{{score, loss, ends}}
	canvas := vgimg.New(15*vg.Inch, 4.5*vg.Inch)
	tiles := draw.Tiles{Rows: 1, Cols: 3, PadX: vg.Points(16), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(8)}
	for _, p := range panels[0] {
		p.X.Label.Text = "CPU-minutes"
		p.X.Min = 0
		p.Legend.TextStyle.Font.Size = vg.Points(9)
		p.Add(plotter.NewGrid())
	}
	loss.Legend.Top = true
	for i, c := range plot.Align(panels, tiles, draw.New(canvas))[0] {
		panels[0][i].Draw(c)
	}
	file := filepath.Join(dir, plotFile)
	return file, publish.Write(file, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
		return err
	})
}

func line(p *plot.Plot, name string, points plotter.XYs, c color.Color) {
	if len(points) == 0 {
		return
	}
	l, err := plotter.NewLine(points)
	if err != nil {
		return // not finite: nothing to draw
	}
	l.Color, l.Width = c, vg.Points(1.2)
	p.Add(l)
	p.Legend.Add(name, l)
}
