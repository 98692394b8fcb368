package rules

// Portuguese is Portuguese draughts.
var Portuguese = member("portuguese", newPortuguese)

// newPortuguese builds Portuguese draughts, whose rules are those of Spanish draughts. PDN 28.
func newPortuguese(o Options) (*Variant, error) {
	v := spanishFacts()
	v.Name, v.GameType, v.GameTag = "portuguese", 28, "28,W,8,8,N1,1"
	return v.choose(o)
}
