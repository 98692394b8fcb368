package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	_ "damier/tui/quiet" // initialised before Bubble Tea
)

// Signs are the signs for pieces.
type Signs uint8

// The signs: circles; those of Unicode for draughts, which not every font has; letters.
const (
	Circles Signs = iota
	Draughts
	Letters
)

var signs = [3][5]string{
	Circles:  {" ", "○", "◎", "●", "◉"},
	Draughts: {" ", "⛀", "⛁", "⛂", "⛃"},
	Letters:  {" ", "w", "W", "b", "B"},
}

// Look says how things are drawn. The zero Look has circles and no colours.
type Look struct {
	Signs   Signs
	ASCII   bool // letters for pieces, and only ASCII characters everywhere
	palette *palette
}

// NewLook chooses what a terminal can show, from its environment: colours if it has them and
// NO_COLOR is not set, and characters beyond ASCII if the locale has UTF-8 and ascii is false.
func NewLook(ascii bool, env func(string) string) Look {
	locale := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = env(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	l := Look{ASCII: ascii || !strings.Contains(locale, "utf8")}
	if l.ASCII {
		l.Signs = Letters
	}
	colors := termenv.Ascii
	switch name := env("TERM"); {
	case env("NO_COLOR") != "" || name == "dumb" || name == "" || strings.Contains(name, "mono") || name == "vt100" || name == "vt220":
	case env("COLORTERM") == "truecolor" || env("COLORTERM") == "24bit" || strings.Contains(name, "256color") ||
		strings.Contains(name, "kitty") || strings.Contains(name, "alacritty") || strings.Contains(name, "direct"):
		colors = termenv.ANSI256
	default:
		colors = termenv.ANSI
	}
	l.palette = &palette{profile: colors}
	return l
}

// Colored reports whether there are colours.
func (l Look) Colored() bool { return l.palette != nil && l.palette.profile != termenv.Ascii }

// palette has the escape sequences of a terminal for colours. Several goroutines may use it.
type palette struct {
	profile termenv.Profile
	known   sync.Map // ink to escape sequence
}

// ink is the colours of text: numbers of the 256 colours, "" for the terminal's own.
type ink struct {
	foreground, background string
	bold                   bool
}

// Style writes text in colours.
type Style struct{ begin string }

// Render returns the text with its escape sequences.
func (s Style) Render(text string) string {
	if s.begin == "" || text == "" {
		return text
	}
	return s.begin + text + "\x1b[0m"
}

// Style returns a style; foreground and background are numbers of the 256 colours, "" for the
// terminal's own.
func (l Look) Style(foreground, background string, bold bool) Style {
	i := ink{foreground, background, bold}
	if !l.Colored() || i == (ink{}) {
		return Style{}
	}
	if begin, ok := l.palette.known.Load(i); ok {
		return Style{begin.(string)}
	}
	var parts []string
	if bold {
		parts = append(parts, termenv.BoldSeq)
	}
	if foreground != "" {
		parts = append(parts, l.palette.profile.Color(foreground).Sequence(false))
	}
	if background != "" {
		parts = append(parts, l.palette.profile.Color(background).Sequence(true))
	}
	begin := termenv.CSI + strings.Join(parts, ";") + "m"
	l.palette.known.Store(i, begin)
	return Style{begin}
}

// Sign returns a sign, or its replacement in ASCII.
func (l Look) Sign(unicode, ascii string) string {
	if l.ASCII {
		return ascii
	}
	return unicode
}

// Text returns text that is safe to show: without control characters, and in ASCII if the Look
// requires it.
func (l Look) Text(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1
		case l.ASCII && r > '~':
			if s, ok := asASCII[r]; ok {
				return s
			}
			return '?'
		}
		return r
	}, text)
}

var asASCII = map[rune]rune{'…': '.', '–': '-', '±': '~', '·': '-', '×': 'x', '’': '\'', '→': '>'}

// Fit returns text, which may contain escape sequences, in exactly the given number of columns:
// cut, or padded with blanks.
func (l Look) Fit(text string, width int) string {
	if width <= 0 {
		return ""
	}
	n := ansi.StringWidth(text)
	if n > width {
		text = ansi.Truncate(text, width, l.Sign("…", "~"))
		n = ansi.StringWidth(text)
	}
	return text + strings.Repeat(" ", width-n)
}

// Wrap breaks text into lines of at most the given number of columns.
func Wrap(text string, width int) []string {
	if width <= 0 || text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(text, width, ""), "\n")
}

// TooSmall returns the screen for a terminal that is too small.
func TooSmall(width, height, wantWidth, wantHeight int, what, way string) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	lines := Wrap(fmt.Sprintf("This terminal is %dx%d; %s needs %dx%d. Make it larger, or leave with q and use %s.",
		width, height, what, wantWidth, wantHeight, way), width)
	return strings.Join(lines[:min(len(lines), height)], "\n")
}

// ErrInterrupted is returned by [Run] after Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Interrupted is the message with which a model reports that Ctrl-C has ended it.
func Interrupted() tea.Msg { return tea.Interrupt() }

// Run shows a model on the screen until it quits, and restores the terminal. The error is
// [ErrInterrupted] after Ctrl-C, or that of ctx if that is done first.
func Run(ctx context.Context, m tea.Model, in, out *os.File) error {
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler()).Run()
	switch {
	case errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("the screen: %w", err)
	}
	return nil
}
