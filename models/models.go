// Package models carries the networks that come with the program, so that it plays without a file.
//
// A model here is a file of docs/model-format.md, one for each variant, compiled into the binary.
package models

import (
	"bytes"
	_ "embed" // the files
	"fmt"

	"damier/net"
	"damier/rules"
)

//go:embed international.safetensors
var international []byte

// Load returns the model that comes with the program for v. It is an error if there is none for the variant or
// its options.
func Load(v *rules.Variant) (*net.Model, error) {
	if v.Name != rules.International.Name {
		return nil, fmt.Errorf("no model for %s comes with the program; give one with --model", v.Name)
	}
	m, err := net.Load(bytes.NewReader(international), v)
	if err != nil {
		return nil, fmt.Errorf("the model that comes with the program: %w", err)
	}
	return m, nil
}
