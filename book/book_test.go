package book

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"damier/rules"
)

// counter is a searcher that values a position by its key, so that nothing but the position
// counts.
type counter struct {
	v     *rules.Variant
	calls *atomic.Int64
	most  int64 // of calls, then it ends the build; 0 means no limit
	end   context.CancelFunc
}

func (c counter) Search(ctx context.Context, p rules.Position) (float64, error) {
	if n := c.calls.Add(1); c.most > 0 && n > c.most {
		c.end()
		return 0, ctx.Err()
	}
	return 0.3 + 0.4*float64(Key(c.v, p)%1000)/1000, nil
}

// build makes a book with a number of workers and returns its bytes and the number of searches.
func build(t testing.TB, v *rules.Variant, out string, positions, workers int) ([]byte, int64) {
	t.Helper()
	var calls atomic.Int64
	b := Builder{Variant: v, Out: out, Positions: positions, Made: "test"}
	b.Recipe = Recipe{Engine: "counter", Nodes: 1, Weight: DefaultWeight}
	for range workers {
		b.Workers = append(b.Workers, counter{v: v, calls: &calls})
	}
	if _, err := b.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text, calls.Load()
}

// everyVariant calls f with each variant.
func everyVariant(t *testing.T, f func(t *testing.T, v *rules.Variant)) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { f(t, v) })
	}
}

// swapped is p with the colours exchanged, half a turn round.
func swapped(v *rules.Variant, p rules.Position) rules.Position {
	turned := func(set rules.Set) (all rules.Set) {
		for !set.Empty() {
			all = all.Or(v.Board.Set(v.Board.Rotate(v.Board.Pop(&set))))
		}
		return all
	}
	white, black, kings := p.Sets()
	return rules.NewPosition(turned(black), turned(white), turned(kings), p.Turn.Opponent())
}

// TestKey: in random games a position has the key of its colour-reversed twin, which has as many
// moves and the same keys after them; and different positions have different keys.
func TestKey(t *testing.T) {
	everyVariant(t, func(t *testing.T, v *rules.Variant) {
		rng := rand.New(rand.NewPCG(1, 2))
		seen := map[uint64]rules.Position{}
		for range 5 {
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 100 {
				p := bare(g.Position())
				twin := swapped(v, p)
				key := Key(v, p)
				if Key(v, twin) != key {
					t.Fatalf("%s and its twin %s differ", v.FEN(p), v.FEN(twin))
				}
				after := func(p rules.Position) (keys []uint64) {
					for _, m := range v.AppendMoves(nil, p) {
						keys = append(keys, Key(v, v.Play(p, m)))
					}
					slices.Sort(keys)
					return keys
				}
				if !slices.Equal(after(p), after(twin)) {
					t.Fatalf("%s and its twin %s have different moves", v.FEN(p), v.FEN(twin))
				}
				if old, known := seen[key]; known && old != p && old != twin {
					t.Fatalf("%s and %s have one key", v.FEN(old), v.FEN(p))
				}
				seen[key] = p
				g.Play(g.Legal()[rng.IntN(len(g.Legal()))])
			}
		}
	})
}

// TestBuild makes a small book of every variant: it is right, the start's moves are in it, and
// each score of an expanded position is the best of those after it.
func TestBuild(t *testing.T) {
	everyVariant(t, func(t *testing.T, v *rules.Variant) {
		out := filepath.Join(t.TempDir(), "x.book")
		build(t, v, out, 300, 2)
		b, err := Open(out, v)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if n, err := b.Verify(); err != nil || n != b.Header().Positions || n < 300 {
			t.Errorf("%d of %d positions reached, %v", n, b.Header().Positions, err)
		}
		moves := b.Choices(rules.NewGame(v))
		if len(moves) != len(rules.NewGame(v).Legal()) {
			t.Errorf("%d moves at the start", len(moves))
		}
		if score, expanded, ok := b.Probe(v.Start()); !ok || !expanded || score != moves[0].Score {
			t.Errorf("the start is worth %d, its best move %d", score, moves[0].Score)
		}
	})
}

