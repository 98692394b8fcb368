package data

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"damier/rules"
)

var update = flag.Bool("update", false, "rewrite golden files")

// rounded returns g as it is read back from a shard. It is the slow twin of the 16-bit encodings,
// written from their description in docs/games.md.
func rounded(g Game) Game {
	share := func(x float32) float32 { return float32(math.Round(float64(x)*65535)) / 65535 }
	wdl := func(w rules.WDL) rules.WDL {
		return rules.WDL{Win: share(w.Win), Draw: share(w.Draw), Loss: share(w.Loss)}
	}
	g.Plies = slices.Clone(g.Plies)
	for i := range g.Plies {
		p := &g.Plies[i]
		p.Root, p.Raw = wdl(p.Root), wdl(p.Raw)
		p.Priors, p.Values = slices.Clone(p.Priors), slices.Clone(p.Values)
		for j, x := range p.Priors {
			steps := min(math.Round(-math.Log2(float64(x))*2048), 65535)
			if p.Priors[j] = float32(math.Pow(2, -steps/2048)); steps == 65535 {
				p.Priors[j] = 0
			}
			if !math.IsNaN(float64(p.Values[j])) {
				p.Values[j] = float32(math.Round(float64(p.Values[j])*65534)) / 65534
			}
		}
		p.Tree = slices.Clone(p.Tree)
		for j := range p.Tree {
			p.Tree[j].Value = float32(math.Round(float64(p.Tree[j].Value)*65534)) / 65534
		}
	}
	return g
}

// equalGames compares two games. NaNs are equal, and priors may differ in the last bit.
func equalGames(a, b []Game) string {
	return cmp.Diff(a, b,
		cmp.Comparer(func(x, y float32) bool {
			return x == y || x != x && y != y || math.Abs(float64(x)-float64(y)) < 1e-7*float64(x)
		}),
		cmp.Comparer(func(x, y rules.Position) bool { return x == y }),
		cmp.Comparer(func(x, y rules.Move) bool { return x == y }))
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	v := international()
	reasons := map[rules.Reason]int{}
	for seed := range uint64(6) {
		games := randomGames(seed, []int{8, 40}[seed%2], []int{30, 100}[seed%2]) // of 40 the rows are more than one batch
		name := fmt.Sprintf("games-%d.parquet", seed)
		info, err := WriteShard(dir, name, v, games)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadShard(filepath.Join(dir, name), v)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]Game, len(games))
		for i := range games {
			want[i] = rounded(games[i])
			reasons[games[i].Reason]++
		}
		if diff := equalGames(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		// Round gives the very numbers that were read.
		for i := range games {
			games[i].Round()
			if diff := cmp.Diff(games[i], got[i], cmpopts.EquateNaNs(),
				cmp.Comparer(func(x, y rules.Position) bool { return x == y }),
				cmp.Comparer(func(x, y rules.Move) bool { return x == y })); diff != "" {
				t.Fatalf("seed %d (-rounded +got):\n%s", seed, diff)
			}
		}
		again, err := Verify(filepath.Join(dir, name), v)
		if err != nil || again != info {
			t.Errorf("Verify: %+v, %v; WriteShard: %+v", again, err, info)
		}
		// A game that was read is written to the same bytes again.
		twice, err := WriteShard(dir, "again-"+name, v, got)
		if err != nil || twice.SHA256 != info.SHA256 {
			t.Errorf("written twice: %+v, %v; once: %+v", twice, err, info)
		}
	}
	t.Logf("ends of games: %v", reasons)
	if len(reasons) < 5 {
		t.Errorf("the random games end by %v only", reasons)
	}
}

func TestShardInfo(t *testing.T) {
	games := randomGames(3, 40, 60)
	info, err := WriteShard(t.TempDir(), "a.parquet", international(), games)
	if err != nil {
		t.Fatal(err)
	}
	want := ShardInfo{Name: "a.parquet", Games: 40, MaxGeneration: 2, Bytes: info.Bytes, SHA256: info.SHA256}
	for _, g := range games {
		want.Plies += len(g.Plies)
		for _, p := range g.Plies {
			if p.Full {
				want.Rows++
			}
		}
		switch {
		case g.Outcome == rules.WhiteWins:
			want.WhiteWins++
		case g.Outcome == rules.BlackWins:
			want.BlackWins++
		case g.Reason == rules.PlyLimit:
			want.Cut++
			fallthrough
		default:
			want.Draws++
		}
	}
	if info != want {
		t.Errorf("got  %+v\nwant %+v", info, want)
	}
	t.Logf("%.1f bytes a ply", float64(info.Bytes)/float64(info.Plies))
}

