package alphabeta

import "damier/rules"

// maxRows is the number of rows of the largest board.
const maxRows = 12

// weights are the numbers of an evaluation, in hundredths of a man. A pair is for the opening,
// with all pieces on the board, and for the ending; between them the evaluation interpolates by
// the number of men.
type weights struct {
	man, king [2]int
	row       [2][maxRows]int     // a man by its row, its own back row first
	column    [2][maxRows / 2]int // a man by its distance from the nearer edge
	guard     [maxRows]int        // a man on its own back row while the other side has men, by column from the left of its side
	supported [2]int              // each pair of own pieces that are neighbours along a line of movement
	mobility  [2]int              // each move of a man to an empty square
	balance   [2]int              // subtracted for each man by which the two halves of the board differ
	through   [maxRows]int        // a man that no enemy piece can stop ahead, by its row
	diagonal  int                 // a king on the long diagonal
	centre    int                 // a king two squares or more from every edge
	reach     int                 // each square a king can move to
	turn      int                 // the right to move

	// Endings that are hard to win against a king, by the number of pieces of the side that leads:
	// few for any king; fewRoad if the king is on the long diagonal, from which flying kings
	// cannot drive it; fewLead if the lead is one piece.
	few, fewRoad, fewLead int
}

// weights1 belong to alphabeta-1 in international draughts.
var weights1 = weights{
	man:  [2]int{100, 110},
	king: [2]int{280, 300},
	row: [2][maxRows]int{
		{2, 0, 0, 1, 2, 3, 4, 4, 4, 0},
		{0, 2, 4, 7, 10, 14, 18, 24, 30, 0},
	},
	column:    [2][maxRows / 2]int{{-4, -1, 1, 2, 3}, {-2, 0, 1, 2, 2}},
	guard:     [maxRows]int{2, 3, 6, 3, 2},
	supported: [2]int{1, 2},
	mobility:  [2]int{1, 2},
	balance:   [2]int{2, 2},
	through:   [maxRows]int{0, 0, 0, 10, 20, 32, 46, 60, 80, 0},
	diagonal:  12,
	reach:     1,
	turn:      2,
	few:       3, // three kings cannot catch a lone king on 10x10
	fewRoad:   6,
	fewLead:   6,
}

// weightsOf returns the weights of alphabeta-1 in v.
func weightsOf(v *rules.Variant) weights {
	if w, ok := fitted[v.Name]; ok {
		return w
	}
	return weightsByHand(v)
}

// weightsByHand returns the weights made by hand for the facts of v.
func weightsByHand(v *rules.Variant) weights {
	w := weights1
	switch {
	case v.Board.Rows == 8:
		w = weights8
		switch {
		case v.MoveLines[0].Orthogonal():
			w = weightsTurkish
		case !v.KingFlies && v.MenSpareKings:
			w = weightsShort
			w.king = [2]int{190, 210} // only kings can capture a king
		case !v.KingFlies:
			w = weightsShort
		}
	case v.Board.Rows == 12:
		w = weights12
	}
	switch {
	case v.NoMovesWins:
		return weightsLosing
	case v.FirstKingWins:
		return weightsRace
	case v.Landing == rules.BehindLastKing: // two kings can catch a lone king
		w.few, w.fewRoad, w.fewLead = 1, 0, 0
	case v.KingMoveLimit > 0:
		w.few = 2
	}
	return w
}

// material returns the weights of v with only the values of the pieces.
func material(v *rules.Variant) weights {
	w := weightsOf(v)
	return weights{man: w.man, king: w.king}
}