// TestSameBook: the book depends neither on the number of workers, nor on interruptions, and a
// build that goes on searches nothing twice.
func TestSameBook(t *testing.T) {
	v := rules.English
	whole, searches := build(t, v, filepath.Join(t.TempDir(), "a.book"), 600, 1)
	if other, _ := build(t, v, filepath.Join(t.TempDir(), "a.book"), 600, 4); !bytes.Equal(whole, other) {
		t.Error("four workers make another book than one")
	}
	out := filepath.Join(t.TempDir(), "a.book")
	done := int64(0)
	for range 3 { // interrupted three times
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		b := Builder{Variant: v, Out: out, Positions: 600, Made: "test"}
		b.Recipe = Recipe{Engine: "counter", Nodes: 1, Weight: DefaultWeight}
		b.Workers = []Searcher{counter{v, &calls, 100, cancel}}
		if _, err := b.Build(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("an interrupted build: %v", err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatal("an interrupted build has written the book")
		}
		done += 100
	}
	again, rest := build(t, v, out, 600, 2)
	if !bytes.Equal(whole, again) || done+rest != searches {
		t.Errorf("after interruptions the book is another, or %d+%d searches are not %d", done, rest, searches)
	}
	// Of another recipe: refused.
	b := Builder{Variant: v, Out: out, Positions: 600, Recipe: Recipe{Engine: "other"}}
	b.Workers = []Searcher{counter{v: v, calls: new(atomic.Int64)}}
	if _, err := b.Build(t.Context()); !errors.Is(err, ErrForeign) {
		t.Errorf("a work file of another recipe: %v", err)
	}
}

// TestNetworkOfABook: a book names its network. One that does not is read, gets the name by
// Relabel, and its work file goes on, but the book stays without the name; a work file of another
// network is refused.
func TestNetworkOfABook(t *testing.T) {
	v := rules.English
	out := filepath.Join(t.TempDir(), "a.book")
	old, _ := build(t, v, out, 200, 1)
	if bytes.Contains(old, []byte("network")) {
		t.Error("a book of no network has the field")
	}
	labelled, err := Relabel(old, v, "0123")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read("old", old, v)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read("labelled", labelled, v)
	if err != nil {
		t.Fatal(err)
	}
	if a.Header().Recipe.Network != "" || b.Header().Recipe.Network != "0123" ||
		!bytes.Equal(a.keys, b.keys) || !bytes.Equal(a.values, b.values) {
		t.Errorf("labelled: %+v, another content or another header than %+v", b.Header(), a.Header())
	}
	if _, err := Relabel(old[:len(old)-1], v, "0123"); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged book: %v", err)
	}
	next := func(out, network string) (State, string, error) {
		k := Builder{Variant: v, Out: out, Positions: 200, Made: "test"}
		k.Recipe = Recipe{Engine: "counter", Network: network, Nodes: 1, Weight: DefaultWeight}
		k.Workers = []Searcher{counter{v: v, calls: new(atomic.Int64)}}
		s, err := k.Build(t.Context())
		return s, k.Recipe.Network, err
	}
	if s, network, err := next(out, "0123"); err != nil || s.Searched != 0 || network != "" {
		t.Errorf("the work file of no network: %v, %d searches, network %q", err, s.Searched, network)
	}
	named := filepath.Join(t.TempDir(), "b.book")
	if _, network, err := next(named, "0123"); err != nil || network != "0123" {
		t.Errorf("a new book: %v, network %q", err, network)
	}
	if _, _, err := next(named, "4567"); !errors.Is(err, ErrForeign) {
		t.Errorf("the work file of another network: %v", err)
	}
}

// minimax is the obvious twin of the tree's scores: the score of a node from those below it.
func minimax(t *tree, n int) Score {
	x := t.nodes[n]
	if len(x.edges) == 0 {
		return x.score
	}
	best := Score(0)
	for _, e := range x.edges {
		value := t.value(e)
		if e.follow {
			value = minimax(t, e.to).flip()
		}
		best = max(best, value)
	}
	return best
}

// TestScoresGoUp compares the scores with minimax, at every node.
func TestScoresGoUp(t *testing.T) {
	v := rules.Russian
	x := newTree(v, DefaultWeight)
	searcher := counter{v: v, calls: new(atomic.Int64)}
	value := func(fresh []int) {
		for _, n := range fresh {
			s, _ := searcher.Search(t.Context(), x.nodes[n].position)
			x.nodes[n].score = ScoreOf(s)
		}
	}
	value([]int{0})
	for len(x.nodes) < 1000 {
		next := x.choose()
		var fresh []int
		for _, n := range next {
			fresh = x.expand(n, fresh)
		}
		value(fresh)
		x.raise(next)
	}
	for n := range x.nodes {
		if want := minimax(x, n); x.nodes[n].score != want {
			t.Fatalf("node %d is worth %d, by minimax %d", n, x.nodes[n].score, want)
		}
	}
}

