// Package models contains the networks that come with the program, so that it plays without a
// file. A network is a file VARIANT.nnue, embedded in the binary.
package models

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"damier/net/nnue"
	"damier/rules"
)

//go:embed *.nnue
var files embed.FS

// ErrNone is wrapped by the error for a variant without a model here.
var ErrNone = errors.New("no model comes with the program")

// NNUE returns the network that comes with the program for v. It returns an error if there is none
// for the variant (the error then wraps ErrNone) or for its options.
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

// NNUEContent returns the content of the file of [NNUE]. If there is none for the variant, the
// error wraps ErrNone.
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
