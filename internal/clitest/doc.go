// Package clitest has what the scripted tests of the commands share.
//
//   - [Main] makes the test binary run the command when it is called by the command's name.
//   - [Run] runs the scripts of testdata/script. Besides the commands of testscript they have
//     exitcode CODE COMMAND [ARG...].
//   - [Command] runs the command as a separate process, for tests of signals and pipes.
//
// It is for tests only.
package clitest
