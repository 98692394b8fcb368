package dxp

import (
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
