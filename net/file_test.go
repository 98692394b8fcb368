package net

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"damier/internal/publish"
	"damier/rules"

	"github.com/google/go-cmp/cmp"
)

// small is the model of the golden file.
func small(tb testing.TB) *Model {
	m, err := NewModel(international, Config{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8}, 1)
	if err != nil {
		tb.Fatal(err)
	}
	m.Run, m.Generation, m.Steps = "golden", 3, 1200
	return m
}

func saved(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestFileRoundTrip(t *testing.T) {
	for name, cfg := range configs {
		m := newTestModel(t, cfg, true)
		m.Run, m.Generation, m.Steps = "a \"run\", with signs ✓", 12, 1<<40
		for _, want := range []*rules.Variant{international, nil} {
			got, err := Load(bytes.NewReader(saved(t, m)), want)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.Run != m.Run || got.Generation != m.Generation || got.Steps != m.Steps || !got.sameNetwork(m) {
				t.Errorf("%s: loaded %v, %+v, want %v, %+v", name, got, got.Metadata(), m, m.Metadata())
			}
			for i, p := range m.Params {
				q := got.Params[i]
				if p.Name != q.Name || !slices.Equal(p.Shape, q.Shape) || !slices.Equal(p.Data, q.Data) {
					t.Errorf("%s: %s %v comes back as %s %v, or other numbers", name, p.Name, p.Shape, q.Name, q.Shape)
				}
			}
		}
	}
}

// TestFileGolden holds the format still: today's file is written as ever, and yesterday's can be read.
func TestFileGolden(t *testing.T) {
	m := small(t)
	golden(t, "testdata/small.safetensors", saved(t, m))
	got, err := LoadFile("testdata/small.safetensors", international)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Params, got.Params); d != "" {
		t.Error(d)
	}
}

// TestFileLayout reads the file as the safetensors format is described, without our reader.
func TestFileLayout(t *testing.T) {
	m := small(t)
	b := saved(t, m)
	n := binary.LittleEndian.Uint64(b)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	if len(header) != len(m.Params)+1 || n%8 != 0 {
		t.Errorf("%d entries in a header of %d bytes for %d tensors", len(header), n, len(m.Params))
	}
	data := b[8+n:]
	for _, p := range m.Params {
		var h struct {
			Dtype   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(header[p.Name], &h); err != nil {
			t.Fatal(err)
		}
		if h.Dtype != "F32" || !cmp.Equal(h.Shape, p.Shape) || h.Offsets[1]-h.Offsets[0] != 4*len(p.Data) {
			t.Errorf("%s: header %+v", p.Name, h)
		}
		for i, x := range p.Data {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(data[h.Offsets[0]+4*i:])); got != x {
				t.Fatalf("%s, element %d is %v, want %v", p.Name, i, got, x)
			}
		}
	}
}

// TestFileDamage: no file cut short and none with a changed bit is taken.
func TestFileDamage(t *testing.T) {
	b := saved(t, small(t))
	refused := func(b []byte, what string, at int) {
		t.Helper()
		if _, err := Load(bytes.NewReader(b), international); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Fatalf("%s %d: error %v", what, at, err)
		}
	}
	for n := 0; n < len(b); n += 1 + n/200 {
		refused(b[:n], "cut to", n)
	}
	refused(append(bytes.Clone(b), 0), "longer by", 1)
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 1 << (i % 8)
		refused(c, "changed bit in byte", i)
	}
}

