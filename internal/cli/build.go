package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// Build says which build a program is.
type Build struct {
	Version  string // of the release, else of the module, else "devel"
	Commit   string // "" where the build does not know it
	Modified bool   // sources were changed since the commit
}

// released is what the linker wrote into the program, nil in other builds.
var released atomic.Pointer[Build]

// Release tells the version and the commit of a release, because the module of a program that was
// built in its own folder has none. The linker sets them as variables of the main package, whose
// name does not depend on the path of the module. An empty version changes nothing.
func Release(version, commit string) {
	if version != "" {
		released.Store(&Build{Version: version, Commit: commit})
	}
}

// BuildOf returns the build of this program.
func BuildOf() Build {
	if b := released.Load(); b != nil {
		return *b
	}
	b := Build{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Version returns the version of the build, with the commit where that is all it knows, and the Go
// release and the system.
func Version() string {
	b := BuildOf()
	version := b.Version
	if version == "devel" && len(b.Commit) >= 12 {
		version += "-" + b.Commit[:12]
	}
	return strings.Join([]string{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, " ")
}
