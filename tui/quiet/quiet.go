// Package quiet prevents a library from asking the terminal for its colours.
//
// Bubble Tea does so during initialisation, in every command that contains it, even in one for
// plain lines: it writes an escape sequence to standard output and waits for the answer. The
// colours here do not depend on the answer, so this package sets it before. Go initialises
// packages in the order of their import paths, as far as their imports allow, and this path comes
// before github.com; TestPlainCommandsStayPlain of cmd/play tests it.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
