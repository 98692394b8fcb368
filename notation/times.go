package notation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"damier/rules"
)

// Times is what the comment of a move says about the clock.
type Times struct {
	Left     time.Duration // on the clock of the side that has moved, after the move
	Spent    time.Duration // on the move
	HasLeft  bool
	HasSpent bool
}

// longestTime bounds the times that are read: a longer one is no time of a game.
const longestTime = 1000 * time.Hour

// timeCommand is a command about the clock within a comment: [%clk 0:09:58], the time left of the
// side that has moved; [%emt 0:00:02.5], the time for the move; [%clock w0:09:58 B0:10:00], the
// time left of both sides, as lidraughts writes it. The first two are of the PGN supplement of
// 2001, which PDN 3.0 adopts.
var timeCommand = regexp.MustCompile(`\[%(clk|emt|clock)\s+([^\]]*)\]`)

// CutTimes reads the times in the comment of a move of a side, and returns the comment without
// them. A command that it cannot read stays.
func CutTimes(comment string, mover rules.Color) (t Times, rest string) {
	rest = timeCommand.ReplaceAllStringFunc(comment, func(command string) string {
		parts := timeCommand.FindStringSubmatch(command)
		switch parts[1] {
		case "emt":
			d, ok := parseTime(parts[2])
			if !ok {
				return command
			}
			t.Spent, t.HasSpent = d, true
		case "clk":
			d, ok := parseTime(parts[2])
			if !ok {
				return command
			}
			t.Left, t.HasLeft = d, true
		default:
			letter := [2]string{"w", "b"}[mover]
			for _, word := range strings.Fields(strings.ToLower(parts[2])) {
				if d, ok := parseTime(strings.TrimPrefix(word, letter)); ok && strings.HasPrefix(word, letter) {
					t.Left, t.HasLeft = d, true
					return ""
				}
			}
			return command
		}
		return ""
	})
	if rest == comment {
		return t, comment
	}
	return t, oneLine(rest)
}

// Comment returns t as the text of a comment, "" if nothing is known. Times are rounded to tenths
// of a second.
func (t Times) Comment() string {
	var parts []string
	if t.HasLeft {
		parts = append(parts, "[%clk "+formatTime(t.Left)+"]")
	}
	if t.HasSpent {
		parts = append(parts, "[%emt "+formatTime(t.Spent)+"]")
	}
	return strings.Join(parts, " ")
}

// formatTime writes h:mm:ss, with a tenth if it is not 0.
func formatTime(d time.Duration) string {
	tenths := int64(max(d, 0).Round(100*time.Millisecond) / (100 * time.Millisecond))
	s := tenths / 10
	text := fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	if tenths%10 != 0 {
		text += "." + strconv.FormatInt(tenths%10, 10)
	}
	return text
}

// parseTime reads h:mm:ss, mm:ss or seconds, whose last part may have decimals.
func parseTime(text string) (time.Duration, bool) {
	parts := strings.Split(strings.TrimSpace(text), ":")
	if len(parts) > 3 {
		return 0, false
	}
	total := 0.0 // seconds
	for i, part := range parts {
		whole := i < len(parts)-1
		for j, c := range part {
			if (c < '0' || c > '9') && (c != '.' || whole || j == 0) {
				return 0, false
			}
		}
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		total = 60*total + n
	}
	if total > longestTime.Seconds() {
		return 0, false
	}
	return time.Duration(total * float64(time.Second)).Round(time.Millisecond), true
}

// Control reads the first period of a TimeControl tag: "300", "300+5" and "40/7200" are the time on
// a clock at the beginning and what a move adds to it. ok is false for "-", "?" and other forms.
func Control(tag string) (main, increment time.Duration, ok bool) {
	tag, _, _ = strings.Cut(strings.TrimSpace(tag), ":")
	if _, seconds, moves := strings.Cut(tag, "/"); moves {
		tag = seconds
	}
	text, more, adds := strings.Cut(tag, "+")
	if main, ok = parseTime(text); !ok {
		return 0, 0, false
	}
	if adds {
		if increment, ok = parseTime(more); !ok {
			return 0, 0, false
		}
	}
	return main, increment, true
}
