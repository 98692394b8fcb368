// Package cli has what all commands of Damier share: exit codes, signals, the version, and error
// messages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"damier/internal/plain"
)

// Exit codes of every command.
const (
	OK           = 0
	Failure      = 1
	Usage        = 2   // a wrong flag, argument or configuration
	No           = 3   // the verdict is no
	Damaged      = 4   // a damaged or foreign file
	Inconclusive = 5   // no verdict
	Interrupted  = 130 // stopped cleanly by Ctrl-C
	Terminated   = 143 // stopped cleanly by SIGTERM
	HungUp       = 129 // stopped cleanly by SIGHUP: the terminal is gone
)

// Error is an error with the exit code with which it ends the command.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Error) Unwrap() error { return e.Err }

// WithCode returns err with an exit code, nil for nil.
func WithCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{code, err}
}

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return WithCode(Usage, fmt.Errorf(format, args...)) }

// Code returns the exit code of an error: that of an [Error] in its chain, else Failure; OK for
// nil.
func Code(err error) int {
	var e *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	}
	return Failure
}

// Main runs the command and returns the exit code. It prints an error on standard error as "name:
// what", and for a usage error also the command whose help explains it. A closed pipe on standard
// output (| head) is no error.
func Main(root *cobra.Command) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = Version()
	root.SetFlagErrorFunc(flagError)
	signal.Ignore(syscall.SIGPIPE) // a closed pipe becomes an error of the write
	ctx, signals := Signals(context.Background())
	c, err := root.ExecuteContextC(ctx)
	if code := signals.Code(); code != 0 && (err == nil || errors.Is(err, context.Canceled)) {
		return code
	}
	if errors.Is(err, syscall.EPIPE) {
		return OK
	}
	if err != nil && err.Error() != "" {
		err = unknownCommand(root, err)
		// The message may quote any text.
		fmt.Fprintf(os.Stderr, "%s: %s\n", root.Name(), plain.Text(err.Error()))
		if Code(err) == Usage {
			fmt.Fprintf(os.Stderr, "Try '%s --help'.\n", c.CommandPath())
		}
	}
	return Code(err)
}

// Program returns the words with which a user starts the program of a command.
func Program(c *cobra.Command) []string {
	if strings.Contains(os.Args[0], "go-build") { // it was started by go run
		return []string{"go", "run", "./cmd/" + c.Root().Name()}
	}
	return []string{os.Args[0]}
}

// Stopped records the signal that asked the process to stop.
type Stopped struct{ code atomic.Int32 }

// Code returns the exit code of the signal, 0 for none.
func (s *Stopped) Code() int { return int(s.code.Load()) }

// Signals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels; under nohup SIGHUP
// is ignored. The second signal ends the process at once.
func Signals(parent context.Context) (context.Context, *Stopped) {
	ctx, cancel := context.WithCancel(parent)
	stopped := &Stopped{}
	incoming := make(chan os.Signal, 2)
	signal.Notify(incoming, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(incoming, syscall.SIGHUP)
	}
	go func() {
		for s := range incoming {
			code := int32(Interrupted)
			switch s {
			case syscall.SIGTERM:
				code = Terminated
			case syscall.SIGHUP:
				code = HungUp
			}
			if !stopped.code.CompareAndSwap(0, code) {
				os.Exit(int(code))
			}
			cancel()
		}
	}()
	return ctx, stopped
}
