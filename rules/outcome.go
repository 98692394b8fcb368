package rules

import "strconv"

// Outcome is how a game stands or ended.
type Outcome uint8

// The outcomes.
const (
	Ongoing Outcome = iota
	WhiteWins
	BlackWins
	Draw
)

// String returns "*", "white", "black" or "draw".
func (o Outcome) String() string { return [...]string{"*", "white", "black", "draw"}[o] }

// Win returns the outcome in which c has won.
func Win(c Color) Outcome { return WhiteWins + Outcome(c) }

// WDL returns the outcome as certain win, draw or loss of side c; all zero while the game goes on.
func (o Outcome) WDL(c Color) WDL {
	switch o {
	case Draw:
		return WDL{Draw: 1}
	case Ongoing:
		return WDL{}
	case Win(c):
		return WDL{Win: 1}
	}
	return WDL{Loss: 1}
}

// Reason is the rule that ended a game; "" while it goes on.
type Reason string

// The reasons. The rules find those of the first group; players or a referee declare the rest.
const (
	NoReason      Reason = ""
	NoPieces      Reason = "no pieces left"
	NoMoves       Reason = "no legal move"
	Threefold     Reason = "threefold"      // FMJD Annex 1, art. 6.1
	KingMoves25   Reason = "25-move"        // FMJD Annex 1, art. 6.2
	Endgame16     Reason = "16-move"        // FMJD Annex 1, art. 6.3
	Endgame5      Reason = "5-move"         // FMJD Annex 1, art. 6.4
	Endgame15     Reason = "15-move"        // FMJD-64, 7.2.4 and 7.2.5; option draws=house-15-5
	ImmediateDraw Reason = "immediate draw" // too few pieces to go on
	FirstKing     Reason = "first king"     // breakthrough
	Fourfold      Reason = "fourfold"       // FID 9.3
	Count7        Reason = "7-move"         // Frisian, two kings against one
	Count13       Reason = "13-move"        // APCA rule 26
	Count30       Reason = "30-move"        // FMJD-64, 7.2.6
	Count40       Reason = "40-move"        // WCDF 1.32.2, FID 10.4
	Count60       Reason = "60-move"        // FMJD-64, 7.2.6
	MainRoad5     Reason = "main road"      // FMJD-64, 7.2.7
	PlyLimit      Reason = "ply limit"      // the cap on the length of a self-play or test game
	Resignation   Reason = "resignation"
	Agreement     Reason = "agreement"
	TimeForfeit   Reason = "time forfeit"
	IllegalMove   Reason = "illegal move"
	Adjudication  Reason = "adjudication"
	PlayerFailure Reason = "player failure" // an engine died or broke the protocol
)

// Reasons returns all reasons but NoReason.
func Reasons() []Reason {
	return []Reason{
		NoPieces, NoMoves, FirstKing, Threefold, Fourfold, KingMoves25, Endgame16, Endgame5, Endgame15, Count7, Count13,
		Count30, Count40, Count60, MainRoad5, ImmediateDraw, PlyLimit, Resignation, Agreement, TimeForfeit, IllegalMove,
		Adjudication, PlayerFailure,
	}
}

// countReason returns the reason of a draw by a count of plies.
func countReason(plies int) Reason {
	switch plies {
	case 10:
		return Endgame5
	case 14:
		return Count7
	case 26:
		return Count13
	case 30:
		return Endgame15
	case 32:
		return Endgame16
	case 50:
		return KingMoves25
	case 60:
		return Count30
	case 80:
		return Count40
	case 120:
		return Count60
	}
	return Reason(strconv.Itoa(plies/2) + "-move")
}

// WDL is a distribution over win, draw and loss for one side: each in [0,1], sum 1.
type WDL struct{ Win, Draw, Loss float32 }

// Flip returns the distribution from the other side's point of view.
func (w WDL) Flip() WDL { return WDL{w.Loss, w.Draw, w.Win} }

// Score returns the expected score in [0,1]: a win counts 1, a draw one half.
func (w WDL) Score() float32 { return w.Win + w.Draw/2 }
