package rules

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

// The reasons. Those of the first group are found by the rules, the rest come from players or a referee.
const (
	NoReason      Reason = ""
	NoPieces      Reason = "no pieces left"
	NoMoves       Reason = "no legal move"
	Threefold     Reason = "threefold"      // FMJD Annex 1, art. 6.1
	KingMoves25   Reason = "25-move"        // FMJD Annex 1, art. 6.2
	Endgame16     Reason = "16-move"        // FMJD Annex 1, art. 6.3
	Endgame5      Reason = "5-move"         // FMJD Annex 1, art. 6.4
	Endgame15     Reason = "15-move"        // option draws=house-15-5
	ImmediateDraw Reason = "immediate draw" // options draws=immediate, draws=three-kings
	PlyLimit      Reason = "ply limit"      // the cap on the length of a self-play or test game
	Resignation   Reason = "resignation"
	Agreement     Reason = "agreement"
	TimeForfeit   Reason = "time forfeit"
	IllegalMove   Reason = "illegal move"
	Adjudication  Reason = "adjudication"
	PlayerFailure Reason = "player failure" // an engine died or broke the protocol
)

// WDL is a distribution over win, draw and loss for one side: each in [0,1], together 1.
type WDL struct{ Win, Draw, Loss float32 }

// Flip returns the distribution from the other side's point of view.
func (w WDL) Flip() WDL { return WDL{w.Loss, w.Draw, w.Win} }

// Score returns the expected score in [0,1]: a win counts 1, a draw one half.
func (w WDL) Score() float32 { return w.Win + w.Draw/2 }
