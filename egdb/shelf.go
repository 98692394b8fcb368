package egdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"damier/internal/files"
	"damier/rules"
)

// Environment is the environment variable that names the folder of the tables.
const Environment = "DAMIER_EGDB"

// Dir returns the folder of the user's tables: the one given, else that of the variable
// Environment, else damier/egdb in the user's data directory. It returns an error if the system
// has no such directory.
func Dir(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if dir := os.Getenv(Environment); dir != "" {
		return dir, nil
	}
	dir, err := files.DataDir()
	if err != nil {
		return "", fmt.Errorf("no folder for endgame tables: %w; name one by $%s", err, Environment)
	}
	return filepath.Join(dir, "damier", "egdb"), nil
}

// Settings of tables, other than the name of a folder.
const (
	On  = "on"
	Off = "off"
)

// Shelf holds the tables that a process has opened, each once. The zero Shelf is empty. It and its
// tables are safe for concurrent use. The tables stay open.
type Shelf struct {
	mu   sync.Mutex
	open map[string]*Tables
}

// Tables returns the tables of v for a setting: nil for [Off] and "", those of the user's folder
// for [On] (see [Dir]), or those below a folder with that name. It makes missing ones with up to
// MemoryPieces pieces in memory, see [Load].
func (s *Shelf) Tables(ctx context.Context, setting string, v *rules.Variant) (*Tables, error) {
	switch setting {
	case "", Off:
		return nil, nil
	case On:
		setting = ""
	}
	dir, err := Dir(setting)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dir + "\x00" + v.String()
	if t := s.open[key]; t != nil {
		return t, nil
	}
	t, err := Load(ctx, dir, v, 0)
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = map[string]*Tables{}
	}
	s.open[key] = t
	return t, nil
}
