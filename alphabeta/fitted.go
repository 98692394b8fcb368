package alphabeta

// fitted holds the weights of alphabeta-1 in the variants in which fitted weights scored better
// than those made by hand. The terms are the same; the numbers are those that best predict the
// results of games of the engine against itself. Each set is the output of go test ./alphabeta
// -run TestTune -tune VARIANT.
var fitted = map[string]weights{
	"antidraughts": {
		man: [2]int{-87, -113}, king: [2]int{-331, 41},
		row: [2][maxRows]int{
			{38, 52, 45, 26, 48, 18, 12, -15, 8, 0},
			{6, 39, 23, 49, 42, 10, 16, -15, 3, 0},
		},
		column:    [2][maxRows / 2]int{{4, 6, 5, 8, 4}, {1, -4, 1, 9, 10}},
		guard:     [maxRows]int{2, 2, -1, 2, -2},
		supported: [2]int{5, 6}, mobility: [2]int{22, 18}, balance: [2]int{-3, 7},
		through:  [maxRows]int{0, 0, 0, -32, -53, -23, -40, 2, -37, 0},
		diagonal: 17, centre: 33, reach: 11, turn: 19,
		few: 0, fewRoad: 0, fewLead: 0,
	},
	"breakthrough": {
		man: [2]int{91, 109}, king: [2]int{0, 0},
		row: [2][maxRows]int{
			{26, 0, 1, -1, 0, -4, 12, 18, 10, 0},
			{7, 7, 7, 9, 7, 19, 43, 82, 74, 0},
		},
		column:    [2][maxRows / 2]int{{-2, -1, 2, 1, 0}, {-4, 4, 1, 2, 0}},
		guard:     [maxRows]int{6, 6, 11, 5, 9},
		supported: [2]int{-1, 1}, mobility: [2]int{0, 5}, balance: [2]int{3, 10},
		through:  [maxRows]int{60, 80, 110, 136, 183, 203, 306, 465, 668, 0},
		diagonal: 0, centre: 0, reach: 0, turn: 5,
		few: 0, fewRoad: 0, fewLead: 0,
	},
	"frisian": {
		man: [2]int{84, 126}, king: [2]int{282, 413},
		row: [2][maxRows]int{
			{21, -1, 0, -8, -13, -16, 6, 13, 8, 0},
			{22, 6, -5, -10, -9, 4, 14, 47, 52, 0},
		},
		column:    [2][maxRows / 2]int{{0, 0, 0, -1, 1}, {5, 6, 6, -4, -10}},
		guard:     [maxRows]int{-1, 3, 8, 7, 2},
		supported: [2]int{0, 0}, mobility: [2]int{-3, 0}, balance: [2]int{2, 5},
		through:  [maxRows]int{0, 0, 0, -21, 12, 22, 75, 83, 176, 0},
		diagonal: 19, centre: 3, reach: 3, turn: 4,
		few: 2, fewRoad: 6, fewLead: 6,
	},
	"frysk": {
		man: [2]int{109, 101}, king: [2]int{360, 436},
		row: [2][maxRows]int{
			{1, -10, -9, 0, -13, -4, 8, 32, 18, 0},
			{16, -16, -24, -15, 12, 27, 24, 38, 46, 0},
		},
		column:    [2][maxRows / 2]int{{1, 12, 11, -4, -16}, {-1, 2, 4, 1, -4}},
		guard:     [maxRows]int{-1, -2, 14, 10, -5},
		supported: [2]int{-5, 0}, mobility: [2]int{4, 3}, balance: [2]int{8, 5},
		through:  [maxRows]int{0, 0, 0, -40, -24, 42, 92, 161, 228, 0},
		diagonal: 18, centre: -1, reach: 4, turn: 4,
		few: 2, fewRoad: 6, fewLead: 6,
	},
	"thai": {
		man: [2]int{110, 100}, king: [2]int{279, 190},
		row: [2][maxRows]int{
			{18, 3, 1, 1, -5, 6, 8, 0},
			{11, 1, 1, 3, 7, 21, 23, 0},
		},
		column:    [2][maxRows / 2]int{{-3, -4, 3, 6}, {-2, 0, 2, 1}},
		guard:     [maxRows]int{-1, 4, 5, 3},
		supported: [2]int{1, 2}, mobility: [2]int{3, 3}, balance: [2]int{4, 3},
		through:  [maxRows]int{0, 0, 1, -2, 41, 62, 91, 0},
		diagonal: 0, centre: -1, reach: 3, turn: 2,
		few: 2, fewRoad: 4, fewLead: 4,
	},
}
