package train

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"damier/net"
	"damier/rules"
)

// SparseFormat is the format name in a file with the state of a Sparse trainer.
const SparseFormat = "damier-nnue-training-1"

// tensors returns the weights and the moments of the solver.
func (t *Sparse) tensors() []net.Tensor {
	all := t.model.Tensors()
	for i, w := range t.model.Tensors() {
		all = append(all,
			net.Tensor{Name: w.Name + ".moment1", Shape: w.Shape, Data: t.solver.moment1[i]},
			net.Tensor{Name: w.Name + ".moment2", Shape: w.Shape, Data: t.solver.moment2[i]})
	}
	return all
}

// metadata returns the values that a saved state must have to be loaded.
func (t *Sparse) metadata() map[string]string {
	return map[string]string{
		"format": SparseFormat, "variant": t.model.Variant.String(), "rules": strconv.Itoa(rules.Version), "width": strconv.Itoa(t.model.Width),
	}
}

// Save writes what training needs to continue bit for bit, as a safetensors file: weights, moments
// and numbers of steps. It does not write the Config.
func (t *Sparse) Save(w io.Writer) error {
	metadata := t.metadata()
	metadata["steps"], metadata["solver_steps"] = strconv.Itoa(t.steps), strconv.Itoa(t.solver.steps)
	return net.WriteTensors(w, metadata, t.tensors())
}

// Load loads a state that Save wrote. Variant, options, rules version and width must be those of
// the trainer. If Load fails it changes nothing. The error wraps net.ErrDamaged or net.ErrForeign,
// or comes from r.
func (t *Sparse) Load(r io.Reader) error {
	metadata, tensors, err := net.ReadTensors(r)
	if err != nil {
		return fmt.Errorf("train: training state: %w", err)
	}
	for key, want := range t.metadata() {
		if got := metadata[key]; got != want {
			return fmt.Errorf("train: training state: its %s is %q, and here it is %q: %w", key, got, want, net.ErrForeign)
		}
	}
	steps, err1 := strconv.Atoi(metadata["steps"])
	solver, err2 := strconv.Atoi(metadata["solver_steps"])
	if err1 != nil || err2 != nil || steps < 0 || solver < 0 {
		return fmt.Errorf("train: training state: its steps are %q and %q: %w", metadata["steps"], metadata["solver_steps"], net.ErrDamaged)
	}
	for _, have := range tensors {
		if strings.HasSuffix(have.Name, ".moment2") {
			if j := slices.IndexFunc(have.Data, func(x float32) bool { return x < 0 }); j >= 0 {
				return fmt.Errorf("train: training state: tensor %q, element %d is negative: %w", have.Name, j, net.ErrDamaged)
			}
		}
	}
	if err := net.CopyTensors(t.tensors(), tensors); err != nil {
		return fmt.Errorf("train: training state: %w", err)
	}
	t.steps, t.solver.steps = steps, solver
	return nil
}
