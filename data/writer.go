package data

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"damier/rules"
)

// Writer encodes a shard game by game, so that the work is done when games end, and not all at once
// when they are written.
type Writer struct {
	v     *rules.Variant
	check *checker
	names *moveNames
	rows  []row // of one game
	file  *rowWriter
	info  ShardInfo // of the games so far
}

// NewWriter returns a writer of a shard of v.
func NewWriter(v *rules.Variant) *Writer {
	return &Writer{v: v, check: newChecker(v), names: newMoveNames(v), file: newRowWriter(v)}
}

// encodeGames returns a writer to which all games were added.
func encodeGames(v *rules.Variant, games []Game) (*Writer, error) {
	w := NewWriter(v)
	for i := range games {
		if err := w.Add(&games[i]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Add encodes a game and keeps nothing of it. It refuses a game that a reader would refuse, and
// names game and ply in the error; for a game of other rules the error wraps [ErrForeign]. After an
// error the writer is of no use.
func (w *Writer) Add(g *Game) error {
	if err := w.check.checkGame(g); err != nil {
		return err
	}
	w.rows = appendRows(w.rows[:0], w.v, g, w.names)
	w.info.count(g)
	return w.file.game(w.rows)
}

// Write writes the games, at least one, as the shard dir/name; name ends in [Extension]. The file
// appears completely or not at all, survives a loss of power once Write has returned, and is never
// overwritten. Equal games give equal bytes. After it the writer is of no use.
func (w *Writer) Write(dir, name string) (ShardInfo, error) {
	if err := checkName(name); err != nil {
		return ShardInfo{}, err
	}
	content, err := w.encode()
	if err != nil {
		return ShardInfo{}, fmt.Errorf("write %s: %w", filepath.Join(dir, name), err)
	}
	if err := writeFile(dir, name, content); err != nil {
		return ShardInfo{}, err
	}
	w.info.file(name, content)
	return w.info, nil
}

// encode returns the bytes of the shard.
func (w *Writer) encode() ([]byte, error) {
	if w.info.Games == 0 {
		return nil, errors.New("a shard must have a game")
	}
	return w.file.finish()
}

// checkName returns an error for a name that is not safe as a file name everywhere.
func checkName(name string) error {
	base, ok := strings.CutSuffix(name, Extension)
	if !ok || base == "" || base[0] == '.' {
		return fmt.Errorf("%q is no name for a shard: it must end in %s and not begin with a dot", name, Extension)
	}
	for _, c := range base {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return fmt.Errorf("%q is no name for a shard: it may have letters, digits, dots, hyphens and underscores", name)
		}
	}
	return nil
}
