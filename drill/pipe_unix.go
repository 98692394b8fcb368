//go:build unix

package main

import "syscall"

// mkfifo makes a pipe with a name.
func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
