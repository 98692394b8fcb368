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

func checksum(header, data []byte) string {
	h := sha256.New()
	h.Write(header)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// checksumField returns the text of the checksum in the header.
func checksumField(sum string) []byte { return []byte(`"` + checksumKey + `":"` + sum + `"`) }
