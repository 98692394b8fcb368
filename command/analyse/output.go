package analyse

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"damier/internal/plain"
	"damier/notation"
	"damier/review"
	"damier/rules"
	"damier/tactics"
)

// writer returns where games go by the flags.
func (o *options) writer(w io.Writer, who *judge) output {
	switch {
	case o.json:
		return &jsonOutput{w: json.NewEncoder(w), who: who}
	case o.table:
		return &tableOutput{w: w}
	}
	return &pdnOutput{w: w, who: who}
}

// pdnOutput writes annotated games.
type pdnOutput struct {
	w   io.Writer
	who *judge
}

func (o *pdnOutput) game(t *task) error {
	return notation.Write(o.w, t.review.Annotate(t.game, o.who.String()))
}

func (o *pdnOutput) end(int) error { return nil }

// names returns the names of White and Black.
func (t *task) names() (both [2]string) {
	for c, tag := range [2]string{"White", "Black"} {
		if both[c] = t.game.Tags.Get(tag); both[c] == "" {
			both[c] = "?"
		}
	}
	return both
}

// players sums up the games of each player, by name.
type players struct {
	order []string
	of    map[string]*player
}

type player struct {
	games int
	side  review.Side
}

func (p *players) add(t *task) {
	if p.of == nil {
		p.of = map[string]*player{}
	}
	for c, name := range t.names() {
		x := p.of[name]
		if x == nil {
			x = &player{}
			p.of[name] = x
			p.order = append(p.order, name)
		}
		x.games++
		x.side.Add(t.review.Of(rules.Color(c)))
	}
}

// sorted returns the names, the most accurate player first.
func (p *players) sorted() []string {
	names := slices.Clone(p.order)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(p.of[b].side.Accuracy, p.of[a].side.Accuracy)
	})
	return names
}

// jsonOutput writes a line for each game and one with all players.
type jsonOutput struct {
	w       *json.Encoder
	who     *judge
	players players
	games   int
}

// sideJSON sums up the moves of a player.
type sideJSON struct {
	Name     string              `json:"name"`
	Games    int                 `json:"games,omitempty"` // of several
	Moves    int                 `json:"moves"`           // with a choice
	Accuracy *float64            `json:"accuracy"`        // null without such a move
	Loss     *float64            `json:"loss"`            // mean
	Marks    map[review.Mark]int `json:"marks"`
	Kinds    map[review.Kind]int `json:"kinds"`
	Missed   int                 `json:"missed_combinations"`
	Found    int                 `json:"found_combinations"`
}

type comboJSON struct {
	Line   []string        `json:"line"`
	Gain   *float64        `json:"gain"` // in men; null for the game
	Themes []tactics.Theme `json:"themes"`
}

type verdictJSON struct {
	Result string `json:"result"` // white, black or draw
	Plies  int    `json:"plies"`
	Sure   bool   `json:"sure"`
}

type plyJSON struct {
	Ply       int          `json:"ply"` // from 1
	Side      string       `json:"side"`
	Move      string       `json:"move"`
	Score     float64      `json:"score"` // White's, after the move
	Men       float64      `json:"men"`
	Best      string       `json:"best,omitempty"` // where there is a choice
	BestScore *float64     `json:"best_score,omitempty"`
	Line      []string     `json:"line,omitempty"`
	Loss      float64      `json:"loss"`
	Accuracy  float64      `json:"accuracy"`
	Mark      review.Mark  `json:"mark,omitempty"`
	Kind      review.Kind  `json:"kind,omitempty"`
	Missed    *comboJSON   `json:"missed,omitempty"`
	Found     *comboJSON   `json:"found,omitempty"`
	Allowed   *comboJSON   `json:"allowed,omitempty"`
	Verdict   *verdictJSON `json:"verdict,omitempty"`
}

type gameJSON struct {
	Kind     string              `json:"kind"` // "game"
	File     string              `json:"file"`
	Game     int                 `json:"game"`
	Error    string              `json:"error,omitempty"` // why it is not read to its end
	Variant  string              `json:"variant"`
	Result   string              `json:"result"`
	By       string              `json:"by"`
	Accuracy map[string]*float64 `json:"accuracy"`
	White    sideJSON            `json:"white"`
	Black    sideJSON            `json:"black"`
	Start    float64             `json:"start"` // White's score before the first move
	Moves    []plyJSON           `json:"moves"`
}

type totalJSON struct {
	Kind    string     `json:"kind"` // "total"
	Games   int        `json:"games"`
	Bad     int        `json:"bad"` // that could not be read to their end
	Players []sideJSON `json:"players"`
}

// round returns x to four decimals.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// number returns a number of JSON, null for none.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x = round(x)
	return &x
}

