package tactics

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"damier/notation"
	"damier/rules"
)

// Header is the first line of a file of tactics: the name and version of the format, and the
// fields.
const Header = "# damier tactics 2: variant, FEN, line, depth, gain, visits, level, themes, source, nodes"

// header1 is the first line of version 1, which had no nodes. It is read too.
const header1 = "# damier tactics 1: variant, FEN, line, depth, gain, visits, level, themes, source"

//go:embed tactics.txt
var collection string

// Collection returns the tactics that come with the program. The slice must not be changed.
var Collection = sync.OnceValue(func() []Tactic {
	all, err := Read(strings.NewReader(collection))
	if err != nil {
		panic("tactics: the collection is damaged")
	}
	return all
})

// Write writes tactics in the format of docs/tactics.md, in the order given.
func Write(w io.Writer, all []Tactic) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, Header)
	for i := range all {
		t := &all[i]
		var line []string
		for j, p := range t.Positions()[:len(t.Line)] {
			line = append(line, notation.FormatMove(t.Variant, p, t.Line[j]))
		}
		themes := make([]string, len(t.Themes))
		for j, theme := range t.Themes {
			themes[j] = string(theme)
		}
		fields := []string{
			variantText(t.Variant), t.Variant.FENRanges(t.Start), strings.Join(line, " "), strconv.Itoa(t.Depth), gainText(t.Gain),
			strconv.Itoa(t.Visits), strconv.Itoa(t.Level), strings.Join(themes, ","), t.Source,
			strconv.Itoa(t.Nodes),
		}
		fmt.Fprintln(b, strings.Join(fields, "\t"))
	}
	return b.Flush()
}

// variantText returns a variant as text: its name, and its options if they are not the defaults.
func variantText(v *rules.Variant) string {
	if usual, err := variantOf(v.Name, nil); err == nil && usual.String() == v.String() {
		return v.Name
	}
	return v.String()
}

// gainText returns a gain in men, with a half if necessary, or "win".
func gainText(gain int) string {
	if gain == Won {
		return "win"
	}
	return strconv.FormatFloat(float64(gain)/Man, 'f', -1, 64)
}

func parseGain(text string) (int, error) {
	if text == "win" {
		return Won, nil
	}
	men, err := strconv.ParseFloat(text, 64)
	if gain := int(men * Man); err == nil && men > 0 && men < 100 && gainText(gain) == text {
		return gain, nil
	}
	return 0, fmt.Errorf("gain %q: want men, such as 2 or 1.5, or win", text)
}

// Read reads the format of [Write]. An error names the line. It checks that the moves are legal;
// [Tactic.Check] checks the rest.
func Read(r io.Reader) ([]Tactic, error) {
	var all []Tactic
	lines := bufio.NewScanner(r)
	old := false
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		switch {
		case n == 1 && text == header1:
			old = true
			continue
		case n == 1 && text != Header:
			return nil, fmt.Errorf("line 1 is %q: this is no file of tactics, which begins with %q", clip(text), Header)
		case strings.HasPrefix(text, "#"):
			continue
		}
		if old {
			text += "\t0"
		}
		t, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading tactics: %w", err)
	}
	return all, nil
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

// parse reads a line of a file.
func parse(text string) (Tactic, error) {
	var t Tactic
	fields := strings.Split(text, "\t")
	if want := strings.Count(Header, ","); len(fields) != want+1 {
		return t, fmt.Errorf("%d fields, want %d with a tab between them", len(fields), want+1)
	}
	name, options, _ := strings.Cut(strings.TrimSuffix(fields[0], "]"), "[")
	given, err := rules.ParseOptions(options)
	if err != nil {
		return t, err
	}
	if t.Variant, err = variantOf(name, given); err != nil {
		return t, err
	}
	if t.Start, err = rules.ParseFEN(t.Variant, fields[1]); err != nil {
		return t, err
	}
	p := t.Start
	for _, word := range strings.Fields(fields[2]) {
		m, err := notation.ParseMove(t.Variant, p, word)
		if err != nil {
			return t, err
		}
		t.Line, p = append(t.Line, m), t.Variant.Play(p, m)
	}
	for i, field := range []*int{&t.Depth, nil, &t.Visits, &t.Level} {
		if field == nil {
			continue
		}
		if *field, err = strconv.Atoi(fields[3+i]); err != nil {
			return t, fmt.Errorf("%q is no whole number", clip(fields[3+i]))
		}
	}
	if t.Gain, err = parseGain(fields[4]); err != nil {
		return t, err
	}
	if t.Depth < 1 || t.Level < 1 || t.Level > 5 || t.Visits < -1 {
		return t, fmt.Errorf("depth %d, level %d, visits %d: the depth is above 0, the level 1 to 5, visits are -1 or more", t.Depth, t.Level, t.Visits)
	}
	for _, name := range strings.FieldsFunc(fields[7], func(c rune) bool { return c == ',' }) {
		if !slices.Contains(AllThemes(), Theme(name)) {
			return t, fmt.Errorf("theme %q is not known", clip(name))
		}
		t.Themes = append(t.Themes, Theme(name))
	}
	t.Source = fields[8]
	if t.Nodes, err = strconv.Atoi(fields[9]); err != nil || t.Nodes < -1 {
		return t, fmt.Errorf("nodes %q: want a whole number, -1 or more", clip(fields[9]))
	}
	return t, nil
}

var (
	variantLock sync.Mutex
	variants    = map[string]*rules.Variant{}
)

// variantOf returns a variant; it looks each one up only once.
func variantOf(name string, o rules.Options) (*rules.Variant, error) {
	variantLock.Lock()
	defer variantLock.Unlock()
	key := name + "[" + o.String()
	if v := variants[key]; v != nil {
		return v, nil
	}
	v, err := rules.Lookup(name, o)
	if err == nil && v.NoMovesWins {
		err = fmt.Errorf("in %s nothing is won by material", name)
	}
	if err == nil {
		variants[key] = v
	}
	return v, err
}
