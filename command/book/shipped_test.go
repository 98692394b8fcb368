package book

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"damier/book"
	"damier/engine/open"
	"damier/rules"
)

var relabel = flag.Bool("relabel", false, "write the hash of the network into the books of book/shipped")

// TestShippedNetworks looks whether the books that come with the program name the network that
// found their scores. With -relabel it searches some positions of each book again, by its recipe
// and with the network that comes with the program, and writes the hash of this network into the
// header if it finds the scores of the book.
func TestShippedNetworks(t *testing.T) {
	const positions = 6
	found := 0
	digits := regexp.MustCompile("^[0-9a-f]{64}$")
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := book.Shipped(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b == nil {
			continue
		}
		found++
		recipe := b.Header().Recipe
		if !*relabel {
			if !digits.MatchString(recipe.Network) {
				t.Errorf("the book of %s names the network %q", name, recipe.Network)
			}
			continue
		}
		spec, err := open.Best(v, "", "")
		if err != nil {
			t.Fatal(err)
		}
		searcher, _, err := open.Searcher(v, spec, recipe.Nodes, recipe.Seed)
		if err != nil {
			t.Fatal(err)
		}
		network, err := open.NetworkHash(v, spec)
		if err != nil {
			t.Fatal(err)
		}
		same := true
		for _, p := range searched(v, b, positions) {
			expected, err := searcher.Search(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := b.Probe(p)
			if got := book.ScoreOf(expected); got != want {
				same = false
				t.Errorf("%s, %s: the search finds %d, the book has %d", name, v.FEN(p), got, want)
			}
		}
		if same {
			path := filepath.Join("..", "..", "book", "shipped", name+".book")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if text, err = book.Relabel(text, v, network); err == nil {
				err = os.WriteFile(path, text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if found == 0 {
		t.Error("no book comes with the program")
	}
}

// searched returns n positions of a book whose scores are those of their own searches: not
// expanded ones, from all plies.
func searched(v *rules.Variant, b *book.Book, n int) []rules.Position {
	var all []rules.Position
	queue, seen := []rules.Position{v.Start()}, map[uint64]bool{}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if key := book.Key(v, p); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		_, expanded, ok := b.Probe(p)
		switch {
		case !ok:
		case expanded:
			for _, m := range v.AppendMoves(nil, p) {
				queue = append(queue, v.Play(p, m))
			}
		default:
			all = append(all, p)
		}
	}
	var some []rules.Position
	for chunk := range slices.Chunk(all, max(1, len(all)/n)) {
		if len(some) < n {
			some = append(some, chunk[0])
		}
	}
	return some
}
