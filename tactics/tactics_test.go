package tactics

import (
	"bytes"
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"damier/alphabeta"
	"damier/engine"
	"damier/mcts"
	"damier/rules"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestCollection: the collection is large enough, in order, without two similar tactics, and each
// tactic is correct when the slow twin of the move generator plays its line.
func TestCollection(t *testing.T) {
	all := Collection()
	counts, turcs, seen := map[string]int{}, 0, map[string]bool{}
	for i := range all {
		x := &all[i]
		counts[x.Variant.Name]++
		if err := x.Check(); err != nil {
			t.Error(err)
		}
		if seen[x.ID()] {
			t.Errorf("two are named %s", x.ID())
		}
		seen[x.ID()] = true
		for j := range all[:i] {
			if Near(x, &all[j]) {
				t.Errorf("%s and %s are nearly the same", x.ID(), all[j].ID())
			}
		}
		if slices.Contains(x.Themes, Turc) && x.Variant.Name == "international" {
			turcs++
		}
		level := x.Level
		if x.Rate(); x.Level != level {
			t.Errorf("%s is of level %d, and %d is said", x.ID(), x.Level, level)
		}
	}
	t.Logf("%v, %d coups turcs", counts, turcs)
	for name, least := range map[string]int{"international": 60, "frisian": 20, "english": 20, "russian": 20} {
		if counts[name] < least {
			t.Errorf("%d of %s, want %d", counts[name], name, least)
		}
	}
	if turcs < 5 {
		t.Errorf("%d coups turcs in international draughts, want 5", turcs)
	}
}

// TestProofs proves each tactic again to its depth: the gain with the fast generator, and also
// with the slow twin where the solver may only make forcing moves; and the refutation of all other
// first moves. With DAMIER_LONG=1 the independent alpha-beta of package alphabeta must find each
// tactic too.
func TestProofs(t *testing.T) {
	long := os.Getenv("DAMIER_LONG") == "1"
	all := Collection()
	for i := range all {
		x := &all[i]
		s := NewProof(x.Variant)
		s.Moves = func(dst []rules.Move, p rules.Position) []rules.Move {
			return append(dst, x.Variant.ReferenceMoves(p)...)
		}
		s.Forcing = true // only the solver's loud moves: the replies are all tried
		if err := x.proveGain(s, x.Depth); err != nil {
			t.Error("by the twin: ", err)
		}
		if err := x.Prove(); err != nil {
			t.Error(err)
		}
		if long {
			byAlphaBeta(t, x)
		}
	}
}

// byAlphaBeta asks the engine twice. Within a million positions it must find no other first move
// that wins, and within 300,000 positions from the end of the line it must find no way to win the
// gain back, at any depth. The version that counts pieces has slightly different values, lower if
// the opponent has a king, so two fifths of the gain are enough.
func byAlphaBeta(t *testing.T, x *Tactic) {
	t.Helper()
	e := must(alphabeta.New(x.Variant, alphabeta.Config{Version: "alphabeta-material", TableBits: 18}))
	stands := e.Evaluate(x.Start)
	l := alphabeta.Limits{Depth: len(x.Line) + 6, Nodes: 1_000_000}
	r := must(e.Search(context.Background(), rules.NewGameFrom(x.Variant, x.Start), l, nil))
	if gain := r.Score - stands; r.PV[0] != x.Line[0] && gain >= 40 {
		t.Errorf("%s, %s: the alpha-beta wins %d by %s, the solution is %s", x.ID(), x.Variant.FENRanges(x.Start),
			gain, x.Variant.FormatMove(r.PV[0]), x.Variant.FormatMove(x.Line[0]))
	}
	end := rules.NewGameFrom(x.Variant, x.Positions()[len(x.Line)])
	if end.Over() {
		return
	}
	e.NewGame()
	score := must(e.Search(context.Background(), end, alphabeta.Limits{Nodes: 300_000}, nil)).Score
	if end.Position().Turn != x.Solver() {
		score = -score
	}
	if gain, want := score-stands, alphabeta.Score(min(x.Gain, 10*Man)*40/Man); gain < want {
		t.Errorf("%s, %s: at the end the alpha-beta has won %d, want %d", x.ID(), x.Variant.FENRanges(x.Start), gain, want)
	}
}

// TestCoupTurc: the diagram of the rules is a coup turc; with another piece in the way, or without
// the blocking piece, it is not.
func TestCoupTurc(t *testing.T) {
	v := rules.International
	for _, c := range []struct {
		fen  string
		want bool
	}{
		{"B:W23,29,30,38,39:BK35", true},  // 35x34, stopped before 29 by 23 behind it
		{"B:W23,30,38,39:BK35", false},    // without 29 the capture cannot continue
		{"B:W29,30:BK35", false},          // it captures 30, and then has no further capture
		{"B:W18,29,30,38,39:BK35", false}, // 23 is empty, so 29 is taken too
	} {
		p := must(rules.ParseDiagram(v, c.fen))
		moves := v.AppendMoves(nil, p)
		if got := StoppedByCaptured(v, p, moves[0]); got != c.want {
			t.Errorf("%s, %s: stopped by what it captured: %t", c.fen, v.FormatMove(moves[0]), got)
		}
	}
	// In variants that remove captured pieces at once there is none.
	turkish := must(rules.Lookup("turkish", nil))
	p := must(rules.ParseDiagram(turkish, "W:Wb2:Bb3,b5"))
	if StoppedByCaptured(turkish, p, turkish.AppendMoves(nil, p)[0]) {
		t.Error("stopped in Turkish draughts")
	}
}

func TestThemes(t *testing.T) {
	v := rules.International
	for _, c := range []struct{ fen, line, want string }{
		{"W:W14,17,30,39,41,43,46,47:B5,22,23,28,31,K49", "41-36 49x34 36x40", "[turc majority rafle]"},
		{"B:W25,30-33,35-37,42,43:B1,4,13,14,17-20,22,26", "22-27 32x23 19x48", "[majority crowning]"},
	} {
		text := strings.Join([]string{"international", c.fen, c.line, "4", "2", "1", "1", "", "test", "0"}, "\t")
		x := must(parse(text))
		if got := Themes(v, x.Start, x.Line); string(must(text2(got))) != c.want {
			t.Errorf("%s %s: %v, want %s", c.fen, c.line, got, c.want)
		}
	}
}

func text2(themes []Theme) ([]byte, error) {
	words := make([]string, len(themes))
	for i, x := range themes {
		words[i] = string(x)
	}
	return []byte("[" + strings.Join(words, " ") + "]"), nil
}

// TestFind finds the combination of a known position, from either side, and none where a condition
// fails.
func TestFind(t *testing.T) {
	v := rules.International
	f := NewFinder(v)
	p := must(rules.ParseFEN(v, "W:W25,27,30,32-38,42,43,45:B6,8-10,12-14,16,18,19,23,24,26"))
	x, ok := f.Find(p)
	if !ok || v.FormatMove(x.Line[0]) != "27-22" || x.Gain != Man || x.Sacrifices() != 2 || x.Given() != 3 {
		t.Fatalf("found %t: %+v", ok, x)
	}
	if err := x.Prove(); err != nil {
		t.Error(err)
	}
	y, ok := f.Find(v.Rotate(p))
	if !ok || !Near(&x, &y) || y.Line[0] != v.RotateMove(x.Line[0]) {
		t.Errorf("turned round it is %t %+v", ok, y)
	}
	if _, ok := f.Find(v.Start()); ok {
		t.Error("a combination at the start")
	}
	wrong := x
	wrong.Gain += Man
	if wrong.Prove() == nil {
		t.Error("a gain that is not there is proved")
	}
	wrong = x
	wrong.Line = slices.Clone(x.Line)
	wrong.Line[0] = v.AppendMoves(nil, p)[0]
	if wrong.Check() == nil || wrong.Prove() == nil {
		t.Error("another first move passes")
	}
	defer func() {
		if recover() == nil {
			t.Error("a finder where one wins by losing")
		}
	}()
	NewFinder(must(rules.Lookup("antidraughts", nil)))
}

// TestProofIsMinimax compares proofs with plain minimax, which has no table, no move ordering and
// no bounds.
func TestProofIsMinimax(t *testing.T) {
	for _, name := range []string{"english", "russian", "frisian"} {
		v := must(rules.Lookup(name, nil))
		s := NewProof(v)
		p, seed := v.Start(), uint64(len(name))
		for ply := range 60 {
			legal := v.AppendMoves(nil, p)
			if len(legal) == 0 {
				break
			}
			if ply%12 == 11 {
				for depth := range 3 {
					best := minimax(v, p, p.Turn, depth)
					if best != -Won && !s.Holds(p, p.Turn, best, depth) || s.Holds(p, p.Turn, best+1, depth) && best != Won {
						t.Fatalf("%s, %s: minimax at depth %d is %d, the proof disagrees", name, v.FEN(p), depth, best)
					}
				}
			}
			seed = seed*6364136223846793005 + 1442695040888963407
			p = v.Play(p, legal[seed>>33%uint64(len(legal))])
		}
	}
}

// minimax is Holds in its simplest form.
func minimax(v *rules.Variant, p rules.Position, solver rules.Color, depth int) int {
	legal := v.AppendMoves(nil, p)
	if len(legal) == 0 {
		if o, _ := v.Stuck(p); o == rules.Win(solver) {
			return Won
		}
		return -Won
	}
	if v.DrawByCount(p) != rules.NoReason {
		return -Won
	}
	mine, stand := p.Turn == solver, Won
	if !legal[0].IsCapture() {
		if depth <= 0 {
			waits := p
			waits.Turn = p.Turn.Opponent()
			threat := v.HasCaptures(waits)
			if stand = Balance(v, p, solver); !mine || !threat {
				return stand
			}
			depth = 1
		}
		depth--
	}
	best := -Won
	if !mine {
		best = Won
	}
	for _, m := range legal {
		if x := minimax(v, v.Play(p, m), solver, depth); mine == (x > best) {
			best = x
		}
	}
	return min(best, stand) // a threatened solver has no more than what stands
}

func TestFileRoundTrip(t *testing.T) {
	var text bytes.Buffer
	if err := Write(&text, Collection()); err != nil {
		t.Fatal(err)
	}
	if text.String() != collection {
		t.Error("the collection is not what it is written as again")
	}
	for _, c := range []struct{ line, want string }{
		{"", "no file of tactics"},
		{Header + "\ninternational\tx", "line 2: 2 fields"},
		{Header + "\nchess\tW:W31:B1\t31-26\t4\t1\t0\t1\t\ttest\t0", "unknown variant"},
		{Header + "\nantidraughts\tW:W31:B1\t31-26\t4\t1\t0\t1\t\ttest\t0", "nothing is won"},
		{Header + "\ninternational\tW:W31:B99\t31-26\t4\t1\t0\t1\t\ttest\t0", "99"},
		{Header + "\ninternational\tW:W31:B1\t31-20\t4\t1\t0\t1\t\ttest\t0", "31-20"},
		{Header + "\ninternational\tW:W31:B1\t31-26\tx\t1\t0\t1\t\ttest\t0", "whole number"},
		{Header + "\ninternational\tW:W31:B1\t31-26\t4\t0.3\t0\t1\t\ttest\t0", "gain"},
		{Header + "\ninternational\tW:W31:B1\t31-26\t4\t1\t0\t9\t\ttest\t0", "level"},
		{Header + "\ninternational\tW:W31:B1\t31-26\t4\t1\t0\t1\t\ttest\t-2", "nodes"},
		{header1 + "\ninternational\tW:W31:B1\t31-26\t4\t1\t0\t1\t\ttest\t0", "11 fields"},
		{Header + "\ninternational\tW:W31:B1\t31-26\t4\t1\t0\t1\tgrand\ttest\t0", "theme"},
	} {
		text := c.line
		if text == "" {
			text = "hello"
		}
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.line, err, c.want)
		}
	}
}

