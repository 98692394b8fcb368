package notation

import (
	"slices"

	"damier/rules"
)

// Explain says which rule forbids a move between two squares in p. It returns "" if there is a
// legal one.
func Explain(v *rules.Variant, p rules.Position, from, to rules.Square) string {
	if why := Why(v, p, from, to); why != nil {
		return why.Error()
	}
	return ""
}

// Why is [Explain] as a message; nil if there is a legal move.
func Why(v *rules.Variant, p rules.Position, from, to rules.Square) *rules.Message {
	legal := v.AppendMoves(nil, p)
	t := moveText{squares: []rules.Square{from, to}}
	if len(between(legal, t)) > 0 {
		return nil
	}
	return explain(v, playersNames(v), p, legal, t)
}

// Obligation says what a side must capture that has these legal moves: "must take 3", "must take"
// if the number is free, "" if there is no capture.
func Obligation(legal []rules.Move) string {
	if must, _ := obligation(legal); must != nil {
		return must.Error()
	}
	return ""
}

// obligation is [Obligation] as a message, nil if there is no capture, and whether the number is
// fixed.
func obligation(legal []rules.Move) (must *rules.Message, fixed bool) {
	if len(legal) == 0 || !legal[0].IsCapture() {
		return nil, false
	}
	n := legal[0].Captured().Len()
	for _, m := range legal {
		if m.Captured().Len() != n {
			return rules.Messagef("must take"), false
		}
	}
	return rules.Messagef("must take %d", n), true
}

// refusal is a refused move with its context.
type refusal struct {
	v     *rules.Variant
	n     names
	p     rules.Position
	legal []rules.Move
	moveText
	from, to rules.Square
	king     bool // moves
}

// explain says why t is not a legal move of p.
func explain(
	v *rules.Variant, n names, p rules.Position, legal []rules.Move, t moveText,
) *rules.Message {
	r := refusal{v: v, n: n, p: p, legal: legal, moveText: t, from: t.squares[0], to: t.squares[len(t.squares)-1]}
	for _, s := range [2]rules.Square{r.from, r.to} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return rules.Messagef("%d is no square, the board has 1 to %d", s, v.Board.Squares())
		}
	}
	piece := v.Piece(p, r.from)
	r.king = piece == rules.WhiteKing || piece == rules.BlackKing
	here := rules.Messagef("the %s on %s", pieceName(piece), n.write(r.from))
	switch {
	case piece == rules.Empty:
		return rules.Messagef("no piece on %s", n.write(r.from))
	case owner(piece) != p.Turn:
		return rules.Messagef("not your piece: there is a %s on %s and %s is to move", pieceName(piece), n.write(r.from), p.Turn)
	case len(legal) == 0 && v.FirstKingWins && !p.Kings(rules.White).Or(p.Kings(rules.Black)).Empty():
		return rules.Messagef("the game is over: there is a king")
	}
	if why := r.asCapture(); why != nil {
		return why
	}
	if r.to != r.from && v.Piece(p, r.to) != rules.Empty {
		return rules.Messagef("%s is occupied by a %s", n.write(r.to), pieceName(v.Piece(p, r.to)))
	}
	if must, _ := obligation(legal); must != nil {
		if targets := destinations(legal, r.from); len(targets) > 0 {
			return rules.Messagef("%s %s: to %s", n.write(r.from), must, or(n, targets))
		}
		return rules.Messagef("%s: with %s", must, or(n, origins(legal)))
	}
	if why := r.asQuiet(here); why != nil {
		return why
	}
	switch targets := destinations(legal, r.from); {
	case len(legal) == 0:
		return rules.Messagef("%s has no legal move", p.Turn)
	case len(targets) == 0:
		return rules.Messagef("%s has no free square to go to", here)
	case t.capture:
		return rules.Messagef("nothing can be taken; %s goes to %s", here, or(n, targets))
	default:
		return rules.Messagef("%s goes to %s", here, or(n, targets))
	}
}

