package train

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"damier/net"
)

// The identity of a file of training state. FormatVersion grows when the meaning of the file changes.
const (
	Format        = "damier-training"
	FormatVersion = 1
)

// The prefixes of the tensors' names: what is kept of each parameter, in this order.
const (
	weightsPrefix = "weights."
	averagePrefix = "average."
	moment1Prefix = "moment1."
	moment2Prefix = "moment2."
)

// Save writes all that training needs to go on bit for bit: weights, moving average, moments and the number
// of steps, as a safetensors file. The config is not in it: it belongs to who trains.
func (t *Trainer) Save(w io.Writer) error {
	metadata := t.model.Metadata()
	metadata["format"] = Format
	metadata["format_version"] = strconv.Itoa(FormatVersion)
	metadata["solver_steps"] = strconv.Itoa(t.solver.steps)
	return net.WriteTensors(w, metadata, t.tensors())
}

// tensors returns the state, with the trainer's own memory.
func (t *Trainer) tensors() []net.Tensor {
	var all []net.Tensor
	add := func(prefix string, data func(i int) []float32) {
		for i, p := range t.model.Params {
			all = append(all, net.Tensor{Name: prefix + p.Name, Shape: p.Shape, Data: data(i)})
		}
	}
	add(weightsPrefix, func(i int) []float32 { return t.model.Params[i].Data })
	add(averagePrefix, func(i int) []float32 { return t.average.Params[i].Data })
	add(moment1Prefix, func(i int) []float32 { return t.solver.moment1[i] })
	add(moment2Prefix, func(i int) []float32 { return t.solver.moment2[i] })
	return all
}

// Load takes over the state that Save wrote, which must be of the same network, variant, options and rules
// version as the trainer's. It is strict as net.Load is, and changes nothing if it fails. The error wraps
// net.ErrDamaged or net.ErrForeign, or comes from r.
func (t *Trainer) Load(r io.Reader) error {
	metadata, tensors, err := net.ReadTensors(r)
	if err != nil {
		return fmt.Errorf("train: training state: %w", err)
	}
	foreign := func(format string, args ...any) error {
		return fmt.Errorf("train: training state: "+format+": %w", append(args, net.ErrForeign)...)
	}
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("train: training state: "+format+": %w", append(args, net.ErrDamaged)...)
	}
	if f := metadata["format"]; f != Format {
		return foreign("format is %q, want %q", f, Format)
	}
	if s := metadata["format_version"]; s != strconv.Itoa(FormatVersion) {
		return foreign("format version is %q, this program reads %d", s, FormatVersion)
	}
	own := t.model.Metadata()
	for _, key := range []string{"variant", "options", "rules", "config"} {
		if metadata[key] != own[key] {
			return foreign("%s is %q, want %q", key, metadata[key], own[key])
		}
	}
	steps, err := strconv.Atoi(metadata["solver_steps"])
	if err != nil || steps < 0 {
		return damaged("solver_steps is %q, want a number from 0", metadata["solver_steps"])
	}
	want := t.tensors()
	for i, w := range want {
		switch {
		case i >= len(tensors):
			return damaged("tensor %q is missing", w.Name)
		case tensors[i].Name != w.Name:
			return damaged("tensor %d is %q, want %q", i+1, tensors[i].Name, w.Name)
		case !slices.Equal(tensors[i].Shape, w.Shape):
			return damaged("tensor %q has shape %v, want %v", w.Name, tensors[i].Shape, w.Shape)
		}
		for j, x := range tensors[i].Data {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return damaged("tensor %q, element %d is %v", w.Name, j, x)
			}
		}
	}
	if len(tensors) > len(want) {
		return damaged("tensor %q does not belong to it", tensors[len(want)].Name)
	}
	n := len(t.model.Params)
	for i, p := range tensors[3*n:] {
		if j := slices.IndexFunc(p.Data, func(x float32) bool { return x < 0 }); j >= 0 {
			return damaged("tensor %q, element %d is negative", tensors[3*n+i].Name, j)
		}
	}
	// The model's own entries are checked where models are.
	metadata = maps.Clone(metadata)
	metadata["format"], metadata["format_version"] = net.Format, strconv.Itoa(net.FormatVersion)
	weights := slices.Clone(tensors[:n])
	for i := range weights {
		weights[i].Name = t.model.Params[i].Name
	}
	m, err := net.ModelFrom(metadata, weights, t.model.Variant)
	if err != nil {
		return fmt.Errorf("train: training state: %w", err)
	}
	for i, w := range want {
		copy(w.Data, tensors[i].Data) // in place: the graph looks at this memory
	}
	for _, to := range []*net.Model{t.model, t.average} {
		to.Run, to.Generation, to.Steps = m.Run, m.Generation, m.Steps
	}
	t.solver.steps = steps
	return nil
}
