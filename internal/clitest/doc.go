// Package clitest is what the scripted tests of the commands share.
//
//   - [Main] makes the test binary answer to the command's name.
//   - [Run] runs the scripts of testdata/script, which have, beside testscript's own, the command
//     exitcode CODE COMMAND [ARG...].
//   - [Command] is the command as a process of its own, for tests of signals and pipes.
//
// It is for tests only.
package clitest
