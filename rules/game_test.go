package rules

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// option returns international draughts with one option set.
func option(t testing.TB, name, value string) *Variant {
	t.Helper()
	v, err := Lookup("international", Options{name: value})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// newGame returns a game from a FEN with moves in short notation played.
func newGame(t testing.TB, v *Variant, fen, moves string) *Game {
	t.Helper()
	p, err := ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGameFrom(v, p)
	for _, text := range strings.Fields(moves) {
		playText(t, g, text)
	}
	return g
}

func playText(t testing.TB, g *Game, text string) {
	t.Helper()
	i := slices.IndexFunc(g.Legal(), func(m Move) bool { return g.Variant().FormatMove(m) == text })
	if i < 0 {
		t.Fatalf("%s is not legal in %s", text, g.Variant().FEN(g.Position()))
	}
	if err := g.Play(g.Legal()[i]); err != nil {
		t.Fatal(err)
	}
}

// shuffle plays quiet king moves, and nothing that repeats a position a third time or loses a
// piece, until the game ends or n plies are played.
func shuffle(t testing.TB, g *Game, n int) {
	t.Helper()
	v := g.Variant()
	rng := rand.New(rand.NewPCG(1, 2))
	for ; n > 0 && !g.Over(); n-- {
		var good []Move
		for _, m := range g.Legal() {
			p := g.Position()
			q := v.Play(p, m)
			if v.Board.Has(p.Kings(p.Turn), m.From) && !m.IsCapture() && !v.HasCaptures(q) && g.OccurrencesOf(q) < 2 {
				good = append(good, m)
			}
		}
		if len(good) == 0 {
			t.Fatalf("no quiet king move in %s", v.FEN(g.Position()))
		}
		if err := g.Play(good[rng.IntN(len(good))]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDraws plays the games of testdata/draws.json.
func TestDraws(t *testing.T) {
	var entries []struct {
		ID, FEN  string
		Moves    []string
		Expected struct {
			Result string
			Reason Reason
			Ply    int
		}
	}
	readEntries(t, "draws.json", &entries)
	if len(entries) < 8 {
		t.Fatalf("testdata/draws.json has %d entries", len(entries))
	}
	for _, e := range entries {
		g := newGame(t, International, e.FEN, "")
		for i, m := range e.Moves {
			if g.Over() {
				t.Errorf("%s: over after %d plies of %d", e.ID, i, len(e.Moves))
				break
			}
			playText(t, g, m)
		}
		outcome, reason := g.Outcome()
		want := map[string]Outcome{"ongoing": Ongoing, "draw": Draw, "white wins": WhiteWins}[e.Expected.Result]
		if outcome != want || reason != e.Expected.Reason {
			t.Errorf("%s: %s by %q, want %s by %q", e.ID, outcome, reason, want, e.Expected.Reason)
		}
		if want != Ongoing && g.Ply() != e.Expected.Ply {
			t.Errorf("%s: over at ply %d, want %d", e.ID, g.Ply(), e.Expected.Ply)
		}
	}
}

// TestDrawCounts shuffles kings until a rule ends the game, under every option.
func TestDrawCounts(t *testing.T) {
	const (
		five    = "W:WK46,K47:BK3"         // two kings against one
		sixteen = "W:WK36,K46,K47:BK3"     // three kings against one
		mixed   = "W:WK36,K46,37:BK3"      // with a man
		long    = "B:WK36,K48,K47:BK5"     // the lone king on the long diagonal
		quiet   = "W:W35,36,K46:BK3,16,25" // neither
		even    = "W:WK46:BK4"             // one each
		men     = "W:WK46:B1,2"            // the lone king's opponent has no king
	)
	fmjd := International
	immediate, house, three := option(t, "draws", "immediate"), option(t, "draws", "house-15-5"), option(t, "draws", "three-kings")
	for _, c := range []struct {
		v      *Variant
		fen    string
		plies  int // at which the game is drawn
		reason Reason
	}{
		{fmjd, five, 10, Endgame5},
		{fmjd, even, 10, Endgame5},
		{fmjd, sixteen, 32, Endgame16},
		{fmjd, mixed, 32, Endgame16},
		{fmjd, quiet, 50, KingMoves25},
		{immediate, five, 0, ImmediateDraw},
		{immediate, even, 0, ImmediateDraw},
		{immediate, sixteen, 32, Endgame16},
		{immediate, quiet, 50, KingMoves25},
		{house, five, 10, Endgame5},
		{house, sixteen, 10, Endgame5},
		{house, mixed, 10, Endgame5},
		{house, quiet, 50, KingMoves25},
		{three, sixteen, 0, ImmediateDraw},
		{three, mixed, 32, Endgame16},
		{three, five, 10, Endgame5},
		{three, quiet, 50, KingMoves25},
	} {
		g := newGame(t, c.v, c.fen, "")
		shuffle(t, g, 200)
		if outcome, reason := g.Outcome(); outcome != Draw || reason != c.reason || g.Ply() != c.plies {
			t.Errorf("%s %s: %s by %q at ply %d, want a draw by %q at %d", c.v, c.fen, outcome, reason, g.Ply(), c.reason, c.plies)
		}
	}
	for _, fen := range []string{men, "W:WK46,K47:B12", "W:WK46:B12", "W:W46:B12"} {
		p := newGame(t, fmjd, fen, "").Position()
		if class, _ := fmjd.endgameOf(p.balance()); class != noEndgame {
			t.Errorf("%s counts as an ending with a lone king", fen)
		}
	}
	if g := newGame(t, fmjd, "W:WK46,K36,K47,K48:BK3", ""); func() bool { shuffle(t, g, 40); return g.Over() }() {
		t.Error("four kings against one are drawn by a count")
	}
	// On the long diagonal the lone king has fifteen moves each, 30 plies.
	g := newGame(t, house, long, "")
	for i := 0; !g.Over() && i < 40; i++ {
		p := g.Position()
		j := slices.IndexFunc(g.Legal(), func(m Move) bool {
			q := house.Play(p, m)
			if m.IsCapture() || house.HasCaptures(q) || g.OccurrencesOf(q) == 2 {
				return false
			}
			return p.Turn == White || house.Board.Row(m.To)+house.Board.Column(m.To) == 9
		})
		if j < 0 {
			t.Fatalf("no move in %s", house.FEN(p))
		}
		if err := g.Play(g.Legal()[j]); err != nil {
			t.Fatal(err)
		}
	}
	if _, reason := g.Outcome(); reason != Endgame15 || g.Ply() != 30 {
		t.Errorf("long diagonal: %q at ply %d, want %q at 30", reason, g.Ply(), Endgame15)
	}
}

// TestEndgameCounter follows the counter over the moves that make and change an ending.
func TestEndgameCounter(t *testing.T) {
	for _, c := range []struct {
		name, fen, moves string
		endgame          uint8
	}{
		{"a start has no plies behind it", "W:WK46,K47:BK3", "", 0},
		{"each ply counts", "W:WK46,K47:BK3", "46-28 3-21 28-50", 3},
		{"the move that makes the balance does not", "W:WK46,K47:B33,K3", "47x24", 0},
		{"nor a coronation that makes it", "W:W6,K47:BK3", "6-1", 2 - 1},
		{"no ending, no count", "W:W35,36,K46:BK3,16", "46-28 3-26", 0},
	} {
		g := newGame(t, International, c.fen, c.moves)
		if got := g.Position().Endgame; got != c.endgame {
			t.Errorf("%s: %s after %s: counter %d, want %d", c.name, c.fen, c.moves, got, c.endgame)
		}
	}
	// From three pieces to two the smaller remainder binds.
	p, err := ParseFEN(International, "B:WK46,K47,37:BK48")
	if err != nil {
		t.Fatal(err)
	}
	p.Quiet = 5
	for _, c := range []struct{ before, after uint8 }{{0, 0}, {20, 0}, {21, 0}, {22, 1}, {28, 7}, {30, 9}, {31, 10}, {40, 10}} {
		p.Endgame = c.before
		moves := International.AppendMoves(nil, p)
		if len(moves) == 0 || !moves[0].IsCapture() {
			t.Fatalf("no capture in %s", International.FEN(p))
		}
		if q := International.Play(p, moves[0]); q.Endgame != c.after || q.Quiet != 0 {
			t.Errorf("capture after %d plies: counters %d and %d, want %d and 0", c.before, q.Endgame, q.Quiet, c.after)
		}
	}
}

// TestRulesMatter switches off one rule after the other: each has a position or a game that then
// comes out differently.
func TestRulesMatter(t *testing.T) {
	moves := func(fen string) func(*Variant) string {
		return func(v *Variant) string {
			p, err := ParseFEN(v, fen)
			if err != nil {
				return err.Error()
			}
			return strings.TrimSpace(formatMoves(v, v.AppendMoves(nil, p)))
		}
	}
	end := func(fen, text string, plies int) func(*Variant) string {
		return func(v *Variant) string {
			g := newGame(t, v, fen, "")
			for _, m := range strings.Fields(text) {
				if !g.Over() {
					playText(t, g, m)
				}
			}
			shuffle(t, g, plies)
			outcome, reason := g.Outcome()
			return fmt.Sprintf("%s %s at %d", outcome, reason, g.Ply())
		}
	}
	for _, c := range []struct {
		rule   string
		v      *Variant
		off    func(*Variant)
		result func(*Variant) string
		want   string
	}{
		{"White begins", International, func(v *Variant) { v.First = Black },
			func(v *Variant) string { return v.FENRanges(v.Start()) }, "W:W31-50:B1-20"},
		{"four rows of men", International, func(v *Variant) { v.Rows = 3 },
			func(v *Variant) string { return v.FENRanges(v.Start()) }, "W:W31-50:B1-20"},
		{"men capture backwards", International, func(v *Variant) { v.ManCapturesBack = false },
			moves("W:W28:B33"), "28x39[33]"},
		{"kings fly", International, func(v *Variant) { v.KingFlies = false },
			moves("W:WK46:B37"), "46x5[37] 46x10[37] 46x14[37] 46x19[37] 46x23[37] 46x28[37] 46x32[37]"},
		{"kings move far", International, func(v *Variant) { v.KingFlies = false },
			moves("W:WK50:B1"), "50-6 50-11 50-17 50-22 50-28 50-33 50-39 50-44 50-45"},
		{"the king is taken first", option(t, "equal", "king-first"), func(v *Variant) { v.Priority = v.Priority[:1] },
			moves("W:W28:B22,K23"), "28x19[23]"},
		{"threefold", International, func(v *Variant) { v.Draws.Repetition = 0 },
			end("W:W35,36,K50:BK1,16,25", "50-17 1-18 17-50 18-1 50-17 1-18 17-50 18-1", 0), "draw threefold at 8"},
		{"25 king moves", International, func(v *Variant) { v.Draws.KingPlies = 0 },
			end("W:W35,36,K46:BK3,16,25", "", 52), "draw 25-move at 50"},
		{"16 moves", International, func(v *Variant) { v.Draws.ThreePieces = 0 },
			end("W:WK36,K46,K47:BK3", "", 40), "draw 16-move at 32"},
		{"5 moves", International, func(v *Variant) { v.Draws.TwoPieces = 0 },
			end("W:WK46,K47:BK3", "", 20), "draw 5-move at 10"},
		{"drawn at once", option(t, "draws", "immediate"), func(v *Variant) { v.Draws.TwoPieces = 10 },
			end("W:WK46,K47:BK3", "", 20), "draw immediate draw at 0"},
		{"three kings drawn at once", option(t, "draws", "three-kings"), func(v *Variant) { v.Draws.ThreeKings = false },
			end("W:WK36,K46,K47:BK3", "", 40), "draw immediate draw at 0"},
		{"the long diagonal", option(t, "draws", "house-15-5"), func(v *Variant) { v.Draws.LongDiagonal = 0 },
			end("W:WK36,K46,K47:BK3", "", 40), "draw 5-move at 10"},
	} {
		if got := c.result(c.v); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
		without := *c.v
		c.off(&without)
		without.prepare()
		if got := c.result(&without); got == c.want {
			t.Errorf("%s: the same without the rule", c.rule)
		}
	}
}

func TestGameEnds(t *testing.T) {
	for _, c := range []struct {
		fen, moves string
		outcome    Outcome
		reason     Reason
	}{
		{"W:W28:B23", "28x19", WhiteWins, NoPieces},
		{"B:W32:B27", "27x38", BlackWins, NoPieces},
		{"W:W46:B41,37", "", BlackWins, NoMoves},
		{"W:W:B20", "", BlackWins, NoPieces},
		{"B:W45,50,44,40,34,39:B35", "", WhiteWins, NoMoves},
		{"W:W31-50:B1-20", "32-28", Ongoing, NoReason},
	} {
		g := newGame(t, International, c.fen, c.moves)
		if o, r := g.Outcome(); o != c.outcome || r != c.reason || g.Over() != (o != Ongoing) {
			t.Errorf("%s after %q: %s by %q, want %s by %q", c.fen, c.moves, o, r, c.outcome, c.reason)
		}
	}
	// Who has no move has lost, even where a count would draw.
	p, err := ParseFEN(International, "W:W46:B41,37")
	if err != nil {
		t.Fatal(err)
	}
	p.Quiet = 60
	if o, r := NewGameFrom(International, p).Outcome(); o != BlackWins || r != NoMoves {
		t.Errorf("blocked with 60 quiet plies: %s by %q", o, r)
	}
}

func TestGamePlay(t *testing.T) {
	v := International
	g := NewGame(v)
	if err := g.Play(NewMove(32, 27, Set{})); err != nil {
		t.Fatal(err)
	}
	before := g.Position()
	if err := g.Play(NewMove(31, 26, Set{})); !errors.Is(err, ErrIllegalMove) || g.Position() != before || g.Ply() != 1 {
		t.Errorf("White's move for Black: error %v, ply %d", err, g.Ply())
	}
	g.End(WhiteWins, Resignation)
	if err := g.Play(g.Legal()[0]); !errors.Is(err, ErrGameOver) {
		t.Errorf("move after the end: error %v", err)
	}
	if !g.Undo() || g.Over() || g.Position() != v.Start() || g.Undo() {
		t.Errorf("undo: ply %d, over %t", g.Ply(), g.Over())
	}
}

// TestUndo takes back whole random games and finds every earlier state again.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 10 {
		g := NewGame(International)
		var legal [][]Move
		for !g.Over() {
			legal = append(legal, slices.Clone(g.Legal()))
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				t.Fatal(err)
			}
		}
		positions := slices.Clone(g.Positions())
		for i := len(legal) - 1; i >= 0; i-- {
			if !g.Undo() || g.Over() || g.Position() != positions[i] || !slices.Equal(g.Legal(), legal[i]) {
				t.Fatalf("undo to ply %d failed", i)
			}
		}
	}
}

func TestCloneReset(t *testing.T) {
	g := newGame(t, International, "W:W31-50:B1-20", "32-28 18-23")
	c := g.Clone()
	playText(t, c, "38-32")
	if g.Ply() != 2 || c.Ply() != 3 || slices.Equal(g.Legal(), c.Legal()) {
		t.Errorf("the clone is at ply %d, the game at %d", c.Ply(), g.Ply())
	}
	playText(t, g, "37-32")
	if g.Moves()[2] == c.Moves()[2] {
		t.Error("game and clone share memory")
	}
	for g.Reset(International.Start()); g.Ply() < 20; {
		c, last := g.Clone(), len(g.Legal())-1
		position, legal := g.Position(), slices.Clone(g.Legal())
		if err := errors.Join(g.Play(legal[0]), c.Play(legal[last])); err != nil {
			t.Fatal(err)
		}
		for game, move := range map[*Game]Move{g: legal[0], c: legal[last]} {
			if game.Moves()[game.Ply()-1] != move || game.Position() != International.Play(position, move) {
				t.Fatalf("ply %d: game and clone share memory", g.Ply())
			}
		}
		if c.Undo(); !slices.Equal(c.Legal(), legal) {
			t.Fatalf("ply %d: the clone has other moves", g.Ply())
		}
	}
	g.End(Draw, Agreement)
	start, err := ParseFEN(International, "W:W28:B23")
	if err != nil {
		t.Fatal(err)
	}
	g.Reset(start)
	if g.Over() || g.Ply() != 0 || g.Position() != start || len(g.Legal()) != 1 {
		t.Errorf("after Reset: over %t, ply %d, %d moves", g.Over(), g.Ply(), len(g.Legal()))
	}
}

func TestOccurrences(t *testing.T) {
	g := newGame(t, International, "W:W35,36,K50:BK1,16,25", "50-17 1-18 17-50 18-1")
	if n := g.Occurrences(); n != 2 {
		t.Errorf("the start occurred %d times, want 2", n)
	}
	start := g.Start()
	start.Turn = Black
	if n := g.OccurrencesOf(start); n != 0 {
		t.Errorf("with the other side to move: %d times, want 0", n)
	}
	playText(t, g, "35-30") // nothing before this can come again
	if n := g.OccurrencesOf(g.Start()); n != 0 {
		t.Errorf("after a man's move the start occurred %d times, want 0", n)
	}
}

// TestOccurrencesTwin compares OccurrencesOf with a look at every position, in games of kings that
// walk about long enough for the count of quiet plies to reach its largest value.
func TestOccurrencesTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	house := *International
	house.Draws = DrawRules{}
	p, err := ParseFEN(&house, "W:W46,K26,K36:B5,K25,K45:H250")
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for range 200 {
		g := NewGameFrom(&house, p)
		for !g.Over() && g.Ply() < 60 {
			legal := g.Legal()
			for _, q := range []Position{g.Position(), house.Play(g.Position(), legal[0])} {
				want := 0
				for _, before := range g.Positions() {
					if before.Same(q) {
						want++
					}
				}
				if want > 1 {
					again++
				}
				if got := g.OccurrencesOf(q); got != want {
					t.Fatalf("ply %d, %s: %d times, want %d", g.Ply(), house.FEN(q), got, want)
				}
			}
			if err := g.Play(legal[rng.IntN(min(len(legal), 3))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if again < 20 {
		t.Errorf("only %d positions occurred twice", again)
	}
}

// TestKey: equal keys exactly for the same positions, on random games.
func TestKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	seen := map[uint64]Position{}
	for range 20000 {
		p := randomGamePosition(International, rng)
		if q, ok := seen[p.Key()]; ok && !q.Same(p) {
			t.Fatalf("%s and %s have one key", International.FEN(p), International.FEN(q))
		}
		seen[p.Key()] = p
		q := p
		q.Quiet, q.Endgame = 7, 3
		if q.Key() != p.Key() || !q.Same(p) {
			t.Fatal("the counters change the key")
		}
		q.kings ^= (p.white | p.black) & -(p.white | p.black)
		if q.Key() == p.Key() || q.Same(p) {
			t.Fatal("a king for a man does not change the key")
		}
		q = p
		q.Turn = q.Turn.Opponent()
		if q.Key() == p.Key() || q.Same(p) {
			t.Fatal("the side to move does not change the key")
		}
	}
}

func TestLookup(t *testing.T) {
	v := option(t, "draws", "house-15-5")
	if got := v.String(); got != "international[draws=house-15-5,equal=free]" {
		t.Errorf("%s", got)
	}
	o, err := ParseOptions(v.Options.String())
	if err != nil || o.String() != v.Options.String() {
		t.Errorf("%s read as %s, error %v", v.Options, o, err)
	}
	for _, text := range []string{"draws", "=x", "a=", "a=b,a=c"} {
		if _, err := ParseOptions(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if _, err := Lookup("international", Options{"draws": "never"}); err == nil || !strings.Contains(err.Error(), "draws=never") {
		t.Errorf("unknown option: error %v", err)
	}
	if _, err := Lookup("chess", nil); err == nil || !strings.Contains(err.Error(), "international") {
		t.Errorf("unknown variant: error %v", err)
	}
}

func ExampleGame() {
	g := NewGame(International)
	for !g.Over() && g.Ply() < 4 {
		if err := g.Play(g.Legal()[0]); err != nil {
			panic(err)
		}
	}
	for _, m := range g.Moves() {
		fmt.Print(g.Variant().FormatMove(m), " ")
	}
	fmt.Println(g.Position().Turn, "to move")
	// Output: 31-26 16-21 32-27 21x32 white to move
}