func TestQuantisation(t *testing.T) {
	for q := range 1 << 16 {
		q := uint16(q)
		if got := quantPrior(dequantPrior(q)); got != q {
			t.Fatalf("prior step %d becomes %d", q, got)
		}
		if got := quantValue(dequantValue(q)); got != q {
			t.Fatalf("value step %d becomes %d", q, got)
		}
		if got := quantShare(dequantShare(q)); got != q {
			t.Fatalf("share step %d becomes %d", q, got)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		p := float32(math.Exp2(-31.9 * rng.Float64()))
		if off := math.Abs(math.Log2(float64(dequantPrior(quantPrior(p)))) - math.Log2(float64(p))); off > 1.01/4096 {
			t.Fatalf("prior %v is %v off in log2", p, off)
		}
	}
	if quantPrior(0) != 65535 || dequantPrior(65535) != 0 || quantPrior(1e-30) != 65535 || quantPrior(1) != 0 || dequantPrior(0) != 1 {
		t.Error("the ends of the range of priors")
	}
}

func TestSchemaGolden(t *testing.T) {
	golden(t, "testdata/schema.txt", []byte(rowSchema.String()+"\n"))
}

// TestRowsGolden compares the columns of a short game with the golden file.
func TestRowsGolden(t *testing.T) {
	v := international()
	g := randomPlay(rand.New(rand.NewPCG(2, 8)), v, v.Start(), "run-0-1", 8)
	var b bytes.Buffer
	for _, r := range appendRows(nil, v, &g, newMoveNames(v)) {
		fields := reflect.ValueOf(r)
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("parquet"), ",")
			fmt.Fprintf(&b, "%-12s %v\n", name, fields.Field(i))
		}
		b.WriteByte('\n')
	}
	golden(t, "testdata/rows.txt", b.Bytes())
}

// TestOldShard reads a shard that an earlier build has written: the format of a version never
// changes.
func TestOldShard(t *testing.T) {
	v := international()
	path := fmt.Sprintf("testdata/format-%d.parquet", FormatVersion)
	games := randomGames(2026, 3, 40)
	if *update {
		os.Remove(path)
		if _, err := WriteShard("testdata", filepath.Base(path), v, games); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadShard(path, v)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].ID != "2026-0" || len(got[1].Plies) == 0 {
		t.Errorf("%d games, the first %+v", len(got), got[0])
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; a wanted change needs a new FormatVersion and -update):\n%s", path, diff)
	}
}

