package egdb

import (
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// TestIndexIsABijection goes from numbers to positions and back: all of up to three pieces, and
// random ones of more.
func TestIndexIsABijection(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := 100
	if long() {
		random = 300
	}
	for _, v := range variants(t) {
		for pieces := 2; pieces <= MaxPieces; pieces++ {
			for _, m := range Materials(pieces) {
				x, err := NewIndex(v, m)
				if err != nil {
					t.Fatal(err)
				}
				if pieces == 2 || pieces == 3 && (x.Size() < 15_000 || long()) {
					for i := range x.Size() {
						checkNumber(t, x, i)
					}
					continue
				}
				for range random {
					checkNumber(t, x, r.Uint64N(x.Size()))
				}
				checkNumber(t, x, 0)
				checkNumber(t, x, x.Size()-1)
			}
		}
	}
}

// checkNumber goes from i to its position and back, also by way of the other side.
func checkNumber(t *testing.T, x *Index, i uint64) {
	t.Helper()
	v := x.board.v
	p := x.Position(i)
	if err := rules.Validate(v, p); err != nil {
		t.Fatalf("%s of %s, number %d: %v", x.material, v, i, err)
	}
	for _, q := range []rules.Position{p, v.Rotate(p)} {
		if j, ok := x.Of(q); !ok || j != i {
			t.Fatalf("%s of %s: number %d is %s, which is number %d, %v", x.material, v, i, v.FEN(q), j, ok)
		}
	}
}

// TestIndexCounts compares the number of positions with a count by hand.
func TestIndexCounts(t *testing.T) {
	for _, c := range []struct {
		variant, material string
		want              uint64
	}{
		{"english", "K-K", 32 * 31},
		{"english", "M-K", 28 * 31},
		{"english", "M-M", 28*28 - 24},       // both on one of the 24 squares that are free to both
		{"international", "KK-K", 1225 * 48}, // 50 choose 2
		{"international", "KM-K", 45 * 49 * 48},
		{"frisian", "KM-K", 45 * 49 * 48 * 4}, // no king move, or one, two, three
		{"frisian", "KKM-K", 45 * 1176 * 47 * 7},
		{"turkish", "M-M", 56*56 - 48},
		{"canadian", "K-K", 72 * 71},
	} {
		m, err := ParseMaterial(c.material)
		if err != nil {
			t.Fatal(err)
		}
		x, err := NewIndex(lookup(t, c.variant, ""), m)
		if err != nil {
			t.Fatal(err)
		}
		if x.Size() != c.want {
			t.Errorf("%s of %s has %d positions, want %d", c.material, c.variant, x.Size(), c.want)
		}
	}
}

func TestIndexRefuses(t *testing.T) {
	v := lookup(t, "frisian", "")
	x, err := NewIndex(v, Material{Men: 1, Kings: 1, TheirKings: 1})
	if err != nil {
		t.Fatal(err)
	}
	parse := func(fen string) rules.Position {
		p, err := rules.ParseDiagram(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	right := parse("W:W30,K40:BK10")
	if _, ok := x.Of(right); !ok {
		t.Error("a position of the material has no number")
	}
	for name, p := range map[string]rules.Position{
		"another material":       parse("W:W30,31:BK10"),
		"the other side to move": parse("B:W30,K40:BK10"),
		"a man that is crowned":  rules.NewPosition(v.Board.Set(3, 40), v.Board.Set(10), v.Board.Set(40, 10), rules.White),
		"a king's move by a man": right.WithKingMoves(rules.White, 1, 30),
		"too many king moves":    right.WithKingMoves(rules.White, 4, 40),
		"king moves without men": right.WithKingMoves(rules.Black, 1, 10),
	} {
		if i, ok := x.Of(p); ok {
			t.Errorf("%s has number %d", name, i)
		}
	}
	for _, m := range []Material{{}, {Kings: 1}, {Kings: 4, TheirKings: 3}, {Kings: -1, Men: 2, TheirKings: 1}} {
		if _, err := NewIndex(v, m); err == nil {
			t.Errorf("%+v has an index", m)
		}
	}
}

// TestMaterials checks the order in which tables are made.
func TestMaterials(t *testing.T) {
	done := map[Material]bool{}
	for n := 2; n <= MaxPieces; n++ {
		all := Materials(n)
		for _, m := range all {
			if m.Pieces() != n || done[m] {
				t.Errorf("%s stands among those of %d pieces", m, n)
			}
			for _, a := range m.after() {
				if !done[a] {
					t.Errorf("%s comes before %s, which it leads to", m, a)
				}
			}
			done[m] = true
			back, err := ParseMaterial(m.String())
			if err != nil || back != m {
				t.Errorf("%s is read as %s: %v", m, back, err)
			}
		}
		for _, m := range all {
			if !done[m.Swap()] {
				t.Errorf("%s is there, %s is not", m, m.Swap())
			}
		}
		// Each of n pieces is a man or a king of one side or the other: all but those of one side
		// only.
		if want := (n+1)*(n+2)*(n+3)/6 - 2*(n+1); len(all) != want {
			t.Errorf("%d materials of %d pieces, want %d", len(all), n, want)
		}
	}
	for _, s := range []string{"", "K", "-", "K-", "MK-K", "KX-K", "K-K-K", "KKKK-KKK"} {
		if m, err := ParseMaterial(s); err == nil {
			t.Errorf("%q is read as %s", s, m)
		}
	}
}

func TestValues(t *testing.T) {
	order := []value{winIn(0), winIn(1), winIn(7), winIn(maxPlies), 0, lossIn(maxPlies), lossIn(3), lossIn(0)}
	for i, v := range order {
		for j, w := range order {
			if v.better(w) != (i < j) {
				t.Errorf("%d better than %d: %v", v, w, v.better(w))
			}
		}
	}
	for n := range 100 {
		if r, plies := winIn(n).before().result(); r != Loss || plies != n+1 {
			t.Errorf("before a win in %d: %s in %d", n, r, plies)
		}
		if r, plies := lossIn(n).before().result(); r != Win || plies != n+1 {
			t.Errorf("before a loss in %d: %s in %d", n, r, plies)
		}
	}
	if value(0).before() != 0 {
		t.Error("before a draw there is no draw")
	}
}
