// Package gamefile adds games to files in PDN. It never replaces or empties a file.
package gamefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"damier/notation"
)

// sniffed is the number of bytes read to find out whether a file holds games.
const sniffed = 4096

// Check returns an error if games cannot be added to the file: it is not a regular file, or it
// begins with something that is neither a tag nor a comment nor a move of PDN. Games can be added
// to a file that does not exist.
func Check(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file that games can be added to", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, sniffed))
	if err != nil {
		return err
	}
	start = bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))
	if start = bytes.TrimSpace(start); len(start) > 0 && !bytes.ContainsAny(start[:1], "[{;%1") {
		return fmt.Errorf("%s is there and holds no games (PDN): give another name", name)
	}
	return nil
}

// Append adds games to a file, which it makes if necessary, in one piece. Several programs may add
// games to the same file.
func Append(name string, games []*notation.Game, write func(io.Writer, *notation.Game) error) error {
	var text bytes.Buffer
	for _, g := range games {
		if err := write(&text, g); err != nil {
			return fmt.Errorf("saving the game to %s: %w", name, err)
		}
	}
	f, err := open(name)
	if err != nil {
		return fmt.Errorf("saving the game to %s: %w", name, err)
	}
	_, err = f.Write(text.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("saving the game to %s: %w", name, err)
	}
	return nil
}

// File adds games to a file one after another, and writes each at once.
type File struct{ f *os.File }

// Open opens a file for games, which it makes if there is none.
func Open(name string) (*File, error) {
	f, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	return &File{f}, nil
}

// open opens a file of games to add some, at the beginning of a line.
func open(name string) (*os.File, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := endLine(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// endLine appends a line break to a file whose last line has none.
func endLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

// Add writes a game at the end of the file.
func (f *File) Add(g *notation.Game) error {
	var text bytes.Buffer
	err := notation.Write(&text, g)
	if err == nil {
		_, err = f.f.Write(text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
