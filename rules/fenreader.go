package rules

import (
	"strconv"
	"strings"
)

// ParseFEN reads a position in FEN (PDN 3.0): the side to move, then a list of squares for each
// side.
//
//	W:W31-50:B1-20
//	B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29
//
// Squares are PDN numbers; where the variant's players write coordinates, c3 is read too. In
// variants that limit the moves of one king a last section +b+w tells how many quiet moves in a
// row Black and White have made with one king, and if any its square in two digits: +0+205.
//
// It reads more than [Variant.FEN] writes: the sides in either order, an empty or missing side,
// ranges a-b (a K before a range crowns all of it), spaces, lower case, a final dot, and the
// extensions of lidraughts: a half-move clock :Hn, which becomes Quiet, a move number :Fn and
// ghosts (G or P before a square, a piece already captured), which are read and left out.
//
// An error names the byte offset, the text found there and what is expected. ParseFEN also refuses
// positions that [Validate] refuses.
func ParseFEN(v *Variant, s string) (Position, error) {
	p, err := ParseDiagram(v, s)
	if err != nil {
		return Position{}, err
	}
	if err := Validate(v, p); err != nil {
		return Position{}, Messagef("FEN %s: %w", quote(s), err)
	}
	return p, nil
}

// ParseDiagram is [ParseFEN], but the side that is not to move may have no piece. Such a diagram,
// for example of a king's reach, has moves although no game contains it.
func ParseDiagram(v *Variant, s string) (Position, error) {
	r := fenReader{v: v, text: s, coordinates: v.Algebraic && hasCoordinates(s)}
	end := len(strings.TrimRight(s, " \t\r\n"))
	if end > 0 && s[end-1] == '.' {
		end--
	}
	turn, rest, err := r.side(0, end)
	if err != nil {
		return Position{}, err
	}
	for rest < end {
		stop := end
		if i := strings.IndexByte(s[rest:end], ':'); i >= 0 {
			stop = rest + i
		}
		if err := r.section(rest, stop); err != nil {
			return Position{}, err
		}
		rest = stop + 1
	}
	p := NewPosition(r.pieces[White], r.pieces[Black], r.kings, turn)
	if err := v.tooMany(p); err != nil {
		return Position{}, Messagef("FEN %s: %w", quote(s), err)
	}
	p.Quiet = r.quiet
	for c := range r.moved {
		if r.moved[c] == 0 {
			continue
		}
		if !v.Board.Has(p.Kings(Color(c)), r.last[c]) || p.Men(Color(c)).Empty() {
			return Position{}, Messagef("FEN %s: the king moves counted for %s need its king on %s and a man of its own", quote(s), Color(c), v.SquareName(r.last[c]))
		}
		p = p.WithKingMoves(Color(c), r.moved[c], r.last[c])
	}
	return p, nil
}

// fenReader collects the content of the sections of a FEN.
type fenReader struct {
	v           *Variant
	text        string
	coordinates bool // the squares are written as in c3
	pieces      [2]Set
	kings       Set
	given       [2]bool
	quiet       uint8
	moved       [2]int    // quiet moves in a row of one king, by Color
	last        [2]Square // that king
}

func (r *fenReader) errorf(from, to int, format string, args ...any) error {
	return Messagef("FEN at byte %d, %s: %s", from, quote(r.text[from:to]), Messagef(format, args...))
}

// trim narrows [from,to) by the white space at both ends.
func (r *fenReader) trim(from, to int) (int, int) {
	for from < to && isSpace(r.text[from]) {
		from++
	}
	for from < to && isSpace(r.text[to-1]) {
		to--
	}
	return from, to
}

// side reads the side to move and returns where the first section begins.
func (r *fenReader) side(from, end int) (Color, int, error) {
	stop := end
	if i := strings.IndexByte(r.text[:end], ':'); i >= 0 {
		stop = i
	}
	from, to := r.trim(from, stop)
	switch strings.ToUpper(r.text[from:to]) {
	case "W":
		return White, stop + 1, nil
	case "B":
		return Black, stop + 1, nil
	case "?":
		return White, 0, r.errorf(from, to, "the side to move is unknown; write W or B")
	case "":
		return White, 0, r.errorf(from, to, "the side to move is missing; begin with W: or B:")
	}
	return White, 0, r.errorf(from, to, "not a side to move; begin with W: or B:")
}

// section reads the text between two colons.
func (r *fenReader) section(from, to int) error {
	from, to = r.trim(from, to)
	if from == to {
		return r.errorf(from, to, "empty section; write W or B and its squares")
	}
	switch c := r.text[from]; c {
	case 'W', 'w':
		return r.list(White, from, to)
	case 'B', 'b':
		return r.list(Black, from, to)
	case 'H', 'h', 'F', 'f':
		n, ok := number(r.text[from+1 : to])
		if !ok {
			return r.errorf(from, to, "a counter needs a number, as in H0 or F1")
		}
		if c == 'H' || c == 'h' {
			r.quiet = uint8(min(n, maxClock))
		}
		return nil
	case '+':
		if r.v.KingMoveLimit > 0 {
			return r.kingMoves(from, to)
		}
		return r.errorf(from, to, "king moves are counted in %s only, this is %s", listed(kingLimited()), r.v.Name)
	}
	return r.errorf(from, to, "not a section; a section is W or B and squares, H and the half-move clock, or F and the move number")
}

