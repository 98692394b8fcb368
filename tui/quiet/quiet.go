// Package quiet keeps a library from asking the terminal for its colours.
//
// Bubble Tea does so when it is initialised, in every command that has it compiled in, a plain one too: it writes an
// escape sequence to standard output and waits for the answer. As the colours here do not depend on it, the answer is
// given beforehand. Go initialises packages in the order of their import paths as far as their imports allow, and this
// one stands before github.com; TestPlainCommandsStayPlain of cmd/play holds that.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
