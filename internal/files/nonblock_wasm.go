//go:build js || wasip1

package files

// nonblock has no effect here, because there are no FIFOs.
const nonblock = 0
