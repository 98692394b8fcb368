package notation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"damier/rules"
)

// gameType is the content of a GameType tag: a number, and perhaps the side that begins, the
// board, and the notation of squares.
type gameType struct {
	number        int
	full          bool // the tag has the fields below
	first         rules.Color
	columns, rows int
	notation      byte // N numbers, A coordinates, S short coordinates
	// Corner of square 1 for the side that begins: bottom left, bottom right, top left, top right.
	corner   int
	inverted bool // the bottom-left corner is not a playing square
}

var gameTypeSyntax = regexp.MustCompile(`^([0-9]{1,4})(?:,([WB]),([0-9]{1,3}),([0-9]{1,3}),([ANS])([0-3])(?:,([01]))?)?$`)

// plainTag returns a GameType tag without blanks and in capital letters.
func plainTag(text string) string { return strings.ToUpper(strings.ReplaceAll(text, " ", "")) }

func parseGameType(text string) (gameType, bool) {
	f := gameTypeSyntax.FindStringSubmatch(plainTag(text))
	if f == nil {
		return gameType{}, false
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // digits, by the syntax
		return n
	}
	t := gameType{number: number(f[1]), full: f[2] != "", columns: number(f[3]), rows: number(f[4]), corner: number(f[6]), inverted: f[7] == "1"}
	if t.full {
		t.notation = f[5][0]
		if f[2] == "B" {
			t.first = rules.Black
		}
	}
	return t, true
}

// gameTypeFromPosition is lidraughts' GameType for any game that does not begin at the start
// position.
const gameTypeFromPosition = 99

// alsoTyped returns the GameType of the variant from whose rules v differs only in the start
// position, because files give it to v too; 0 for none.
func alsoTyped(v *rules.Variant) int {
	other, err := rules.Lookup(v.Tuning().StandIn, nil)
	if err != nil {
		return 0
	}
	return other.GameType
}

// gameTag returns the GameType tag for games of v, "" if it has none: the number only for large
// boards, and the full tag for 8x8, where programs use different notations.
func gameTag(v *rules.Variant) string {
	switch {
	case v.GameType == 0:
		return ""
	case v.GameTag == "" || v.Board.Columns != 8:
		return strconv.Itoa(v.GameType)
	}
	f := strings.Split(v.GameTag, ",")
	f[1] = [2]string{"W", "B"}[v.First]
	return strings.Join(f, ",")
}

// gameTypes counts the variants of each GameType.
var gameTypes = sync.OnceValue(func() map[int]int {
	count := map[int]int{}
	for _, name := range rules.Names() {
		if v, err := rules.Lookup(name, nil); err == nil {
			count[v.GameType]++
		}
	}
	return count
})

// shared reports whether other variants have the GameType of v too, or it has none.
func shared(v *rules.Variant) bool { return v.GameType == 0 || gameTypes()[v.GameType] > 1 }

// optionsOf returns the options of v as the value of a tag, "" for the defaults.
func optionsOf(v *rules.Variant) string {
	if len(v.Options) == 0 {
		return ""
	}
	w, err := rules.Lookup(v.Name, nil)
	if text := v.Options.String(); err != nil || text != w.Options.String() {
		return text
	}
	return ""
}

// checkTag returns an error if a tag GameType, Variant or VariantOptions says that the game is not
// of v.
func checkTag(v *rules.Variant, t Tag) error {
	switch {
	case strings.EqualFold(t.Name, "GameType"):
		g, ok := parseGameType(t.Value)
		inverted := v.Board.Corner == rules.BottomRight
		switch {
		case !ok:
			return rules.Messagef("GameType %q is not a number, with or without a board as in 20,W,10,10,N2,0", clip(t.Value))
		case g.number == gameTypeFromPosition, g.number > 0 && g.number == alsoTyped(v):
		case v.GameType == 0:
			return rules.Messagef("GameType %q is not %s, which has none", clip(t.Value), v.Name)
		case g.number != v.GameType:
			return rules.Messagef("GameType %q is not %s, which has %d", clip(t.Value), v.Name, v.GameType)
		case g.full && (g.columns != v.Board.Columns || g.rows != v.Board.Rows || g.inverted != inverted):
			return rules.Messagef("GameType %q is not the board of %s, which is %s", clip(t.Value), v.Name, v.GameTag)
		}
	case strings.EqualFold(t.Name, "Variant"):
		name := strings.TrimRight(strings.ToLower(t.Value), "!")
		if name != v.Name && slices.Contains(rules.Names(), name) {
			return rules.Messagef("tag Variant %q is not %s", clip(t.Value), v.Name)
		}
	case strings.EqualFold(t.Name, "VariantOptions"):
		if o, err := rules.ParseOptions(t.Value); err != nil || o.String() != v.Options.String() {
			return rules.Messagef("VariantOptions %q are not those of %s", clip(t.Value), v)
		}
	}
	return nil
}

// names returns the notation of squares in the moves of a game of that type.
func (t gameType) names(v *rules.Variant, tag string) names {
	if !t.full || t.notation != 'N' || tag == v.GameTag || tag == gameTag(v) {
		return playersNames(v)
	}
	write := func(s rules.Square) string {
		for n := 1; n <= v.Board.Squares(); n++ {
			if t.square(v, n) == s {
				return strconv.Itoa(n)
			}
		}
		return v.SquareName(s)
	}
	return names{
		read: func(text string) (rules.Square, error) {
			return readSquare(v, text, func(n int) rules.Square { return t.square(v, n) })
		},
		write: write,
	}
}

// square returns the square with number n, counted from the corner of t.
func (t gameType) square(v *rules.Variant, n int) rules.Square {
	squares, rows := v.Board.Squares(), v.Board.Rows
	if n < 1 || n > squares {
		return rules.NoSquare
	}
	corner := t.corner
	if t.first == rules.Black {
		corner = 3 - corner // the opposite corner
	}
	inRow := squares / rows
	row, i := (n-1)/inRow, (n-1)%inRow
	if corner < 2 {
		row = rows - 1 - row
	}
	if corner%2 == 1 {
		i = inRow - 1 - i
	}
	return rules.Square(row*inRow + i + 1)
}

var fenItem = regexp.MustCompile(`([A-Za-z+]*)([0-9]+)(?:\s*-\s*([0-9]+))?`)

// fen converts a FEN with the square numbers of a game of that type to the numbers of v.
func (t gameType) fen(v *rules.Variant, tag, fen string) string {
	if !t.full || t.notation != 'N' || tag == v.GameTag || tag == gameTag(v) {
		return fen
	}
	return fenItem.ReplaceAllStringFunc(fen, func(item string) string {
		f := fenItem.FindStringSubmatch(item)
		if strings.ContainsAny(f[1], "HhFf+") {
			return item
		}
		first, err := strconv.Atoi(f[2])
		last := first
		if f[3] != "" {
			last, _ = strconv.Atoi(f[3])
		}
		if err != nil || t.square(v, first) == rules.NoSquare || t.square(v, last) == rules.NoSquare {
			return item // off the board: the FEN reader reports it
		}
		var squares []string
		for n := first; n <= last; n++ {
			squares = append(squares, strconv.Itoa(v.Number(t.square(v, n))))
		}
		king := ""
		if strings.HasSuffix(strings.ToUpper(f[1]), "K") {
			king = f[1][len(f[1])-1:]
		}
		return f[1] + strings.Join(squares, ","+king)
	})
}
