package dxp

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"damier/rules"
)

// Parse reads a message without the byte that ends it. It ignores anything after the known fields,
// because senders pad messages and later versions may add fields.
func Parse(text []byte) (Message, error) {
	if len(text) == 0 {
		return nil, errors.New("an empty message")
	}
	r := fields{text: string(text), at: 1}
	var m Message
	var kind string
	switch text[0] {
	case 'R':
		kind, m = "GAMEREQ", r.gameReq()
	case 'A':
		kind, m = "GAMEACC", GameAcc{Name: r.name(), Answer: Answer(r.digit("answer", 3))}
	case 'M':
		kind, m = "MOVE", r.move()
	case 'E':
		kind, m = "GAMEEND", GameEnd{Claim: Claim(r.digit("reason", 3)), Stop: r.digit("stop code", 1) == 1}
	case 'C':
		kind, m = "CHAT", Chat(printable(r.text[1:]))
	case 'B':
		kind, m = "BACKREQ", BackReq{Number: r.number("move number", 3, 1, 999), Turn: r.colour("side to move")}
	case 'K':
		kind, m = "BACKACC", BackAcc{BackAnswer(r.digit("answer", 2))}
	default:
		return nil, fmt.Errorf("message %q: no kind of message begins so", clip(r.text))
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s %q: %w", kind, clip(r.text), r.err)
	}
	return m, nil
}

// clip shortens what an error quotes.
func clip(s string) string {
	if len(s) > 50 {
		return s[:50] + "..."
	}
	return s
}

// fields reads the fields of a message one after another. It keeps the first error.
type fields struct {
	text string
	at   int
	err  error
}

// next returns the next n bytes, or n question marks if there are fewer.
func (r *fields) next(name string, n int) string {
	if r.at+n > len(r.text) {
		r.fail("%s is missing at byte %d", name, r.at)
		r.at = len(r.text)
		return strings.Repeat("?", n)
	}
	r.at += n
	return r.text[r.at-n : r.at]
}

func (r *fields) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// number reads a number of n digits in low..high. Leading zeros may be blanks.
func (r *fields) number(name string, n, low, high int) int {
	text := r.next(name, n)
	x, err := strconv.ParseUint(strings.TrimLeft(text, " "), 10, 32)
	if err != nil || int(x) < low || int(x) > high {
		r.fail("%s %q is not a number from %d to %d", name, text, low, high)
		return low
	}
	return int(x)
}

func (r *fields) digit(name string, high int) int { return r.number(name, 1, 0, high) }

func (r *fields) name() string { return strings.TrimSpace(printable(r.next("name", maxName))) }

func (r *fields) colour(name string) rules.Color {
	switch text := r.next(name, 1); text {
	case "W":
		return rules.White
	case "Z":
		return rules.Black
	default:
		r.fail("%s %q is neither W nor Z", name, text)
		return rules.White
	}
}

func (r *fields) gameReq() GameReq {
	q := GameReq{Version: r.number("version", 2, 0, 99), Name: r.name(), Follower: r.colour("the Follower's side")}
	text := r.next("thinking time", 3)
	minutes, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(minutes >= 0 && minutes < 1000) || strings.ContainsAny(text, "eExXpP+_") {
		r.fail("thinking time %q is not a number of minutes", text)
		minutes = 0
	}
	q.Time = time.Duration(math.Round(minutes*60e3)) * time.Millisecond
	q.Moves = r.number("number of moves", 3, 0, 999)
	switch kind := r.next("kind of start", 1); kind {
	case "A":
	case "B":
		q.Start = r.position()
	default:
		r.fail("kind of start %q is neither A nor B", kind)
	}
	return q
}

func (r *fields) position() *rules.Position {
	turn := r.colour("side to move")
	text := r.next("position", 50)
	var white, black, kings []rules.Square
	for i := range len(text) {
		s := rules.Square(i + 1)
		switch text[i] {
		case 'w', 'W':
			white = append(white, s)
		case 'z', 'Z':
			black = append(black, s)
		case 'e':
		default:
			r.fail("square %d %q is none of w, z, W, Z and e", s, text[i:i+1])
			return nil
		}
		if text[i] == 'W' || text[i] == 'Z' {
			kings = append(kings, s)
		}
	}
	if r.err != nil {
		return nil
	}
	g := board()
	p := rules.NewPosition(g.Set(white...), g.Set(black...), g.Set(kings...), turn)
	return &p
}

func (r *fields) move() Move {
	m := Move{
		Seconds: r.number("time", 4, 0, 9999),
		From:    rules.Square(r.number("origin", 2, 1, 50)),
		To:      rules.Square(r.number("destination", 2, 1, 50)),
	}
	for range r.number("number of captures", 2, 0, 20) {
		m.Captured = append(m.Captured, rules.Square(r.number("captured square", 2, 1, 50)))
	}
	return m
}
