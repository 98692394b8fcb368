package rules

// Frysk is Frysk! with its default options.
var Frysk = member("frysk", newFrysk)

// newFrysk builds Frysk!, which is Frisian draughts with five men a side on the last rows (lidraughts,
// "Frysk!"), and the same options. Its number is lidraughts' own, as are those of breakthrough and antidraughts: the
// PDN standard has none for it.
func newFrysk(o Options) (*Variant, error) {
	v := frisianFacts()
	v.Name, v.Rows, v.Most = "frysk", 1, 20 // positions of Frisian draughts can be played on
	v.GameType, v.GameTag = 97, ""          // of lidraughts, not of the PDN standard
	return v.choose(o, frisianChoices...)
}
