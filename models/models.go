// Package models carries the networks that come with the program, so that it plays without a file.
//
// A model here is a file of docs/model-format.md, compiled into the binary: for a variant a network, VARIANT.safetensors,
// one for an alpha-beta search, VARIANT.nnue, or both.
package models

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"damier/net"
	"damier/nnue"
	"damier/rules"
)

//go:embed *.safetensors *.nnue
var files embed.FS

// ErrNone is wrapped by the error for a variant without a model here.
var ErrNone = errors.New("no model comes with the program")

// Load returns the model that comes with the program for v. It is an error if there is none for the variant
// (one that wraps ErrNone) or its options.
func Load(v *rules.Variant) (*net.Model, error) {
	text, err := files.ReadFile(v.Name + ".safetensors")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w for %s; give one with --model", ErrNone, v.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("the model that comes with the program: %w", err)
	}
	m, err := net.Load(bytes.NewReader(text), v)
	if err != nil {
		return nil, fmt.Errorf("the model that comes with the program: %w", err)
	}
	return m, nil
}

// NNUE returns the network for alpha-beta that comes with the program for v. It is an error if there is none for the variant (one that
// wraps ErrNone) or its options.
func NNUE(v *rules.Variant) (*nnue.Model, error) {
	text, err := NNUEContent(v)
	if err != nil {
		return nil, err
	}
	m, err := nnue.Load(bytes.NewReader(text), v)
	if err != nil {
		return nil, fmt.Errorf("the NNUE that comes with the program: %w", err)
	}
	return m, nil
}

// NNUEContent returns the file of [NNUE]. It is an error if there is none for the variant, one that wraps ErrNone.
func NNUEContent(v *rules.Variant) ([]byte, error) {
	text, err := files.ReadFile(v.Name + nnue.Extension)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w for %s: no NNUE", ErrNone, v.Name)
	case err != nil:
		return nil, fmt.Errorf("the NNUE that comes with the program: %w", err)
	}
	return text, nil
}

// OpenNNUE returns the network of a file, or with "" that which comes with the program.
func OpenNNUE(v *rules.Variant, file string) (*nnue.Model, error) {
	if file == "" {
		return NNUE(v)
	}
	return nnue.LoadFile(file, v)
}
