package rules

// Portuguese is Portuguese draughts.
var Portuguese = member("portuguese", newPortuguese)

// newPortuguese builds Portuguese draughts, whose rules are those of Spanish draughts. PDN 28.
func newPortuguese(o Options) (*Variant, error) {
	v := spanishFacts()
	v.Name, v.GameType = "portuguese", 28
	return v.choose(o)
}
