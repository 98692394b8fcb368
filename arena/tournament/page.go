package tournament

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Page is a page in Markdown about the tournaments of one or several variants.
type Page struct {
	Command string   // command that makes the page
	Players []Player // as the user described them, for all variants; nil: those of the reports
	Anchor  *Anchor  // of the ratings; may be nil
	Reports []Report // one for each variant
	Picture string   // address of the picture, relative to the page; "" for none
}

// PageMark begins every page, so that a page can be told from other files.
const PageMark = "<!-- made by evaluate tournament; its command makes it again -->\n"

// Markdown returns the page.
func (p Page) Markdown() string {
	var b strings.Builder
	b.WriteString(PageMark + "# Tournament\n\n")
	scale := "the mean of the players is 0"
	if p.Anchor != nil {
		scale = fmt.Sprintf("%s has %g", inline(p.Anchor.Name), p.Anchor.Elo)
	}
	fmt.Fprintf(&b, "Every two players who meet play %s games in each variant, from the same openings, each opening with both colours. "+
		"Elo is by the model of Bradley and Terry, after ± is its 95 %% interval. "+
		"Each variant has a scale of its own, on which %s. "+
		"Who took no point from the others, or gave none, has a bound instead.\n\n", p.meetings(), scale)
	if p.Command != "" {
		fmt.Fprintf(&b, "    %s\n\n", p.Command)
	}
	described := p.common()
	writePlayers(&b, described)
	if p.Picture != "" {
		fmt.Fprintf(&b, "![Elo of the players with 95 %% intervals](%s)\n\n", p.Picture)
	}
	for _, control := range p.controls() {
		p.writeElo(&b, control)
	}
	for _, r := range p.Reports {
		r.writePage(&b, described)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// common returns the players whose descriptions hold for all variants.
func (p Page) common() []Player {
	if p.Players != nil || len(p.Reports) == 0 {
		return p.Players
	}
	return slices.DeleteFunc(slices.Clone(p.Reports[0].Players), func(player Player) bool {
		return slices.ContainsFunc(p.Reports, func(r Report) bool { return !slices.ContainsFunc(r.Players, player.same) })
	})
}

// same reports whether o is described like p. The network of the same description may be another in
// each variant, so the hash does not count.
func (p Player) same(o Player) bool { return p.Name == o.Name && p.Spec == o.Spec }

// writePlayers writes the table of the players' descriptions, if there are any.
func writePlayers(b *strings.Builder, players []Player) {
	if len(players) == 0 {
		return
	}
	rows := [][]string{{"player", "description"}}
	for _, p := range players {
		rows = append(rows, []string{inline(p.Name), "`" + strings.ReplaceAll(p.Spec, "|", `\|`) + "`"})
	}
	writeMarkdown(b, rows)
}

// meetings returns how many games two players have played, as a number or a range.
func (p Page) meetings() string {
	least, most := math.MaxInt, 0
	for _, r := range p.Reports {
		for _, s := range r.Sections {
			for _, row := range s.Table {
				for _, c := range row {
					if c.Games > 0 {
						least, most = min(least, c.Games), max(most, c.Games)
					}
				}
			}
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprint(most)
}

// controls returns the controls of all reports, in the order in which they first appear.
func (p Page) controls() []string {
	var all []string
	for _, r := range p.Reports {
		for _, s := range r.Sections {
			if s.Games > 0 && !slices.Contains(all, s.Control) {
				all = append(all, s.Control)
			}
		}
	}
	return all
}

// section returns the section of a control, nil if the report has no game of it.
func (r Report) section(control string) *Section {
	for i, s := range r.Sections {
		if s.Control == control && s.Games > 0 {
			return &r.Sections[i]
		}
	}
	return nil
}

// standing returns the line of a player, nil if it has none.
func (s *Section) standing(name string) *Standing {
	for i := range s.Standings {
		if s.Standings[i].Name == name {
			return &s.Standings[i]
		}
	}
	return nil
}

// order returns the names of the players under a control, by their mean Elo over the variants, the
// strongest first.
func (p Page) order(control string) []string {
	sum, count := map[string]float64{}, map[string]float64{}
	var names []string
	for _, r := range p.Reports {
		s := r.section(control)
		if s == nil {
			continue
		}
		for _, e := range s.Standings {
			if count[e.Name] == 0 {
				names = append(names, e.Name)
			}
			sum[e.Name] += float64(e.Elo.Estimate)
			count[e.Name]++
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sum[b]/count[b], sum[a]/count[a]) })
	return names
}

// writeElo writes the table of a control: the Elo of every player in every variant.
func (p Page) writeElo(b *strings.Builder, control string) {
	fmt.Fprintf(b, "## Elo, %s\n\n", inline(control))
	names := p.order(control)
	rows := [][]string{{"variant"}}
	for _, name := range names {
		rows[0] = append(rows[0], inline(name))
	}
	rows[0] = append(rows[0], "games", "draws")
	for _, r := range p.Reports {
		s := r.section(control)
		if s == nil {
			continue
		}
		row := []string{fmt.Sprintf("[%s](#%[1]s)", r.name())}
		for _, name := range names {
			text := ""
			if e := s.standing(name); e != nil {
				text = e.elo()
			}
			row = append(row, text)
		}
		rows = append(rows, append(row, fmt.Sprint(s.Games), fmt.Sprintf("%.0f %%", s.drawn())))
	}
	writeMarkdown(b, rows)
}

// name returns the name of the variant without its options.
func (r Report) name() string {
	name, _, _ := strings.Cut(r.Variant, "[")
	return name
}

// elo returns the Elo with half of its interval, or the bound that is known.
func (e *Standing) elo() string {
	low, high := float64(e.Elo.Low), float64(e.Elo.High)
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return "unknown"
	case math.IsInf(high, 1):
		return fmt.Sprintf("above %+.0f", low)
	case math.IsInf(low, -1):
		return fmt.Sprintf("below %+.0f", high)
	case low == high:
		return fmt.Sprintf("%+.0f", low)
	}
	return fmt.Sprintf("%+.0f ± %.0f", e.Elo.Estimate, (high-low)/2)
}

// drawn returns the share of drawn games in per cent.
func (s *Section) drawn() float64 { return 100 * float64(s.Draws) / float64(s.Games) }

// writePage writes the part of a page about one variant, with the players that are not described yet.
func (r Report) writePage(b *strings.Builder, described []Player) {
	fmt.Fprintf(b, "## %s\n\n`%s`, %s", r.name(), r.Variant, r.Openings)
	if r.Unbalanced {
		b.WriteString(", unbalanced: the scores say who plays better, not by how much in balanced ones")
	}
	if r.Judging != "" {
		fmt.Fprintf(b, "; adjudication: %s", r.Judging)
	}
	b.WriteString(".\n\n")
	writePlayers(b, slices.DeleteFunc(slices.Clone(r.Players), func(p Player) bool {
		return slices.ContainsFunc(described, func(o Player) bool { return o.Name == p.Name })
	}))
	for _, s := range r.Sections {
		if s.Games == 0 {
			continue
		}
		fmt.Fprintf(b, "%s: %d games, %.0f %% drawn, %.0f plies a game; White %+.0f Elo (%s).",
			inline(s.Control), s.Games, s.drawn(), s.Plies, s.White.Estimate, s.White.ends())
		if s.Distinct < s.Games {
			fmt.Fprintf(b, " %d of the games are distinct.", s.Distinct)
		}
		for _, e := range s.Standings {
			if n := e.Illegal + e.Overruns + e.Forfeits + e.Failures; n > 0 {
				fmt.Fprintf(b, " %s: %d illegal moves, %d time overruns, %d lost on time, %d failures.",
					inline(e.Name), e.Illegal, e.Overruns, e.Forfeits, e.Failures)
			}
		}
		b.WriteString("\n\n")
		s.writeMarkdown(b)
	}
}

// writeMarkdown writes the standings and the cross table as one table.
func (s *Section) writeMarkdown(b *strings.Builder) {
	rows := [][]string{{"", "player", "Elo", "score", "+", "=", "−"}}
	for i := range s.Standings {
		rows[0] = append(rows[0], fmt.Sprint(i+1))
	}
	for i := range s.Standings {
		e := &s.Standings[i]
		row := []string{
			fmt.Sprint(i + 1), inline(e.Name), e.elo(), fmt.Sprintf("%.1f %%", 100*e.Score),
			fmt.Sprint(e.Wins), fmt.Sprint(e.Draws), fmt.Sprint(e.Losses),
		}
		for j, c := range s.Table[i] {
			switch {
			case i == j:
				row = append(row, "·")
			case c.Games == 0:
				row = append(row, "")
			default:
				row = append(row, fmt.Sprintf("%.1f %%", 100*c.Score))
			}
		}
		rows = append(rows, row)
	}
	writeMarkdown(b, rows)
}

// writeMarkdown writes a table, whose first row is its head.
func writeMarkdown(b *strings.Builder, rows [][]string) {
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	b.WriteByte('\n')
}

// inline returns a text that means nothing to Markdown in a line or a cell.
func inline(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_[]<>|#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
