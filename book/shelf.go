package book

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"damier/internal/files"
	"damier/rules"
)

// Environment is the environment variable that names the folder of the user's books.
const Environment = "DAMIER_BOOK"

// Settings of a book, other than the name of a file.
const (
	On  = "on"
	Off = "off"
)

// shipped are the books that come with the program.
//
//go:embed shipped
var shipped embed.FS

// extension is the extension of a book.
const extension = ".book"

// fileName returns the name of the file of v: its name, and the options that differ from their
// defaults.
func fileName(v *rules.Variant) string {
	name := v.Name
	usual, err := rules.Lookup(v.Name, nil)
	for _, o := range slices.Sorted(maps.Keys(v.Options)) {
		if err != nil || usual.Options[o] != v.Options[o] {
			name += "+" + o + "=" + v.Options[o]
		}
	}
	return name + extension
}

// File returns the name of the user's book of v: in the folder of the variable Environment, else in
// damier/book of the user's data directory. It returns an error if the system has no such
// directory.
func File(v *rules.Variant) (string, error) {
	dir := os.Getenv(Environment)
	if dir == "" {
		data, err := files.DataDir()
		if err != nil {
			return "", fmt.Errorf("no folder for books: %w; name one by $%s", err, Environment)
		}
		dir = filepath.Join(data, "damier", "book")
	}
	return filepath.Join(dir, fileName(v)), nil
}

// Shipped returns the book of v that comes with the program; nil if there is none.
func Shipped(v *rules.Variant) (*Book, error) {
	name := fileName(v)
	text, err := shipped.ReadFile("shipped/" + name)
	if err != nil {
		return nil, nil // there is none of this name
	}
	return Read("the book of "+v.Name+" in the program", text, v)
}

// shelf holds the books that the process has opened, each once. They stay open.
var shelf struct {
	sync.Mutex
	open map[string]*Book
}

// Get returns the book of v for a setting: nil for [Off] and "", for [On] the user's (see [File]),
// else the one that comes with the program, else nil; or the book in the file of that name.
func Get(setting string, v *rules.Variant) (*Book, error) {
	if setting == Off || setting == "" {
		return nil, nil
	}
	name := setting
	if setting == On {
		var err error
		if name, err = File(v); err != nil {
			return Shipped(v) // no directory, so no book of the user
		}
	}
	shelf.Lock()
	defer shelf.Unlock()
	key := setting + "\x00" + name + "\x00" + v.String()
	if b, known := shelf.open[key]; known {
		return b, nil
	}
	b, err := Open(name, v)
	if setting == On && errors.Is(err, fs.ErrNotExist) {
		b, err = Shipped(v)
	}
	if err != nil {
		return nil, err
	}
	if shelf.open == nil {
		shelf.open = map[string]*Book{}
	}
	shelf.open[key] = b
	return b, nil
}
