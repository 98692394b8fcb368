package egdb

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"damier/rules"
)

// long reports whether the tests that take minutes are to run.
func long() bool { return os.Getenv("DAMIER_LONG") != "" }

// variants returns all variants with their default options, and with the options that change the
// content of tables.
func variants(t testing.TB) []*rules.Variant {
	t.Helper()
	var all []*rules.Variant
	for _, name := range rules.Names() {
		all = append(all, lookup(t, name, ""))
	}
	for _, o := range [][2]string{
		{"international", "draws=immediate"},
		{"international", "draws=three-kings"},
		{"international", "equal=king-first"},
		{"frisian", "kings=strict"},
		{"german", "landing=halt"},
		{"turkish", "crown=at-once"},
	} {
		all = append(all, lookup(t, o[0], o[1]))
	}
	return all
}

func lookup(t testing.TB, name, options string) *rules.Variant {
	t.Helper()
	o, err := rules.ParseOptions(options)
	if err != nil {
		t.Fatal(err)
	}
	v, err := rules.Lookup(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// generated returns tables of v that are made anew, in memory.
func generated(t testing.TB, v *rules.Variant, pieces int) *Tables {
	t.Helper()
	tables, err := Generate(context.Background(), v, pieces, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// shared holds the tables of sharedTables by a key, as functions that make them when they are first
// called.
var shared sync.Map

// sharedTables returns the tables of a key, which it makes at the first call. Tests may not change
// them.
func sharedTables(t testing.TB, key string, make func() (*Tables, error)) *Tables {
	t.Helper()
	once, _ := shared.LoadOrStore(key, sync.OnceValues(make))
	tables, err := once.(func() (*Tables, error))()
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// inMemory returns tables of v in memory.
func inMemory(t testing.TB, v *rules.Variant, pieces int) *Tables {
	t.Helper()
	return sharedTables(t, fmt.Sprint(v, pieces), func() (*Tables, error) {
		return Generate(context.Background(), v, pieces, 0)
	})
}

// threePieces is three, but with -short two on boards of more than 32 squares, whose tables of three
// pieces take seconds under the race detector.
func threePieces(v *rules.Variant) int {
	if testing.Short() && v.Board.Squares() > 32 {
		return 2
	}
	return 3
}

// InMemory and ThreePieces are inMemory and threePieces for the tests outside the package.
var (
	InMemory    = inMemory
	ThreePieces = threePieces
)

// twin solves positions the slow and obvious way: a map of positions, the legal moves of each, and
// rounds over all of them. It uses the rules, but neither the index nor unmoves.
type twin struct {
	v     *rules.Variant
	slow  bool // moves by rules.ReferenceMoves
	both  bool // positions with Black to move are solved too, not rotated to White
	ids   map[rules.Position]int32
	all   []rules.Position
	after []int32 // ids of the positions after the moves, of all positions one after the other
	first []int32 // index in after at which those of a position begin
	value []value
	known []bool
}

// bare returns p without the counters of the draw rules.
func bare(p rules.Position) rules.Position {
	white, black, kings := p.Sets()
	q := rules.NewPosition(white, black, kings, p.Turn)
	for _, c := range [2]rules.Color{rules.White, rules.Black} {
		n, s := p.KingMoves(c)
		q = q.WithKingMoves(c, n, s)
	}
	return q
}

// add adds p and all positions that differ from it only in king moves.
func (w *twin) add(p rules.Position) {
	w.all = append(w.all, p)
}

// enumerate adds all positions of n pieces, square by square.
func (w *twin) enumerate(pieces int) {
	var sides, kinds [2]rules.Set // by colour: pieces; kings in kinds[0]
	b := w.v.Board
	var place func(s rules.Square, left int)
	place = func(s rules.Square, left int) {
		if left == 0 {
			if sides[0].Empty() || sides[1].Empty() {
				return
			}
			w.add(rules.NewPosition(sides[0], sides[1], kinds[0], rules.White))
			if w.both {
				w.add(rules.NewPosition(sides[0], sides[1], kinds[0], rules.Black))
			}
			return
		}
		if int(s) > b.Squares() {
			return
		}
		place(s+1, left)
		for c := rules.White; c <= rules.Black; c++ {
			one := b.Set(s)
			sides[c] = sides[c].Or(one)
			if !w.v.Promotes(c, s) {
				place(s+1, left-1)
			}
			kinds[0] = kinds[0].Or(one)
			place(s+1, left-1)
			kinds[0] = kinds[0].AndNot(one)
			sides[c] = sides[c].AndNot(one)
		}
	}
	place(1, pieces)
	if w.v.KingMoveLimit == 0 {
		return
	}
	for _, c := range [2]rules.Color{rules.White, rules.Black} {
		for _, p := range w.all {
			if p.Men(c).Empty() || p.Men(rules.White).Len()+p.Men(rules.Black).Len()+
				p.Kings(rules.White).Len()+p.Kings(rules.Black).Len() != pieces {
				continue
			}
			for kings := p.Kings(c); !kings.Empty(); {
				s := b.Pop(&kings)
				for n := 1; n <= w.v.KingMoveLimit; n++ {
					w.all = append(w.all, p.WithKingMoves(c, n, s))
				}
			}
		}
	}
}

// normal returns p in the form of the map's keys.
func (w *twin) normal(p rules.Position) rules.Position {
	if p.Turn == rules.Black && !w.both {
		p = w.v.Rotate(p)
	}
	return bare(p)
}

// id returns the id of p; a position whose side to move has no piece is added here.
func (w *twin) id(t *testing.T, p rules.Position) int32 {
	p = w.normal(p)
	i, ok := w.ids[p]
	if !ok {
		if !p.Pieces(p.Turn).Empty() {
			t.Fatalf("%s: %s was not enumerated", w.v, w.v.FEN(p))
		}
		i = int32(len(w.all))
		w.ids[p] = i
		w.all = append(w.all, p)
	}
	return i
}

// solve finds the values of all positions.
func (w *twin) solve(t *testing.T) {
	w.ids = make(map[rules.Position]int32, len(w.all))
	for i, p := range w.all {
		w.ids[p] = int32(i)
	}
	if len(w.ids) != len(w.all) {
		t.Fatalf("%s: %d positions, %d of them different", w.v, len(w.all), len(w.ids))
	}
	var moves []rules.Move
	for i := 0; i < len(w.all); i++ {
		p := w.all[i]
		if w.slow {
			moves = w.v.ReferenceMoves(p)
		} else {
			moves = w.v.AppendMoves(moves[:0], p)
		}
		w.first = append(w.first, int32(len(w.after)))
		w.value, w.known = append(w.value, 0), append(w.known, false)
		switch {
		case len(moves) == 0:
			w.known[i] = true
			if o, _ := w.v.Stuck(p); o == rules.Win(p.Turn) {
				w.value[i] = winIn(0)
			} else if o == rules.Win(p.Turn.Opponent()) {
				w.value[i] = lossIn(0)
			}
		case w.v.DrawByCount(p) != rules.NoReason:
			w.known[i] = true
		default:
			for _, m := range moves {
				w.after = append(w.after, w.id(t, w.v.Play(p, m)))
			}
		}
	}
	w.first = append(w.first, int32(len(w.after)))
	for round := 1; ; round++ {
		changed := false
		for i := range w.all {
			if w.known[i] {
				continue
			}
			wins, allWon := false, true
			for _, j := range w.after[w.first[i]:w.first[i+1]] {
				r, n := w.value[j].result()
				switch {
				case !w.known[j] || n >= round || r == Draw:
					allWon = false
				case r == Loss:
					wins, allWon = true, false
				}
			}
			if wins {
				w.value[i], w.known[i], changed = winIn(round), true, true
			} else if allWon {
				w.value[i], w.known[i], changed = lossIn(round), true, true
			}
		}
		if !changed {
			return
		}
	}
}

// TestTwin compares every position of all variants with the twin: of two pieces, both sides to
// move and by the slow generator; with DAMIER_LONG of three pieces, too.
func TestTwin(t *testing.T) {
	for _, v := range variants(t) {
		t.Run(v.String(), func(t *testing.T) {
			compareWithTwin(t, inMemory(t, v, 2), twin{v: v, slow: true, both: true}, 2)
			if long() {
				compareWithTwin(t, inMemory(t, v, 3), twin{v: v}, 3)
			}
		})
	}
}

func compareWithTwin(t *testing.T, tables *Tables, w twin, pieces int) {
	t.Helper()
	for n := 2; n <= pieces; n++ {
		x := twin{v: w.v, both: w.both}
		x.enumerate(n)
		w.all = append(w.all, x.all...)
	}
	want := 0
	for _, m := range tables.Materials() {
		want += int(tables.tables[m.id()].index.Size())
	}
	if w.both {
		want *= 2
	}
	if len(w.all) != want {
		t.Errorf("%d positions, the index has %d", len(w.all), want)
	}
	w.solve(t)
	wrong := 0
	for i, p := range w.all {
		want, plies := w.value[i].result()
		got, n, ok := tables.Probe(p)
		if !ok || got != want || n != plies {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: %s in %d (%v), want %s in %d", w.v.FEN(p), got, n, ok, want, plies)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d positions are wrong", wrong, len(w.all))
	}
	if long() {
		t.Logf("%d pieces: %d positions are right", pieces, len(w.all))
	}
}
