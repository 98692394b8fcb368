package tournament

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"damier/arena"
	"damier/notation"
	"damier/rules"
)

// line is one line of the results file. One of its fields is set.
type line struct {
	Settings *Settings `json:"settings,omitempty"`
	Player   *Player   `json:"player,omitempty"`
	Game     *gameLine `json:"game,omitempty"`
}

// gameLine is a Game in the form of the results file.
type gameLine struct {
	Control  string     `json:"control"`
	White    string     `json:"white"`
	Black    string     `json:"black"`
	Pair     int        `json:"pair"`
	Opening  int        `json:"opening"`
	Prefix   int        `json:"opening_plies"`
	FEN      string     `json:"fen,omitempty"` // unless the variant's start
	Moves    string     `json:"moves"`
	Result   string     `json:"result"` // white, black or draw
	Reason   string     `json:"reason"`
	Seconds  [2]float64 `json:"seconds"`  // white, black
	Overruns [2]int     `json:"overruns"` // white, black
	Failure  string     `json:"failure,omitempty"`
	Date     string     `json:"date"`
}

// maxResults and maxLine are the sizes in bytes above which a results file, or one of its lines,
// is refused.
const (
	maxResults = 1 << 32
	maxLine    = 1 << 22
)

// readLine returns a line with its line break. The error is bufio.ErrTooLong, or that of the
// reader at the end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) > maxLine:
			return nil, bufio.ErrTooLong
		}
	}
}

// text returns the game in the form of the results file.
func (g Game) text(v *rules.Variant) *gameLine {
	outcome, reason := g.Game.Outcome()
	l := &gameLine{
		Control: g.Control, White: g.White, Black: g.Black, Pair: g.Pair, Opening: g.Opening, Prefix: g.Prefix,
		Result: outcome.String(), Reason: string(reason), Overruns: g.Overruns, Failure: g.Failure, Date: g.Date,
	}
	for c, d := range g.Elapsed {
		l.Seconds[c] = float64(d.Milliseconds()) / 1000
	}
	if p := g.Game.Start(); p != v.Start() {
		l.FEN = v.FEN(p)
	}
	positions := g.Game.Positions()
	var b strings.Builder
	for i, m := range g.Game.Moves() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(notation.FormatMove(v, positions[i], m))
	}
	l.Moves = b.String()
	return l
}

// parse replays the game of a line and checks it with the referee.
func (l *gameLine) parse(v *rules.Variant) (Game, error) {
	g := Game{
		Control: l.Control, White: l.White, Black: l.Black, Pair: l.Pair, Opening: l.Opening, Prefix: l.Prefix,
		Overruns: l.Overruns, Failure: l.Failure, Date: l.Date,
	}
	for c, s := range l.Seconds {
		g.Elapsed[c] = time.Duration(s * float64(time.Second))
	}
	start := v.Start()
	if l.FEN != "" {
		var err error
		if start, err = rules.ParseFEN(v, l.FEN); err != nil {
			return g, err
		}
	}
	g.Game = rules.NewGameFrom(v, start)
	for i, text := range strings.Fields(l.Moves) {
		m, err := notation.ParseMove(v, g.Game.Position(), text)
		if err == nil {
			err = g.Game.Play(m)
		}
		if err != nil {
			return g, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	if l.White == l.Black || l.White == "" || l.Black == "" || l.Pair < 0 || l.Prefix < 0 || l.Prefix > g.Game.Ply() {
		return g, errors.New("its players or numbers make no sense")
	}
	outcome := rules.Ongoing
	for _, o := range []rules.Outcome{rules.WhiteWins, rules.BlackWins, rules.Draw} {
		if o.String() == l.Result {
			outcome = o
		}
	}
	if outcome == rules.Ongoing {
		return g, fmt.Errorf("result %q is none of white, black and draw", l.Result)
	}
	if !g.Game.Over() {
		switch r := rules.Reason(l.Reason); r {
		case rules.PlyLimit, rules.IllegalMove, rules.TimeForfeit, rules.Adjudication, rules.PlayerFailure, rules.Resignation, rules.Agreement:
			g.Game.End(outcome, r)
		default:
			return g, fmt.Errorf("it is not over, but said to have ended by %q", l.Reason)
		}
	}
	if o, r := g.Game.Outcome(); o != outcome || string(r) != l.Reason {
		return g, fmt.Errorf("it ended %s by %s, not %s by %s", o, r, l.Result, l.Reason)
	}
	return g, arena.Referee(v, g.Game)
}
