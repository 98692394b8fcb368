package rules

// Frysk is Frysk! with its default options.
var Frysk = member("frysk", newFrysk)

// newFrysk builds Frysk!, which is Frisian draughts with five men a side on the last rows
// (lidraughts, "Frysk!"), and the same options. The PDN standard has no GameType for it, for
// breakthrough and for antidraughts; lidraughts has given them numbers of its own.
func newFrysk(o Options) (*Variant, error) {
	v := frisianFacts()
	v.Name, v.Rows, v.Most = "frysk", 1, 20 // any position of Frisian draughts can be set up
	v.GameType, v.GameTag = 97, ""          // of lidraughts, not of the PDN standard
	return v.choose(o, frisianChoices...)
}