// TestNodes: the collection holds the nodes that the alpha-beta needs, and harder tactics have
// higher ratings. With -nodes FILE the test measures those of all tactics and writes them there.
func TestNodes(t *testing.T) {
	all := slices.Clone(Collection())
	if *writeNodes != "" {
		var ask []*Tactic
		for i := range all {
			ask = append(ask, &all[i])
		}
		if err := AskNodes(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := Write(&text, all); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*writeNodes, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range all {
		x := &all[i]
		if x.Nodes == 0 {
			t.Errorf("the nodes of %s are not known", x.ID())
		}
		if i%20 != 0 { // all take too long
			continue
		}
		y := *x
		if err := AskNodes(t.Context(), []*Tactic{&y}); err != nil || y.Nodes != x.Nodes {
			t.Errorf("%s takes %d nodes, %v; the file says %d", x.ID(), y.Nodes, err, x.Nodes)
		}
	}
	for _, c := range []struct{ nodes, rating int }{
		{0, 1100}, {1, 800}, {16, 800}, {32, 900}, {1024, 1400}, {MostNodes, 2200}, {-1, 2300},
	} {
		if got := (&Tactic{Nodes: c.nodes}).Rating(); got != c.rating {
			t.Errorf("%d nodes are rated %d, want %d", c.nodes, got, c.rating)
		}
	}
}

var writeNodes = flag.String("nodes", "", "file for the collection with the nodes measured anew")

// FuzzRead: a collection that is read can be written, and is the same when read again.
func FuzzRead(f *testing.F) {
	f.Add(collection[:min(len(collection), 2000)])
	f.Add(Header + "\ninternational\tW:W31:B1\t31-26\t4\twin\t0\t1\tturc\ttest\t0")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := Write(&once, all); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, once.String())
		}
		if err := Write(&twice, again); err != nil || twice.String() != once.String() {
			t.Errorf("written again it is\n%s\nand was\n%s", twice.String(), once.String())
		}
	})
}

