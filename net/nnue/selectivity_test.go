package nnue_test

import (
	"cmp"
	"flag"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/models"
	"damier/net/nnue"
	"damier/rules"
)

var (
	selectivityVariant = flag.String("selectivity", "", "variant in which two alpha-beta searches over its network are compared")
	selectivityA       = flag.String("selectivity-a", "", `the one: alphabeta-1, or settings of the selectivity such as "Slope=80,Static=2"`)
	selectivityB       = flag.String("selectivity-b", "alphabeta-1", "the other")
	selectivityNodes   = flag.Uint64("selectivity-nodes", 3000, "nodes a move")
	selectivityNodesB  = flag.Uint64("selectivity-nodes-b", 0, "nodes a move of the other, if they differ")
	selectivityGames   = flag.Int("selectivity-games", 120, "games; 0 tells the depths completed in twelve openings instead")
	selectivityFirst   = flag.Int("selectivity-first", 0, "number of the first opening")
	selectivityFile    = flag.String("selectivity-openings", "", "file of the openings, in place of those of matches; with more games than twice the openings games repeat")
)

// forTuning returns the evaluator of the network that comes with the program, and the openings of
// matches.
func forTuning(t *testing.T, v *rules.Variant) (*nnue.Evaluator, []arena.Opening) {
	t.Helper()
	m, err := models.NNUE(v)
	if err != nil {
		t.Fatal(err)
	}
	openings, err := arena.Openings(v)
	if err != nil {
		t.Fatal(err)
	}
	return m.Evaluator(), openings
}

// TestSelectivity compares two searches over one network by games at fixed nodes, which no other
// work on the machine disturbs; docs/experiments/search.md has what was found. Without its flag it
// plays four short games.
func TestSelectivity(t *testing.T) {
	v, nodes, games := rules.International, uint64(100), 4
	if *selectivityVariant != "" {
		var err error
		if v, err = rules.Lookup(*selectivityVariant, nil); err != nil {
			t.Fatal(err)
		}
		nodes, games = *selectivityNodes, *selectivityGames
	}
	e, openings := forTuning(t, v)
	if *selectivityFile != "" {
		var err error
		if openings, err = arena.ReadOpenings(v, *selectivityFile); err != nil {
			t.Fatal(err)
		}
	}
	var configs [2]alphabeta.Config
	for i, text := range []string{*selectivityA, *selectivityB} {
		c, err := selectivityConfig(v, text)
		if err != nil {
			t.Fatal(err)
		}
		c.Evaluator = e
		configs[i] = c
	}
	limits := alphabeta.Limits{Nodes: nodes}
	if games == 0 {
		for _, c := range configs {
			depths := 0
			for i := range 12 {
				search, err := alphabeta.New(v, c)
				if err != nil {
					t.Fatal(err)
				}
				g := rules.NewGameFrom(v, openings[i*len(openings)/12].Position(v))
				r, err := search.Search(t.Context(), g, limits, nil)
				if err != nil {
					t.Fatal(err)
				}
				depths += r.Depth
			}
			t.Logf("%s, %d nodes, %q: mean depth %.1f", v.Name, nodes, c.Name, float64(depths)/12)
		}
		return
	}
	factory := func(c alphabeta.Config, nodes uint64) arena.Factory {
		c.TableBits = 18
		own := engine.Limits{Nodes: int64(nodes)}
		return func() (arena.Player, error) { return engine.NewAlphaBetaPlayer(v, c, own) }
	}
	first := *selectivityFirst % len(openings)
	openings = append(openings[first:len(openings):len(openings)], openings[:first]...)
	r, err := arena.Match{Variant: v, A: factory(configs[0], nodes), B: factory(configs[1], cmp.Or(*selectivityNodesB, nodes)), Openings: openings, Games: games,
		Concurrency: 1}.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Games() != games || r.Illegal != [2]int{} {
		t.Errorf("%d games, %v illegal moves", r.Games(), r.Illegal)
	}
	t.Logf("%s, %d nodes, %q against %q: +%d =%d -%d, score %+v, pairs %v", v.Name, nodes, configs[0].Name, configs[1].Name,
		r.Wins, r.Draws, r.Losses, r.Pairs.ScoreInterval(0.95), r.Pairs)
}

// selectivityConfig reads a version, or settings that differ from the defaults of variant v.
func selectivityConfig(v *rules.Variant, text string) (alphabeta.Config, error) {
	c := alphabeta.Config{Name: "defaults"}
	if strings.HasPrefix(text, "alphabeta-") {
		c.Name, c.Version = text, text
		return c, nil
	}
	if text == "" {
		return c, nil
	}
	s := alphabeta.Defaults(v)
	c.Name, c.Selectivity = text, &s
	for setting := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(setting, "=")
		n, err := strconv.ParseInt(value, 10, 16)
		if err != nil {
			return c, err
		}
		f := reflect.ValueOf(&s).Elem().FieldByName(name)
		if !f.IsValid() {
			return c, fmt.Errorf("no setting %q", name)
		}
		f.SetInt(n)
	}
	return c, nil
}
