package egdb

import (
	"fmt"
	"slices"
	"strings"
)

// MaxPieces is the largest number of pieces that tables are made of.
const MaxPieces = 6

// Material is what stands on the board: men and kings of the side to move, and of the other side. Either
// side has a piece.
type Material struct {
	Men, Kings           int
	TheirMen, TheirKings int
}

// Pieces returns the number of pieces of both sides.
func (m Material) Pieces() int { return m.Men + m.Kings + m.TheirMen + m.TheirKings }

// Swap returns the material as the other side sees it.
func (m Material) Swap() Material { return Material{m.TheirMen, m.TheirKings, m.Men, m.Kings} }

// String returns the pieces of the side to move and those of the other, kings first: "KM-K".
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

// Materials returns all materials of exactly so many pieces, in the order in which tables are made: one
// comes after those that a move leads to from it, and after or before its [Material.Swap].
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

// id numbers materials for an array of all of them.
func (m Material) id() int {
	return m.Men | m.Kings<<3 | m.TheirMen<<6 | m.TheirKings<<9
}

// ids is the number of ids.
const ids = 1 << 12

// after returns the materials that a move leads to from m in other tables: by capture, with or without a
// crowning, and by crowning alone. The side to move comes first in each, as always.
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
