package egdb

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"damier/rules"
)

// build makes files of v in dir.
func build(t testing.TB, v *rules.Variant, dir string, pieces int) {
	t.Helper()
	b := Builder{Variant: v, Dir: dir, Pieces: pieces}
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, v *rules.Variant, dir string, bytes int) *Tables {
	t.Helper()
	tables, err := Open(dir, v, bytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

// filesIn returns the content of all tables of v in dir, by name.
func filesIn(t *testing.T, v *rules.Variant, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(Folder(dir, v))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(Folder(dir, v), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = content
	}
	return all
}

// TestFilesHoldWhatWasMade compares all positions of tables in files with those in memory, and
// verifies the files.
func TestFilesHoldWhatWasMade(t *testing.T) {
	for _, name := range []string{"english", "frisian", "turkish", "canadian"} {
		v := lookup(t, name, "")
		pieces := 2
		if name == "english" || long() {
			pieces = 3
		}
		dir := t.TempDir()
		build(t, v, dir, pieces)
		want := inMemory(t, v, pieces)
		got := open(t, v, dir, 0)
		if len(got.Materials()) != len(want.Materials()) || got.Pieces() != pieces {
			t.Errorf("%s: %v in files, %v in memory", v, got.Materials(), want.Materials())
		}
		for _, m := range want.Materials() {
			x := want.tables[m.id()]
			for i := range x.index.Size() {
				if v, ok := got.tables[m.id()].at(got, i); !ok || v != x.raw[i] {
					t.Fatalf("%s of %s, number %d: %d, %v; want %d", m, name, i, v, ok, x.raw[i])
				}
			}
		}
		for _, quick := range []bool{true, false} {
			r := Verifier{Variant: v, Dir: dir, Quick: quick}
			if n, err := r.Verify(context.Background()); err != nil || n == 0 {
				t.Errorf("%s: %d positions verified, %v", name, n, err)
			}
		}
	}
}

// TestFlippedBits flips every bit of a file. Each change is detected, with the name of the file,
// when the file is opened or when a probe reads the place, and no probe gives a wrong answer.
func TestFlippedBits(t *testing.T) {
	v := lookup(t, "italian", "")
	m := Material{Men: 1, TheirKings: 1}
	dir := t.TempDir()
	build(t, v, dir, 2)
	name := fileOf(dir, v, m)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := inMemory(t, v, 2).tables[m.id()]
	b, err := newBoard(v)
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := func(what string) {
		f, err := b.openFile(name, m, &cache{most: pageSize})
		if err == nil {
			defer f.close()
			for i := range want.index.Size() {
				var v value
				if v, err = f.at(i); err != nil {
					break
				}
				if v != want.raw[i] {
					t.Fatalf("%s: position %d has value %d, want %d", what, i, v, want.raw[i])
				}
			}
			if err == nil {
				t.Fatalf("%s: nothing was found", what)
			}
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), name) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	out, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	set := func(i int, b byte) {
		if _, err := out.WriteAt([]byte{b}, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range whole {
		for bit := range 8 {
			set(i, b^1<<bit)
			found("byte " + strconv.Itoa(i) + ", bit " + strconv.Itoa(bit))
		}
		set(i, b)
	}
	for _, n := range []int{0, 1, 11, 12, 40, len(whole) / 2, len(whole) - 1} {
		write(whole[:n])
		found("cut to " + strconv.Itoa(n))
	}
	write(append(bytes.Clone(whole), 0))
	found("a byte more")
}

// TestDamageIsRemembered probes a damaged file: the answer is unknown, and the tables say why.
func TestDamageIsRemembered(t *testing.T) {
	v := lookup(t, "english", "")
	dir := t.TempDir()
	build(t, v, dir, 2)
	name := fileOf(dir, v, Material{Kings: 1, TheirKings: 1})
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	tables := open(t, v, dir, 0)
	p, err := rules.ParseFEN(v, "W:WK1:BK32")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := tables.Probe(p); ok {
		t.Error("a damaged page answers")
	}
	if err := tables.Err(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), name) {
		t.Errorf("the tables say %v", err)
	}
	for _, quick := range []bool{true, false} {
		r := Verifier{Variant: v, Dir: dir, Quick: quick}
		if _, err := r.Verify(context.Background()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("verify says %v", err)
		}
	}
	b := Builder{Variant: v, Dir: dir, Pieces: 3}
	if err := b.Build(context.Background()); !errors.Is(err, ErrDamaged) {
		t.Errorf("build says %v", err)
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, content) {
		t.Errorf("build has touched the damaged file: %v", err)
	}
}

// TestVerifyFindsWrongValues writes a table with one wrong value and right checksums.
func TestVerifyFindsWrongValues(t *testing.T) {
	v := lookup(t, "russian", "")
	dir := t.TempDir()
	build(t, v, dir, 2)
	m := Material{Kings: 1, TheirMen: 1}
	x := inMemory(t, v, 2).tables[m.id()]
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		wrong := table{index: x.index, raw: append([]value(nil), x.raw...)}
		i := r.IntN(len(wrong.raw))
		wrong.raw[i] = (wrong.raw[i] + 1 + value(r.IntN(3))) % 20
		if wrong.raw[i] == x.raw[i] {
			continue
		}
		var content bytes.Buffer
		if err := encodeTable(&content, wrong.index, wrong.raw); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fileOf(dir, v, m), content.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		verifier := Verifier{Variant: v, Dir: dir}
		if _, err := verifier.Verify(context.Background()); !errors.Is(err, ErrDamaged) {
			t.Errorf("number %d of value %d instead of %d: verify says %v", i, wrong.raw[i], x.raw[i], err)
		}
	}
}

// TestForeignFiles puts the files of tables in the places of others.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	english, italian, strict := lookup(t, "english", ""), lookup(t, "italian", ""), lookup(t, "frisian", "kings=strict")
	build(t, english, dir, 2)
	m := Material{Kings: 1, TheirKings: 1}
	content, err := os.ReadFile(fileOf(dir, english, m))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []*rules.Variant{italian, strict} {
		if err := os.Mkdir(Folder(dir, v), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fileOf(dir, v, m), content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, v, 0); !errors.Is(err, ErrForeign) {
			t.Errorf("%s takes a table of English draughts: %v", v, err)
		}
	}
	if err := os.WriteFile(fileOf(dir, english, Material{Men: 1, TheirKings: 1}), content, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, english, 0); !errors.Is(err, ErrForeign) {
		t.Errorf("a table takes the name of another: %v", err)
	}
	if _, err := Open(dir, lookup(t, "thai", ""), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no table at all: %v", err)
	}
	if a, b := Folder(dir, strict), Folder(dir, lookup(t, "frisian", "")); a == b {
		t.Errorf("two options share the folder %s", a)
	}
	entries, err := List(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("list has %d entries, %v", len(entries), err)
	}
}

// TestBuildGoesOn stops builds, removes files and builds again: the files are the same to a byte.
func TestBuildGoesOn(t *testing.T) {
	v := lookup(t, "czech", "")
	dir := t.TempDir()
	build(t, v, dir, 3)
	want := filesIn(t, v, dir)
	for _, gone := range []string{"K-K.egdb", "KM-K.egdb", "M-MM.egdb"} {
		if err := os.Remove(filepath.Join(Folder(dir, v), gone)); err != nil {
			t.Fatal(err)
		}
	}
	build(t, v, dir, 3)
	same(t, filesIn(t, v, dir), want)

	// Stopped after each file that is written.
	dir = t.TempDir()
	starts := 0
	for {
		ctx, stop := context.WithCancel(context.Background())
		made := 0
		b := Builder{Variant: v, Dir: dir, Pieces: 3, Made: func(Entry) {
			made++
			stop()
		}}
		err := b.Build(ctx)
		stop()
		starts++
		if made == 0 || err == nil {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if starts < 5 {
		t.Errorf("all was made in %d starts", starts)
	}
	same(t, filesIn(t, v, dir), want)
}

func same(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if !bytes.Equal(got[name], content) {
			t.Errorf("%s is not the same", name)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	v := lookup(t, "international", "")
	b := Builder{Variant: v, Dir: dir, Pieces: 6}
	if err := b.Build(context.Background()); !errors.Is(err, ErrMemory) {
		t.Errorf("six pieces in the usual memory: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files were made before, %v", len(left), err)
	}
	if _, err := Generate(context.Background(), v, 4, 1<<20); err == nil {
		t.Error("four pieces in a megabyte")
	}
	for _, pieces := range []int{-1, 1, 7} {
		b.Pieces = pieces
		if err := b.Build(context.Background()); err == nil {
			t.Errorf("%d pieces", pieces)
		}
	}
	small := Builder{Variant: lookup(t, "english", ""), Dir: dir, Pieces: 3, Memory: 1 << 20}
	if err := small.Build(context.Background()); err != nil {
		t.Errorf("three pieces of English in a megabyte: %v", err)
	}
}

// TestProbeDoesNotAllocate counts allocations, from memory and from files.
func TestProbeDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"english", "frisian", "canadian"} {
		v := lookup(t, name, "")
		dir := t.TempDir()
		build(t, v, dir, 2)
		for _, tables := range []*Tables{inMemory(t, v, 2), open(t, v, dir, 0)} {
			positions := randomPositions(tables, 100)
			probe := func() {
				for _, p := range positions {
					if _, _, ok := tables.Probe(p); !ok {
						t.Fatal(v.FEN(p))
					}
				}
			}
			probe()
			if n := testing.AllocsPerRun(10, probe); n > 0 {
				t.Errorf("%s: %v allocations", v, n)
			}
		}
	}
}

// randomPositions returns positions of the largest materials.
func randomPositions(t *Tables, n int) []rules.Position {
	r := rand.New(rand.NewPCG(5, 6))
	of := Materials(t.Pieces())
	var all []rules.Position
	for len(all) < n {
		x := t.tables[of[r.IntN(len(of))].id()].index
		p := x.Position(r.Uint64N(x.Size()))
		if r.IntN(2) == 0 {
			p = t.board.v.Rotate(p)
		}
		all = append(all, p)
	}
	return all
}

// TestProbesAtOnce probes from several goroutines with a cache of one page.
func TestProbesAtOnce(t *testing.T) {
	v := lookup(t, "english", "")
	dir := t.TempDir()
	build(t, v, dir, 3)
	want := inMemory(t, v, 3)
	got := open(t, v, dir, pageSize)
	positions := randomPositions(want, 2000)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range positions {
				p := positions[(i+g*500)%len(positions)]
				a, n, ok := want.Probe(p)
				if b, m, ok2 := got.Probe(p); a != b || n != m || ok != ok2 {
					t.Errorf("%s: %s in %d, %v; want %s in %d", v.FEN(p), b, m, ok2, a, n)
				}
			}
		}()
	}
	wait.Wait()
	if err := got.Err(); err != nil {
		t.Error(err)
	}
}

