package open

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"damier/engine"
)

// checkLimits returns an error for limits of an alpha-beta search that contradict each other.
func (p Spec) checkLimits() error {
	switch {
	case p.Level > 0 && (p.Depth > 0 || p.Nodes > 0 || p.Time > 0):
		return errors.New("a level has its limit: give no other")
	case p.Cores > 0 && (p.Level > 0 || p.Depth > 0 || p.Nodes > 0):
		return errors.New("cores goes with time alone: a search that depth, nodes or a level end runs on one")
	}
	return nil
}

func (p *Spec) setBook(value string) error {
	if value == "" {
		return errors.New("book is neither on, nor off, nor the name of a file")
	}
	p.Book = value
	return nil
}

func (p *Spec) setTables(value string) error {
	if value == "" {
		return errors.New("egdb is neither on, nor off, nor the name of a folder")
	}
	p.Tables = value
	return nil
}

func (p *Spec) setLimit(limit string) error {
	name, value, _ := strings.Cut(limit, "=")
	var err error
	switch name {
	case "depth":
		if p.Depth, err = strconv.Atoi(value); err != nil || p.Depth < 1 || p.Depth > 100 {
			return fmt.Errorf("depth %q is not a number from 1 to 100", value)
		}
	case "egdb":
		return p.setTables(value)
	case "book":
		return p.setBook(value)
	case "cores":
		if p.Cores, err = strconv.Atoi(value); err != nil || p.Cores < 1 || p.Cores > 256 {
			return fmt.Errorf("cores %q is not a number from 1 to 256", value)
		}
	case "level":
		if p.Level, err = strconv.Atoi(value); err != nil || p.Level < 1 || p.Level > engine.Levels() {
			return fmt.Errorf("level %q is not a number from 1 to %d", value, engine.Levels())
		}
	case "nodes":
		if p.Nodes, err = strconv.ParseUint(value, 10, 64); err != nil || p.Nodes < 1 || p.Nodes > math.MaxInt64 {
			return fmt.Errorf("nodes %q is not a number above 0", value)
		}
	case "time":
		if p.Time, err = time.ParseDuration(value); err != nil || p.Time <= 0 {
			return fmt.Errorf("time %q is not a duration such as 0.1s", value)
		}
	default:
		return fmt.Errorf("%q is not a limit; use depth=N, nodes=N, time=D, with time cores=N, level=N, egdb=on, book=on, or for nnue version=alphabeta-1", limit)
	}
	return nil
}

// Limited reports whether the description has its own limit.
func (p Spec) Limited() bool {
	return p.Level > 0 || p.Depth > 0 || p.Nodes > 0 || p.Visits > 0 || p.Time > 0
}