// TestHistory: the book is silent where the history counts.
func TestHistory(t *testing.T) {
	v := rules.International
	out := filepath.Join(t.TempDir(), "x.book")
	build(t, v, out, 300, 1)
	b, err := Open(out, v)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := v.Start()
	if len(b.Choices(rules.NewGameFrom(v, p))) == 0 {
		t.Error("no move at the start")
	}
	p.Quiet = mostQuiet + 1
	if all := b.Choices(rules.NewGameFrom(v, p)); len(all) > 0 {
		t.Error("it serves although the count of the draw rule is high")
	}
	g := rules.NewGame(v)
	for range 60 {
		g.Play(g.Legal()[0])
	}
	if all := b.Choices(g); len(all) > 0 {
		t.Error("it serves in a position that it does not hold")
	}
}

// TestEveryBit changes every bit of a file, one at a time, and cuts the file everywhere: each is
// refused as damaged or foreign.
func TestEveryBit(t *testing.T) {
	v := rules.English
	text, _ := build(t, v, filepath.Join(t.TempDir(), "x.book"), 40, 1)
	refused := func(b []byte) bool {
		_, err := Read("x", b, v)
		return errors.Is(err, ErrDamaged) || errors.Is(err, ErrForeign)
	}
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if !refused(text) {
			t.Fatalf("bit %d is changed and the book is read", bit)
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
	for n := range text {
		if !refused(text[:n]) {
			t.Fatalf("cut to %d bytes the book is read", n)
		}
	}
	if !refused(append(slices.Clone(text), 0)) {
		t.Error("a byte more, and the book is read")
	}
	if _, err := Read("x", text, v); err != nil {
		t.Errorf("the whole book: %v", err)
	}
	if _, err := Read("x", text, rules.Russian); !errors.Is(err, ErrForeign) {
		t.Errorf("the book of another variant: %v", err)
	}
}

// FuzzRead: any bytes are a book that can be probed and verified, or refused.
func FuzzRead(f *testing.F) {
	v := rules.English
	text, _ := build(f, v, filepath.Join(f.TempDir(), "x.book"), 60, 1)
	f.Add(text)
	f.Add(text[:len(text)/2])
	empty, err := encode(magic, Header{Variant: v.String(), Rules: rules.Version}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(empty)
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Read("x", text, v)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
				t.Errorf("%v", err)
			}
			return
		}
		b.Choices(rules.NewGame(v))
		b.Verify()
	})
}

// TestShipped verifies the books that come with the program.
func TestShipped(t *testing.T) {
	entries, err := shipped.ReadDir("shipped")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	everyVariant(t, func(t *testing.T, v *rules.Variant) {
		b, err := Shipped(v)
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return
		}
		found++
		if n, err := b.Verify(); err != nil || n != b.Header().Positions {
			t.Errorf("%d of %d positions reached, %v", n, b.Header().Positions, err)
		}
	})
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Size() > 2<<20 {
			t.Errorf("%s has more than 2 MB, or %v", e.Name(), err)
		}
	}
	if books := len(entries) - 1; found != books { // all but README
		t.Errorf("%d books were found, there are %d", found, books)
	}
}

// TestGet opens books by settings.
func TestGet(t *testing.T) {
	v := rules.Thai
	dir := t.TempDir()
	t.Setenv(Environment, dir)
	for _, off := range []string{"", Off} {
		if b, err := Get(off, v); b != nil || err != nil {
			t.Errorf("%q: %v, %v", off, b, err)
		}
	}
	file, err := File(v)
	if err != nil || filepath.Dir(file) != dir {
		t.Fatalf("%s, %v", file, err)
	}
	if _, err := Get(filepath.Join(dir, "none.book"), v); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	build(t, v, file, 50, 1)
	mine, err := Get(On, v)
	if err != nil || mine == nil || mine.Name() != file {
		t.Fatalf("the user's book: %v, %v", mine, err)
	}
	if again, _ := Get(On, v); again != mine {
		t.Error("it was opened twice")
	}
	if err := os.WriteFile(file, []byte("DMBOOK1\nand more of it"), 0o600); err == nil {
		if _, err := Get(file, v); !errors.Is(err, ErrDamaged) {
			t.Errorf("a damaged file: %v", err)
		}
	}
}

// BenchmarkProbe finds a position in the largest book that comes with the program.
func BenchmarkProbe(b *testing.B) { benchmark(b, func(k *Book, p rules.Position) { k.Probe(p) }) }

// BenchmarkMoves lists the moves of the start.
func BenchmarkMoves(b *testing.B) { benchmark(b, func(k *Book, p rules.Position) { k.Moves(p) }) }

func benchmark(b *testing.B, f func(*Book, rules.Position)) {
	v := rules.International
	k, err := Shipped(v)
	if err != nil || k == nil {
		b.Fatal(k, err)
	}
	p := v.Start()
	for b.Loop() {
		f(k, p)
	}
}
