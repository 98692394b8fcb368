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

func readError(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("net: the file ends within %s: %w", what, ErrDamaged)
	}
	return fmt.Errorf("net: reading %s: %w", what, err)
}
