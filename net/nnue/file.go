package nnue

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"damier/internal/files"
	"damier/internal/publish"
	"damier/internal/simd"
	"damier/net"
	"damier/rules"
)

// The identity of a model file. FormatVersion grows when the meaning of the weights changes: the
// inputs, their order or a unit.
const (
	Format        = "damier-nnue"
	FormatVersion = 1

	// Extension is the extension of the name of a model file.
	Extension = ".nnue"
)

// maxFile is the size in bytes above which a file is refused unread: four times that of the widest
// network.
const maxFile = 64 << 20

// mostWidth is the largest width of a network in a file.
const mostWidth = 4096

// Metadata returns the metadata of the model's file.
func (m *Model) Metadata() map[string]string {
	return map[string]string{
		"format":         Format,
		"format_version": strconv.Itoa(FormatVersion),
		"variant":        m.Variant.Name,
		"options":        m.Variant.Options.String(),
		"rules":          strconv.Itoa(rules.Version),
		"width":          strconv.Itoa(m.Width),
		"run":            m.Run,
		"generation":     strconv.Itoa(m.Generation),
		"games":          strconv.FormatInt(m.Games, 10),
	}
}

// Tensors returns the weights by name. Their data is the memory of the model.
func (m *Model) Tensors() []net.Tensor {
	w := m.Width
	return []net.Tensor{
		{Name: "hidden", Shape: []int{m.inputs() + 1, w}, Data: m.Hidden},
		{Name: "output", Shape: []int{Outputs, 2, w}, Data: m.Output},
		{Name: "bias", Shape: []int{Outputs}, Data: m.Bias},
	}
}

// Save writes the model as a compressed safetensors file, with its weights rounded to the steps of
// an [Evaluator].
func (m *Model) Save(w io.Writer) error {
	tensors := m.Tensors()
	for i, unit := range []float64{simd.SparseOne, unit, unit} {
		data := make([]float32, len(tensors[i].Data))
		for j, x := range tensors[i].Data {
			data[j] = float32(math.Round(float64(x)*unit) / unit)
		}
		tensors[i].Data = data
	}
	z := gzip.NewWriter(w)
	if err := net.WriteTensors(z, m.Metadata(), tensors); err != nil {
		return err
	}
	return z.Close()
}

// SaveFile saves the model to path. The file is written completely or not at all.
func (m *Model) SaveFile(path string) error {
	if err := publish.Write(path, m.Save); err != nil {
		return fmt.Errorf("nnue %s: %w", path, err)
	}
	return nil
}

// Load reads a model. If want is not nil, the model must be for that variant with the same
// options. The error wraps [net.ErrDamaged] or [net.ErrForeign], or comes from r.
func Load(r io.Reader, want *rules.Variant) (*Model, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("nnue: not a file of such a network (%v): %w", err, net.ErrForeign)
	}
	var m *Model
	_, tensors, err := net.ReadCheckedTensors(z, func(metadata map[string]string, tensors []net.Tensor) (err error) {
		m, err = modelOf(metadata, tensors, want)
		return err
	})
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || isCorrupt(err) {
			return nil, fmt.Errorf("nnue: %v: %w", err, net.ErrDamaged)
		}
		return nil, err
	}
	if err := m.SetTensors(tensors); err != nil {
		return nil, err
	}
	return m, nil
}

// isCorrupt reports whether err says that the compressed data is damaged.
func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}

// modelOf returns a model with the shape that a header declares, without its weights. The tensors
// have no data yet.
func modelOf(metadata map[string]string, tensors []net.Tensor, want *rules.Variant) (*Model, error) {
	damaged := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("nnue: "+format+": %w", append(args, net.ErrDamaged)...)
	}
	v, err := net.VariantOf(metadata, Format, FormatVersion, want)
	if err != nil {
		return nil, fmt.Errorf("nnue: %w", err)
	}
	width, err := strconv.Atoi(metadata["width"])
	if err != nil || width < 1 || width > mostWidth || 2*width%simd.SparseLanes != 0 {
		return damaged("width is %q, want a multiple of %d up to %d", metadata["width"], simd.SparseLanes/2, mostWidth)
	}
	m := empty(v, width)
	m.Run = metadata["run"]
	if m.Generation, err = strconv.Atoi(metadata["generation"]); err != nil || m.Generation < 0 {
		return damaged("generation is %q, want a number from 0", metadata["generation"])
	}
	if m.Games, err = strconv.ParseInt(metadata["games"], 10, 64); err != nil || m.Games < 0 {
		return damaged("games is %q, want a number from 0", metadata["games"])
	}
	mine := m.Tensors()
	if len(tensors) != len(mine) {
		return damaged("%d tensors, want %d", len(tensors), len(mine))
	}
	for i, t := range tensors {
		if t.Name != mine[i].Name || !slices.Equal(t.Shape, mine[i].Shape) {
			return damaged("tensor %q has shape %v, want %q with %v", t.Name, t.Shape, mine[i].Name, mine[i].Shape)
		}
	}
	return m, nil
}

// SetTensors copies the weights from tensors as [Model.Tensors] returns them. The error wraps
// [net.ErrDamaged].
func (m *Model) SetTensors(tensors []net.Tensor) error {
	if err := net.CopyTensors(m.Tensors(), tensors); err != nil {
		return fmt.Errorf("nnue: %w", err)
	}
	return nil
}

// LoadFile loads the model at path, as Load does.
func LoadFile(path string, want *rules.Variant) (*Model, error) {
	f, _, err := files.Open(path, maxFile)
	switch {
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("nnue: %w: %w", err, net.ErrForeign)
	case err != nil:
		return nil, fmt.Errorf("nnue: %w", err)
	}
	defer f.Close()
	m, err := Load(f, want)
	if err != nil {
		return nil, fmt.Errorf("nnue %s: %w", path, err)
	}
	return m, nil
}
