package models

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"damier/net/nnue"
	"damier/rules"
)

var update = flag.Bool("update", false, "write the rows of the tables in docs/networks.md and docs/models anew from the cards")

// What a card says, as train card prints it.
var (
	cardSize  = regexp.MustCompile(`\| network \| .*[;,] ([\d,]+) bytes \|`)
	cardHours = regexp.MustCompile(`\| training \| ([\d.]+) CPU-hours,`)
	cardGames = regexp.MustCompile(`\| games \| ([\d,]+) of self-play,`)
	cardMatch = regexp.MustCompile(`(?m)^\| nnue\S*:(\S+) \| alphabeta-1:(\S+) \| (\d+) \| .* \| (([\d.]+) % \(([\d.]+) to ([\d.]+)\)) \|$`)
)

// card is the card of an NNUE.
type card struct {
	variant, hours, size, games string
	depth                       string // score at depth 4
	time                        string // score at 0.1 s a move, "" if it was not measured
	timed                       int    // games of that
	elo                         string // of that
}

func readCard(t *testing.T, variant string) card {
	t.Helper()
	file := "../docs/models/" + variant + "-nnue.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := func(r *regexp.Regexp) string {
		m := r.FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("%s: nothing is like %v", file, r)
		}
		return m[1]
	}
	c := card{variant: variant, hours: first(cardHours), size: grouped(first(cardSize)), games: grouped(first(cardGames))}
	for _, m := range cardMatch.FindAllStringSubmatch(string(text), -1) {
		games, err := strconv.Atoi(m[3])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case m[1] != m[2]:
		case m[1] == "depth=4":
			c.depth = m[4]
		case m[1] == "time=100ms" && games >= c.timed: // the longest match, of equal ones the last
			c.time, c.timed = m[4], games
			switch "100.0" {
			case m[5]:
				c.elo = "more than " + elo(t, m[6])
			case m[7]:
				c.elo = fmt.Sprintf("%s (more than %s)", elo(t, m[5]), elo(t, m[6]))
			default:
				c.elo = fmt.Sprintf("%s (%s to %s)", elo(t, m[5]), elo(t, m[6]), elo(t, m[7]))
			}
		}
	}
	if c.depth == "" {
		t.Errorf("%s: no match at depth 4", file)
	}
	return c
}

// elo is the difference in Elo that a score in percent stands for.
func elo(t *testing.T, percent string) string {
	t.Helper()
	x, err := strconv.ParseFloat(percent, 64)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.0f", 400*math.Log10(x/(100-x)))
}

// grouped returns a number that may have commas with one before every three digits.
func grouped(number string) string { return thousands(strings.ReplaceAll(number, ",", "")) }

// thousands puts a comma before every three digits.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// The tables of what comes with the program are of the cards, and the cards are of the files.
func TestTables(t *testing.T) {
	tables := []struct {
		file  string
		start func(card) string // how its row begins
		row   func(card) string
	}{
		{"../docs/networks.md", func(c card) string { return fmt.Sprintf("| [%s](models/%[1]s-nnue.md) |", c.variant) }, func(c card) string {
			if c.time == "" {
				return fmt.Sprintf(" %s | %s at depth 4 | | %s |", c.hours, c.depth, c.size)
			}
			return fmt.Sprintf(" %s | %s at 0.1 s a move | %s | %s |", c.hours, c.time, c.elo, c.size)
		}},
		{"../docs/models/README.md", func(c card) string { return "| " + c.variant + " |" }, func(c card) string {
			timed := ""
			if c.time != "" {
				timed = fmt.Sprintf("%s, %d games", c.time, c.timed)
			}
			return fmt.Sprintf(" %s | %s | %s | %s | %s | [card](%s-nnue.md) |", c.hours, c.games, c.depth, timed, c.size, c.variant)
		}},
	}
	for _, name := range rules.Names() {
		c := readCard(t, name)
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := NNUE(v)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name + nnue.Extension)
		if err != nil {
			t.Fatal(err)
		}
		if size := thousands(fmt.Sprint(info.Size())); size != c.size {
			t.Errorf("%s: the card is of a file of %s bytes, there is one of %s", name, c.size, size)
		}
		if games := thousands(fmt.Sprint(x.Games)); games != c.games {
			t.Errorf("%s: the card is of %s games, the file of %s", name, c.games, games)
		}
		for _, table := range tables {
			text, err := os.ReadFile(table.file)
			if err != nil {
				t.Fatal(err)
			}
			start := table.start(c)
			lines := strings.Split(string(text), "\n")
			found := false
			for i, line := range lines {
				if !strings.HasPrefix(line, start) || !strings.Contains(line, name+"-nnue.md") {
					continue
				}
				found = true
				if want := start + table.row(c); line != want && !*update {
					t.Errorf("%s has\n%s\nand its card says\n%s\ngo test ./models -update writes it", table.file, line, want)
				} else if line != want {
					lines[i] = want
					if err := os.WriteFile(table.file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			if !found {
				t.Errorf("%s has no row for %s", table.file, name)
			}
		}
	}
}
