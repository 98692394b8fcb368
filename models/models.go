// Package models carries the networks that come with the program, so that it plays without a file.
//
// A model here is a file of docs/model-format.md, compiled into the binary: for a variant a network, VARIANT.safetensors,
// tables, VARIANT.tables, or both.
package models

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"damier/net"
	"damier/rules"
	"damier/tables"
)

//go:embed *.safetensors *.tables
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

// Tables returns the tables that come with the program for v. It is an error if there are none for the variant (one that
// wraps ErrNone) or its options.
func Tables(v *rules.Variant) (*tables.Model, error) {
	text, err := files.ReadFile(v.Name + tables.Extension)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w for %s: no tables", ErrNone, v.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("the tables that come with the program: %w", err)
	}
	m, err := tables.Load(bytes.NewReader(text), v)
	if err != nil {
		return nil, fmt.Errorf("the tables that come with the program: %w", err)
	}
	return m, nil
}

// OpenTables returns the tables of a file, or with "" those that come with the program.
func OpenTables(v *rules.Variant, file string) (*tables.Model, error) {
	if file == "" {
		return Tables(v)
	}
	return tables.LoadFile(file, v)
}