// weights8 are for flying kings on 8x8 squares.
var weights8 = weights{
	man:  [2]int{100, 110},
	king: [2]int{260, 280},
	row: [2][maxRows]int{
		{3, 0, 1, 2, 3, 4, 5, 0},
		{0, 3, 6, 10, 15, 21, 28, 0},
	},
	column:    [2][maxRows / 2]int{{-4, 0, 2, 3}, {-2, 0, 1, 2}},
	guard:     [maxRows]int{2, 5, 5, 2},
	supported: [2]int{1, 2},
	mobility:  [2]int{1, 2},
	balance:   [2]int{2, 2},
	through:   [maxRows]int{0, 0, 10, 20, 34, 50, 75, 0},
	diagonal:  20,
	reach:     1,
	turn:      2,
	few:       2,
	fewRoad:   4,
	fewLead:   4,
}

// weightsShort are for kings that move one step.
var weightsShort = weights{
	man:  [2]int{100, 110},
	king: [2]int{130, 145},
	row: [2][maxRows]int{
		{4, 0, 1, 2, 3, 4, 6, 0},
		{0, 1, 3, 5, 8, 11, 15, 0},
	},
	column:    [2][maxRows / 2]int{{-4, 0, 2, 3}, {-2, 0, 1, 2}},
	guard:     [maxRows]int{2, 8, 2, 8},
	supported: [2]int{1, 1},
	mobility:  [2]int{2, 2},
	balance:   [2]int{1, 1},
	through:   [maxRows]int{0, 0, 4, 8, 12, 16, 22, 0},
	centre:    8,
	reach:     2,
	turn:      2,
	few:       1,
}

// weightsTurkish are for orthogonal moves on all squares.
var weightsTurkish = weights{
	man:  [2]int{100, 110},
	king: [2]int{400, 420},
	row: [2][maxRows]int{
		{4, 2, 1, 2, 4, 7, 10, 0},
		{0, 3, 6, 10, 16, 24, 34, 0},
	},
	column:    [2][maxRows / 2]int{{-3, 0, 1, 1}, {-1, 0, 1, 1}},
	supported: [2]int{2, 2},
	mobility:  [2]int{1, 1},
	balance:   [2]int{1, 1},
	through:   [maxRows]int{0, 0, 15, 30, 50, 75, 110, 0},
	reach:     1,
	turn:      2,
	few:       1,
}

// weights12 are for 12x12 squares.
var weights12 = weights{
	man:  [2]int{100, 110},
	king: [2]int{300, 320},
	row: [2][maxRows]int{
		{2, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 0},
		{0, 2, 4, 6, 8, 11, 14, 17, 21, 26, 32, 0},
	},
	column:    [2][maxRows / 2]int{{-4, -1, 1, 2, 3, 3}, {-2, 0, 1, 2, 2, 2}},
	guard:     [maxRows]int{2, 3, 5, 5, 3, 2},
	supported: [2]int{1, 2},
	mobility:  [2]int{1, 2},
	balance:   [2]int{2, 2},
	through:   [maxRows]int{0, 0, 0, 10, 16, 24, 34, 46, 60, 74, 90, 0},
	diagonal:  12,
	reach:     1,
	turn:      2,
	few:       3,
	fewRoad:   6,
	fewLead:   6,
}

// weightsLosing are for variants in which the side without a move or a piece wins.
var weightsLosing = weights{
	man:      [2]int{-100, -100},
	king:     [2]int{-60, -60},
	mobility: [2]int{2, 4},
	reach:    1,
	turn:     2,
}

// weightsRace are for variants in which the first king wins.
var weightsRace = weights{
	man: [2]int{100, 100},
	row: [2][maxRows]int{
		{4, 0, 0, 2, 4, 6, 9, 14, 22, 0},
		{4, 4, 8, 13, 18, 24, 32, 44, 60, 0},
	},
	column:    [2][maxRows / 2]int{{-4, -1, 1, 2, 3}, {-2, 0, 1, 2, 2}},
	guard:     [maxRows]int{4, 6, 8, 6, 4},
	supported: [2]int{1, 2},
	mobility:  [2]int{1, 2},
	balance:   [2]int{2, 2},
	through:   [maxRows]int{60, 80, 110, 150, 200, 260, 330, 410, 500, 0},
	turn:      6,
}
