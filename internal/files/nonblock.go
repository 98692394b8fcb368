//go:build !js && !wasip1

package files

import "syscall"

// nonblock makes opening a FIFO return without waiting for a writer.
const nonblock = syscall.O_NONBLOCK
