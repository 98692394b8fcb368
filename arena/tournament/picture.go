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

// PNG returns the picture of the page, nil without games. Of one variant it is that of its report.
// Of several it has for each control the ratings of all players in all variants.
func (p Page) PNG() ([]byte, error) {
	if len(p.Reports) == 1 {
		return p.Reports[0].Picture()
	}
	var panels [][]*plot.Plot
	most := 0
	for _, control := range p.controls() {
		panels = append(panels, []*plot.Plot{p.panel(control)})
		most = max(most, len(p.order(control)))
	}
	if len(panels) == 0 {
		return nil, nil
	}
	height := 1.6 + 0.17*float64(most) + float64(len(p.Reports))*max(0.3, 0.08*float64(most))
	return chart.PNG(panels, 11, height*float64(len(panels)))
}

// panel draws the ratings under a control: a row for each variant, in it a dot for each player.
func (p Page) panel(control string) *plot.Plot {
	drawn := plot.New()
	drawn.Title.Text = fmt.Sprintf("Elo with 95 %% interval, %s", control)
	drawn.X.Label.Text = "Elo, on a scale of each variant"
	drawn.Legend.Top = true
	names := p.order(control)
	points := make([]whiskers, len(names))
	var rows []string
	low, high := math.Inf(1), math.Inf(-1)
	for i := len(p.Reports) - 1; i >= 0; i-- { // the first on top
		s := p.Reports[i].section(control)
		if s == nil {
			continue
		}
		for j, name := range names {
			e := s.standing(name)
			if e == nil {
				continue
			}
			x := float64(e.Elo.Estimate)
			y := float64(len(rows)) + 0.7*(0.5-(float64(j)+0.5)/float64(len(names)))
			from, to := float64(e.Elo.Low), float64(e.Elo.High)
			for _, f := range []float64{x, from, to} {
				if !math.IsInf(f, 0) {
					low, high = min(low, f), max(high, f)
				}
			}
			points[j].XYs = append(points[j].XYs, plotter.XY{X: x, Y: y})
			points[j].XErrors = append(points[j].XErrors, struct{ Low, High float64 }{x - from, to - x})
		}
		rows = append(rows, p.Reports[i].name())
	}
	drawn.NominalY(rows...)
	margin := max(20, (high-low)*0.03)
	low, high = low-margin, high+margin // an infinite end extends to the edge
	for _, w := range points {
		for i, x := range w.XYs {
			w.XErrors[i].Low = min(w.XErrors[i].Low, x.X-low)
			w.XErrors[i].High = min(w.XErrors[i].High, high-x.X)
		}
	}
	drawn.X.Min, drawn.X.Max = low, high
	drawn.Y.Min, drawn.Y.Max = -0.6, float64(len(rows))-0.4+0.55*float64(len(names)) // below the legend
	drawn.Add(plotter.NewGrid())
	colours := []color.NRGBA{chart.Blue, chart.Orange, chart.Green, chart.Red, chart.Grey}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}}
	for j, w := range points {
		colour := colours[j%len(colours)]
		if bars, err := plotter.NewXErrorBars(w); err == nil {
			bars.Color, bars.Width, bars.CapWidth = colour, vg.Points(1.2), vg.Points(3)
			drawn.Add(bars)
		}
		if dots, err := plotter.NewScatter(w.XYs); err == nil {
			dots.Color, dots.Shape, dots.Radius = colour, shapes[j/len(colours)%len(shapes)], vg.Points(3)
			drawn.Add(dots)
			drawn.Legend.Add(names[j], dots)
		}
	}
	return drawn
}
