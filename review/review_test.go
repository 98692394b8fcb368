package review

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
)

func analyst(t *testing.T, v *rules.Variant, c Config) *Analyst {
	t.Helper()
	e, err := engine.NewBaseline(v, 16)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(e, c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parse(t *testing.T, text string) *notation.Game {
	t.Helper()
	games, err := notation.ParsePDN(rules.International, text)
	if err != nil || len(games) != 1 {
		t.Fatalf("%v, %d games", err, len(games))
	}
	return games[0]
}

func TestMarkOf(t *testing.T) {
	for _, c := range []struct {
		loss  float64
		mark  Mark
		glyph int
	}{
		{-1, "", 0}, {0, "", 0}, {0.0599, "", 0}, {0.06, Doubtful, 6}, {0.12, Mistake, 2}, {0.2, Blunder, 4}, {1, Blunder, 4},
	} {
		if m := MarkOf(c.loss); m != c.mark || m.Glyph() != c.glyph {
			t.Errorf("loss %g: %q, glyph %d", c.loss, m, m.Glyph())
		}
	}
}

func TestAccuracy(t *testing.T) {
	last := 101.0
	for i := range 101 {
		a := Accuracy(float64(i) / 100)
		if a < 0 || a > 100 || a > last {
			t.Errorf("loss %d hundredths: %g after %g", i, a, last)
		}
		last = a
	}
	if Accuracy(0) != 100 || Accuracy(1) != 0 || math.Abs(Accuracy(0.06)-76.3) > 0.1 {
		t.Errorf("%g %g %g", Accuracy(0), Accuracy(1), Accuracy(0.06))
	}
}

// Giving a man away costs score. The review shows the better move, and the score of a move is that
// of the position after it.
func TestReview(t *testing.T) {
	g := parse(t, "1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 17x28 *")
	r, err := analyst(t, rules.International, Config{Nodes: 5000}).Review(t.Context(), g.Game, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Plies) != 10 {
		t.Fatalf("%d plies", len(r.Plies))
	}
	for i, p := range r.Plies {
		legal := len(rules.International.AppendMoves(nil, g.Positions()[i]))
		if p.Choice != (legal > 1) || p.Side != g.Positions()[i].Turn || p.Move != g.Moves()[i] {
			t.Errorf("ply %d: %+v", i+1, p)
		}
		if p.Choice && (len(p.Line) == 0 || !slices.Contains(rules.International.AppendMoves(nil, g.Positions()[i]), p.Line[0])) {
			t.Errorf("ply %d: the better line is %v", i+1, p.Line)
		}
		sign := 1.0
		if p.Side == rules.Black {
			sign = -1
		}
		if want := sign * (p.BestScore - p.Score); p.Choice && math.Abs(p.Loss-want) > 1e-12 || p.Loss < 0 {
			t.Errorf("ply %d costs %g, the scores differ by %g", i+1, p.Loss, want)
		}
		if !p.Choice && i > 0 && p.Score != r.Plies[i-1].Score {
			t.Errorf("ply %d: forced, and the score goes from %g to %g", i+1, r.Plies[i-1].Score, p.Score)
		}
	}
	if p := r.Plies[8]; p.Mark != Blunder && p.Mark != Mistake || p.Line[0] == p.Move || p.Kind == "" {
		t.Errorf("28-22 is %+v", p)
	}
	white, black := r.Of(rules.White), r.Of(rules.Black)
	if white.Accuracy >= black.Accuracy || white.Moves == 0 || white.Marks[r.Plies[8].Mark] != 1 {
		t.Errorf("White %+v, Black %+v", white, black)
	}
	var both Side
	both.Add(white)
	both.Add(black)
	want := (white.Accuracy*float64(white.Moves) + black.Accuracy*float64(black.Moves)) / float64(white.Moves+black.Moves)
	if both.Moves != white.Moves+black.Moves || math.Abs(both.Accuracy-want) > 1e-9 {
		t.Errorf("both: %+v, want %g", both, want)
	}
}

// The same game gives the same review, also after the review of another game.
func TestReviewRepeats(t *testing.T) {
	g := parse(t, "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 4. 41-37 14-19 *")
	other := parse(t, "1. 34-29 20-25 2. 40-34 *")
	a := analyst(t, rules.International, Config{Nodes: 3000})
	text := func() string {
		r, err := a.Review(t.Context(), g.Game, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := notation.Write(&b, r.Annotate(g, "test")); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := text()
	if _, err := a.Review(t.Context(), other.Game, nil); err != nil {
		t.Fatal(err)
	}
	if second := text(); second != first {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}

// In a position of the collection the first move of the line counts as finding the combination,
// every other move as missing it.
func TestCombinations(t *testing.T) {
	v := rules.International
	a := analyst(t, v, Config{Nodes: 3000})
	found := false
	for _, start := range tactics.Collection() {
		if start.Variant.String() != v.String() {
			continue
		}
		g := rules.NewGameFrom(v, start.Start)
		c, ok := a.finder.Find(start.Start)
		if !ok {
			continue
		}
		found = true
		for _, m := range slices.Clone(g.Legal()) {
			hit := m == c.Line[0]
			if err := g.Play(m); err != nil {
				t.Fatal(err)
			}
			r, err := a.Review(t.Context(), g, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := r.Plies[0]
			if p.Combination == nil || p.Found != hit || !hit && p.Mark != "" && p.Kind != Missed {
				t.Errorf("%s: %s: %+v", v.FEN(start.Start), v.FormatMove(m), p)
			}
			text := ""
			for _, n := range r.Annotate(notation.NewGame(g, nil), "").Notes {
				text += n.Text
			}
			if want := "missed combination: "; strings.Contains(text, want) == hit || !strings.Contains(text, Describe(&c)) {
				t.Errorf("%s: %q", v.FormatMove(m), text)
			}
			again := notation.NewGame(g, nil)
			again.Notes = r.Annotate(again, "").Notes
			if left := own(again.Notes); len(left) > 0 {
				t.Errorf("not recognized: %v", left)
			}
			if side := r.Of(start.Start.Turn); hit && side.Found != 1 || !hit && side.Missed != 1 {
				t.Errorf("%+v", side)
			}
			g.Undo()
		}
		break
	}
	if !found {
		t.Error("no combination was looked at")
	}
}

// solved is a table in which every position is a draw except those in the map.
type solved struct{ white map[uint64]rules.Outcome }

func (s solved) Pieces() int { return 40 }
func (s solved) Solve(p rules.Position) (rules.Outcome, int, bool, bool) {
	if o, ok := s.white[p.Key()]; ok {
		return o, 7, true, true
	}
	return rules.Draw, 0, true, true
}
func (s solved) Best(p rules.Position) (rules.Move, bool) {
	return rules.International.AppendMoves(nil, p)[0], true
}

// With tables, a move that gives away a draw is a blunder of the kind endgame.
func TestTables(t *testing.T) {
	g := parse(t, "1. 34-29 19-23 2. 40-34 *")
	s := solved{map[uint64]rules.Outcome{g.Positions()[3].Key(): rules.BlackWins}}
	r, err := analyst(t, rules.International, Config{Nodes: 10, Tables: s}).Review(t.Context(), g.Game, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Plies[2]
	if p.Loss != 0.5 || p.Mark != Blunder || p.Kind != Ending || p.Verdict.String() != "Black wins in 7 plies" {
		t.Errorf("%+v", p)
	}
	if r.Plies[0].Mark != "" || r.Plies[0].Verdict.String() != "a draw" || r.Plies[1].Score != 0.5 {
		t.Errorf("%+v", r.Plies[:2])
	}
	last := r.Annotate(g, "").Notes
	if left := own(last); len(left) > 0 {
		t.Errorf("not recognized: %v", left)
	}
	if text := last[len(last)-1].Text; !strings.Contains(text, "endgame table: Black wins in 7 plies") {
		t.Errorf("%q", text)
	}
}

// A review changes nothing in a game except its own notes, which replace those of the review
// before.
func TestAnnotateKeeps(t *testing.T) {
	g := parse(t, `[White "W"] {before} 1. 32-28 $1 $7 {mine} 19-23 (1... 20-25) 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 *`)
	a := analyst(t, rules.International, Config{Nodes: 3000})
	var texts []string
	for range 2 {
		r, err := a.Review(t.Context(), g.Game, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := notation.Write(&b, r.Annotate(g, "somebody")); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
		g = parse(t, b.String())
	}
	if texts[0] != texts[1] {
		t.Errorf("annotated again it is another:\n%s\n%s", texts[0], texts[1])
	}
	for _, want := range []string{"{before}", "$1 $7", "{mine}", "(1... 20-25)", `[Annotator "somebody"]`, "[WhiteAccuracy ", "[%eval ", "$4", `[White "W"]`} {
		if !strings.Contains(strings.Join(strings.Fields(texts[0]), " "), want) {
			t.Errorf("%s is missing:\n%s", want, texts[0])
		}
	}
}

// A review replaces what an earlier one wrote, of whatever engine, and evaluations of other
// programs. The glyphs and words of a person stay, also where a comment begins with an evaluation;
// a move that a person has judged gets no other glyph.
func TestAnnotateReplaces(t *testing.T) {
	v := rules.International
	for _, c := range []struct{ name, notes, kept string }{
		{"a review's", "$4 {[%eval -1.20] blunder, costs 0.30 of the score; missed combination: 33-28, wins 1.5 men (tempo, rafle)}", ""},
		{"a combination", "$1 {[%eval +0.00] combination: wins the game; endgame table: White wins in 7 plies, unless a move count ends the game before}", ""},
		{"a threat", "$6 {[%eval +1.00] doubtful, costs 0.06 of the score; allows the combination 17x28, wins a man}", ""},
		{"a table", "{[%eval +10.00] endgame table: a draw}", ""},
		{"a program's", "{[%eval 0.17]}", ""},
		{"a glyph alone", "$4 {[%eval -1.20]}", "$4"},
		{"another glyph", "$3 {[%eval -1.20] blunder, costs 0.30 of the score}", "$3"},
		{"a glyph behind", "{[%eval -1.20] blunder, costs 0.30 of the score} $2", "$2"},
		{"words", "$2 {[%eval 0.17] blunder, I was tired}", "$2 {blunder, I was tired}"},
		{"words behind", "$4 {[%eval -1.20] blunder, costs 0.30 of the score I was tired}", "{I was tired}"},
		{"a time", "{[%eval 0.17] [%clk 0:04:58]}", "{[%clk 0:04:58]}"},
	} {
		g := parse(t, "1. 32-28 "+c.notes+" *")
		r := &Review{Variant: v, Plies: []Ply{{Move: g.Moves()[0], Side: rules.White, Score: 0.5, BestScore: 0.7, Loss: 0.2, Mark: Blunder, Line: g.Moves()}}}
		var b strings.Builder
		if err := notation.Write(&b, r.Annotate(g, "")); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(strings.Join(strings.Fields(b.String()), " "), "1. 32-28 ")
		text, _, _ = strings.Cut(text, " (1.")
		want := "{[%eval +0.00] blunder, costs 0.20 of the score} " + c.kept
		if !strings.HasPrefix(c.kept, "$") {
			want = "$4 " + want
		}
		if text != strings.TrimSpace(want) {
			t.Errorf("%s: %s\nwant %s", c.name, text, want)
		}
	}
	for text, want := range map[string]bool{
		"(1. 33-28 {[%eval +0.35]})": false, "(1. 33-28 {[%eval 0.35]})": true, "(1. 33-28 {[%eval +0.35] mine})": true,
		"(1. 33-28 {[%eval +0.35]} 19-23 {mine})": true, "(1. 33-28 {[%eval +0.35]} 19-23 (1... 20-25))": true,
	} {
		g := parse(t, "1. 32-28 "+text+" *")
		r := &Review{Variant: v, Plies: []Ply{{Move: g.Moves()[0], Side: rules.White}}}
		if kept := len(r.Annotate(g, "").Variations) == 1; kept != want {
			t.Errorf("%s: kept %t, want %t", text, kept, want)
		}
	}
}

func TestStops(t *testing.T) {
	g := parse(t, "1. 32-28 19-23 *")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := analyst(t, rules.International, Config{Nodes: 1000}).Review(ctx, g.Game, nil); err == nil {
		t.Error("it goes on")
	}
	if _, err := New(nil, Config{}); err == nil {
		t.Error("no effort is none")
	}
}