func sideOf(name string, s review.Side) sideJSON {
	return sideJSON{
		Name: name, Moves: s.Moves, Accuracy: number(s.Accuracy), Loss: number(s.Loss),
		Marks: s.Marks, Kinds: s.Kinds, Missed: s.Missed, Found: s.Found,
	}
}

// texts returns a line of moves from p.
func texts(v *rules.Variant, p rules.Position, line []rules.Move) []string {
	var all []string
	for _, m := range line {
		all = append(all, notation.FormatMove(v, p, m))
		p = v.Play(p, m)
	}
	return all
}

func comboOf(t *tactics.Tactic) *comboJSON {
	if t == nil {
		return nil
	}
	c := &comboJSON{Line: texts(t.Variant, t.Start, t.Line), Themes: append([]tactics.Theme{}, t.Themes...)}
	if t.Gain != tactics.Won {
		c.Gain = number(float64(t.Gain) / tactics.Man)
	}
	return c
}

func (o *jsonOutput) game(t *task) error {
	o.games++
	o.players.add(t)
	r, v, names := t.review, t.game.Variant(), t.names()
	white, black := r.Of(rules.White), r.Of(rules.Black)
	g := gameJSON{
		Kind: "game", File: t.file, Game: t.number, Variant: v.String(), Result: t.game.Result.Text(v), By: o.who.String(),
		White: sideOf(names[rules.White], white), Black: sideOf(names[rules.Black], black),
		Start: round(r.Start), Moves: []plyJSON{},
	}
	g.Accuracy = map[string]*float64{"white": g.White.Accuracy, "black": g.Black.Accuracy}
	if t.bad != nil {
		g.Error = t.bad.Error()
	}
	positions := t.game.Positions()
	for i, p := range r.Plies {
		j := plyJSON{
			Ply: i + 1, Side: p.Side.String(), Move: notation.FormatMove(v, positions[i], p.Move),
			Score: round(p.Score), Men: round(review.Men(p.Score)),
			Loss: round(p.Loss), Accuracy: round(p.Accuracy), Mark: p.Mark, Kind: p.Kind, Allowed: comboOf(p.Threat),
		}
		if p.Choice {
			j.Line = texts(v, positions[i], p.Line)
			j.Best, j.BestScore = j.Line[0], number(p.BestScore)
		}
		if p.Found {
			j.Found = comboOf(p.Combination)
		} else {
			j.Missed = comboOf(p.Combination)
		}
		if d := p.Verdict; d != nil {
			j.Verdict = &verdictJSON{d.Outcome.String(), d.Plies, d.Sure}
		}
		g.Moves = append(g.Moves, j)
	}
	return o.encode(g)
}

func (o *jsonOutput) encode(x any) error {
	if err := o.w.Encode(x); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func (o *jsonOutput) end(bad int) error {
	total := totalJSON{Kind: "total", Games: o.games, Bad: bad, Players: []sideJSON{}}
	for _, name := range o.players.sorted() {
		s := sideOf(name, o.players.of[name].side)
		s.Games = o.players.of[name].games
		total.Players = append(total.Players, s)
	}
	return o.encode(total)
}

// tableOutput prints the players and their mistakes at the end.
type tableOutput struct {
	w       io.Writer
	players players
	missed  []string // lines
}

func (o *tableOutput) game(t *task) error {
	o.players.add(t)
	v, positions, names := t.game.Variant(), t.game.Positions(), t.names()
	for i, p := range t.review.Plies {
		if p.Combination == nil || p.Found {
			continue
		}
		line := strings.Join(texts(v, positions[i], p.Combination.Line), " ")
		o.missed = append(o.missed, fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%s\t%s", plain.Line(t.file), t.number, i+1,
			plain.Line(names[p.Side]), notation.FormatMove(v, positions[i], p.Move), line, review.Describe(p.Combination)))
	}
	return nil
}

func (o *tableOutput) end(bad int) error {
	b := bufio.NewWriter(o.w)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "player\tgames\tmoves\taccuracy\tloss\t?!\t?\t??\tendgame\tmissed\tallowed\tother")
	for _, name := range o.players.sorted() {
		x := o.players.of[name]
		s := x.side
		accuracy, loss := "-", "-"
		if s.Moves > 0 {
			accuracy, loss = fmt.Sprintf("%.1f", s.Accuracy), fmt.Sprintf("%.4f", s.Loss)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s", plain.Line(name), x.games, s.Moves, accuracy, loss)
		for _, m := range review.Marks() {
			fmt.Fprintf(t, "\t%d", s.Marks[m])
		}
		for _, k := range review.Kinds() {
			fmt.Fprintf(t, "\t%d", s.Kinds[k])
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if len(o.missed) > 0 {
		fmt.Fprintln(b, "\nmissed combinations")
		t = tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "file\tgame\tply\tplayer\tplayed\tcombination\twins")
		for _, line := range o.missed {
			fmt.Fprintln(t, line)
		}
		t.Flush()
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
