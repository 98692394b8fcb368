package net

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// ErrDamaged is wrapped by errors about a file that is cut short, changed or malformed, so that no
// program of ours wrote it that way.
var ErrDamaged = errors.New("file is damaged")

// ErrForeign is wrapped by errors about a sound file that does not fit: of another program or
// version, or of another variant, rules version or network than expected.
var ErrForeign = errors.New("file does not fit")

// MaxWeight is the greatest allowed magnitude of a number in a file of tensors. Those of trained
// networks stay below a hundred; much larger ones would overflow to infinity in a computation.
const MaxWeight = 1e4

const (
	maxHeader  = 4 << 20 // bytes of JSON
	maxTensors = 1 << 30 // bytes of data

	checksumKey = "sha256" // metadata key of the SHA-256 of the file without its first 8 bytes, with zeros in place of the checksum
)

var noChecksum = hex.EncodeToString(make([]byte, sha256.Size))

// Tensor is a named array: a parameter of a network, or other numbers stored with it.
type Tensor struct {
	Name  string
	Shape []int     // dimensions, each at least 1
	Data  []float32 // row by row; its length is the product of Shape
}

// tensorHeader is the entry of one tensor in the header of a safetensors file.
type tensorHeader struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // first byte and one past the last, counted from the end of the header
}

// WriteTensors writes a safetensors file: the tensors in the given order as little-endian float32,
// and metadata, to which it adds a checksum. Names must be different, and each shape must fit its
// data.
func WriteTensors(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	meta := map[string]string{checksumKey: noChecksum}
	for k, v := range metadata {
		if k == checksumKey {
			panic("net: metadata with a checksum of its own")
		}
		meta[k] = v
	}
	header := map[string]any{"__metadata__": meta}
	size := 0
	for _, t := range tensors {
		if _, twice := header[t.Name]; twice {
			panic("net: two tensors of one name")
		}
		if n, ok := volume(t.Shape); !ok || n != len(t.Data) {
			panic("net: shape does not fit the data")
		}
		header[t.Name] = tensorHeader{"F32", t.Shape, [2]int{size, size + 4*len(t.Data)}}
		size += 4 * len(t.Data)
	}
	text, err := json.Marshal(header) // keys are sorted, so equal models give equal files
	if err != nil {
		return fmt.Errorf("net: tensor header: %w", err)
	}
	if len(text) > maxHeader || size > maxTensors {
		return fmt.Errorf("net: %d bytes of tensors with %d of header are too much for one file", size, len(text))
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	data := make([]byte, 0, size)
	for _, t := range tensors {
		for _, x := range t.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	sum := checksum(text, data)
	text = bytes.Replace(text, checksumField(noChecksum), checksumField(sum), 1)
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("net: writing tensors: %w", err)
		}
	}
	return nil
}

// CopyTensors copies the numbers of src into dst; names and sizes must be equal. It refuses
// numbers that are NaN or beyond [MaxWeight], and then leaves dst unchanged. The error wraps
// [ErrDamaged].
func CopyTensors(dst, src []Tensor) error {
	if len(src) != len(dst) {
		return fmt.Errorf("%d tensors, want %d: %w", len(src), len(dst), ErrDamaged)
	}
	for i, t := range src {
		if t.Name != dst[i].Name || len(t.Data) != len(dst[i].Data) {
			return fmt.Errorf("tensor %q has %d numbers, want %q with %d: %w", t.Name, len(t.Data), dst[i].Name, len(dst[i].Data), ErrDamaged)
		}
		for j, x := range t.Data {
			if !(x >= -MaxWeight && x <= MaxWeight) {
				return fmt.Errorf("number %d of tensor %q is %v; a weight is between -%g and %g: %w",
					j, t.Name, x, float32(MaxWeight), float32(MaxWeight), ErrDamaged)
			}
		}
	}
	for i, t := range src {
		copy(dst[i].Data, t.Data)
	}
	return nil
}

// ReadTensors reads a file of WriteTensors. The tensors keep their order; the returned metadata
// does not contain the checksum. It refuses a safetensors file of another program, which has no
// checksum.
//
// The error wraps ErrDamaged or ErrForeign, or comes from r.
func ReadTensors(r io.Reader) (metadata map[string]string, tensors []Tensor, err error) {
	return ReadCheckedTensors(r, nil)
}

