package net

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"damier/internal/files"
	"damier/internal/publish"
	"damier/rules"
)

// The identity of a model file. FormatVersion grows when the meaning of the file changes.
const (
	Format        = "damier-model"
	FormatVersion = 1
)

// MaxWeight is the greatest magnitude of a number in a network's file. Those of trained networks stay below a hundred;
// with much larger ones what is computed is no number any more.
const MaxWeight = 1e4

// Metadata returns what a file says about the model beside its weights; see docs/model-format.md. Load
// understands it.
func (m *Model) Metadata() map[string]string {
	config, err := json.Marshal(m.Config)
	if err != nil {
		panic("net: config cannot be written as JSON")
	}
	return map[string]string{
		"format":         Format,
		"format_version": strconv.Itoa(FormatVersion),
		"variant":        m.Variant.Name,
		"options":        m.Variant.Options.String(),
		"rules":          strconv.Itoa(rules.Version),
		"config":         string(config),
		"run":            m.Run,
		"generation":     strconv.Itoa(m.Generation),
		"steps":          strconv.FormatInt(m.Steps, 10),
	}
}

// Save writes the model as a safetensors file.
func (m *Model) Save(w io.Writer) error { return WriteTensors(w, m.Metadata(), m.Params) }

// SaveFile saves the model under path, whole or not at all.
func (m *Model) SaveFile(path string) error {
	if err := publish.Write(path, m.Save); err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	return nil
}

// Load reads a model. It is strict: metadata, names and shapes must be exactly what Save writes, the rules
// version this program's, and all numbers finite. With want not nil, the model must be for that variant with
// the same options; with nil it may be for any variant the rules know.
//
// The error wraps ErrDamaged or ErrForeign, or comes from r.
func Load(r io.Reader, want *rules.Variant) (*Model, error) {
	metadata, tensors, err := ReadCheckedTensors(r, func(metadata map[string]string, tensors []Tensor) error {
		_, err := ModelFrom(metadata, tensors, want) // names and shapes
		return err
	})
	if err != nil {
		return nil, err
	}
	return ModelFrom(metadata, tensors, want)
}

// LoadFile loads the model at path, as Load does.
func LoadFile(path string, want *rules.Variant) (*Model, error) {
	f, _, err := files.Open(path, 8+maxHeader+maxTensors)
	switch {
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("model: %w: %w", err, ErrForeign)
	case err != nil:
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close()
	m, err := Load(f, want)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	return m, nil
}

// VariantOf returns the variant that a file's metadata names, want if that is not nil. The file must be of that format and
// version, of this program's rules, and for want with the same options; the error wraps [ErrForeign] or [ErrDamaged].
func VariantOf(metadata map[string]string, format string, version int, want *rules.Variant) (*rules.Variant, error) {
	foreign := func(text string, args ...any) (*rules.Variant, error) {
		return nil, fmt.Errorf(text+": %w", append(args, ErrForeign)...)
	}
	if f := metadata["format"]; f != format {
		return foreign("format is %q, want %q", f, format)
	}
	if s := metadata["format_version"]; s != strconv.Itoa(version) {
		return foreign("format version is %q, this program reads %d", s, version)
	}
	if s := metadata["rules"]; s != strconv.Itoa(rules.Version) {
		return foreign("trained under rules version %q, this program has %d", s, rules.Version)
	}
	options, err := rules.ParseOptions(metadata["options"])
	switch {
	case err != nil:
		return nil, fmt.Errorf("options: %v: %w", err, ErrDamaged)
	case want == nil:
		v, err := rules.Lookup(metadata["variant"], options)
		if err != nil {
			return foreign("%v", err)
		}
		return v, nil
	case metadata["variant"] != want.Name || options.String() != want.Options.String():
		return foreign("trained for %s[%s], want %s", metadata["variant"], options, want)
	}
	return want, nil
}

// ModelFrom makes a model of tensors that have been read, and keeps their data. They must be the model's
// parameters in order, and nothing else; the metadata may have entries of the caller's own. Errors are those
// of Load.
func ModelFrom(metadata map[string]string, tensors []Tensor, want *rules.Variant) (*Model, error) {
	foreign := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("net: "+format+": %w", append(args, ErrForeign)...)
	}
	damaged := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("net: "+format+": %w", append(args, ErrDamaged)...)
	}
	v, err := VariantOf(metadata, Format, FormatVersion, want)
	if err != nil {
		return nil, fmt.Errorf("net: %w", err)
	}
	var cfg Config
	dec := json.NewDecoder(bytes.NewReader([]byte(metadata["config"])))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&cfg); err != nil || !json.Valid([]byte(metadata["config"])) {
		return foreign("config %q cannot be read (%v)", metadata["config"], err)
	}
	a, err := NewArchitecture(v, cfg)
	if err != nil {
		return foreign("config: %v", err)
	}
	specs := a.params()
	m := &Model{Variant: v, Config: cfg.For(v), Run: metadata["run"]}
	if m.Generation, err = strconv.Atoi(metadata["generation"]); err != nil || m.Generation < 0 {
		return damaged("generation is %q, want a number from 0", metadata["generation"])
	}
	if m.Steps, err = strconv.ParseInt(metadata["steps"], 10, 64); err != nil || m.Steps < 0 {
		return damaged("steps is %q, want a number from 0", metadata["steps"])
	}
	for i, p := range specs {
		switch {
		case i >= len(tensors):
			return damaged("tensor %q is missing", p.Name)
		case tensors[i].Name != p.Name:
			return damaged("tensor %d is %q, want %q", i+1, tensors[i].Name, p.Name)
		case !slices.Equal(tensors[i].Shape, p.Shape):
			return damaged("tensor %q has shape %v, want %v", p.Name, tensors[i].Shape, p.Shape)
		}
		for j, x := range tensors[i].Data {
			if !(x >= -MaxWeight && x <= MaxWeight) {
				return damaged("tensor %q, element %d is %v; a weight is between -%g and %g", p.Name, j, x, float32(MaxWeight), float32(MaxWeight))
			}
		}
	}
	if len(tensors) > len(specs) {
		return damaged("tensor %q does not belong to the model", tensors[len(specs)].Name)
	}
	m.Params = slices.Clone(tensors)
	return m, nil
}
