// Package shell writes commands that a person can copy into a POSIX shell.
package shell

import "strings"

// Word returns a word of a command, in single quotes if the shell would change it.
func Word(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n'\"$`\\*?[](){}<>|&;#~!") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