// ReadCheckedTensors is ReadTensors, but calls check, if not nil, with the header before it
// allocates memory for the tensors. check gets the metadata, which are not verified yet, and the
// tensors without their data. If check returns an error, ReadCheckedTensors returns it.
func ReadCheckedTensors(r io.Reader, check func(map[string]string, []Tensor) error) (metadata map[string]string, tensors []Tensor, err error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, nil, readError("the header's length", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n < 2 || n > maxHeader {
		return nil, nil, fmt.Errorf("net: not a safetensors file, its header would have %d bytes: %w", n, ErrForeign)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, readError("the header", err)
	}
	if text[0] != '{' {
		return nil, nil, fmt.Errorf("net: not a safetensors file, its header does not begin with {: %w", ErrForeign)
	}
	metadata, tensors, size, err := parseHeader(text)
	if err != nil {
		return nil, nil, err
	}
	sum, ok := metadata[checksumKey]
	if !ok {
		return nil, nil, fmt.Errorf("net: a safetensors file, but without the checksum %q that ours have: %w", checksumKey, ErrForeign)
	}
	delete(metadata, checksumKey)
	if check != nil {
		if err := check(metadata, tensors); err != nil {
			return nil, nil, err
		}
	}
	hash := sha256.New()
	hash.Write(bytes.Replace(text, checksumField(sum), checksumField(noChecksum), 1))
	content := &counting{r: io.TeeReader(r, hash)}
	for i := range tensors {
		t := &tensors[i]
		count, _ := volume(t.Shape)
		if t.Data, err = readFloats(content, count); err != nil {
			break
		}
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, fmt.Errorf("net: %d bytes of tensors, the header promises %d: %w", content.n, size, ErrDamaged)
	case err != nil:
		return nil, nil, fmt.Errorf("net: reading tensors: %w", err)
	}
	switch n, err := io.CopyN(io.Discard, r, 1); {
	case n > 0:
		return nil, nil, fmt.Errorf("net: more than the %d bytes of tensors that the header promises: %w", size, ErrDamaged)
	case !errors.Is(err, io.EOF):
		return nil, nil, fmt.Errorf("net: reading tensors: %w", err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		return nil, nil, fmt.Errorf("net: the checksum is not that of the content: %w", ErrDamaged)
	}
	return metadata, tensors, nil
}

// counting counts the bytes read.
type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// readFloats reads count numbers. Its memory grows with the data read, not with count, which may
// be false.
func readFloats(r io.Reader, count int) ([]float32, error) {
	var chunk [1 << 14]byte
	data := make([]float32, 0, min(count, 1<<16))
	for len(data) < count {
		b := chunk[:min(len(chunk), 4*(count-len(data)))]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		for ; len(b) > 0; b = b[4:] {
			data = append(data, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	}
	return data, nil
}

// parseHeader returns the metadata, the tensors in the order of their data but without it, and the
// number of bytes of the data.
func parseHeader(text []byte) (metadata map[string]string, tensors []Tensor, size int, err error) {
	damaged := func(format string, args ...any) (map[string]string, []Tensor, int, error) {
		return nil, nil, 0, fmt.Errorf("net: tensor header: "+format+": %w", append(args, ErrDamaged)...)
	}
	// Decode token by token, because a map would hide a name that occurs twice.
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return damaged("%v", err)
	}
	type placed struct {
		Tensor
		from, to int
	}
	var all []placed
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return damaged("%v", err)
		}
		name, ok := token.(string)
		if !ok || seen[name] {
			return damaged("name %v is no string or stands there twice", token)
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := dec.Decode(&metadata); err != nil {
				return damaged("metadata: %v", err)
			}
			continue
		}
		var h tensorHeader
		if err := dec.Decode(&h); err != nil {
			return damaged("tensor %q: %v", name, err)
		}
		if h.Dtype != "F32" {
			return nil, nil, 0, fmt.Errorf("net: tensor %q is of type %q, want F32: %w", name, h.Dtype, ErrForeign)
		}
		n, ok := volume(h.Shape)
		if !ok || h.Offsets[0] < 0 || h.Offsets[1] < h.Offsets[0] || h.Offsets[1]-h.Offsets[0] != 4*n {
			return damaged("tensor %q: shape %v does not fit offsets %v", name, h.Shape, h.Offsets)
		}
		all = append(all, placed{Tensor{Name: name, Shape: h.Shape}, h.Offsets[0], h.Offsets[1]})
	}
	if _, err := dec.Token(); err != nil {
		return damaged("%v", err)
	}
	if rest := bytes.TrimRight(text[dec.InputOffset():], " "); len(rest) > 0 {
		return damaged("%d bytes after its end", len(rest))
	}
	slices.SortFunc(all, func(a, b placed) int { return a.from - b.from })
	for _, p := range all {
		if p.from != size {
			return damaged("tensor %q begins at byte %d, want %d", p.Name, p.from, size)
		}
		size = p.to
		tensors = append(tensors, p.Tensor)
	}
	if size > maxTensors {
		return damaged("%d bytes of data, at most %d are read", size, maxTensors)
	}
	if metadata == nil {
		metadata = map[string]string{}
	}
	return metadata, tensors, size, nil
}

// volume returns the product of the shape; false if a dimension is below 1 or the product is too
// large for a file.
func volume(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 1 || d > maxTensors/4/n {
			return 0, false
		}
		n *= d
	}
	return n, true
}

func checksum(header, data []byte) string {
	h := sha256.New()
	h.Write(header)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// checksumField returns the text of the checksum in the header.
func checksumField(sum string) []byte { return []byte(`"` + checksumKey + `":"` + sum + `"`) }

func readError(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("net: the file ends within %s: %w", what, ErrDamaged)
	}
	return fmt.Errorf("net: reading %s: %w", what, err)
}