// TestRefusedGames writes games that contradict the rules or themselves.
func TestRefusedGames(t *testing.T) {
	v := international()
	searched := func(g *Game) *Ply {
		for i := range g.Plies {
			if p := &g.Plies[i]; len(p.Visits) > 0 && p.Visits[0] > 0 {
				return p
			}
		}
		panic("no search in the game")
	}
	tests := []struct {
		name   string
		change func(g *Game)
		want   string
	}{
		{"no id", func(g *Game) { g.ID = "" }, "no id"},
		{"no ply", func(g *Game) { g.Plies = nil }, "no ply"},
		{"other start", func(g *Game) { g.Start.Turn ^= 1 }, "ply 0: the position is"},
		{"quiet counter", func(g *Game) { g.Plies[2].Position.Quiet++ }, "ply 2: the position is"},
		{"occurrences", func(g *Game) { g.Plies[1].Occurrences = 2 }, "ply 1: the position is said to occur for time 2"},
		{"order of moves", func(g *Game) { slices.Reverse(g.Plies[0].Moves) }, "canonical order"},
		{"missing move", func(g *Game) { g.Plies[0].Moves = g.Plies[0].Moves[1:] }, "canonical order"},
		{"played", func(g *Game) { g.Plies[0].Played = len(g.Plies[0].Moves) }, "was played"},
		{"another move", func(g *Game) { g.Plies[0].Played = (g.Plies[0].Played + 1) % len(g.Plies[0].Moves) }, "ply 1: the position is"},
		{"a ply too few", func(g *Game) { g.Plies, g.Reason = g.Plies[:len(g.Plies)-1], rules.NoMoves }, "at its end: the rules do not end the game"},
		{"ongoing", func(g *Game) { g.Plies, g.Outcome, g.Reason = g.Plies[:3], rules.Ongoing, rules.PlyLimit }, "no outcome"},
		{"unknown reason", func(g *Game) { g.Plies, g.Reason = g.Plies[:3], "boredom" }, `"boredom"`},
		{"unknown outcome", func(g *Game) { g.Plies, g.Outcome, g.Reason = g.Plies[:3], 9, rules.PlyLimit }, "no outcome"},
		{"negative generation", func(g *Game) { g.Generation = -1 }, "generation -1"},
		{"root sum", func(g *Game) { searched(g).Root = rules.WDL{Win: .5, Draw: .6} }, "root value"},
		{"raw range", func(g *Game) { searched(g).Raw = rules.WDL{Win: 2, Draw: -1} }, "out of range"},
		{"raw NaN", func(g *Game) { searched(g).Raw.Win = float32(math.NaN()) }, "out of range"},
		{"no root", func(g *Game) { searched(g).Root = rules.WDL{} }, "without a root"},
		{"lengths", func(g *Game) { p := searched(g); p.Visits = p.Visits[1:] }, "visits"},
		{"full without visits", func(g *Game) { p := searched(g); p.Full = true; p.Visits, p.Priors, p.Values = nil, nil, nil }, "full search without"},
		{"prior", func(g *Game) { searched(g).Priors[0] = float32(math.NaN()) }, "prior 0"},
		{"priors", func(g *Game) { p := searched(g); clear(p.Priors); p.Priors[0] = .9 }, "priors sum"},
		{"value", func(g *Game) { searched(g).Values[0] = 1.5 }, "value 1.5"},
		{"visited without value", func(g *Game) { searched(g).Values[0] = float32(math.NaN()) }, "value NaN"},
		{"value without visit", func(g *Game) { searched(g).Visits[0] = 0 }, "no visit"},
		{"simulations", func(g *Game) { searched(g).Simulations = -1 }, "-1 simulations"},
	}
	for _, test := range tests {
		dir := t.TempDir()
		games := randomGames(5, 1, 40)
		games = append(games, randomPlay(rand.New(rand.NewPCG(5, 5)), v, v.Start(), "5-1", 30))
		test.change(&games[1])
		_, err := WriteShard(dir, "a.parquet", v, games)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), filepath.Join(dir, "a.parquet")) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left %v", test.name, left)
		}
	}
	if _, err := WriteShard(t.TempDir(), "a.parquet", v, nil); err == nil {
		t.Error("an empty shard was written")
	}
	twice := randomGames(5, 1, 40)
	if _, err := WriteShard(t.TempDir(), "a.parquet", v, append(twice, twice...)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same id twice: %v", err)
	}
}

func TestOtherRules(t *testing.T) {
	dir := t.TempDir()
	writeRandom(t, dir, "a.parquet", 1, 2)
	path := filepath.Join(dir, "a.parquet")
	other, err := rules.Lookup("international", rules.Options{"draws": "immediate"})
	must(err)
	if _, err := ReadShard(path, other); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "draws=fmjd") {
		t.Errorf("other options: %v", err)
	}
	file, err := os.ReadFile(path)
	must(err)
	for _, change := range [][2]string{
		{keyVariant + "\x18\x0dinternational", keyVariant + "\x18\x0dtransnational"},
		{keyFormat + "\x18\x01", keyFormat + "\x18\x019"},
		{keyRules + "\x18\x01", keyRules + "\x18\x017"},
	} {
		at := bytes.LastIndex(file, []byte(change[0]))
		if at < 0 {
			t.Fatalf("no %q in the footer", change[0])
		}
		changed := slices.Clone(file)
		copy(changed[at:], change[1])
		reseal(changed)
		if _, err := decodeShard(changed, international()); !errors.Is(err, ErrForeign) {
			t.Errorf("%q: %v", change[1], err)
		}
	}
	games := randomGames(1, 1, 20)
	games[0].Rules++
	if _, err := WriteShard(dir, "b.parquet", international(), games); !errors.Is(err, ErrForeign) {
		t.Errorf("written with another rules version: %v", err)
	}
}

