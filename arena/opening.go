package arena

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io"
	"os"
	"strings"

	"damier/notation"
	"damier/rules"
)

// Opening is the beginning of a pair of games: a start position, and moves that are played from it
// before the players move.
type Opening struct {
	Start rules.Position
	Moves []rules.Move
}

// Position returns the position after the opening's moves, which must be legal.
func (o Opening) Position(v *rules.Variant) rules.Position {
	p := o.Start
	for _, m := range o.Moves {
		p = v.Play(p, m)
	}
	return p
}

// withoutCounters returns p with its draw counters at zero.
func withoutCounters(p rules.Position) rules.Position {
	p.Quiet, p.Endgame, p.Road = 0, 0, 0
	return p
}

// openingsHeader begins an opening file; the name of the variant and its options follow.
const openingsHeader = "damier-openings 1"

//go:embed openings/*.txt openings/unbalanced/*.txt
var openingFiles embed.FS

// Openings returns the balanced openings of the variant, whatever its options. It returns an error
// if there are none.
func Openings(v *rules.Variant) ([]Opening, error) {
	return builtIn(v, "openings/"+v.Name+".txt", "list of openings")
}

// UnbalancedOpenings returns the openings of the variant that favour White and Black in turn, for
// matches in which balanced ones give almost only draws. It returns an error if there are none.
func UnbalancedOpenings(v *rules.Variant) ([]Opening, error) {
	return builtIn(v, "openings/unbalanced/"+v.Name+".txt", "list of unbalanced openings")
}

func builtIn(v *rules.Variant, name, what string) ([]Opening, error) {
	text, err := openingFiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("there is no %s for %s", what, v.Name)
	}
	// The lists were made with the default options; one option changes the side that begins.
	standard, err := rules.Lookup(v.Name, nil)
	if err != nil {
		return nil, err
	}
	if standard.First == v.First {
		return ParseOpenings(v, name, bytes.NewReader(text))
	}
	openings, err := ParseOpenings(standard, name, bytes.NewReader(text))
	for i, o := range openings {
		openings[i] = rotateOpening(v, o)
	}
	return openings, err
}

// rotateOpening returns the opening with the sides exchanged.
func rotateOpening(v *rules.Variant, o Opening) Opening {
	r := Opening{Start: v.Rotate(o.Start)}
	for _, m := range o.Moves {
		r.Moves = append(r.Moves, v.RotateMove(m))
	}
	return r
}

// ReadOpenings reads an opening file; see [ParseOpenings].
func ReadOpenings(v *rules.Variant, file string) ([]Opening, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	defer f.Close()
	return ParseOpenings(v, file, f)
}

// ParseOpenings reads openings as [WriteOpenings] writes them: a line "damier-openings 1 NAME",
// then one opening a line. An opening is the moves from the start position of the variant ("32-28
// 19-23 28x19"), a FEN, or a FEN and moves after it. Empty lines and lines that begin with # are
// skipped. Errors name the file and the line. There must be at least one opening, and no position
// twice.
func ParseOpenings(v *rules.Variant, name string, r io.Reader) ([]Opening, error) {
	var openings []Opening
	lineOf := map[rules.Position]int{}
	header := false
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !header {
			if err := checkHeader(v, line); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
			header = true
			continue
		}
		o, err := parseOpening(v, line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		p := withoutCounters(o.Position(v))
		if first, twice := lineOf[p]; twice {
			return nil, fmt.Errorf("%s:%d: the same position as line %d", name, n, first)
		}
		lineOf[p] = n
		openings = append(openings, o)
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !header:
		return nil, fmt.Errorf("%s: empty; an opening file begins with %q", name, openingsHeader+" "+v.Name)
	case len(openings) == 0:
		return nil, fmt.Errorf("%s: no opening after the header", name)
	}
	return openings, nil
}

func checkHeader(v *rules.Variant, line string) error {
	rest, ok := strings.CutPrefix(line, openingsHeader+" ")
	if !ok {
		return fmt.Errorf("not an opening file: it begins with %.40q, not with %q", line, openingsHeader+" "+v.Name)
	}
	if variant := strings.TrimSpace(rest); variant != v.Name {
		return fmt.Errorf("openings of %.40q, but the match is of %s", variant, v.Name)
	}
	return nil
}

func parseOpening(v *rules.Variant, line string) (Opening, error) {
	o := Opening{Start: v.Start()}
	fields := strings.Fields(line)
	if strings.Contains(fields[0], ":") {
		p, err := rules.ParseFEN(v, fields[0])
		if err != nil {
			return o, err
		}
		// Records store the start as a FEN, which may have no counters.
		o.Start, fields = withoutCounters(p), fields[1:]
	}
	g := rules.NewGameFrom(v, o.Start)
	for i, text := range fields {
		if g.Over() {
			return o, fmt.Errorf("move %d, %.20q: the game is over before it", i+1, text)
		}
		m, err := notation.ParseMove(v, g.Position(), text)
		if err != nil {
			return o, fmt.Errorf("move %d: %w", i+1, err)
		}
		if err := g.Play(m); err != nil {
			return o, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	if g.Over() {
		return o, fmt.Errorf("the game is over after the opening")
	}
	o.Moves = g.Moves()
	return o, nil
}

// WriteOpenings writes openings as [ParseOpenings] reads them, with a FEN if one does not begin at
// the start position of the variant. It writes the comment, if any, below the header.
func WriteOpenings(w io.Writer, v *rules.Variant, comment string, openings []Opening) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s %s\n", openingsHeader, v.Name)
	for _, line := range strings.Split(strings.TrimSpace(comment), "\n") {
		if line != "" {
			fmt.Fprintf(b, "# %s\n", line)
		}
	}
	for _, o := range openings {
		p := o.Start
		if p != v.Start() {
			b.WriteString(v.FEN(p))
		}
		for i, m := range o.Moves {
			if i > 0 || p != v.Start() {
				b.WriteByte(' ')
			}
			b.WriteString(notation.FormatMove(v, p, m))
			p = v.Play(p, m)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// OpeningKeys returns the keys ([rules.Position.Key]) of the positions of the openings and of
// their rotations with colours exchanged. Self-play must not start from these.
func OpeningKeys(v *rules.Variant, openings []Opening) map[uint64]bool {
	keys := make(map[uint64]bool, 2*len(openings))
	for _, o := range openings {
		p := o.Position(v)
		keys[p.Key()] = true
		keys[v.Rotate(p).Key()] = true
	}
	return keys
}

// ReservedKeys returns the keys of all openings of the variant, balanced or not. Self-play must
// not start from these positions.
func ReservedKeys(v *rules.Variant) map[uint64]bool {
	var all []Opening
	for _, list := range []func(*rules.Variant) ([]Opening, error){Openings, UnbalancedOpenings} {
		if openings, err := list(v); err == nil {
			all = append(all, openings...)
		}
	}
	return OpeningKeys(v, all)
}
