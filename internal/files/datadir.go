package files

import (
	"os"
	"path/filepath"
	"runtime"
)

// DataDir returns the user's data directory. It returns an error if the system has none.
func DataDir() (string, error) { return dataDir(runtime.GOOS, os.Getenv, os.UserHomeDir) }

func dataDir(system string, getenv func(string) string, home func() (string, error)) (string, error) {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := getenv("LocalAppData"); system == "windows" && dir != "" {
		return dir, nil
	}
	dir, err := home()
	if err != nil {
		return "", err
	}
	if system == "darwin" {
		return filepath.Join(dir, "Library", "Application Support"), nil
	}
	return filepath.Join(dir, ".local", "share"), nil
}