// explainJumps limits the jumps tried to find a reason. If there are more captures than that, the
// reason given is less specific.
const explainJumps = 1 << 13

// under returns the captures from r.from to r.to that would exist if the choice among captures
// were free and the facts of the variant were changed. It uses the slow generator, because only
// that reads the facts from the table.
func (r refusal) under(change func(*rules.Variant)) (*rules.Variant, []rules.Move) {
	v := *r.v
	v.Priority = nil
	if change != nil {
		change(&v)
	}
	var found []rules.Move
	moves, _ := v.BoundedReferenceMoves(r.p, explainJumps)
	for _, m := range moves {
		if m.From == r.from && m.To == r.to && m.IsCapture() {
			found = append(found, m)
		}
	}
	return &v, found
}

// facts lists the facts that can forbid a capture which another variant of the family allows, each
// with its message. A change that the variant already has makes no difference.
var facts = []struct {
	change func(*rules.Variant)
	holds  func(v *rules.Variant, king bool) bool
	says   *rules.Message
}{
	{
		func(v *rules.Variant) { v.KingGoesOn = false },
		func(v *rules.Variant, king bool) bool { return v.KingGoesOn && king },
		rules.Messagef("the king must land where it can capture on"),
	}, {
		func(v *rules.Variant) { v.ManCapturesBack = true },
		func(v *rules.Variant, king bool) bool { return !v.ManCapturesBack && !king },
		rules.Messagef("a man does not capture backwards"),
	}, {
		func(v *rules.Variant) { v.MenSpareKings = false },
		func(v *rules.Variant, king bool) bool { return v.MenSpareKings && !king },
		rules.Messagef("a man does not capture a king"),
	}, {
		func(v *rules.Variant) { v.Landing = rules.Anywhere },
		func(v *rules.Variant, king bool) bool { return v.KingFlies && v.Landing == rules.Behind },
		rules.Messagef("a king lands directly behind the piece that it captures"),
	}, {
		func(v *rules.Variant) { v.Landing = rules.Anywhere },
		func(v *rules.Variant, king bool) bool { return v.KingFlies && v.Landing == rules.BehindLastKing },
		rules.Messagef("a king that captures a king last stops directly behind it"),
	}, {
		func(v *rules.Variant) { v.KingFlies = true },
		func(v *rules.Variant, king bool) bool { return !v.KingFlies && king },
		rules.Messagef("a king goes one step only"),
	}, {
		func(v *rules.Variant) { v.NoTurnBack = false },
		func(v *rules.Variant, king bool) bool { return v.NoTurnBack },
		rules.Messagef("a capture does not turn straight back"),
	}, {
		func(v *rules.Variant) { v.RemovedAtOnce = true },
		func(v *rules.Variant, king bool) bool { return !v.RemovedAtOnce },
		rules.Messagef("captured pieces stay on the board until the capture ends"),
	}, {
		func(v *rules.Variant) { v.CrownedAtOnce, v.KingFlies = true, true },
		func(v *rules.Variant, king bool) bool { return !v.CrownedAtOnce && !king },
		rules.Messagef("a man is crowned only where its capture ends"),
	}, {
		func(v *rules.Variant) { v.CaptureLines, v.MoveLines = rules.EveryDirection, rules.EveryDirection },
		func(v *rules.Variant, king bool) bool { return v.CaptureLines[0].Orthogonal() },
		rules.Messagef("pieces do not capture along diagonals"),
	}, {
		func(v *rules.Variant) { v.CaptureLines = rules.EveryDirection },
		func(v *rules.Variant, king bool) bool {
			return len(v.CaptureLines) == 4 && !v.CaptureLines[0].Orthogonal()
		},
		rules.Messagef("pieces do not capture along rows and columns"),
	},
}