// kingMoves reads +b+w, each a count and, if it is not zero, a square in two digits.
func (r *fenReader) kingMoves(from, to int) error {
	fields := strings.Split(r.text[from+1:to], "+")
	if len(fields) != 2 {
		return r.errorf(from, to, "king moves are +b+w, as in +0+205")
	}
	for i, c := range [2]Color{Black, White} {
		f := strings.TrimSpace(fields[i])
		n, ok := number(f)
		switch {
		case ok && n == 0:
			continue
		case !ok || len(f) != 3 || n/100 == 0:
			return r.errorf(from, to, "a count of king moves is one digit, and if not zero a square in two, as in +0+205")
		case n/100 > r.v.KingMoveLimit:
			return r.errorf(from, to, "a king makes at most %d quiet moves in a row", r.v.KingMoveLimit)
		}
		r.moved[c], r.last[c] = n/100, r.v.SquareOf(n%100)
		if r.last[c] == NoSquare {
			return r.errorf(from, to, "off the board; its squares are 1 to %d", r.v.Board.Squares())
		}
	}
	return nil
}

// list reads the squares of one side.
func (r *fenReader) list(c Color, from, to int) error {
	if r.given[c] {
		return r.errorf(from, to, "%s is listed twice; write one list for each side", c)
	}
	r.given[c] = true
	if a, b := r.trim(from+1, to); a == b {
		return nil
	}
	for from++; ; {
		stop := to
		if i := strings.IndexByte(r.text[from:to], ','); i >= 0 {
			stop = from + i
		}
		if err := r.item(c, from, stop); err != nil {
			return err
		}
		if stop == to {
			return nil
		}
		from = stop + 1
	}
}

// item reads a square or a range.
func (r *fenReader) item(c Color, from, to int) error {
	from, to = r.trim(from, to)
	if from == to {
		return r.errorf(from, to, "a square is missing; separate squares with one comma")
	}
	squares, king, ghost := r.text[from:to], false, false
	switch c := squares[0]; {
	case c == 'K' || c == 'k':
		king, squares = true, squares[1:]
	case c == 'g' && r.v.Algebraic: // a file
	case c == 'G' && r.coordinates && r.isSquare(squares): // the same in capitals
	case c == 'G' || c == 'g' || c == 'P' || c == 'p':
		ghost, squares = true, squares[1:]
	}
	if r.v.Algebraic && isCoordinates(squares) {
		s, err := r.v.ParseSquare(squares)
		if err != nil {
			return r.errorf(from, to, "no playing square of the board")
		}
		return r.put(c, s, king, from, to)
	}
	first, last, isRange := strings.Cut(squares, "-")
	a, ok := number(first)
	b := a
	if ok && isRange {
		b, ok = number(last)
	}
	board := r.v.Board
	switch {
	case !ok && isCoordinates(squares):
		return r.errorf(from, to, "not a square; in %s squares are numbers, 1 to %d", r.v.Name, board.Squares())
	case !ok:
		return r.errorf(from, to, "not a square; write a number, K and a number, or a range as 31-50")
	case a < 1 || max(a, b) > board.Squares():
		if others := withSquare(max(a, b)); len(others) > 0 {
			return r.errorf(from, to, "off the board; its squares are 1 to %d in %s; there is a square %d in %s",
				board.Squares(), r.v.Name, max(a, b), strings.Join(others, ", "))
		}
		return r.errorf(from, to, "off the board; its squares are 1 to %d", board.Squares())
	case a > b:
		return r.errorf(from, to, "a range goes upwards; write %d-%d", b, a)
	case ghost:
		return nil
	}
	for ; a <= b; a++ {
		if err := r.put(c, r.v.SquareOf(a), king, from, to); err != nil {
			return err
		}
	}
	return nil
}

// isSquare reports whether text is a square.
func (r *fenReader) isSquare(text string) bool {
	_, err := r.v.ParseSquare(text)
	return err == nil
}

// put puts a piece on a square.
func (r *fenReader) put(c Color, s Square, king bool, from, to int) error {
	switch board, name := r.v.Board, r.v.SquareName(s); {
	case board.Has(r.pieces[White], s) || board.Has(r.pieces[Black], s):
		return r.errorf(from, to, "square %s is occupied twice; name each square once", name)
	case !king && r.v.Promotes(c, s):
		return r.errorf(from, to, "a %s man cannot stand on %s, its promotion row; write K%s", c, name, name)
	}
	r.pieces[c] = r.pieces[c].Or(r.v.Board.Set(s))
	if king {
		r.kings = r.kings.Or(r.v.Board.Set(s))
	}
	return nil
}

// hasCoordinates reports whether a square of the FEN is written as in c3. It ignores what may be a
// captured piece, as in G3, which is the third square in a FEN with numbers.
func hasCoordinates(text string) bool {
	for _, section := range strings.Split(text, ":") {
		section = strings.TrimSpace(section)
		if len(section) < 2 {
			continue
		}
		for _, item := range strings.Split(section[1:], ",") {
			item = strings.TrimSpace(item)
			if len(item) > 2 && item[0]|0x20 == 'k' {
				item = item[1:]
			}
			if isCoordinates(item) && item[0] != 'G' && item[0]|0x20 >= 'a' && item[0]|0x20 <= 'h' {
				return true
			}
		}
	}
	return false
}

// quote quotes text from outside for an error message, cut to 57 bytes.
func quote(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:57]) + "..."
	}
	return strconv.Quote(s)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// withSquare returns the variants with a square n.
func withSquare(n int) []string {
	var names []string
	for _, name := range Names() {
		if w, err := Lookup(name, nil); err == nil && w.Board.Squares() >= n {
			names = append(names, name)
		}
	}
	return names
}

// kingLimited returns the variants that limit the moves of one king.
func kingLimited() []string {
	var names []string
	for _, name := range Names() {
		if v, err := Lookup(name, nil); err == nil && v.KingMoveLimit > 0 {
			names = append(names, name)
		}
	}
	return names
}

// number reads an unsigned decimal number with space around it; numbers above 1000000 become
// 1000000.
func number(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(10*n+int(s[i]-'0'), 1000000)
	}
	return n, true
}
