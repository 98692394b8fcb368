package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"damier/rules"
)

func TestWindowSize(t *testing.T) {
	var c WindowConfig
	for _, test := range []struct{ total, want int }{
		{0, 0}, {1, 1}, {50_000, 50_000},
		// c*(1 + b*((N/c)^a - 1)/a) with c 50,000, a 0.65, b 0.4, computed by hand:
		{100_000, 67_512},
		{1_000_000, 234_898},
		{10_000_000, 982_585},
		{100_000_000, 1_800_000}, // all but a tenth of Cap
	} {
		if got := c.Size(test.total); got != test.want {
			t.Errorf("%d rows: window %d, want %d", test.total, got, test.want)
		}
	}
	// A row that has left the window does not return.
	for _, c := range []WindowConfig{{}, {MinRows: 10, Growth: 1, Exponent: 1}, {MinRows: 7, Exponent: .3, Growth: .9, Cap: 50}, {MinRows: 100, Growth: 1}} {
		last := 0
		for total := range 300_000 {
			size := c.Size(total)
			if size < last || size > last+1 {
				t.Fatalf("%+v: window %d at %d rows and %d before", c, size, total, last)
			}
			last = size
		}
	}
	for _, bad := range []WindowConfig{{MinRows: -1}, {Exponent: 1.1}, {Growth: -1}, {Growth: math.NaN()}, {Cap: 10}, {TreeShare: 1}, {TreeShare: -.1}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// plainWindow is the slow twin: all games ever, unpacked.
type plainWindow struct {
	variant       *rules.Variant
	config        WindowConfig
	target        TargetFunc
	games         []Game
	played, trees [][]Sample
}

func (w *plainWindow) add(g Game) {
	var played, trees []Sample
	for ply, p := range g.Plies {
		if score, keep := w.target(&g, ply); keep {
			played = append(played, Sample{Position: withoutCounters(p.Position), Score: score})
		}
	}
	for _, p := range g.Plies {
		for _, n := range p.Tree {
			moves := w.variant.AppendMoves(nil, n.Position)
			if len(moves) == 0 || !moves[0].IsCapture() {
				trees = append(trees, Sample{Position: withoutCounters(n.Position), Score: n.Value})
			}
		}
	}
	w.games, w.played, w.trees = append(w.games, g), append(w.played, played), append(w.trees, trees)
}

// withoutCounters returns the pieces and the side to move of p.
func withoutCounters(p rules.Position) rules.Position {
	white, black, kings := p.Sets()
	return rules.NewPosition(white, black, kings, p.Turn)
}

// held returns the rows of the fewest newest games that together have the wanted number of rows,
// and those of as many of the newest trees as have room beside them. The newest game is whole.
func (w *plainWindow) held() []Sample {
	total := 0
	for i := range w.games {
		total += w.games[i].Rows()
	}
	last := len(w.games) - 1
	from := last
	for full, rows := w.games[last].Rows(), len(w.played[last]); from > 0 && full < w.config.Size(total); {
		if rows += len(w.played[from-1]); rows > w.config.Cap {
			break
		}
		from--
		full += w.games[from].Rows()
	}
	treeless, room := last, w.config.trees(total)-len(w.trees[last])
	for treeless > from && len(w.trees[treeless-1]) <= room {
		treeless--
		room -= len(w.trees[treeless])
	}
	return append(slices.Concat(w.played[from:]...), slices.Concat(w.trees[treeless:]...)...)
}

func TestWindow(t *testing.T) {
	v := international()
	for name, config := range map[string]WindowConfig{
		"growing": {MinRows: 30, Growth: .5, Cap: 1 << 20},
		"capped":  {MinRows: 30, Growth: 1, Exponent: 1, Cap: 6000},
		"trees":   {MinRows: 30, Growth: 1, Exponent: 1, Cap: 6000, TreeShare: .5},
	} {
		for _, cheap := range []bool{true, false} {
			rule := ValueRule{RootShare: .5, Blunder: .15}
			w := NewWindow(v, config, targets(rule, cheap))
			plain := plainWindow{variant: v, config: config, target: targets(rule, cheap)}
			for i, g := range randomGames(12, 240, 80) {
				w.Add(g)
				plain.add(g)
				if i%40 != 39 {
					continue
				}
				want := plain.held()
				if w.Len() != len(want) {
					t.Fatalf("%s, game %d: %d rows, want %d", name, i, w.Len(), len(want))
				}
				for j := range want {
					if got := w.At(j); got.Position != want[j].Position || math.Abs(float64(got.Score-want[j].Score)) > 1.0/65535 {
						t.Fatalf("row %d: got %+v, want %+v", j, got, want[j])
					}
				}
			}
			t.Logf("%s, cheap %v: %d games, %d rows, %.0f bytes a row", name, cheap, w.Games(), w.Len(), float64(w.bytes())/float64(w.Len()))
		}
	}
}

// sameRows requires two windows to hold bit for bit the same.
func sameRows(t *testing.T, a, b *Window) {
	t.Helper()
	if a.Len() != b.Len() || a.Total() != b.Total() || a.Games() != b.Games() {
		t.Fatalf("%d rows of %d games, total %d; and %d of %d, total %d", a.Len(), a.Games(), a.Total(), b.Len(), b.Games(), b.Total())
	}
	for i := range a.Len() {
		if x, y := a.At(i), b.At(i); x != y {
			t.Fatalf("row %d: %+v and %+v", i, x, y)
		}
	}
}

func filledWindow(t testing.TB, games int, cheap bool) *Window {
	t.Helper()
	w := NewWindow(international(), WindowConfig{}, targets(ValueRule{}, cheap))
	for _, g := range randomGames(3, games, 60) {
		w.Add(g)
	}
	return w
}

// TestWindowMemory: a window of constant size allocates no memory.
func TestWindowMemory(t *testing.T) {
	if size := float64(unsafe.Sizeof(chunk{})) / chunkRows; size > 34.1 {
		t.Errorf("a packed row has %.1f bytes", size)
	}
	w := NewWindow(international(), WindowConfig{MinRows: 1000, Cap: 9000}, targets(ValueRule{}, false))
	games := randomGames(4, 100, 60)
	peak := int64(0)
	for i := range 60 {
		for _, g := range games {
			w.Add(g)
		}
		if w.Len() > 9000 {
			t.Fatalf("%d rows above the cap", w.Len())
		}
		if i == 20 {
			peak = w.bytes()
		}
	}
	if w.bytes() > peak+peak/8 || len(w.chunks()) > 6 {
		t.Errorf("%d bytes, %d earlier; %d chunks", w.bytes(), peak, len(w.chunks()))
	}
}

// TestFIFO compares a queue of rows that grows and shrinks with a slice. It allocates nothing while
// it keeps its size, and keeps no memory for rows that have left.
func TestFIFO(t *testing.T) {
	for _, name := range []string{"international", "canadian", "frisian"} {
		v, err := rules.Lookup(name, nil)
		must(err)
		t.Run(name, func(t *testing.T) { testFIFO(t, v) })
	}
}

func testFIFO(t *testing.T, v *rules.Variant) {
	rng := rand.New(rand.NewPCG(3, 3))
	var positions []rules.Position
	for _, p := range randomGame(rng, v, "x", 150).Plies {
		positions = append(positions, p.Position)
	}
	var f fifo
	var twin []Sample
	step := func(add, drop int) {
		for range add {
			row := Sample{positions[rng.IntN(len(positions))], float32(rng.IntN(65536)) / 65535}
			f.add(&row.Position, row.Score)
			row.Position = withoutCounters(row.Position)
			twin = append(twin, row)
		}
		f.drop(drop)
		twin = twin[drop:]
	}
	for _, most := range []int{10 * chunkRows, 3 * chunkRows, 20 * chunkRows, chunkRows / 2, 0} {
		for range 200 {
			add := rng.IntN(500)
			step(add, max(len(twin)+add-most, 0))
			if f.rows != len(twin) || len(f.chunks) > f.rows/chunkRows+2 {
				t.Fatalf("%d rows in %d chunks, want %d", f.rows, len(f.chunks), len(twin))
			}
			for range min(len(twin), 20) {
				i := rng.IntN(len(twin))
				if got := f.at(i); got != twin[i] {
					t.Fatalf("row %d is %+v, not %+v", i, got, twin[i])
				}
			}
		}
	}
	step(3*chunkRows, 0)
	if high := f.chunks[0].high != nil; high != (v.Board.Squares() > 64) {
		t.Errorf("second words: %v", high)
	}
	if n := testing.AllocsPerRun(10000, func() {
		f.add(&positions[0], 1)
		f.drop(1)
	}); n != 0 {
		t.Errorf("%v allocations for a row that enters and one that leaves", n)
	}
}

func TestWindowPanics(t *testing.T) {
	panics := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", name)
			}
		}()
		f()
	}
	v := international()
	g := randomGames(4, 1, 20)[0]
	with := func(score float32) func() {
		return func() {
			NewWindow(v, WindowConfig{}, func(*Game, int) (float32, bool) { return score, true }).Add(g)
		}
	}
	panics("sampling an empty window", func() { Draw(NewWindow(v, WindowConfig{}, nil), rand.New(rand.NewPCG(1, 1)), make([]Sample, 1)) })
	panics("an invalid configuration", func() { NewWindow(v, WindowConfig{Cap: 1}, nil) })
	panics("a score that is NaN", with(float32(math.NaN())))
	panics("a score above 1", with(1.1))
	panics("a score below 0", with(-0.1))
}

func BenchmarkWindowAdd(b *testing.B) {
	games := randomGames(3, 50, 60)
	plies := 0
	for i := range games {
		plies += len(games[i].Plies)
	}
	w := NewWindow(international(), WindowConfig{MinRows: 1000, Cap: 20000}, targets(ValueRule{RootShare: .5, Blunder: .15}, true))
	b.ReportAllocs()
	for b.Loop() {
		for _, g := range games {
			w.Add(g)
		}
	}
	b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// chunks returns the chunks in memory, used and spare.
func (w *Window) chunks() []*chunk {
	var all []*chunk
	for _, f := range [2]*fifo{&w.played, &w.trees} {
		all = append(all, f.chunks...)
		if f.spare != nil {
			all = append(all, f.spare)
		}
	}
	return all
}

// bytes returns the size of the rows in memory.
func (w *Window) bytes() int64 {
	n := int64(0)
	for _, c := range w.chunks() {
		n += int64(unsafe.Sizeof(*c)) + int64(cap(c.high))*int64(unsafe.Sizeof([3]uint16{}))
	}
	return n + int64(cap(w.games))*24
}
