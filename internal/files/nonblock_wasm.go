//go:build js || wasip1

package files

// nonblock is nothing here: there are no FIFOs.
const nonblock = 0
