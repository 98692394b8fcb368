package rules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
)

// TestVariantsDocument compares the tables of docs/variants.md with the facts, the sources that
// stand beside them in the code, and the test data: they are made from these by -update and cannot
// say anything else.
func TestVariantsDocument(t *testing.T) {
	path := filepath.Join("..", "docs", "variants.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]func(*testing.T) string{
		"games": gamesTable, "draws": drawsTable, "options": optionsTable, "squares": squaresTable,
		"sources": sourcesTable, "checks": checksTable,
	} {
		begin, end := "<!-- table "+name+" -->\n", "<!-- end -->"
		i := bytes.Index(text, []byte(begin))
		if i < 0 {
			t.Fatalf("%s has no place for the table %s", path, name)
		}
		i += len(begin)
		j := i + bytes.Index(text[i:], []byte(end))
		want := "\n" + table(t) + "\n"
		if string(text[i:j]) == want {
			continue
		}
		if !*update {
			t.Errorf("%s: the table %s is not what the code says; run go test ./rules -run VariantsDocument -update", path, name)
			continue
		}
		text = slices.Concat(text[:i], []byte(want), text[j:])
	}
	if *update {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// table writes rows, the first of them the heads of the columns.
func table(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(r)) + "\n")
		}
	}
	return b.String()
}

func gamesTable(t *testing.T) string {
	rows := [][]string{{"variant", "board", "start", "men go, and capture", "kings", "which capture", "captured pieces leave", "a man crowned in mid-capture"}}
	for _, name := range Names() {
		v := with(t, name, "")
		b := v.Board
		board := fmt.Sprintf("%dx%d, %d squares", b.Rows, b.Columns, b.Squares())
		switch b.Corner {
		case BottomLeft:
			board += ", a1 plays"
		case BottomRight:
			board += fmt.Sprintf(", the corner at White's right plays (%s)", v.Coordinates(Square(b.Squares())))
		}
		start := fmt.Sprintf("%d men a side, %s begins", v.Start().Pieces(White).Len(), v.First)
		if v.EmptyRows > 0 {
			start += "; the last row is empty"
		}
		rows = append(rows, []string{"`" + name + "`", board, start, menText(v), kingsText(v), priorityText(v), removalText(v), crowningText(v)})
	}
	return table(rows)
}

func menText(v *Variant) string {
	text := "forward"
	switch {
	case v.MoveLines[0].Orthogonal():
		text = "forward and sideways"
	case slices.Equal(v.MoveLines, Diagonals):
		text = "diagonally forward"
	}
	lines := ""
	if !slices.Equal(v.CaptureLines, v.MoveLines) {
		lines = ", along rows and columns too"
	}
	text += "; capture " + map[bool]string{true: "backwards too", false: "likewise"}[v.ManCapturesBack] + lines
	if v.MenSpareKings {
		text += ", never a king"
	}
	return text
}

func kingsText(v *Variant) string {
	if v.FirstKingWins {
		return "the first king wins"
	}
	if !v.KingFlies {
		return "one step, every way"
	}
	text := "fly"
	switch v.Landing {
	case Behind:
		text += "; land directly behind each piece taken"
	case BehindLastKing:
		text += "; land on any free square behind, but directly behind a king taken last"
	case Anywhere:
		text += "; land on any free square behind"
	}
	if v.KingGoesOn && len(v.Priority) == 0 || v.KingGoesOn && slices.Equal(v.Priority, []Criterion{CapturingKing}) {
		text += " from which the capture goes on, if there is one"
	}
	if n := v.KingMoveLimit; n > 0 {
		text += fmt.Sprintf("; %d moves in a row at most without a capture, while its side has a man", n)
	}
	return text
}

func priorityText(v *Variant) string {
	if len(v.Priority) == 0 {
		return "free"
	}
	var steps []string
	for _, c := range v.Priority {
		steps = append(steps, map[Criterion]string{
			MostPieces:    "the most pieces",
			MostValue:     fmt.Sprintf("the most value (man %d, king %d)", v.ManValue, v.KingValue),
			CapturingKing: "a king captures before a man",
			MostKings:     "the most kings",
			EarliestKings: "kings as early as can be",
		}[c])
	}
	return strings.Join(steps, ", then ")
}

func removalText(v *Variant) string {
	switch {
	case v.RemovedAtOnce && v.NoTurnBack:
		return "at once; no jump goes straight back"
	case v.RemovedAtOnce:
		return "at once; a jump may go straight back"
	}
	return "after the move"
}

func crowningText(v *Variant) string {
	if v.CrownedAtOnce {
		return "at once, and goes on as a king"
	}
	return "only where the capture ends"
}

