package net

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"damier/rules"

	"github.com/google/go-cmp/cmp"
)

// small are tensors of several shapes, the last of a single number.
func small() []Tensor {
	a := Tensor{Name: "hidden", Shape: []int{5, 3}}
	for i := range 15 {
		a.Data = append(a.Data, float32(i)/8-1)
	}
	return []Tensor{a, {"output", []int{2, 1, 2}, []float32{1, -2, 3.5, 1e-9}}, {"bias", []int{1}, []float32{-0.25}}}
}

// about is what a file of these says of itself.
func about() map[string]string {
	return map[string]string{
		"format": "test", "format_version": "1", "rules": fmt.Sprint(rules.Version),
		"variant": "international", "options": rules.International.Options.String(), "run": "a \"run\", with signs ✓",
	}
}

func written(tb testing.TB, metadata map[string]string, tensors []Tensor) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := WriteTensors(&b, metadata, tensors); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	b := written(t, about(), small())
	metadata, tensors, err := ReadTensors(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(about(), metadata) + cmp.Diff(small(), tensors); d != "" {
		t.Error(d)
	}
	if !bytes.Equal(b, written(t, metadata, tensors)) {
		t.Error("the same tensors are another file")
	}
}

// TestLayout reads the file as the safetensors format is described, without our reader.
func TestLayout(t *testing.T) {
	b := written(t, about(), small())
	n := binary.LittleEndian.Uint64(b)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	if len(header) != len(small())+1 || n%8 != 0 {
		t.Errorf("%d entries in a header of %d bytes for %d tensors", len(header), n, len(small()))
	}
	data := b[8+n:]
	for _, p := range small() {
		var h struct {
			Dtype   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(header[p.Name], &h); err != nil {
			t.Fatal(err)
		}
		if h.Dtype != "F32" || !slices.Equal(h.Shape, p.Shape) || h.Offsets[1]-h.Offsets[0] != 4*len(p.Data) {
			t.Errorf("%s: header %+v", p.Name, h)
		}
		for i, x := range p.Data {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(data[h.Offsets[0]+4*i:])); got != x {
				t.Fatalf("%s, element %d is %v, want %v", p.Name, i, got, x)
			}
		}
	}
}

// TestDamage: no file cut short and none with a changed bit is taken.
func TestDamage(t *testing.T) {
	b := written(t, about(), small())
	refused := func(b []byte, what string, at int) {
		t.Helper()
		if _, _, err := ReadTensors(bytes.NewReader(b)); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Fatalf("%s %d: error %v", what, at, err)
		}
	}
	for n := range b {
		refused(b[:n], "cut to", n)
	}
	refused(append(bytes.Clone(b), 0), "longer by", 1)
	for i := range b {
		for bit := range 8 {
			c := bytes.Clone(b)
			c[i] ^= 1 << bit
			refused(c, "changed bit in byte", i)
		}
	}
}

