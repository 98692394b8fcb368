package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"damier/net"
	"damier/rules"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"evaluate": func() { os.Exit(run()) }})
}

// TestScripts runs the command as a user does. Each script finds a small model with random weights in
// model.safetensors.
func TestScripts(t *testing.T) {
	m, err := net.NewModel(rules.International, net.Config{Arch: "mlp"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.SaveFile(model); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			return os.WriteFile(filepath.Join(e.WorkDir, "model.safetensors"), text, 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode},
	})
}

// exitCode runs "exitcode N command ...": the command must end with that code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N command ...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
