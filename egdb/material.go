package egdb

import (
	"fmt"
	"slices"
	"strings"
)

// MaxPieces is the largest number of pieces of a table.
const MaxPieces = 6

// Material is the numbers of men and kings of the side to move, and of the other side. Each side
// has at least one piece.
type Material struct {
	Men, Kings           int
	TheirMen, TheirKings int
}

// Pieces returns the number of pieces of both sides.
func (m Material) Pieces() int { return m.Men + m.Kings + m.TheirMen + m.TheirKings }

// Swap returns the material from the other side's point of view.
func (m Material) Swap() Material { return Material{m.TheirMen, m.TheirKings, m.Men, m.Kings} }

// String returns the pieces of the side to move and those of the other side, kings first: "KM-K".
func (m Material) String() string {
	side := func(men, kings int) string {
		return strings.Repeat("K", kings) + strings.Repeat("M", men)
	}
	return side(m.Men, m.Kings) + "-" + side(m.TheirMen, m.TheirKings)
}

// ParseMaterial reads what [Material.String] writes.
func ParseMaterial(s string) (Material, error) {
	var m Material
	own, their, ok := strings.Cut(s, "-")
	if !ok {
		return m, fmt.Errorf("material %.20q is not two sides such as KM-K", s)
	}
	m.Men, m.Kings = strings.Count(own, "M"), strings.Count(own, "K")
	m.TheirMen, m.TheirKings = strings.Count(their, "M"), strings.Count(their, "K")
	if m.String() != s {
		return m, fmt.Errorf("material %.20q is not kings K and men M of two sides such as KM-K", s)
	}
	return m, m.check()
}

// check returns an error for a material that has no table.
func (m Material) check() error {
	switch {
	case min(m.Men, m.Kings, m.TheirMen, m.TheirKings) < 0,
		m.Men+m.Kings < 1,
		m.TheirMen+m.TheirKings < 1:
		return fmt.Errorf("material %s: each side needs a piece", m)
	case m.Pieces() > MaxPieces:
		return fmt.Errorf("material %s has %d pieces; tables have up to %d", m, m.Pieces(), MaxPieces)
	}
	return nil
}

// Materials returns all materials with exactly the given number of pieces, in the order in which
// tables are made: a material comes after those to which its moves lead, and next to its
// [Material.Swap].
func Materials(pieces int) []Material {
	var all []Material
	for men := 0; men <= pieces; men++ {
		for own := 1; own < pieces; own++ {
			for ownMen := 0; ownMen <= own; ownMen++ {
				m := Material{ownMen, own - ownMen, men - ownMen, pieces - own - (men - ownMen)}
				if m.TheirMen < 0 || m.TheirKings < 0 || slices.Contains(all, m) {
					continue
				}
				all = append(all, m)
				if m.Swap() != m {
					all = append(all, m.Swap())
				}
			}
		}
	}
	return all
}

// id returns a number of the material, less than ids, for arrays.
func (m Material) id() int {
	return m.Men | m.Kings<<3 | m.TheirMen<<6 | m.TheirKings<<9
}

// ids is the number of ids.
const ids = 1 << 12

// after returns the materials of other tables to which moves from m lead: by capture, with or
// without a crowning, and by crowning alone. Each is for the side to move after the move.
func (m Material) after() []Material {
	var all []Material
	for crowned := 0; crowned <= min(m.Men, 1); crowned++ {
		for men := 0; men <= m.TheirMen; men++ {
			for kings := 0; kings <= m.TheirKings; kings++ {
				n := Material{men, kings, m.Men - crowned, m.Kings + crowned}
				captured := men+kings < m.TheirMen+m.TheirKings
				if men+kings > 0 && (captured || crowned > 0) {
					all = append(all, n)
				}
			}
		}
	}
	return all
}
