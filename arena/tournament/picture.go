package tournament

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"damier/internal/chart"
)

// grey fills the cells of a player against itself.
var grey = color.NRGBA{0xe8, 0xe8, 0xe8, 0xff}

// Picture returns the report as a PNG: for each section the ratings with their intervals, and the
// cross table as coloured cells with the scores in them.
func (r Report) Picture() ([]byte, error) {
	var panels [][]*plot.Plot
	most := 0
	for _, s := range r.Sections {
		if s.Games > 0 {
			panels = append(panels, []*plot.Plot{s.ratingsPanel(r.Variant), s.tablePanel()})
			most = max(most, len(s.Standings))
		}
	}
	if len(panels) == 0 {
		return nil, nil
	}
	height := max(3.5, 1.5+0.32*float64(most))
	return chart.PNG(panels, 13, height*float64(len(panels)))
}

// whiskers are estimates with the ends of their intervals, along X.
type whiskers struct {
	plotter.XYs
	plotter.XErrors
}

func (s Section) ratingsPanel(variant string) *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %s: Elo with 95 %% interval, %d games", variant, s.Control, s.Games)
	p.X.Label.Text = "Elo"
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range s.Standings {
		for _, x := range []Number{e.Elo.Estimate, e.Elo.Low, e.Elo.High} {
			if f := float64(x); !math.IsInf(f, 0) {
				low, high = min(low, f), max(high, f)
			}
		}
	}
	margin := max(20, (high-low)*0.05)
	low, high = low-margin, high+margin // an infinite end extends to the edge
	n := len(s.Standings)
	var w whiskers
	names := make([]string, n)
	for i, e := range s.Standings {
		y := n - 1 - i // the strongest on top
		names[y] = fmt.Sprintf("%s  %+.0f", e.Name, e.Elo.Estimate)
		x := float64(e.Elo.Estimate)
		w.XYs = append(w.XYs, plotter.XY{X: x, Y: float64(y)})
		w.XErrors = append(w.XErrors, struct{ Low, High float64 }{x - max(low, float64(e.Elo.Low)), min(high, float64(e.Elo.High)) - x})
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, -0.6, float64(n)-0.4
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	p.Add(grid)
	if bars, err := plotter.NewXErrorBars(w); err == nil {
		bars.Color, bars.Width, bars.CapWidth = chart.Blue, vg.Points(1.6), vg.Points(7)
		p.Add(bars)
	}
	if dots, err := plotter.NewScatter(w.XYs); err == nil {
		dots.Color, dots.Shape, dots.Radius = chart.Blue, draw.CircleGlyph{}, vg.Points(3.5)
		p.Add(dots)
	}
	return p
}

// crossTable draws the cells of a table, the strongest player in the top row.
type crossTable struct{ cells [][]Cell }

// Plot draws the cells: blue for a score above one half, red below, in a stronger colour the
// further it is from one half.
func (t crossTable) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	n := len(t.cells)
	height := toY(1) - toY(0)
	size := min(height*0.5, (toX(1)-toX(0))*0.3, vg.Points(11))
	style := text.Style{Font: font.From(plot.DefaultFont, size), XAlign: text.XCenter, YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
	for i, row := range t.cells {
		for j, cell := range row {
			x, y := float64(j), float64(n-1-i)
			fill := color.Color(color.White)
			switch {
			case i == j:
				fill = grey
			case cell.Games > 0:
				fill = shade(float64(cell.Score))
			}
			c.FillPolygon(fill, []vg.Point{
				{X: toX(x - 0.48), Y: toY(y - 0.48)}, {X: toX(x + 0.48), Y: toY(y - 0.48)},
				{X: toX(x + 0.48), Y: toY(y + 0.48)}, {X: toX(x - 0.48), Y: toY(y + 0.48)},
			})
			if cell.Games == 0 {
				continue
			}
			style.Color = color.Black
			if math.Abs(float64(cell.Score)-0.5) > 0.3 {
				style.Color = color.White
			}
			c.FillText(style, vg.Point{X: toX(x), Y: toY(y)}, fmt.Sprintf("%.0f", 100*cell.Score))
		}
	}
}

// shade returns a mixture of white with the colour of the side that a score favours.
func shade(score float64) color.Color {
	side, share := chart.Blue, (score-0.5)*2
	if score < 0.5 {
		side, share = chart.Red, (0.5-score)*2
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(255 + (float64(c)-255)*share)) }
	return color.NRGBA{mix(side.R), mix(side.G), mix(side.B), 0xff}
}

func (s Section) tablePanel() *plot.Plot {
	p := plot.New()
	p.Title.Text = "score of the row against the column, %"
	n := len(s.Standings)
	rows, columns := make([]string, n), make([]string, n)
	for i, e := range s.Standings {
		rows[n-1-i] = fmt.Sprintf("%s  %d", e.Name, i+1)
		columns[i] = fmt.Sprint(i + 1)
	}
	p.NominalX(columns...)
	p.NominalY(rows...)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(n)-0.5, -0.5, float64(n)-0.5
	p.Add(crossTable{s.Table})
	return p
}
