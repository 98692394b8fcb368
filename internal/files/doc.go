// Package files reads files that a person or another program has left in a folder, and trusts none
// of them.
//
// [Open] and [Read] accept only regular files, so that a FIFO, a terminal or a link to a device
// can neither block the program nor give it data without end. They refuse a file that is larger
// than the caller can use before they read it. [List] finds files by name; a path is never a
// pattern.
package files
