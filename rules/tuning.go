package rules

import "slices"

// Search names a way to search over a trained evaluation.
type Search string

// The searches.
const (
	TreeSearch      Search = "tree"
	AlphaBetaSearch Search = "alphabeta"
)

// Tuning holds settings of a variant that other packages have measured, and the names that other
// programs use for it. Nothing in it is a rule of the game. A zero field means the default of the
// package that reads it.
type Tuning struct {
	// Search is the search that scored more in a match over the network that comes with the
	// program, both at 0.1 s a move: docs/experiments/tree.md. It is AlphaBetaSearch where no match
	// was played, because that was ahead wherever one was.
	Search Search

	Candidates int // of mcts.Config: docs/experiments/forcing.md

	// NoProbes switches off the shallow searches of alphabeta.Selectivity (Probe):
	// docs/experiments/search.md.
	NoProbes bool

	// SelfPlay holds defaults of a run whose games are played by tree search.
	SelfPlay SelfPlay

	// Ladder is the Elo of the baseline at depth 1, 2, 4 and 6, each against the others; depth 1
	// is 0 by definition: docs/ladder.md. Nil if nobody has measured it.
	Ladder []float64

	// HubName is the name that Scan gives the variant in the Hub protocol, "" for Name.
	HubName string

	// HubOrder is the place of the variant among those that Scan plays, from 1; 0 for the others.
	HubOrder int

	// StandIn is a variant with the same rules and another start position, "" for none. Programs
	// that do not know this variant play it under that name, and files carry its GameType.
	StandIn string

	// Huffing says for which faults players at home huff in a variant whose official rules have no
	// huffing.
	Huffing Huffing
}

// SelfPlay holds settings of a run whose games are played by tree search:
// docs/experiments/antidraughts.md, renewal.md.
type SelfPlay struct {
	TreeRows int     // of selfplay.Config; negative for none
	Best     float64 // of mcts.Config
	Passes   float64 // of settings.Generation
	Refit    int     // First of settings.Refit
}

// Tuning returns the tuning of v, which does not depend on its options.
func (v *Variant) Tuning() Tuning {
	t := tunings[v.Name]
	if t.Search == "" {
		t.Search = AlphaBetaSearch
	}
	t.Ladder = slices.Clone(t.Ladder)
	return t
}

// tunings holds the tuning of each variant by its name.
var tunings = map[string]Tuning{
	"antidraughts": { // most moves lose at once, so means of their values, and shallow searches, say little
		NoProbes: true,
		SelfPlay: SelfPlay{TreeRows: -1, Best: 1, Passes: 4},
		Ladder:   []float64{0, 478, 824, 1054},
		HubName:  "losing", HubOrder: 5,
	},
	"brazilian": {
		Ladder: []float64{0, 338, 633, 885},
	},
	"breakthrough": {
		Ladder:  []float64{0, 301, 683, 1107},
		HubName: "bt", HubOrder: 3,
	},
	"canadian": {
		Ladder: []float64{0, 424, 936, 1343},
	},
	"czech": {
		Ladder: []float64{0, 252, 553, 768},
	},
	"english": {
		Ladder: []float64{0, 263, 578, 836},
	},
	"frisian": {
		Ladder:   []float64{0, 478, 983, 1346},
		HubOrder: 4,
	},
	"frysk": {
		Ladder:  []float64{0, 308, 560, 806},
		StandIn: "frisian",
	},
	"german": {
		Ladder: []float64{0, 258, 682, 873},
	},
	"international": {
		SelfPlay: SelfPlay{Refit: 12_000_000},
		Ladder:   []float64{0, 382, 826, 1190},
		HubName:  "normal", HubOrder: 1,
		Huffing: HuffLesser, // as it is played at home in France
	},
	"italian": {
		Ladder: []float64{0, 315, 707, 982},
	},
	"killer": {
		Ladder:   []float64{0, 478, 941, 1377},
		HubOrder: 2,
	},
	"pool": {
		Ladder: []float64{0, 295, 603, 872},
	},
	"portuguese": {
		Ladder: []float64{0, 205, 559, 764},
	},
	"russian": {
		Ladder: []float64{0, 301, 609, 861},
	},
	"spanish": {
		Ladder: []float64{0, 205, 559, 764},
	},
	"thai": {
		Ladder: []float64{0, 269, 623, 864},
	},
	"turkish": { // much is offered and much is taken
		Candidates: 32,
		Ladder:     []float64{0, 323, 705, 935},
	},
}