// TestRefusals: files that are none of ours, and what is said of them.
func TestRefusals(t *testing.T) {
	header := func(text string) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	}
	for _, c := range []struct {
		name string
		file []byte
		err  error
		says string
	}{
		{"empty", nil, ErrDamaged, "header's length"},
		{"text", []byte("# Damier\n\nA player of draughts.\n"), ErrForeign, "not a safetensors file"},
		{"no object", header(`[1, 2, 3]`), ErrForeign, "not a safetensors file"},
		{"no checksum", header(`{}`), ErrForeign, "checksum"},
		{"rubbish", header(`{"a":`), ErrDamaged, "header"},
		{"after the end", header(`{} {}`), ErrDamaged, "after its end"},
		{"twice", header(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}}`), ErrDamaged, "twice"},
		{"type", header(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`), ErrForeign, "F16"},
		{"gap", header(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`), ErrDamaged, "begins at byte 4"},
		{"offsets", header(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`), ErrDamaged, "does not fit"},
		{"negative", header(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[4,0]}}`), ErrDamaged, "does not fit"},
		{"huge", header(`{"a":{"dtype":"F32","shape":[99999999999,99999999999],"data_offsets":[0,4]}}`), ErrDamaged, "does not fit"},
		{"no data", header(`{"a":{"dtype":"F32","shape":[200000000],"data_offsets":[0,800000000]}}`), ErrForeign, "checksum"},
	} {
		_, _, err := ReadTensors(bytes.NewReader(c.file))
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %v with %q", c.name, err, c.err, c.says)
		}
	}
}

func TestVariantOf(t *testing.T) {
	house, err := rules.Lookup("international", rules.Options{"draws": "house-15-5"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*rules.Variant{nil, rules.International} {
		if v, err := VariantOf(about(), "test", 1, want); err != nil || v.String() != rules.International.String() {
			t.Errorf("%v, %v", v, err)
		}
	}
	for _, c := range []struct {
		key, value string
		want       *rules.Variant
		err        error
		says       string
	}{
		{"format", "other", nil, ErrForeign, "format"},
		{"format_version", "2", nil, ErrForeign, "format version"},
		{"rules", "999", nil, ErrForeign, "rules version"},
		{"variant", "chess", nil, ErrForeign, "chess"},
		{"variant", "frisian", rules.International, ErrForeign, "want international"},
		{"options", "rubbish", nil, ErrDamaged, "options"},
		{"options", "colour=red", nil, ErrForeign, "colour"},
		{"run", "of the other options", house, ErrForeign, "house-15-5"},
	} {
		metadata := maps.Clone(about())
		metadata[c.key] = c.value
		if _, err := VariantOf(metadata, "test", 1, c.want); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: error %v, want %v with %q", c.key, c.value, err, c.err, c.says)
		}
	}
}

// TestCopyTensors: what does not fit, or is no weight, changes nothing.
func TestCopyTensors(t *testing.T) {
	for name, change := range map[string]func(s []Tensor) []Tensor{
		"missing":  func(s []Tensor) []Tensor { return s[:2] },
		"surplus":  func(s []Tensor) []Tensor { return append(s, Tensor{"more", []int{1}, []float32{1}}) },
		"name":     func(s []Tensor) []Tensor { s[2].Name = "other"; return s },
		"size":     func(s []Tensor) []Tensor { s[0].Data = s[0].Data[:14]; return s },
		"NaN":      func(s []Tensor) []Tensor { s[2].Data[0] = float32(math.NaN()); return s },
		"infinite": func(s []Tensor) []Tensor { s[1].Data[1] = float32(math.Inf(-1)); return s },
		"huge":     func(s []Tensor) []Tensor { s[1].Data[1] = 2 * MaxWeight; return s },
	} {
		src := small()
		src[0].Data[0] = 7 // a change that must not arrive
		dst := small()
		if err := CopyTensors(dst, change(src)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v, want %v", name, err, ErrDamaged)
		}
		if d := cmp.Diff(small(), dst); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	src, dst := small(), small()
	src[0].Data[0] = 7
	if err := CopyTensors(dst, src); err != nil || dst[0].Data[0] != 7 {
		t.Errorf("%v, %v", dst[0], err)
	}
}

func FuzzReadTensors(f *testing.F) {
	b := written(f, about(), small())
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		metadata, tensors, err := ReadTensors(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
				t.Errorf("error %v is neither ErrDamaged nor ErrForeign", err)
			}
			return
		}
		if _, _, err := ReadTensors(bytes.NewReader(written(t, metadata, tensors))); err != nil {
			t.Errorf("tensors that were read cannot be written and read: %v", err)
		}
	})
}

// A file that promises a gigabyte is refused before memory is taken for it, though the gigabyte be
// there: a sparse file takes no room on the disk.
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
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = ReadCheckedTensors(f, func(map[string]string, []Tensor) error { return fmt.Errorf("not this one: %w", ErrForeign) })
		f.Close()
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
