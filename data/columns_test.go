package data

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// The rows of a shard are those that the Parquet library reads by reflection.
func TestRowsAsTheLibraryReadsThem(t *testing.T) {
	v := international()
	file, err := encodeShard(v, randomGames(7, 9, 60)) // more rows than are read at once
	must(err)
	all := parquet.NewGenericReader[row](bytes.NewReader(file))
	want := make([]row, all.NumRows())
	if n, _ := all.Read(want); n != len(want) {
		t.Fatalf("%d of %d rows", n, len(want))
	}
	r, err := openRows(file, v)
	must(err)
	defer r.close()
	n, trees := 0, 0
	for {
		got, err := r.game()
		must(err)
		if len(got) == 0 {
			break
		}
		if d := cmp.Diff(want[n:n+len(got)], got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("rows from %d: %s", n, d)
		}
		for i := range got {
			trees += len(got[i].TreeLines)
		}
		n += len(got)
	}
	if n != len(want) || n <= 2*readAhead || trees == 0 {
		t.Errorf("%d rows, want %d, more than %d; %d positions of trees", n, len(want), 2*readAhead, trees)
	}
}
