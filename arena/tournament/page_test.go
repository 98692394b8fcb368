package tournament

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

// pageReport is a report of two players, "a|b" and "c", of whom the first took every point if
// split is set.
func pageReport(variant string, split bool) Report {
	s := Section{Control: "own limits", Games: 4, Distinct: 4, Draws: 1, Plies: 41.7, White: Bounds{12, -30, 54}}
	a := Standing{Name: "a|b", Elo: Bounds{150, 50, 250}, Games: 4, Wins: 3, Draws: 1, Score: 0.875}
	c := Standing{Name: "c", Games: 4, Draws: 1, Losses: 3, Score: 0.125, Forfeits: 2}
	if split {
		a.Elo, a.Split = Bounds{400, 120, Number(math.Inf(1))}, true
	}
	s.Standings = []Standing{a, c}
	s.Table = [][]Cell{{{}, {Games: 4, Score: 0.875}}, {{Games: 4, Score: 0.125}, {}}}
	return Report{Variant: variant, Openings: "100 openings 12", Sections: []Section{s}}
}

func TestPage(t *testing.T) {
	p := Page{
		Command: "evaluate tournament", Anchor: &Anchor{Name: "c"}, Picture: "images/p.png",
		Players: []Player{{Name: "a|b", Spec: "nnue:a|b"}, {Name: "c", Spec: "random"}},
		Reports: []Report{pageReport("one[rule=a]", false), pageReport("two", true)},
	}
	text := p.Markdown()
	if !strings.HasPrefix(text, PageMark) {
		t.Errorf("the page begins %.40q", text)
	}
	for _, want := range []string{
		"play 4 games in each variant",
		"on which c has 0",
		"    evaluate tournament\n",
		"| a\\|b | `nnue:a\\|b` |\n",
		"](images/p.png)\n",
		"## Elo, own limits\n\n| variant | a\\|b | c | games | draws |\n|---|---|---|---|---|\n" +
			"| [one](#one) | +150 ± 100 | +0 | 4 | 25 % |\n" +
			"| [two](#two) | above +120 | +0 | 4 | 25 % |\n\n## one\n",
		"`one[rule=a]`, 100 openings 12.\n\nown limits: 4 games, 25 % drawn, 42 plies a game; White +12 Elo (-30 to +54). " +
			"c: 0 illegal moves, 0 time overruns, 2 lost on time, 0 failures.\n",
		"| 1 | a\\|b | +150 ± 100 | 87.5 % | 3 | 1 | 0 | · | 87.5 % |\n",
		"| 2 | c | +0 | 12.5 % | 0 | 1 | 3 | 12.5 % | · |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	picture, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || c.Width != 11*96 {
		t.Errorf("the picture is %+v, %v", c, err)
	}
	p.Reports = p.Reports[:1]
	one, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if report, err := p.Reports[0].Picture(); err != nil || !bytes.Equal(one, report) {
		t.Errorf("the picture of one variant is not that of its report: %v", err)
	}
	p.Reports[0].Sections[0].Table[0][1].Games = 6
	if text := p.Markdown(); !strings.Contains(text, "play 4 to 6 games in each variant") {
		t.Errorf("the page says\n%.300s", text)
	}
	p.Reports = []Report{{Variant: "none"}}
	if picture, err := p.PNG(); picture != nil || err != nil {
		t.Errorf("without games the picture is %d bytes, %v", len(picture), err)
	}
}

// Without players of its own, a page describes once who is the same in all variants, and the others with their variant.
func TestPagePlayers(t *testing.T) {
	reports := []Report{pageReport("one", false), pageReport("two", false)}
	reports[0].Players = []Player{{Name: "same", Spec: "random"}, {Name: "old", Spec: "nnue:one"}}
	reports[1].Players = []Player{{Name: "old", Spec: "nnue:two"}, {Name: "same", Spec: "random"}, {Name: "more", Spec: "tree"}}
	const head = "| player | description |\n|---|---|\n"
	for _, test := range []struct {
		name    string
		players []Player
		want    []string
	}{
		{"of the reports", nil, []string{
			head + "| same | `random` |\n\n## Elo",
			"`one`, 100 openings 12.\n\n" + head + "| old | `nnue:one` |\n\nown limits",
			"`two`, 100 openings 12.\n\n" + head + "| old | `nnue:two` |\n| more | `tree` |\n\nown limits",
		}},
		{"of the command", []Player{{Name: "old", Spec: "nnue:{variant}"}, {Name: "same", Spec: "random"}}, []string{
			head + "| old | `nnue:{variant}` |\n| same | `random` |\n\n## Elo",
			"`one`, 100 openings 12.\n\nown limits",
			"`two`, 100 openings 12.\n\n" + head + "| more | `tree` |\n\nown limits",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := Page{Players: test.players, Reports: reports}.Markdown()
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("the page has no %q:\n%s", want, text)
				}
			}
		})
	}
}