func drawsTable(t *testing.T) string {
	rows := [][]string{{"variant", "a side that cannot move", "drawn"}}
	for _, name := range Names() {
		v := with(t, name, "")
		stuck := "has lost"
		if v.NoMovesWins {
			stuck = "has won"
		}
		rows = append(rows, []string{"`" + name + "`", stuck, drawsText(v.Draws)})
	}
	return table(rows)
}

// drawsText says every rule of d that is on.
func drawsText(d DrawRules) string {
	var text []string
	count := func(plies int, what string) {
		switch {
		case plies < 0:
			text = append(text, what+" at once")
		case plies > 0:
			text = append(text, fmt.Sprintf("%s %d moves each", what, plies/2))
		}
	}
	if d.Repetition > 0 {
		text = append(text, fmt.Sprintf("the same position %d times", d.Repetition))
	}
	count(d.KingPlies, "no man's advance and no capture")
	if d.ThreeKings {
		text = append(text, "three kings against one at once")
	}
	count(d.ThreePieces, "one king against three pieces, a king among them")
	count(d.LongDiagonal, "the same while it holds the long diagonal")
	count(d.ManyKings, "three kings or more against one")
	count(d.MainRoad, "three pieces, a king among them, against one king that holds the main road")
	count(d.TwoKings, "two kings against one")
	count(d.TwoPieces, "one king against two pieces or one, a king among them")
	count(d.OneKing, "king against king, nothing to take,")
	count(d.FourPieces, "kings on both sides and four or five pieces in all, no capture and no crowning")
	count(d.SixPieces, "the same with six or seven")
	if d.OneEach {
		text = append(text, "man against man or king against king, nothing to take, at once")
	}
	if len(text) == 0 {
		return "never"
	}
	return strings.Join(text, "; ")
}

// optionLines are the lines of the Options of a variant, as its file tells them: "name=value",
// what it does.
func optionLines(t *testing.T, v *Variant) [][2]string {
	var lines [][2]string
	text := buildersDoc(t, v)
	if strings.Contains(text, "its options included") { // Canadian draughts
		text = buildersDoc(t, International)
	}
	if strings.Contains(text, "the same options") { // Frysk!
		text = buildersDoc(t, Frisian)
	}
	_, list, _ := strings.Cut(text, "Options:\n")
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && strings.Contains(f[0], "="):
			lines = append(lines, [2]string{f[0], strings.Join(f[1:], " ")})
		case len(f) > 0 && len(lines) > 0:
			lines[len(lines)-1][1] += " " + strings.Join(f, " ")
		}
	}
	return lines
}

func optionsTable(t *testing.T) string {
	rows := [][]string{{"variant", "option", "what it does"}}
	for _, name := range Names() {
		v := with(t, name, "")
		told := map[string]bool{}
		for _, l := range optionLines(t, v) {
			if _, err := Lookup(name, mustOptions(t, l[0])); err != nil {
				t.Errorf("%s: its comment tells of %s: %v", name, l[0], err)
			}
			option, _, _ := strings.Cut(l[0], "=")
			told[option] = true
			rows = append(rows, []string{"`" + name + "`", "`" + l[0] + "`", l[1]})
		}
		if len(told) != len(v.Options) {
			t.Errorf("%s has the options %s, its comment tells of %v", name, v.Options, told)
		}
	}
	return table(rows)
}

func mustOptions(t *testing.T, text string) Options {
	o, err := ParseOptions(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func squaresTable(t *testing.T) string {
	rows := [][]string{{"variant", "PDN GameType", "squares are called", "capture sign", "the start as FEN", "symmetries", "informal play"}}
	for _, name := range Names() {
		v := with(t, name, "")
		tag := "none"
		switch {
		case v.GameTag != "":
			tag = v.GameTag
		case v.GameType != 0:
			tag = fmt.Sprint(v.GameType)
		}
		called := "1 to " + fmt.Sprint(v.Board.Squares()) + " from the top left"
		switch {
		case v.Algebraic:
			called = "a1 to " + v.Coordinates(Square(v.Board.Rotate(v.Board.At(v.Board.Rows-1, 0)))) + "; numbers count from the top left"
		case v.Mirrored:
			called = "1 to " + fmt.Sprint(v.Board.Squares()) + " from White's bottom right"
		}
		symmetry := "half a turn with the colours exchanged"
		if v.HasMirror() {
			symmetry += ", left and right exchanged"
		}
		informal := "force, let stand"
		if v.Huffing != NoHuffing {
			informal += ", huff"
		}
		rows = append(rows, []string{"`" + name + "`", tag, called, "`" + v.Capture + "`", "`" + v.FENRanges(v.Start()) + "`", symmetry, informal})
	}
	return table(rows)
}

// source is the parsed file of a variant.
func source(t *testing.T, name string) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name+".go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return set, f
}

// buildersDoc returns the comment of the function that builds v.
func buildersDoc(t *testing.T, v *Variant) string {
	_, f := source(t, v.Name)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "new") {
			return strings.TrimPrefix(fn.Doc.Text(), fn.Name.Name+" builds ")
		}
	}
	t.Fatalf("%s.go has no function that builds it", v.Name)
	return ""
}

