// Package models carries the networks that come with the program, so that it plays without a file.
//
// A network is a file VARIANT.nnue, compiled into the binary.
package models

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"damier/nnue"
	"damier/rules"
)

//go:embed *.nnue
var files embed.FS

// ErrNone is wrapped by the error for a variant without a model here.
var ErrNone = errors.New("no model comes with the program")

// NNUE returns the network that comes with the program for v. It is an error if there is none for the variant (one that
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
