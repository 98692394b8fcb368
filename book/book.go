package book

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"

	"damier/internal/files"
	"damier/rules"
)

// Book is an open book of one variant. It is safe for concurrent use.
type Book struct {
	v            *rules.Variant
	name         string
	header       Header
	keys, values []byte
	unmap        func() error
}

// Open opens the book of v in a file, as a memory map where the system has them. The error names
// the file and wraps ErrDamaged, ErrForeign, or that of the system.
func Open(name string, v *rules.Variant) (*Book, error) {
	f, size, err := files.Open(name, MaxBytes)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the map stays
	b, unmap, err := mapped(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	k, err := Read(name, b, v)
	if err != nil {
		unmap()
		return nil, err
	}
	k.unmap = unmap
	return k, nil
}

// Read returns the book of v in b, which must not be changed afterwards. Name appears in errors.
func Read(name string, b []byte, v *rules.Variant) (*Book, error) {
	h, keys, values, err := parse(b, magic, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Book{v: v, name: name, header: h, keys: keys, values: values}, nil
}

// Close ends the memory map. Do not probe the book afterwards.
func (b *Book) Close() error {
	if b.unmap == nil {
		return nil
	}
	unmap := b.unmap
	b.unmap, b.keys, b.values = nil, nil, nil
	return unmap()
}

// Name returns the name of the file.
func (b *Book) Name() string { return b.name }

// Header returns the header of the file.
func (b *Book) Header() Header { return b.header }

// find returns the value of a key; false if the book does not hold it. A book whose file was cut
// short in place, under the memory map, holds nothing any more: without care, such a read would end
// the program.
func (b *Book) find(key uint64) (value uint16, ok bool) {
	if b.unmap != nil {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if failure := recover(); failure != nil {
				if _, fault := failure.(interface{ Addr() uintptr }); !fault {
					panic(failure)
				}
				value, ok = 0, false
			}
		}()
	}
	low, high := 0, len(b.keys)/8
	for low < high {
		middle := int(uint(low+high) >> 1)
		if binary.LittleEndian.Uint64(b.keys[8*middle:]) < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if 8*low == len(b.keys) || binary.LittleEndian.Uint64(b.keys[8*low:]) != key {
		return 0, false
	}
	return binary.LittleEndian.Uint16(b.values[2*low:]), true
}

// Probe returns the score of a position for the side to move, and whether all its moves are in
// the book; false for a position that is not in the book.
func (b *Book) Probe(p rules.Position) (score Score, expanded, ok bool) {
	value, ok := b.find(Key(b.v, p))
	return Score(value &^ expandedBit), value&expandedBit != 0, ok
}

// Choice is a move of the book.
type Choice struct {
	Move  rules.Move
	Score Score // for the side that moves
}

// Moves returns the moves of p with their scores, the best first, equal ones in canonical order;
// none for a position that the book has not expanded. It takes the position as it stands on the
// board, see Choices.
func (b *Book) Moves(p rules.Position) []Choice {
	if _, expanded, _ := b.Probe(p); !expanded {
		return nil
	}
	p = bare(p)
	g := rules.NewGameFrom(b.v, p)
	var all []Choice
	for _, m := range slices.Clone(g.Legal()) {
		after := b.v.Play(p, m)
		score, over := ended(g, after)
		if !over {
			known := false
			if score, _, known = b.Probe(after); !known {
				return nil // another position with the same key
			}
		}
		all = append(all, Choice{m, score.flip()})
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return int(b.Score) - int(a.Score) })
	return all
}

// mostQuiet is the largest count of plies without progress at which a book serves, because its
// scores know nothing of such counts.
const mostQuiet = 8

// Choices returns the moves of the book in a game, as Moves does. It returns none where the
// history counts: the position has occurred before, a move leads back to an earlier position, or
// a counter of a draw rule has begun.
func (b *Book) Choices(g *rules.Game) []Choice {
	p := g.Position()
	if g.Over() || p.Quiet > mostQuiet || p.Endgame > 0 || p.Road > 0 || g.Occurrences() > 1 {
		return nil
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		if n, _ := p.KingMoves(c); n > 0 {
			return nil
		}
	}
	all := b.Moves(p)
	for _, c := range all {
		if g.OccurrencesOf(b.v.Play(p, c.Move)) > 0 {
			return nil
		}
	}
	return all
}

// Verify walks through all positions that expanded positions lead to from the start, and returns
// their number. It returns an error that wraps ErrDamaged if a score is not the best of those after
// it, or a move is missing.
func (b *Book) Verify() (int, error) {
	start := bare(b.v.Start())
	seen := map[uint64]bool{Key(b.v, start): true}
	queue := []rules.Position{start}
	g := rules.NewGameFrom(b.v, start)
	for len(queue) > 0 {
		p := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		score, expanded, ok := b.Probe(p)
		if !ok {
			return 0, fmt.Errorf("%s: %w", b.name, damaged("%s is missing", b.v.FEN(p)))
		}
		if !expanded {
			continue
		}
		best, again := Score(0), false
		g.Reset(p)
		for _, m := range slices.Clone(g.Legal()) {
			after := b.v.Play(p, m)
			worth, over := ended(g, after)
			if !over {
				var known bool
				if worth, _, known = b.Probe(after); !known {
					return 0, fmt.Errorf("%s: %w", b.name, damaged("%s lacks the move %s", b.v.FEN(p), b.v.FormatMove(m)))
				}
				// The build does not take the scores of these from expansion.
				again = again || after.Quiet > 0
				if key := Key(b.v, after); !seen[key] {
					seen[key] = true
					queue = append(queue, bare(after))
				}
			}
			best = max(best, worth.flip())
		}
		if best != score && !again {
			return 0, fmt.Errorf("%s: %w", b.name,
				damaged("%s has the score %d, its best move %d", b.v.FEN(p), score, best))
		}
	}
	return len(seen), nil
}