// TestProbeRefuses probes positions that the tables do not hold.
func TestProbeRefuses(t *testing.T) {
	v := lookup(t, "english", "")
	tables := inMemory(t, v, 2)
	for _, fen := range []string{"W:WK1,K2:BK32", "W:WK1:B", "W:WK1,K2,K3,K4:BK32,K31,K30"} {
		p, err := rules.ParseDiagram(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		if r, n, ok := tables.Probe(p); ok {
			t.Errorf("%s is a %s in %d", fen, r, n)
		}
	}
	over, err := rules.ParseDiagram(v, "B:WK1:B")
	if err != nil {
		t.Fatal(err)
	}
	if r, n, ok := tables.Probe(over); !ok || r != Loss || n != 0 {
		t.Errorf("without a piece: %s in %d, %v", r, n, ok)
	}
}

// BenchmarkProbe asks for random positions of three pieces.
func BenchmarkProbe(b *testing.B) {
	for _, name := range []string{"english", "international", "frisian", "canadian", "turkish"} {
		v := lookup(b, name, "")
		dir := b.TempDir()
		build(b, v, dir, 3)
		for kind, tables := range map[string]*Tables{"memory": inMemory(b, v, 3), "file": open(b, v, dir, 0)} {
			positions := randomPositions(tables, 1<<12)
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if _, _, ok := tables.Probe(positions[i&(1<<12-1)]); !ok {
						b.Fatal("unknown")
					}
					i++
				}
			})
		}
	}
}

// BenchmarkGenerate makes the tables of up to three pieces in memory.
func BenchmarkGenerate(b *testing.B) {
	for _, name := range rules.Names() {
		v := lookup(b, name, "")
		b.Run(name, func(b *testing.B) {
			var positions uint64
			for b.Loop() {
				t := generated(b, v, 3)
				positions = 0
				for _, m := range t.Materials() {
					positions += t.tables[m.id()].index.Size()
				}
			}
			b.ReportMetric(float64(positions)*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