// asCapture says what forbids the move as a capture, "" if it is no capture under any facts.
func (r refusal) asCapture() *rules.Message {
	if v, found := r.under(nil); len(found) > 0 {
		return r.priority(v, found)
	}
	if why := r.unfinished(); why != nil {
		return why
	}
	for _, f := range facts {
		if !f.holds(r.v, r.king) {
			continue
		}
		v, found := r.under(f.change)
		if len(found) == 0 {
			continue
		}
		if must, fixed := obligation(r.legal); r.king && r.v.KingGoesOn && !v.KingGoesOn && fixed {
			most := found[len(found)-1].Captured().Len()
			return rules.Messagef("%s, this takes %d", must, most)
		}
		return rules.Messagef("%s in %s", f.says, r.v.Name)
	}
	return nil
}

// priority says which rule of priority makes the captures found illegal.
func (r refusal) priority(v *rules.Variant, found []rules.Move) *rules.Message {
	if len(r.legal) == 0 || !r.legal[0].IsCapture() {
		return nil // cannot be
	}
	theirKings := r.p.Kings(r.p.Turn.Opponent())
	kings := func(m rules.Move) int { return m.Captured().And(theirKings).Len() }
	value := func(m rules.Move) int {
		return m.Captured().Len()*r.v.ManValue + kings(m)*(r.v.KingValue-r.v.ManValue)
	}
	best := found[0]
	for _, m := range found {
		if m.Captured().Len() > best.Captured().Len() || m.Captured().Len() == best.Captured().Len() && kings(m) > kings(best) {
			best = m
		}
	}
	must, with := r.legal[0], or(r.n, origins(r.legal))
	for _, by := range r.v.Priority {
		switch by {
		case rules.MostPieces:
			if a, b := must.Captured().Len(), best.Captured().Len(); a > b {
				return rules.Messagef("must take %d, this takes %d: with %s", a, b, with)
			}
		case rules.MostValue:
			if a, b := value(must), value(best); a > b {
				return rules.Messagef("must take the most, %s, this takes %s: with %s", worth(must, kings(must)), worth(best, kings(best)), with)
			}
		case rules.CapturingKing:
			if !r.king && r.v.Board.Has(r.p.Kings(r.p.Turn), must.From) {
				return rules.Messagef("a king takes before a man: with %s", with)
			}
		case rules.MostKings:
			if a, b := kings(must), kings(best); a > b {
				return rules.Messagef("must take %s, this takes %d: with %s", kingCount(a), b, with)
			}
		case rules.EarliestKings:
			return rules.Messagef("must take the kings as early as can be: with %s", with)
		}
	}
	return nil
}

// worth describes what a capture takes: "1 king and 2 men".
func worth(m rules.Move, kings int) *rules.Message {
	men := m.Captured().Len() - kings
	switch {
	case kings == 0:
		return manCount(men)
	case men == 0:
		return kingCount(kings)
	}
	return rules.Messagef("%s and %s", kingCount(kings), manCount(men))
}

func manCount(n int) *rules.Message {
	if n == 1 {
		return rules.Messagef("1 man")
	}
	return rules.Messagef("%d men", n)
}

func kingCount(n int) *rules.Message {
	if n == 1 {
		return rules.Messagef("1 king")
	}
	return rules.Messagef("%d kings", n)
}

// unfinished says that a capture must go on from r.to, "" if none goes on.
func (r refusal) unfinished() *rules.Message {
	v := *r.v
	v.Priority = nil
	moves, _ := v.BoundedReferenceMoves(r.p, explainJumps)
	jumps := pathJumps
	for _, m := range moves {
		if m.From != r.from || !m.IsCapture() {
			continue
		}
		for _, path := range v.CapturePathsWithin(r.p, m, &jumps) {
			for i, taken := range victims(&v, path, m)[:len(path)-2] {
				way := ray(v.Board, path[i], path[i+1])
				if !slices.Contains(way[slices.Index(way, taken)+1:], r.to) {
					continue
				}
				if must, fixed := obligation(r.legal); fixed {
					return rules.Messagef("%s, this takes %d: with %s", must, i+1, or(r.n, origins(r.legal)))
				}
				return rules.Messagef("the capture is not over on %s: it goes on, %s", r.n.write(r.to), join(path, v.Capture, r.n.write))
			}
		}
	}
	return nil
}

