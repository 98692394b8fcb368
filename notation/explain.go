package notation

import (
	"fmt"
	"slices"

	"damier/rules"
)

// Explain says which rule forbids a move between two squares in p. It returns "" if there is a
// legal one.
func Explain(v *rules.Variant, p rules.Position, from, to rules.Square) string {
	legal := v.AppendMoves(nil, p)
	t := moveText{squares: []rules.Square{from, to}}
	if len(between(legal, t)) > 0 {
		return ""
	}
	return explain(v, playersNames(v), p, legal, t)
}

// Obligation says what a side must capture that has these legal moves: "must take 3", "must take"
// if the number is free, "" if there is no capture.
func Obligation(legal []rules.Move) string {
	if len(legal) == 0 || !legal[0].IsCapture() {
		return ""
	}
	n := legal[0].Captured().Len()
	for _, m := range legal {
		if m.Captured().Len() != n {
			return "must take"
		}
	}
	return fmt.Sprintf("must take %d", n)
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
func explain(v *rules.Variant, n names, p rules.Position, legal []rules.Move, t moveText) string {
	r := refusal{v: v, n: n, p: p, legal: legal, moveText: t, from: t.squares[0], to: t.squares[len(t.squares)-1]}
	for _, s := range [2]rules.Square{r.from, r.to} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return fmt.Sprintf("%d is no square, the board has 1 to %d", s, v.Board.Squares())
		}
	}
	piece := v.Piece(p, r.from)
	r.king = piece == rules.WhiteKing || piece == rules.BlackKing
	here := fmt.Sprintf("the %s on %s", pieceName(piece), n.write(r.from))
	switch {
	case piece == rules.Empty:
		return "no piece on " + n.write(r.from)
	case owner(piece) != p.Turn:
		return fmt.Sprintf("not your piece: there is a %s on %s and %s is to move", pieceName(piece), n.write(r.from), p.Turn)
	case len(legal) == 0 && v.FirstKingWins && !p.Kings(rules.White).Or(p.Kings(rules.Black)).Empty():
		return "the game is over: there is a king"
	}
	if why := r.asCapture(); why != "" {
		return why
	}
	if r.to != r.from && v.Piece(p, r.to) != rules.Empty {
		return fmt.Sprintf("%s is occupied by a %s", n.write(r.to), pieceName(v.Piece(p, r.to)))
	}
	if must := Obligation(legal); must != "" {
		if targets := destinations(legal, r.from); len(targets) > 0 {
			return fmt.Sprintf("%s %s: to %s", n.write(r.from), must, or(n, targets))
		}
		return fmt.Sprintf("%s: with %s", must, or(n, origins(legal)))
	}
	if why := r.asQuiet(here); why != "" {
		return why
	}
	switch targets := destinations(legal, r.from); {
	case len(legal) == 0:
		return fmt.Sprintf("%s has no legal move", p.Turn)
	case len(targets) == 0:
		return here + " has no free square to go to"
	case t.capture:
		return fmt.Sprintf("nothing can be taken; %s goes to %s", here, or(n, targets))
	default:
		return fmt.Sprintf("%s goes to %s", here, or(n, targets))
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
	says   string
}{
	{
		func(v *rules.Variant) { v.KingGoesOn = false },
		func(v *rules.Variant, king bool) bool { return v.KingGoesOn && king },
		"the king must land where it can capture on",
	}, {
		func(v *rules.Variant) { v.ManCapturesBack = true },
		func(v *rules.Variant, king bool) bool { return !v.ManCapturesBack && !king },
		"a man does not capture backwards",
	}, {
		func(v *rules.Variant) { v.MenSpareKings = false },
		func(v *rules.Variant, king bool) bool { return v.MenSpareKings && !king },
		"a man does not capture a king",
	}, {
		func(v *rules.Variant) { v.Landing = rules.Anywhere },
		func(v *rules.Variant, king bool) bool { return v.KingFlies && v.Landing == rules.Behind },
		"a king lands directly behind the piece that it captures",
	}, {
		func(v *rules.Variant) { v.Landing = rules.Anywhere },
		func(v *rules.Variant, king bool) bool { return v.KingFlies && v.Landing == rules.BehindLastKing },
		"a king that captures a king last stops directly behind it",
	}, {
		func(v *rules.Variant) { v.KingFlies = true },
		func(v *rules.Variant, king bool) bool { return !v.KingFlies && king },
		"a king goes one step only",
	}, {
		func(v *rules.Variant) { v.NoTurnBack = false },
		func(v *rules.Variant, king bool) bool { return v.NoTurnBack },
		"a capture does not turn straight back",
	}, {
		func(v *rules.Variant) { v.RemovedAtOnce = true },
		func(v *rules.Variant, king bool) bool { return !v.RemovedAtOnce },
		"captured pieces stay on the board until the capture ends",
	}, {
		func(v *rules.Variant) { v.CrownedAtOnce, v.KingFlies = true, true },
		func(v *rules.Variant, king bool) bool { return !v.CrownedAtOnce && !king },
		"a man is crowned only where its capture ends",
	}, {
		func(v *rules.Variant) { v.CaptureLines, v.MoveLines = rules.EveryDirection, rules.EveryDirection },
		func(v *rules.Variant, king bool) bool { return v.CaptureLines[0].Orthogonal() },
		"pieces do not capture along diagonals",
	}, {
		func(v *rules.Variant) { v.CaptureLines = rules.EveryDirection },
		func(v *rules.Variant, king bool) bool {
			return len(v.CaptureLines) == 4 && !v.CaptureLines[0].Orthogonal()
		},
		"pieces do not capture along rows and columns",
	},
}

