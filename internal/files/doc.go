// Package files reads the files that a person or another program left in a folder, and trusts none of them.
//
// [Open] and [Read] take regular files alone, so that a FIFO, a terminal or a link to a device can neither
// block the program nor feed it without end, and refuse a file that is larger than the caller can use before
// any of it is in memory. [List] finds files by their names; a path is never a pattern.
package files