// TestFileRefusals: sound files that do not belong, and what is said of them.
func TestFileRefusals(t *testing.T) {
	house, err := rules.Lookup("international", rules.Options{"draws": "house-15-5"})
	if err != nil {
		t.Fatal(err)
	}
	m := small(t)
	with := func(change func(meta map[string]string, params *[]Tensor)) []byte {
		meta, c := maps.Clone(m.Metadata()), m.Clone()
		change(meta, &c.Params)
		var b bytes.Buffer
		if err := WriteTensors(&b, meta, c.Params); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	set := func(key, value string) []byte {
		return with(func(meta map[string]string, _ *[]Tensor) { meta[key] = value })
	}
	header := func(text string) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	}
	for _, c := range []struct {
		name string
		file []byte
		want *rules.Variant
		err  error
		says string
	}{
		{"empty", nil, nil, ErrDamaged, "header's length"},
		{"text", []byte("# Damier\n\nA player of draughts.\n"), nil, ErrForeign, "not a safetensors file"},
		{"no object", header(`[1, 2, 3]`), nil, ErrForeign, "not a safetensors file"},
		{"no checksum", header(`{}`), nil, ErrForeign, "checksum"},
		{"rubbish", header(`{"a":`), nil, ErrDamaged, "header"},
		{"after the end", header(`{} {}`), nil, ErrDamaged, "after its end"},
		{"twice", header(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}}`), nil, ErrDamaged, "twice"},
		{"type", header(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`), nil, ErrForeign, "F16"},
		{"gap", header(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`), nil, ErrDamaged, "begins at byte 4"},
		{"offsets", header(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`), nil, ErrDamaged, "does not fit"},
		{"negative", header(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[4,0]}}`), nil, ErrDamaged, "does not fit"},
		{"huge", header(`{"a":{"dtype":"F32","shape":[99999999999,99999999999],"data_offsets":[0,4]}}`), nil, ErrDamaged, "does not fit"},
		{"no data", header(`{"a":{"dtype":"F32","shape":[200000000],"data_offsets":[0,800000000]}}`), nil, ErrForeign, "checksum"},
		{"format", set("format", "other"), nil, ErrForeign, "format"},
		{"format version", set("format_version", "2"), nil, ErrForeign, "format version"},
		{"rules", set("rules", "999"), nil, ErrForeign, "rules version"},
		{"variant", set("variant", "frisian"), nil, ErrForeign, "frisian"},
		{"other variant", set("variant", "frisian"), international, ErrForeign, "want international"},
		{"options", set("options", "rubbish"), nil, ErrDamaged, "options"},
		{"unknown options", set("options", "colour=red"), nil, ErrForeign, "colour"},
		{"other options", saved(t, m), house, ErrForeign, "house-15-5"},
		{"config", set("config", "{}x"), nil, ErrForeign, "{}x"},
		{"other config", set("config", "{}"), nil, ErrDamaged, "shape"}, // the default network
		{"unknown config", set("config", `{"wings":2}`), nil, ErrForeign, "wings"},
		{"bad config", set("config", `{"channels":9}`), nil, ErrForeign, "Channels"},
		{"generation", set("generation", "-1"), nil, ErrDamaged, "generation"},
		{"steps", set("steps", "many"), nil, ErrDamaged, "steps"},
		{"missing", with(func(_ map[string]string, p *[]Tensor) { *p = (*p)[:3] }), nil, ErrDamaged, "missing"},
		{"surplus", with(func(_ map[string]string, p *[]Tensor) { *p = append(*p, Tensor{"more", []int{1}, []float32{1}}) }), nil, ErrDamaged, `"more"`},
		{"name", with(func(_ map[string]string, p *[]Tensor) { (*p)[2].Name = "other" }), nil, ErrDamaged, `"other"`},
		{"shape", with(func(_ map[string]string, p *[]Tensor) { (*p)[0].Shape = []int{8, 5, 8} }), nil, ErrDamaged, "shape"},
		{"NaN", with(func(_ map[string]string, p *[]Tensor) { (*p)[1].Data[5] = float32(math.NaN()) }), nil, ErrDamaged, "NaN"},
		{"huge weight", with(func(_ map[string]string, p *[]Tensor) { (*p)[1].Data[5] = 3e38 }), nil, ErrDamaged, "between"},
		{"huge weight below", with(func(_ map[string]string, p *[]Tensor) { (*p)[1].Data[5] = -3e38 }), nil, ErrDamaged, "between"},
		{"infinity", with(func(_ map[string]string, p *[]Tensor) { (*p)[1].Data[5] = float32(math.Inf(1)) }), nil, ErrDamaged, "Inf"},
	} {
		_, err := Load(bytes.NewReader(c.file), c.want)
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %v with %q", c.name, err, c.err, c.says)
		}
	}
}

func TestSaveFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gen-000003.safetensors")
	for range 2 { // the second replaces the first
		if err := small(t).SaveFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LoadFile(path, international); err != nil {
		t.Fatal(err)
	}
	// A failed write leaves the old file, and nothing else.
	failure := errors.New("disk is full")
	err := publish.Write(path, func(w io.Writer) error {
		w.Write([]byte("half"))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	if _, err := LoadFile(path, international); err != nil {
		t.Error(err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("%d files are left: %v", len(names), names)
	}
	for _, bad := range []string{filepath.Join(dir, "none", "a.safetensors"), dir} {
		if err := small(t).SaveFile(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("saving as %s: error %v", bad, err)
		}
	}
	if _, err := LoadFile(filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("loading what is not there: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	b := saved(f, small(f))
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Load(bytes.NewReader(b), nil)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
				t.Errorf("error %v is neither ErrDamaged nor ErrForeign", err)
			}
			return
		}
		if _, err := Load(bytes.NewReader(saved(t, m)), m.Variant); err != nil {
			t.Errorf("a loaded model cannot be saved and loaded: %v", err)
		}
	})
}

// A file that promises a gigabyte is refused before memory is taken for it, though the gigabyte be there: a sparse file
// takes no room on the disk.
func TestLoadTakesNoMemoryForPromises(t *testing.T) {
	const size = 1 << 30
	for name, metadata := range map[string]string{
		"ours":      fmt.Sprintf(`"sha256":%q`, noChecksum),
		"no format": `"a":"b"`,
	} {
		text := fmt.Sprintf(`{"__metadata__":{%s},"a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, metadata, size/4, size)
		path := filepath.Join(t.TempDir(), "sparse.safetensors")
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(len(file))+size); err != nil {
			t.Skip(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := LoadFile(path, nil)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s: %d MB were allocated to refuse it", name, n>>20)
		}
	}
	// Cut short after a promise: memory grows with what is there.
	text := fmt.Sprintf(`{"__metadata__":{"sha256":%q},"a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, noChecksum, size/4, size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := ReadTensors(strings.NewReader(string(binary.LittleEndian.AppendUint64(nil, uint64(len(text)))) + text + "1234"))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrDamaged) || after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%v, %d MB", err, (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}
