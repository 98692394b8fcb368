package tables

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"damier/internal/publish"
	"damier/net"
	"damier/rules"
)

// The identity of a file of tables. FormatVersion grows when its meaning changes: the features, their order or unit.
const (
	Format        = "damier-tables"
	FormatVersion = 1

	// Extension ends the name of such a file.
	Extension = ".tables"
)

// Metadata returns what a file says about the model beside its weights.
func (m *Model) Metadata() map[string]string {
	return map[string]string{
		"format":         Format,
		"format_version": strconv.Itoa(FormatVersion),
		"variant":        m.Variant.Name,
		"options":        m.Variant.Options.String(),
		"rules":          strconv.Itoa(rules.Version),
		"squares":        strconv.Itoa(m.Squares),
		"run":            m.Run,
		"generation":     strconv.Itoa(m.Generation),
		"games":          strconv.FormatInt(m.Games, 10),
	}
}

// Save writes the model as a compressed safetensors file, its weights rounded to what an [Evaluator] knows of them.
func (m *Model) Save(w io.Writer) error {
	data := make([]float32, 0, 2*len(m.Weights))
	for _, w := range m.Weights {
		data = append(data, float32(rounded(w[0]))/unit, float32(rounded(w[1]))/unit)
	}
	z := gzip.NewWriter(w)
	if err := net.WriteTensors(z, m.Metadata(), []net.Tensor{{Name: "weights", Shape: []int{len(m.Weights), 2}, Data: data}}); err != nil {
		return err
	}
	return z.Close()
}

// SaveFile saves the model under path, whole or not at all.
func (m *Model) SaveFile(path string) error {
	if err := publish.Write(path, m.Save); err != nil {
		return fmt.Errorf("tables %s: %w", path, err)
	}
	return nil
}

// Load reads a model, which with want not nil must be for that variant with the same options. The error wraps
// [net.ErrDamaged] or [net.ErrForeign], or comes from r.
func Load(r io.Reader, want *rules.Variant) (*Model, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("tables: not a file of tables (%v): %w", err, net.ErrForeign)
	}
	metadata, tensors, err := net.ReadTensors(z)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("tables: %v: %w", err, net.ErrDamaged)
		}
		return nil, err
	}
	foreign := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("tables: "+format+": %w", append(args, net.ErrForeign)...)
	}
	damaged := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("tables: "+format+": %w", append(args, net.ErrDamaged)...)
	}
	v, err := net.VariantOf(metadata, Format, FormatVersion, want)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	squares, err := strconv.Atoi(cmp.Or(metadata["squares"], strconv.Itoa(Windows[0])))
	if err != nil || !slices.Contains(Windows, squares) {
		return foreign("windows of %q squares, this program knows %v", metadata["squares"], Windows)
	}
	m := New(v, squares)
	m.Run = metadata["run"]
	if m.Generation, err = strconv.Atoi(metadata["generation"]); err != nil || m.Generation < 0 {
		return damaged("generation is %q, want a number from 0", metadata["generation"])
	}
	if m.Games, err = strconv.ParseInt(metadata["games"], 10, 64); err != nil || m.Games < 0 {
		return damaged("games is %q, want a number from 0", metadata["games"])
	}
	if len(tensors) != 1 || tensors[0].Name != "weights" || len(tensors[0].Data) != 2*len(m.Weights) {
		return damaged("it lacks the %d weights of %s", 2*len(m.Weights), v)
	}
	for i, x := range tensors[0].Data {
		if x != x || math.IsInf(float64(x), 0) {
			return damaged("weight %d is %v", i, x)
		}
		m.Weights[i/2][i%2] = x
	}
	return m, nil
}

// LoadFile loads the model at path, as Load does.
func LoadFile(path string, want *rules.Variant) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer f.Close()
	m, err := Load(f, want)
	if err != nil {
		return nil, fmt.Errorf("tables %s: %w", path, err)
	}
	return m, nil
}
