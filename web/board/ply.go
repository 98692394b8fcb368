package board

import (
	"damier/notation"
	"damier/rules"
)

// ply is a move as it is written in notation and drawn.
type ply struct {
	move    rules.Move
	text    string
	manoury string
	path    []rules.Square // landing squares, start and end included
	turn    rules.Color
	book    bool // an engine took it from its book
}

// newPly returns the ply of a legal move at the position that is shown. The caller holds the lock.
func (b *board) newPly(m rules.Move, path []rules.Square) ply {
	return newPly(b.game.Variant(), b.game.Position(), m, path)
}

// newPly returns the ply of a legal move m of p. Without a path it takes the first one.
func newPly(v *rules.Variant, p rules.Position, m rules.Move, path []rules.Square) ply {
	k := ply{move: m, text: notation.FormatMove(v, p, m), path: path, turn: p.Turn}
	if !v.Algebraic {
		k.manoury = notation.FormatManoury(v, p, m)
	}
	if len(k.path) == 0 {
		k.path = []rules.Square{m.From, m.To}
		if m.IsCapture() {
			if paths := v.CapturePaths(p, m); len(paths) > 0 {
				k.path = paths[0]
			}
		}
	}
	return k
}
