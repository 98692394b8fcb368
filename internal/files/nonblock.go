//go:build !js && !wasip1

package files

import "syscall"

// nonblock keeps the opening of a FIFO from waiting for somebody who writes to it.
const nonblock = syscall.O_NONBLOCK