// asCapture says what forbids the move as a capture, "" if it is no capture under any facts.
func (r refusal) asCapture() string {
	if v, found := r.under(nil); len(found) > 0 {
		return r.priority(v, found)
	}
	if why := r.unfinished(); why != "" {
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
		if must, most := Obligation(r.legal), found[len(found)-1].Captured().Len(); r.king && r.v.KingGoesOn && !v.KingGoesOn && must != "must take" {
			return fmt.Sprintf("%s, this takes %d", must, most)
		}
		return f.says + " in " + r.v.Name
	}
	return ""
}

// priority says which rule of priority makes the captures found illegal.
func (r refusal) priority(v *rules.Variant, found []rules.Move) string {
	if len(r.legal) == 0 || !r.legal[0].IsCapture() {
		return "" // cannot be
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
				return fmt.Sprintf("must take %d, this takes %d: with %s", a, b, with)
			}
		case rules.MostValue:
			if a, b := value(must), value(best); a > b {
				return fmt.Sprintf("must take the most, %s, this takes %s: with %s", worth(must, kings(must)), worth(best, kings(best)), with)
			}
		case rules.CapturingKing:
			if !r.king && r.v.Board.Has(r.p.Kings(r.p.Turn), must.From) {
				return "a king takes before a man: with " + with
			}
		case rules.MostKings:
			if a, b := kings(must), kings(best); a > b {
				return fmt.Sprintf("must take %s, this takes %d: with %s", plural(a, "king"), b, with)
			}
		case rules.EarliestKings:
			return "must take the kings as early as can be: with " + with
		}
	}
	return ""
}

// worth describes what a capture takes: "1 king and 2 men".
func worth(m rules.Move, kings int) string {
	men := m.Captured().Len() - kings
	switch {
	case kings == 0:
		return plural(men, "man")
	case men == 0:
		return plural(kings, "king")
	}
	return plural(kings, "king") + " and " + plural(men, "man")
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "man":
		noun = "men"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// unfinished says that a capture must go on from r.to, "" if none goes on.
func (r refusal) unfinished() string {
	v := *r.v
	v.Priority = nil
	moves, _ := v.BoundedReferenceMoves(r.p, explainJumps)
	for _, m := range moves {
		if m.From != r.from || !m.IsCapture() {
			continue
		}
		for _, path := range v.CapturePaths(r.p, m) {
			for i, taken := range victims(&v, path, m)[:len(path)-2] {
				way := ray(v.Board, path[i], path[i+1])
				if !slices.Contains(way[slices.Index(way, taken)+1:], r.to) {
					continue
				}
				if must := Obligation(r.legal); must != "" && must != "must take" {
					return fmt.Sprintf("%s, this takes %d: with %s", must, i+1, or(r.n, origins(r.legal)))
				}
				return fmt.Sprintf("the capture is not over on %s: it goes on, %s", r.n.write(r.to), join(path, v.Capture, r.n.write))
			}
		}
	}
	return ""
}

// asQuiet says which rule forbids the move as a quiet move to an empty square, "" if none does.
func (r refusal) asQuiet(here string) string {
	if r.moveText.capture {
		return ""
	}
	b := r.v.Board
	if n, last := r.p.KingMoves(r.p.Turn); r.v.KingMoveLimit > 0 && n >= r.v.KingMoveLimit && last == r.from && r.king {
		return fmt.Sprintf("%s has moved %d times in a row; another piece must move before it may again, unless it captures", here, n)
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
			return "pieces do not move along rows and columns in " + r.v.Name + "; " + r.goes(here)
		case !along:
			return "pieces do not move along diagonals in " + r.v.Name + "; " + r.goes(here)
		case !r.king && d.Backward(r.p.Turn):
			return "a man does not move backwards; " + r.goes(here)
		case !r.king && steps > 1:
			return fmt.Sprintf("a man moves one step; %s", r.goes(here))
		case !r.v.KingFlies && steps > 1:
			return fmt.Sprintf("a king moves one step in %s; %s", r.v.Name, r.goes(here))
		case blocked != rules.NoSquare:
			return fmt.Sprintf("the %s on %s is in the way", pieceName(r.v.Piece(r.p, blocked)), r.n.write(blocked))
		}
	}
	return ""
}

// goes says to which squares a piece can move.
func (r refusal) goes(here string) string {
	if targets := destinations(r.legal, r.from); len(targets) > 0 {
		return fmt.Sprintf("%s goes to %s", here, or(r.n, targets))
	}
	return here + " has no free square to go to"
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
func or(n names, squares []rules.Square) string {
	last := len(squares) - 1
	if last == 0 {
		return n.write(squares[0])
	}
	return join(squares[:last], ", ", n.write) + " or " + n.write(squares[last])
}

func owner(p rules.Piece) rules.Color {
	if p == rules.WhiteMan || p == rules.WhiteKing {
		return rules.White
	}
	return rules.Black
}

func pieceName(p rules.Piece) string {
	return [...]string{"", "white man", "white king", "black man", "black king"}[p]
}
