//go:build !unix

package main

import "os"

// mkfifo makes a folder: there are no pipes with names.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