// asQuiet says which rule forbids the move as a quiet move to an empty square, "" if none does.
func (r refusal) asQuiet(here *rules.Message) *rules.Message {
	if r.moveText.capture {
		return nil
	}
	b := r.v.Board
	if n, last := r.p.KingMoves(r.p.Turn); r.v.KingMoveLimit > 0 && n >= r.v.KingMoveLimit && last == r.from && r.king {
		return rules.Messagef("%s has moved %d times in a row; another piece must move before it may again, unless it captures", here, n)
	}
	for _, d := range rules.EveryDirection {
		steps, blocked := 1, rules.NoSquare
		s := b.Neighbour(r.from, d)
		for ; s != r.to && s != rules.NoSquare; s = b.Neighbour(s, d) {
			steps++
			if blocked == rules.NoSquare && r.v.Piece(r.p, s) != rules.Empty {
				blocked = s
			}
		}
		if s == rules.NoSquare {
			continue
		}
		switch along := slices.Contains(r.v.MoveLines, d); {
		case !along && d.Orthogonal():
			return rules.Messagef("pieces do not move along rows and columns in %s; %s", r.v.Name, r.goes(here))
		case !along:
			return rules.Messagef("pieces do not move along diagonals in %s; %s", r.v.Name, r.goes(here))
		case !r.king && d.Backward(r.p.Turn):
			return rules.Messagef("a man does not move backwards; %s", r.goes(here))
		case !r.king && steps > 1:
			return rules.Messagef("a man moves one step; %s", r.goes(here))
		case !r.v.KingFlies && steps > 1:
			return rules.Messagef("a king moves one step in %s; %s", r.v.Name, r.goes(here))
		case blocked != rules.NoSquare:
			return rules.Messagef("the %s on %s is in the way", pieceName(r.v.Piece(r.p, blocked)), r.n.write(blocked))
		}
	}
	return nil
}

// goes says to which squares a piece can move.
func (r refusal) goes(here *rules.Message) *rules.Message {
	if targets := destinations(r.legal, r.from); len(targets) > 0 {
		return rules.Messagef("%s goes to %s", here, or(r.n, targets))
	}
	return rules.Messagef("%s has no free square to go to", here)
}

// destinations returns the destinations of the moves from a square, each once.
func destinations(legal []rules.Move, from rules.Square) []rules.Square {
	var squares []rules.Square
	for _, m := range legal { // canonical order: equal destinations are neighbours
		if m.From == from && (len(squares) == 0 || squares[len(squares)-1] != m.To) {
			squares = append(squares, m.To)
		}
	}
	return squares
}

// origins returns the origins of the moves, each once.
func origins(legal []rules.Move) []rules.Square {
	var squares []rules.Square
	for _, m := range legal {
		if len(squares) == 0 || squares[len(squares)-1] != m.From {
			squares = append(squares, m.From)
		}
	}
	return squares
}

// or lists squares as "32", "32 or 37", "32, 33 or 37".
func or(n names, squares []rules.Square) any {
	var list []string
	for _, s := range squares {
		list = append(list, n.write(s))
	}
	return either(list)
}

func owner(p rules.Piece) rules.Color {
	if p == rules.WhiteMan || p == rules.WhiteKing {
		return rules.White
	}
	return rules.Black
}

func pieceName(p rules.Piece) *rules.Message {
	switch p {
	case rules.WhiteMan:
		return rules.Messagef("white man")
	case rules.WhiteKing:
		return rules.Messagef("white king")
	case rules.BlackMan:
		return rules.Messagef("black man")
	case rules.BlackKing:
		return rules.Messagef("black king")
	}
	return rules.Messagef("empty")
}
