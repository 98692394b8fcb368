package notation

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"damier/rules"
)

// kind is the kind of a token.
type kind uint8

const (
	endOfFile  kind = iota
	tagToken        // name and value
	moveToken       // text
	result          // text, and its Result
	comment         // text
	nag             // number
	setup           // text between the slashes
	openParen       // begins a variation
	closeParen      //
)

// token is one meaningful piece of a PDN file. Move numbers, ellipses, forum wrappers and comment
// lines are not tokens.
type token struct {
	kind   kind
	name   string
	text   string
	number int
	result Result
	line   int
}

// lexer splits a PDN file into tokens. It holds only a window of the file:
//
//	file    ... games read | text                              | source ...
//	                       | pos -> at least window bytes ahead |
//
// so no token may be longer than the window.
type lexer struct {
	text string // a part of the file
	pos  int
	line int // of pos, from 1

	source  *bufio.Reader // the rest after text; nil at the end
	window  int           // bytes
	manoury bool          // convert lines with plainManoury
	err     error         // the error that ended the source early
}

// window is the number of bytes that a lexer sees ahead in a file: a comment or a line may be a
// MiB long.
const window = 1 << 20

// newLexer begins at the top of a text in UTF-8 or Latin-1.
func newLexer(text []byte) *lexer {
	l := newFileLexer(bytes.NewReader(text), len(text))
	l.fill()
	return l
}

// newFileLexer begins at the top of a file in UTF-8 or Latin-1 and holds a few windows of it at a
// time.
func newFileLexer(r io.Reader, window int) *lexer {
	return &lexer{line: 1, source: bufio.NewReaderSize(r, 1<<16), window: window}
}

// fill fills the window, or reads the source to its end.
func (l *lexer) fill() {
	if l.source == nil || len(l.text)-l.pos > l.window {
		return
	}
	var text strings.Builder
	from := max(l.pos-1, 0) // the byte before pos tells whether pos begins a line
	text.WriteString(l.text[from:])
	for first := l.text == ""; l.source != nil && text.Len() <= 4*l.window; first = false {
		line, err := l.readLine()
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		decoded := decode(line)
		if l.manoury {
			decoded = plainManoury(decoded)
		}
		text.WriteString(decoded)
		if err != nil {
			l.source = nil
			if !errors.Is(err, io.EOF) {
				l.err = err
			}
		}
	}
	l.text, l.pos = text.String(), l.pos-from
}

// readLine returns the next line with its line break, or a part of a long line. It never splits a
// character.
func (l *lexer) readLine() ([]byte, error) {
	line, err := l.source.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	line = slices.Clone(line)
	for inRune(line) {
		c, err := l.source.ReadByte()
		if err != nil {
			return line, err
		}
		line = append(line, c)
	}
	return line, nil
}

// inRune reports whether text ends inside a character.
func inRune(text []byte) bool {
	for i := 1; i < min(utf8.UTFMax, len(text)); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			return !utf8.FullRune(tail)
		}
	}
	return false
}

// decode returns a line as UTF-8. It takes a line that is not valid UTF-8 for Latin-1, in which
// each byte is a code point, because collections of games come from many sources.
func decode(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	runes := make([]rune, len(line))
	for i, c := range line {
		runes[i] = rune(c)
	}
	return string(runes)
}

