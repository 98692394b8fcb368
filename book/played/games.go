package played

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"damier/book"
	"damier/internal/files"
	"damier/notation"
	"damier/rules"
)

// Bounds on what is read and held.
const (
	MaxFiles     = 1000    // number of files of a folder
	MaxBytes     = 1 << 30 // size of a file
	MaxPlies     = 60      // moves of a game whose positions count
	MaxPositions = 1 << 20 // positions held, of all variants; then reading ends
	maxErrors    = 20      // errors kept as a sample
	extension    = ".pdn"  // of the files of a folder, in any case
)

// Results counts games by their result, for the side to move.
type Results struct {
	Wins, Draws, Losses uint32
	Unknown             uint32 // games without a result
}

// Games returns the number of games.
func (r Results) Games() int { return int(r.Wins + r.Draws + r.Losses + r.Unknown) }

// Progress says what has been read so far.
type Progress struct {
	Reading bool // whether there is more to read
	Full    bool // reading has ended early, because MaxPositions are held
	Games   int  // games read
	Bad     int  // games that cannot be read; what comes before the error counts
	Errors  []error
}

// Games are the counted games. Any goroutine may call its methods. The zero value has no games.
type Games struct {
	mu       sync.RWMutex
	counts   map[string]map[uint64]Results // by the variant with its options and the key
	held     int
	most     int // positions held at most; 0 means MaxPositions
	progress Progress
}

// Results returns the results of the games that have passed a position, for the side to move.
func (g *Games) Results(v *rules.Variant, p rules.Position) Results {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.counts[v.String()][book.Key(v, p)]
}

// Progress returns what has been read so far.
func (g *Games) Progress() Progress {
	g.mu.RLock()
	defer g.mu.RUnlock()
	p := g.progress
	p.Errors = slices.Clone(p.Errors)
	return p
}

// Find returns the files that paths name: a file itself, and of a folder those in it that end in
// .pdn. It is an error if a path does not exist or a folder has none, or more than MaxFiles.
func Find(paths []string) ([]string, error) {
	var names []string
	for _, path := range paths {
		f, _, err := files.Open(path, MaxBytes)
		if err == nil {
			f.Close()
			names = append(names, path)
			continue
		}
		if !errors.Is(err, files.ErrNotRegular) {
			return nil, err
		}
		list, e := files.List(path, func(name string) bool {
			return strings.EqualFold(filepath.Ext(name), extension)
		})
		switch {
		case e != nil:
			return nil, err // a pipe or a device
		case len(list) == 0:
			return nil, fmt.Errorf("%s: there is no file *%s in this folder", path, extension)
		case len(list) > MaxFiles:
			return nil, fmt.Errorf("%s: %d files, and at most %d are read", path, len(list), MaxFiles)
		}
		for _, name := range list {
			names = append(names, filepath.Join(path, name))
		}
	}
	return names, nil
}

// Read reads the games of files. A game without a tag of its variant is of preferred. It goes on
// after a game or a file that cannot be read, whose error goes to bad. It ends when ctx is done.
func (g *Games) Read(
	ctx context.Context, names []string, preferred *rules.Variant, bad func(error),
) {
	g.update(func(p *Progress) { p.Reading = true })
	defer g.update(func(p *Progress) { p.Reading = false })
	for _, name := range names {
		err := g.readFile(ctx, name, preferred, func(err error) {
			g.add(nil, err)
			bad(err)
		})
		switch {
		case ctx.Err() != nil || errors.Is(err, errFull):
			return
		case err != nil:
			g.update(func(p *Progress) { p.keep(err) })
			bad(err)
		}
	}
}

// errFull ends the reading when MaxPositions are held.
var errFull = errors.New("too many positions")

// keep adds an error to the sample.
func (p *Progress) keep(err error) {
	if len(p.Errors) < maxErrors {
		p.Errors = append(p.Errors, err)
	}
}

func (g *Games) update(change func(*Progress)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.progress)
}

// readFile reads the games of a file. The errors of games go to bad; it returns that of the file.
func (g *Games) readFile(
	ctx context.Context, name string, preferred *rules.Variant, bad func(error),
) error {
	f, _, err := files.Open(name, MaxBytes)
	if err != nil {
		return err
	}
	defer f.Close()
	r := notation.NewVariantsReader(f, chooser(preferred))
	short := filepath.Base(name)
	for ctx.Err() == nil {
		n, err := r.Next()
		var parse *notation.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &parse):
			if parse.Read != nil {
				g.add(parse.Read, nil)
			}
			bad(rules.Messagef("%s: %w", short, err))
		case err != nil:
			return rules.Messagef("%s: %w", short, err)
		default:
			g.add(n, nil)
		}
		if g.Progress().Full {
			return errFull
		}
	}
	return ctx.Err()
}

// mostVariants bounds the variants with options that a chooser remembers.
const mostVariants = 100

// chooser returns a function that returns the variant of a game, and looks each one up only once.
func chooser(preferred *rules.Variant) func(notation.Tags) (*rules.Variant, error) {
	known := map[string]*rules.Variant{}
	return func(t notation.Tags) (*rules.Variant, error) {
		key := t.Get("Variant") + "\x00" + t.Get("GameType") + "\x00" + t.Get("VariantOptions")
		if v := known[key]; v != nil {
			return v, nil
		}
		v, err := notation.VariantOf(t, preferred)
		if err == nil && len(known) < mostVariants {
			known[key] = v
		}
		return v, err
	}
}

// add counts a game, or an unreadable one if err is not nil.
func (g *Games) add(n *notation.Game, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.progress.Bad++
		g.progress.keep(err)
		return
	}
	g.progress.Games++
	v := n.Variant()
	counts := g.counts[v.String()]
	if counts == nil {
		counts = map[uint64]Results{}
		if g.counts == nil {
			g.counts = map[string]map[uint64]Results{}
		}
		g.counts[v.String()] = counts
	}
	var seen []uint64 // of this game: a position that recurs counts once
	p := n.Start()
	moves := n.Moves()
	for i := 0; ; i++ {
		if key := book.Key(v, p); !slices.Contains(seen, key) {
			seen = append(seen, key)
			r, known := counts[key]
			if !known {
				if g.held >= cmp.Or(g.most, MaxPositions) {
					g.progress.Full = true
					return
				}
				g.held++
			}
			counts[key] = r.with(n.Result, p.Turn)
		}
		if i == min(len(moves), MaxPlies) {
			return
		}
		p = v.Play(p, moves[i])
	}
}

// with returns r with one more game, in which turn is to move.
func (r Results) with(result notation.Result, turn rules.Color) Results {
	won := notation.WhiteWin
	if turn == rules.Black {
		won = notation.BlackWin
	}
	switch result {
	case notation.Unknown:
		r.Unknown++
	case notation.DrawnGame:
		r.Draws++
	case won:
		r.Wins++
	default: // the other side has won, or both have lost
		r.Losses++
	}
	return r
}
