//go:build !unix

package book

import (
	"io"
	"os"
)

// mapped returns the content of a file.
func mapped(f *os.File, size int64) ([]byte, func() error, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(f, b)
	return b, func() error { return nil }, err
}
