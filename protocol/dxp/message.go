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

// MaxMessage is the length in bytes of the longest message, without the byte that ends it.
const MaxMessage = 127

// maxName is the length of a name in a message.
const maxName = 32

// Message is a GameReq, GameAcc, Move, GameEnd, Chat, BackReq or BackAcc.
type Message interface {
	// append appends the message without the byte that ends it.
	append(dst []byte) []byte
}

// GameReq asks for a game; only the Initiator sends it.
type GameReq struct {
	Version  int           // of the protocol; 0 is sent as 1, the only one there is
	Name     string        // of the Initiator
	Follower rules.Color   // the Follower's side
	Time     time.Duration // time of each player for the game; 0 for no clock. See [FormatTime]
	Moves    int           // number of moves of each player for the game, at most 999; 0 for no limit

	// Start is the position that the game begins with, without counters; nil for the start of the
	// game.
	Start *rules.Position
}

// Answer is a Follower's answer to a GameReq.
type Answer uint8

// The answers.
const (
	Accepted     Answer = iota
	WrongVersion        // of the protocol
	NotThisGame         // the Initiator may ask for another one
	NoGames             // no more games
)

// String says the answer in words.
func (a Answer) String() string {
	switch a {
	case Accepted:
		return "accepted"
	case WrongVersion:
		return "wrong version of the protocol"
	case NotThisGame:
		return "this game is refused"
	}
	return "no games are played"
}

// GameAcc is the Follower's answer to a GameReq.
type GameAcc struct {
	Name   string // of the Follower
	Answer Answer
}

// Move plays a move: the legal move of the position with this origin, destination and set of
// captured squares.
type Move struct {
	Seconds  int // time used for the move, at most 9999; for information only
	From, To rules.Square
	Captured []rules.Square // in any order, at most 20
}

// Claim is the result of a game as the sender of a GameEnd sees it.
type Claim uint8

// The claims.
const (
	Unknown Claim = iota
	ILose
	Drawn
	IWin
)

// String says the claim in words.
func (c Claim) String() string {
	return [...]string{"no result", "its own loss", "a draw", "its own win"}[c]
}

// Outcome returns the outcome that the claim of the given side means, rules.Ongoing for none.
func (c Claim) Outcome(side rules.Color) rules.Outcome {
	switch c {
	case ILose:
		return rules.Win(side.Opponent())
	case Drawn:
		return rules.Draw
	case IWin:
		return rules.Win(side)
	}
	return rules.Ongoing
}

// claimOf returns the claim of side for an outcome.
func claimOf(o rules.Outcome, side rules.Color) Claim {
	switch o {
	case rules.Draw:
		return Drawn
	case rules.Win(side):
		return IWin
	case rules.Win(side.Opponent()):
		return ILose
	}
	return Unknown
}

// GameEnd ends a game. It is sent in place of a move, and the partner answers it with another one.
type GameEnd struct {
	Claim Claim
	Stop  bool // the sender wants no more games
}

// Chat is a text for the partner. Characters that are not printable ASCII are sent as question
// marks, and a text that is too long is cut. Note that some programs execute a text that begins
// with "console " as a command.
type Chat string

// BackReq asks to go back to the position in which Turn is to play move Number, which counts from
// 1.
type BackReq struct {
	Number int
	Turn   rules.Color
}

// BackAnswer is an answer to a BackReq.
type BackAnswer uint8

// The answers.
const (
	BackAccepted BackAnswer = iota
	BackNever               // going back is not supported
	BackRefused             // not to that position, or not now: the game goes on
)

// BackAcc is the answer to a BackReq.
type BackAcc struct{ Answer BackAnswer }

// FormatTime returns a time as in a GameReq, in minutes in three characters: a whole number up to
// 999, or tenths below 10 minutes and hundredths below 1. No specification mentions the fractions,
// but programs read them. Any other time is an error.
func FormatTime(d time.Duration) (string, error) {
	minutes := d.Minutes()
	for _, f := range []string{
		fmt.Sprintf("%03.0f", minutes), fmt.Sprintf("%.1f", minutes), strings.TrimPrefix(fmt.Sprintf("%.2f", minutes), "0"),
	} {
		if x, err := strconv.ParseFloat(f, 64); err == nil && len(f) == 3 && d >= 0 && math.Abs(x-minutes) < 1e-9 {
			return f, nil
		}
	}
	return "", fmt.Errorf("a game of %s for each player cannot be told: it must be whole minutes up to 999, tenths of a minute (6s) below 10 minutes or hundredths (0.6s) below one", d)
}

func (r GameReq) append(dst []byte) []byte {
	minutes, err := FormatTime(r.Time)
	if err != nil {
		panic("dxp: a time that was not checked")
	}
	dst = fmt.Appendf(dst, "R%02d%s%c%s%03d", max(r.Version, 1), nameField(r.Name), colourLetter(r.Follower), minutes, min(max(r.Moves, 0), 999))
	if r.Start == nil {
		return append(dst, 'A')
	}
	return append(append(dst, 'B'), diagram(*r.Start)...)
}

func (a GameAcc) append(dst []byte) []byte {
	return fmt.Appendf(dst, "A%s%d", nameField(a.Name), a.Answer)
}

func (m Move) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "M%04d%02d%02d%02d", min(max(m.Seconds, 0), 9999), m.From, m.To, len(m.Captured))
	for _, s := range m.Captured {
		dst = fmt.Appendf(dst, "%02d", s)
	}
	return dst
}

func (e GameEnd) append(dst []byte) []byte {
	stop := 0
	if e.Stop {
		stop = 1
	}
	return fmt.Appendf(dst, "E%d%d", e.Claim, stop)
}

func (c Chat) append(dst []byte) []byte {
	text := printable(string(c))
	if text == "" {
		text = " "
	}
	return append(append(dst, 'C'), text[:min(len(text), MaxMessage-1)]...)
}

func (b BackReq) append(dst []byte) []byte {
	return fmt.Appendf(dst, "B%03d%c", min(max(b.Number, 1), 999), colourLetter(b.Turn))
}

func (b BackAcc) append(dst []byte) []byte { return fmt.Appendf(dst, "K%d", b.Answer) }

// printable returns s with a question mark for each character that is not printable ASCII.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// nameField returns a name as in a message, padded with blanks.
func nameField(name string) string {
	name = strings.TrimSpace(printable(name))
	return fmt.Sprintf("%-*s", maxName, name[:min(len(name), maxName)])
}

// colourLetter is W for wit (white), Z for zwart (black).
func colourLetter(c rules.Color) byte {
	if c == rules.Black {
		return 'Z'
	}
	return 'W'
}

// board returns the board of all games.
func board() *rules.Geometry { return rules.International.Board }

// diagram returns a position as in a GameReq: the side to move, and a letter for each square.
func diagram(p rules.Position) []byte {
	dst := []byte{colourLetter(p.Turn)}
	for s := rules.Square(1); s <= 50; s++ {
		letter := byte('e')
		switch g := board(); {
		case g.Has(p.Men(rules.White), s):
			letter = 'w'
		case g.Has(p.Men(rules.Black), s):
			letter = 'z'
		case g.Has(p.Kings(rules.White), s):
			letter = 'W'
		case g.Has(p.Kings(rules.Black), s):
			letter = 'Z'
		}
		dst = append(dst, letter)
	}
	return dst
}

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
