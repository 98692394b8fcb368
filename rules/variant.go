package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Priority says which captures are legal when several are possible.
type Priority uint8

// The priorities.
const (
	MostPieces Priority = iota // the captures that take the most pieces (FMJD 4.13), kings counted as men
)

// Variant is one game of the draughts family as a table of facts.
type Variant struct {
	Name    string  // as in commands and files: "international"
	Options Options // every option with its value

	Board *Geometry
	First Color // the side that moves first
	Rows  int   // rows of men a side at the start

	ManCapturesBack bool     // a man also captures backwards
	KingFlies       bool     // a king moves and captures over any distance
	Priority        Priority // which captures are compulsory among several
	KingFirst       bool     // at an equal number of captures a king must take (option equal=king-first)

	Draws DrawRules

	GameType int    // PDN GameType number
	Capture  string // PDN capture sign

	fast *diagonal // the fast generator for these facts, nil if there is none
}

// DrawRules are the draws found without a player's claim; zero switches a rule off.
type DrawRules struct {
	Repetition int // occurrences of a position with the same side to move
	KingPlies  int // plies in a row without a man's move or a capture

	// A lone king against three pieces, at least one of them a king, and against two or one:
	// plies from the move that made the balance. -1 is a draw at once.
	ThreePieces, TwoPieces int
	// LongDiagonal, if not zero, stands for ThreePieces while the lone king holds the long diagonal.
	LongDiagonal int
	// ThreeKings: three kings against a lone king are a draw at once.
	ThreeKings bool
}

// Options are a variant's named options, name to value.
type Options map[string]string

// String returns "name=value" pairs, sorted and joined with commas.
func (o Options) String() string {
	names := slices.Sorted(maps.Keys(o))
	for i, n := range names {
		names[i] = n + "=" + o[n]
	}
	return strings.Join(names, ",")
}

// ParseOptions reads what [Options.String] writes.
func ParseOptions(s string) (Options, error) {
	o := Options{}
	if s == "" {
		return o, nil
	}
	for _, f := range strings.Split(s, ",") {
		n, v, ok := strings.Cut(f, "=")
		if !ok || n == "" || v == "" {
			return nil, fmt.Errorf("option %q is not name=value", f)
		}
		if _, twice := o[n]; twice {
			return nil, fmt.Errorf("option %q is given twice", n)
		}
		o[n] = v
	}
	return o, nil
}

// Names returns the names of all variants.
func Names() []string { return []string{"international"} }

// Lookup returns the variant of that name with the given options; options left out take their defaults.
func Lookup(name string, options Options) (*Variant, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown variant %q; known are: %s", name, strings.Join(Names(), ", "))
	}
	return newInternational(options)
}

// String returns the name, and the options in brackets.
func (v *Variant) String() string { return v.Name + "[" + v.Options.String() + "]" }

// Start returns the position a game begins with.
func (v *Variant) Start() Position {
	var white, black Set
	n := v.Rows * v.Board.Columns / 2
	for i := 1; i <= n; i++ {
		black = black.Or(v.Board.Set(Square(i)))
		white = white.Or(v.Board.Set(Square(v.Board.Squares() + 1 - i)))
	}
	return NewPosition(white, black, Set{}, v.First)
}

// Piece returns what stands on s.
func (v *Variant) Piece(p Position, s Square) Piece {
	b := v.Board
	king := b.Has(Set{p.kings, p.kingsHi}, s)
	switch {
	case b.Has(p.Pieces(White), s) && king:
		return WhiteKing
	case b.Has(p.Pieces(White), s):
		return WhiteMan
	case b.Has(p.Pieces(Black), s) && king:
		return BlackKing
	case b.Has(p.Pieces(Black), s):
		return BlackMan
	}
	return Empty
}

// Promotes reports whether a man of side c is crowned on s.
func (v *Variant) Promotes(c Color, s Square) bool {
	if c == White {
		return v.Board.Row(s) == 0
	}
	return v.Board.Row(s) == v.Board.Rows-1
}