// factComments returns what stands beside the facts in the file of a variant, "fact: comment".
func factComments(t *testing.T, name string) []string {
	set, f := source(t, name)
	beside := map[int]string{} // by line
	for _, group := range f.Comments {
		for _, c := range group.List {
			beside[set.Position(c.Pos()).Line] = strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		}
	}
	facts := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[Variant](), reflect.TypeFor[DrawRules]()} {
		for i := range of.NumField() {
			facts[of.Field(i).Name] = true
		}
	}
	found := map[int]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			line := set.Position(kv.Pos()).Line
			if key, ok := kv.Key.(*ast.Ident); ok && facts[key.Name] && beside[line] != "" {
				found[line] = "*" + key.Name + "* " + beside[line]
			}
		} else if id, ok := n.(*ast.Ident); ok { // a step of the choice between captures
			line := set.Position(id.Pos()).Line
			if slices.Contains([]string{"MostPieces", "CapturingKing", "MostKings", "EarliestKings"}, id.Name) && beside[line] != "" && found[line] == "" {
				found[line] = "*" + id.Name + "* " + beside[line]
			}
		}
		return true
	})
	var lines []int
	for l := range found {
		lines = append(lines, l)
	}
	sort.Ints(lines)
	var comments []string
	for _, l := range lines {
		comments = append(comments, found[l])
	}
	return comments
}

func sourcesTable(t *testing.T) string {
	rows := [][]string{{"variant", "what it is, and whose rules", "articles and notes, by fact"}}
	for _, name := range Names() {
		about, _, _ := strings.Cut(buildersDoc(t, with(t, name, "")), "\n\n")
		about = strings.ReplaceAll(strings.TrimSpace(about), "\n", " ")
		comments := factComments(t, name)
		if len(comments) == 0 {
			comments = []string{"-"}
		}
		rows = append(rows, []string{"`" + name + "`", about, strings.Join(comments, "; ")})
	}
	return table(rows)
}

func checksTable(t *testing.T) string {
	rows := [][]string{{"variant", "leaf counts", "from the start, the deepest", "against", "positions with all their moves", "against", "games with their end"}}
	files := readFamily(t)
	files["international"] = internationalFile(t)
	for _, name := range Names() {
		f := files[name]
		depth, leaves := 0, uint64(0)
		start := with(t, name, "").Start()
		by, moves := map[string]int{}, map[string]int{}
		for _, e := range f.Perft {
			p := dataPosition(t, with(t, name, e.Options), e.FEN)
			if p.Same(start) && e.Depth > depth {
				depth, leaves = e.Depth, e.Leaves
			}
			count(by, e.Sources)
		}
		for _, c := range startCounts {
			if c.name == name && c.depth > depth {
				depth, leaves = c.depth, c.leaves
			}
		}
		for _, e := range f.Moves {
			count(moves, e.ConfirmedBy)
		}
		deepest := "-"
		if depth > 0 {
			deepest = fmt.Sprintf("%d plies, %s", depth, thousands(leaves))
		}
		rows = append(rows, []string{"`" + name + "`", fmt.Sprint(len(f.Perft)), deepest, tally(by), fmt.Sprint(len(f.Moves)), tally(moves), fmt.Sprint(len(f.Draws))})
	}
	return table(rows)
}

// internationalFile gathers the files of international draughts in the form of the family's.
func internationalFile(t *testing.T) familyFile {
	var f familyFile
	readEntries(t, "perft.json", &f.Perft)
	readEntries(t, "moves.json", &f.Moves)
	readEntries(t, "draws.json", &f.Draws)
	return f
}

// count counts each source of an entry once.
func count(n map[string]int, sources []string) {
	seen := map[string]bool{}
	for _, s := range sources {
		if s = shortSource(s); !seen[s] {
			seen[s] = true
			n[s]++
		}
	}
}

// shortSource names who counted or listed.
func shortSource(s string) string {
	switch {
	case strings.HasPrefix(s, "published"):
		return "published tables"
	case strings.HasPrefix(s, "pydraughts"):
		return "pydraughts"
	case strings.HasPrefix(s, "refgen"):
		return "a reference generator"
	}
	name, _, _ := strings.Cut(s, " (")
	return name
}

// tally writes counts, the largest first.
func tally(n map[string]int) string {
	if len(n) == 0 {
		return "-"
	}
	names := make([]string, 0, len(n))
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if n[a] != n[b] {
			return n[b] - n[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

// thousands writes 15605069 as "15,605,069".
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