// prefers is an evaluator that gives one move a high prior wherever it is legal, and the value of
// a draw to all positions.
type prefers struct{ move rules.Move }

func (e prefers) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		n := float32(len(leaves[i].Moves))
		for j, m := range leaves[i].Moves {
			leaves[i].Priors[j] = 0.1 / n
			if m == e.move {
				leaves[i].Priors[j] += 0.9
			} else if !slices.Contains(leaves[i].Moves, e.move) {
				leaves[i].Priors[j] = 1 / n
			}
		}
		leaves[i].Value = rules.WDL{Draw: 1}
	}
	return nil
}

func TestAskVisits(t *testing.T) {
	x := Collection()[0]
	prefers := func(m rules.Move) engine.Engine {
		e, err := engine.NewTree(x.Variant, engine.TreeConfig{
			Evaluators: []mcts.Evaluator{prefers{m}}, Search: mcts.Config{Root: mcts.PUCT}, Repeatable: true,
			Own: engine.Limits{Nodes: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if err := AskVisits(t.Context(), []*Tactic{&x}, prefers(x.Line[0])); err != nil || x.Visits != 1 {
		t.Errorf("%d visits of one who knows: %v", x.Visits, err)
	}
	legal := x.Variant.AppendMoves(nil, x.Start)
	other := legal[0]
	if other == x.Line[0] {
		other = legal[1]
	}
	if err := AskVisits(t.Context(), []*Tactic{&x}, prefers(other)); err != nil || x.Visits >= 0 && x.Visits < 64 {
		t.Errorf("%d visits of one who prefers another move: %v", x.Visits, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := AskVisits(ctx, []*Tactic{&x}, prefers(other)); err == nil {
		t.Error("it goes on when nobody asks")
	}
}

// Composed positions sometimes contain a coup turc; each one found must satisfy the rule of the
// collection.
func TestChoose(t *testing.T) {
	all := slices.Clone(Collection())
	all = slices.DeleteFunc(all, func(x Tactic) bool { return x.Variant.Name != "international" })
	few := Choose(append(all, all...), 10)
	if len(few) != min(10, len(all)) {
		t.Errorf("%d are chosen", len(few))
	}
	for i := range few {
		for j := range few[:i] {
			if Near(&few[i], &few[j]) {
				t.Error("two of the chosen are nearly the same")
			}
		}
	}
	turc := func(x Tactic) bool { return slices.Contains(x.Themes, Turc) }
	if slices.ContainsFunc(all, turc) && !slices.ContainsFunc(few, turc) {
		t.Error("the rare theme is not among the chosen")
	}
}