// A shard whose columns are compressed in another way is refused before it is decompressed.
func TestOtherCodec(t *testing.T) {
	v := international()
	g := randomGames(1, 1, 20)[0]
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Lz4Raw), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Uncompressed)} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, rowSchema, codec,
			parquet.KeyValueMetadata(keyFormat, strconv.Itoa(FormatVersion)), parquet.KeyValueMetadata(keyVariant, v.Name),
			parquet.KeyValueMetadata(keyOptions, v.Options.String()), parquet.KeyValueMetadata(keyRules, strconv.Itoa(rules.Version)),
			parquet.KeyValueMetadata(sealKey, string(blankSeal)))
		_, err := w.Write(appendRows(nil, v, &g, newMoveNames(v)))
		must(err)
		must(w.Close())
		file := b.Bytes()
		seal(file)
		if _, err := decodeShard(file, v); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "not by ZSTD") {
			t.Error(err)
		}
	}
}

// reseal corrects the checksum of a changed file, so that the later checks can be tested.
func reseal(file []byte) {
	at := bytes.LastIndex(file, []byte(sealMark))
	if at < 0 || at+len(sealMark)+sealDigits > len(file) {
		return
	}
	copy(file[at+len(sealMark):], blankSeal)
	seal(file)
}

// TestFlippedBits changes every byte of a shard, one after the other, and cuts it at every length.
func TestFlippedBits(t *testing.T) {
	v := international()
	file, err := encodeShard(v, randomGames(1, 1, 4))
	must(err)
	for i := range file {
		file[i] ^= 1 << (i % 8)
		if _, err := decodeShard(file, v); !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d of byte %d of %d flipped: %v", i%8, i, len(file), err)
		}
		file[i] ^= 1 << (i % 8)
		if _, err := decodeShard(file[:i], v); !errors.Is(err, ErrDamaged) && !(i < len(magic) && errors.Is(err, ErrForeign)) {
			t.Fatalf("cut to %d of %d bytes: %v", i, len(file), err)
		}
	}
	if _, err := decodeShard(file, v); err != nil {
		t.Fatalf("unchanged: %v", err)
	}
}

// TestTamperedRows writes rows that contradict each other, under a good checksum.
func TestTamperedRows(t *testing.T) {
	tests := []struct {
		name   string
		change func(r []row)
		want   string
	}{
		{"fen", func(r []row) { r[3].FEN = r[2].FEN }, "ply 3: the position is"},
		{"quiet", func(r []row) { r[3].Quiet++ }, "ply 3: the position is"},
		{"occurrences", func(r []row) { r[3].Occurrences++ }, "ply 3: the position is said to occur"},
		{"legal", func(r []row) { r[1].Legal[0] = "1-50" }, `"1-50"`},
		{"legal missing", func(r []row) { r[1].Legal = r[1].Legal[1:] }, "legal moves are recorded"},
		{"move", func(r []row) { r[1].Move = "1-50" }, "is not legal"},
		{"ply", func(r []row) { r[1].Ply = 7 }, "the row says ply 7"},
		{"row missing", func(r []row) { copy(r[2:], r[3:]) }, "ply 2: the row says ply 3"},
		{"search", func(r []row) { r[0].Search = "deep" }, `"deep"`},
		{"visits", func(r []row) { r[0].Visits = r[0].Visits[1:] }, "visits"},
		{"priors", func(r []row) { clear(r[0].Priors) }, "priors sum"},
		{"root", func(r []row) { r[0].RootWin = 65535; r[0].RootDraw = 65535 }, "root value"},
		{"outcome", func(r []row) {
			for i := range r {
				r[i].Outcome = "none"
			}
		}, `"none"`},
		{"reason", func(r []row) {
			for i := range r {
				r[i].Reason = string(rules.NoMoves)
			}
		}, "at its end"},
		{"seed", func(r []row) { r[4].Seed++ }, "ply 4: the row tells another"},
		{"start", func(r []row) {
			for i := range r {
				r[i].Start = "W:W51:B1"
			}
		}, "its start"},
		{"id", func(r []row) {
			for i := range r {
				r[i].Game = ""
			}
		}, "no id"},
	}
	v := international()
	dir := t.TempDir()
	for i, test := range tests {
		g := randomPlay(rand.New(rand.NewPCG(2, 8)), v, v.Start(), "run-0-1", 12)
		rows := appendRows(nil, v, &g, newMoveNames(v))
		test.change(rows)
		file, err := encodeRows(v, rows)
		must(err)
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", i))
		must(os.WriteFile(path, file, 0o644))
		_, err = ReadShard(path, v)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	v := international()
	type theirs struct {
		A int
		B string
	}
	var b bytes.Buffer
	must(parquet.Write(&b, []theirs{{1, "x"}, {2, "y"}}, parquet.Compression(&zstd.Codec{})))
	for name, content := range map[string][]byte{
		"theirs":  b.Bytes(),
		"text":    []byte("a,b\n1,2\n"),
		"archive": append([]byte("PK\x03\x04"), make([]byte, 100)...),
	} {
		path := filepath.Join(dir, name)
		must(os.WriteFile(path, content, 0o644))
		if _, err := ReadShard(path, v); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644))
	if _, err := ReadShard(filepath.Join(dir, "empty"), v); !errors.Is(err, ErrDamaged) {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := ReadShard(filepath.Join(dir, "none"), v); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "the directory is not there") {
		t.Errorf("no file: %v", err)
	}
}

