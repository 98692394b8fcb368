package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/mcts"
	"damier/rules"
)

// one is an evaluator with uniform priors and the value of an even position.
type one struct{}

func (one) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		for j := range leaves[i].Priors {
			leaves[i].Priors[j] = 1 / float32(len(leaves[i].Priors))
		}
		leaves[i].Value = rules.WDL{Draw: 1}
	}
	return nil
}

func found(t *testing.T, fen string, visits int) mcts.Result {
	t.Helper()
	p, err := rules.ParseFEN(rules.International, fen)
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.NewSearch(rules.International, mcts.Config{Root: mcts.Gumbel})
	s.Start(rules.NewGameFrom(rules.International, p), mcts.Budget{Simulations: visits}, nil)
	r, err := s.Run(t.Context(), one{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// From the first level to the last, no level searches less, chooses more randomly or blunders more
// often than the one before.
func TestLevelsRise(t *testing.T) {
	if Levels() != 10 || DefaultLevel < 1 || DefaultLevel > Levels() {
		t.Fatalf("%d levels, %d the default", Levels(), DefaultLevel)
	}
	for n := 2; n <= Levels(); n++ {
		a, b := LevelOf(n-1), LevelOf(n)
		if b.Visits <= a.Visits || b.Depth < a.Depth || b.Temperature > a.Temperature || b.Ties > a.Ties || a.BlunderFree() && !b.BlunderFree() {
			t.Errorf("level %d is %+v, the one before %+v", n, b, a)
		}
	}
	if l := LevelOf(Levels()); !l.Full || l.Temperature != 0 || l.Ties != 0 {
		t.Errorf("full strength is %+v", l)
	}
	if LevelOf(1).Root() != mcts.Gumbel || LevelOf(Levels()).Root() != mcts.PUCT {
		t.Error("a level that draws its move ranks all of them, full strength has none to draw")
	}
	if LevelOf(1).BlunderFree() || !LevelOf(7).BlunderFree() {
		t.Error("a beginner blunders, level 7 does not")
	}
}

func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := found(t, "W:W31-50:B1-20", 64)
	count := func(l Level) map[int]int {
		times := map[int]int{}
		for range 400 {
			times[l.Choose(r, rng)]++
		}
		return times
	}
	if times := count(Level{}); len(times) != 1 || times[r.Best] != 400 {
		t.Errorf("temperature 0 plays %v, the best is %d", times, r.Best)
	}
	if times := count(Level{Temperature: 1, Blunder: 1}); len(times) != len(r.Moves) {
		t.Errorf("with even moves and temperature 1 only %v are played of %d", times, len(r.Moves))
	}

	// A level that does not blunder never plays a move that the search knows to be bad, or one
	// that it has not visited.
	bad, unseen := (r.Best+1)%len(r.Moves), (r.Best+2)%len(r.Moves)
	r.Values[r.Best], r.Values[bad], r.Values[unseen] = 0.6, 0.2, float32(math.NaN())
	times := count(Level{Temperature: 5, Blunder: 0.1})
	if times[bad] != 0 || times[unseen] != 0 || times[r.Best] == 0 {
		t.Errorf("a level without blunders plays %v; %d is bad and %d unseen", times, bad, unseen)
	}
	if times := count(Level{Temperature: 5, Blunder: 1}); times[bad] == 0 || times[unseen] == 0 {
		t.Errorf("a level that blunders plays %v; %d is bad and %d unseen", times, bad, unseen)
	}

	// A lower temperature stays closer to the policy.
	for i := range r.Policy {
		r.Policy[i] = 0.01
	}
	r.Policy[r.Best] = 1 - 0.01*float32(len(r.Policy)-1)
	if hot, cold := count(Level{Temperature: 3, Blunder: 1})[r.Best], count(Level{Temperature: 0.5, Blunder: 1})[r.Best]; cold <= hot {
		t.Errorf("the best is played %d times at 0.5 and %d at 3", cold, hot)
	}

	if single := found(t, "W:W28,40:B23", 4); (Level{Temperature: 3, Blunder: 1}).Choose(single, nil) != 0 {
		t.Error("another than the only move")
	}
}

func TestTable(t *testing.T) {
	if _, ok := Measured("chess", "tree", 1); ok {
		t.Error("chess was measured")
	}
	good, err := readTable([]byte(`{"international": {"tree": {"3": {"elo": 412.5, "pm": 31, "games": 600}}}}`))
	if err != nil || good["international"]["tree"][3].Rating != 412.5 {
		t.Errorf("%v, %v", good, err)
	}
	for text, want := range map[string]string{
		`{"international": {"oracle": {"3": {"elo": 1, "pm": 1, "games": 1}}}}`: "no engine",
		`{"international": {"tree": {"11": {"elo": 1, "pm": 1, "games": 1}}}}`:  "level 11",
		`{"international": {"tree": {"3": {"elo": 1, "pm": 1}}}}`:               "not measured",
		`[]`: "levels.json",
	} {
		if _, err := readTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}