// nags are the glyphs of the strength marks.
var nags = map[string]int{"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}

// next returns the next token, or an error at line l.line. After an error the lexer continues
// after the bad piece.
func (l *lexer) next() (token, error) {
	for {
		if l.fill(); l.pos == len(l.text) {
			return token{kind: endOfFile, line: l.line}, nil
		}
		rest := l.text[l.pos:]
		c := rest[0]
		switch {
		case c == '%' && (l.pos == 0 || l.text[l.pos-1] == '\n'), c == ';':
			l.skipLine()
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			l.advance(1)
		case strings.HasPrefix(rest, "\u00a0"):
			l.advance(2)
		case c == '[':
			if t, ok, err := l.tag(); ok || err != nil {
				return t, err
			}
		case c == '{':
			return l.until(comment, rest, '}')
		case c == '/':
			return l.until(setup, firstLine(rest), '/')
		case c == '(' || c == '!' || c == '?':
			if n := strengthLength(rest); n > 0 {
				t := token{kind: nag, number: nags[strings.Trim(rest[:n], "()")], line: l.line}
				l.advance(n)
				if t.number > 0 {
					return t, nil
				}
				continue // there is no glyph for "!!!"
			}
			t := token{kind: openParen, line: l.line}
			l.advance(1)
			return t, nil
		case c == ')':
			t := token{kind: closeParen, line: l.line}
			l.advance(1)
			return t, nil
		case c == '$':
			n := 1
			for n < len(rest) && isDigit(rest[n]) {
				n++
			}
			t := token{kind: nag, line: l.line}
			number, err := strconv.Atoi(rest[1:n])
			if err != nil || number > 1<<15 {
				return l.fail(n, "%q is no annotation glyph; write $1", rest[:n])
			}
			t.number = number
			l.advance(n)
			return t, nil
		case c == '*':
			t := token{kind: result, text: "*", line: l.line}
			l.advance(1)
			return t, nil
		case c == '.':
			l.advance(1) // part of a move number or an ellipsis
		case isDigit(c) || strings.HasPrefix(rest, "½"):
			if t, ok := l.numeric(); ok {
				return t, nil
			}
		case isLetter(c) && len(rest) > 1 && isDigit(rest[1]):
			return l.coordinates(), nil
		default:
			n := 1 + strings.IndexAny(rest[1:], " \t\r\n[]{}()*$;")
			if n == 0 {
				n = len(rest)
			}
			return l.fail(n, "%q is neither move, tag, comment nor result", clip(rest[:n]))
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// fail returns an error at this line and skips n bytes.
func (l *lexer) fail(n int, format string, args ...any) (token, error) {
	t := token{line: l.line}
	l.advance(n)
	return t, rules.Messagef(format, args...)
}

func (l *lexer) advance(n int) {
	l.line += strings.Count(l.text[l.pos:l.pos+n], "\n")
	l.pos += n
}

func (l *lexer) skipLine() {
	n := strings.IndexByte(l.text[l.pos:], '\n')
	if n < 0 {
		n = len(l.text) - l.pos
	}
	l.advance(n)
}

// until reads the part of text between the mark at its front and the next closing mark.
func (l *lexer) until(k kind, text string, end byte) (token, error) {
	n := strings.IndexByte(text[1:], end)
	if n < 0 {
		if l.source != nil && k == comment {
			return l.fail(len(text), "%q has no closing %q within %d bytes", clip(firstLine(text)), end, l.window)
		}
		return l.fail(len(text), "%q has no closing %q", clip(firstLine(text)), end)
	}
	// Cloned, so that a game does not keep the file in memory.
	t := token{kind: k, text: strings.Clone(text[1 : 1+n]), line: l.line}
	l.advance(n + 2)
	return t, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// strengthLength returns the length of a strength mark at the front of s, with or without
// brackets; 0 if there is none.
func strengthLength(s string) int {
	marks := func(s string) int { return len(s) - len(strings.TrimLeft(s, "!?")) }
	if s[0] != '(' {
		return marks(s)
	}
	if n := 1 + marks(s[1:]); n > 1 && n < len(s) && s[n] == ')' {
		return n + 1
	}
	return 0
}

// tag reads [Name "value"]. It skips the forum wrappers [pdn] and [/pdn]: ok is false then.
func (l *lexer) tag() (t token, ok bool, err error) {
	rest := l.text[l.pos:]
	for _, wrapper := range []string{"[pdn]", "[/pdn]"} {
		if len(rest) >= len(wrapper) && strings.EqualFold(rest[:len(wrapper)], wrapper) {
			l.advance(len(wrapper))
			return token{}, false, nil
		}
	}
	line := len(firstLine(rest))
	bad := func(why *rules.Message) (token, bool, error) {
		t, err := l.fail(line, "tag %q: %s; write [Name \"value\"]", clip(strings.TrimSpace(rest[:line])), why)
		return t, false, err
	}
	i := 1
	skip := func() {
		for i < line && (rest[i] == ' ' || rest[i] == '\t') {
			i++
		}
	}
	skip()
	start := i
	for i < line && (isDigit(rest[i]) || rest[i] == '_' || 'a' <= rest[i]|0x20 && rest[i]|0x20 <= 'z') {
		i++
	}
	name := rest[start:i]
	if name == "" || isDigit(name[0]) || name[0] == '_' {
		return bad(rules.Messagef("the name is missing"))
	}
	skip()
	var value strings.Builder
	switch {
	case i < line && rest[i] == '"':
		for i++; i < line && rest[i] != '"'; i++ {
			if rest[i] == '\\' && i+1 < line && (rest[i+1] == '"' || rest[i+1] == '\\') {
				i++
			}
			value.WriteByte(rest[i])
		}
		if i == line {
			return bad(rules.Messagef("the value has no closing quote"))
		}
		i++
	default: // without quotes, up to the bracket
		n := strings.IndexByte(rest[i:line], ']')
		if n < 0 {
			return bad(rules.Messagef("the closing bracket is missing"))
		}
		value.WriteString(strings.TrimSpace(rest[i : i+n]))
		i += n
	}
	skip()
	if i == line || rest[i] != ']' {
		return bad(rules.Messagef("the closing bracket is missing"))
	}
	t = token{kind: tagToken, name: strings.ToUpper(name[:1]) + name[1:], text: value.String(), line: l.line}
	l.advance(i + 1)
	return t, true, nil
}

// numeric reads a piece that begins with a digit: a result, a move number (ok is false) or a move.
func (l *lexer) numeric() (t token, ok bool) {
	rest := l.text[l.pos:]
	for _, text := range []string{"1/2-1/2", "½-½", "0.5-0.5"} {
		if strings.HasPrefix(rest, text) {
			t = token{kind: result, text: text, result: resultTexts[text], line: l.line}
			l.advance(len(text))
			return t, true
		}
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("0123456789-xX:\u2010\u2011\u2013\u00d7½", r) })
	if n < 0 {
		n = len(rest)
	}
	text := strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2013", "-").Replace(rest[:n])
	if strings.Trim(text, "0123456789") == "" {
		l.advance(n) // a move number
		return token{}, false
	}
	t = token{kind: moveToken, text: text, line: l.line}
	if r, is := resultTexts[text]; is {
		t.kind, t.result = result, r
	} else if m := l.capturedList(n); m > n {
		t.text, n = text+rest[n:m], m
	}
	l.advance(n)
	return t, true
}

// coordinates reads a move that begins with a letter.
func (l *lexer) coordinates() token {
	rest := l.text[l.pos:]
	n := strings.IndexFunc(rest, func(r rune) bool {
		return !strings.ContainsRune("0123456789-xX:\u2010\u2011\u2013\u00d7", r) && (r > 'l' || !isLetter(byte(r)))
	})
	if n < 0 {
		n = len(rest)
	}
	t := token{kind: moveToken, text: rest[:n], line: l.line}
	if m := l.capturedList(n); m > n {
		t.text, n = t.text+rest[n:m], m
	}
	l.advance(n)
	return t
}

// capturedList returns the end of a list of captured squares, "<42,29>", that follows a move of n
// bytes; n if there is none.
func (l *lexer) capturedList(n int) int {
	rest := l.text[l.pos:]
	i := n
	for i < len(rest) && rest[i] == ' ' {
		i++
	}
	if i == len(rest) || rest[i] != '<' {
		return n
	}
	if end := strings.IndexAny(rest[i:], ">\n"); end > 0 && rest[i+end] == '>' {
		return i + end + 1
	}
	return n
}