// FuzzReadShard: whatever a file holds, the reader returns games that can be written again, or one
// of its two errors. Each input is tried as it is and with its checksum made right.
func FuzzReadShard(f *testing.F) {
	v := international()
	file, err := encodeShard(v, randomGames(9, 2, 12))
	must(err)
	f.Add(0, []byte{}, len(file))
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		patch := make([]byte, 1+rng.IntN(4))
		for i := range patch {
			patch[i] = byte(rng.Uint32())
		}
		f.Add(rng.IntN(len(file)), patch, len(file))
	}
	for range 20 {
		f.Add(rng.IntN(len(file)), []byte{0xff}, rng.IntN(len(file)))
	}
	f.Fuzz(func(t *testing.T, at int, patch []byte, length int) {
		if length < 0 || length > len(file) || at < 0 || at > length {
			return
		}
		changed := slices.Clone(file[:length])
		copy(changed[at:], patch)
		for range 2 {
			games, err := decodeShard(changed, v)
			if err == nil {
				_, err = encodeShard(v, games)
			}
			if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
				t.Fatalf("%v", err)
			}
			reseal(changed)
		}
	})
}

func BenchmarkWriteShard(b *testing.B) {
	games := randomGames(1, 64, 80)
	plies := 0
	for i := range games {
		plies += len(games[i].Plies)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encodeShard(international(), games); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds(), "plies/s")
}

func BenchmarkReadShard(b *testing.B) {
	games := randomGames(1, 64, 80)
	plies := 0
	for i := range games {
		plies += len(games[i].Plies)
	}
	v := international()
	file, err := encodeShard(v, games)
	must(err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeShard(file, v); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds(), "plies/s")
	b.ReportMetric(float64(len(file))/float64(plies), "bytes/ply")
}

// GameIDs returns the ids of the games that ReadShard reads, and refuses files that are no shards.
func TestGameIDs(t *testing.T) {
	dir := t.TempDir()
	writeRandom(t, dir, "a.parquet", 3, 60) // more rows than one read takes
	games, err := ReadShard(filepath.Join(dir, "a.parquet"), international())
	must(err)
	var want []string
	for _, g := range games {
		want = append(want, g.ID)
	}
	if got, err := GameIDs(filepath.Join(dir, "a.parquet")); err != nil || !slices.Equal(got, want) {
		t.Errorf("%d ids, want %d: %v", len(got), len(want), err)
	}
	for name, text := range map[string]string{"empty": "", "text": "PAR1 and more text PAR1"} {
		path := filepath.Join(dir, name)
		must(os.WriteFile(path, []byte(text), 0o644))
		if _, err := GameIDs(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// encodeShard returns the bytes of a shard.
func encodeShard(v *rules.Variant, games []Game) ([]byte, error) {
	w, err := encodeGames(v, games)
	if err != nil {
		return nil, err
	}
	return w.encode()
}

// encodeRows returns the bytes of a shard with rows that nobody has checked.
func encodeRows(v *rules.Variant, rows []row) ([]byte, error) {
	w := newRowWriter(v)
	if err := w.game(rows); err != nil {
		return nil, err
	}
	return w.finish()
}
