package player

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind says what sort of player a Spec describes.
type Kind uint8

// The kinds.
const (
	Random Kind = iota
	AlphaBeta
	Model
)

// Spec describes a player as a user writes it; see [ParseSpec].
type Spec struct {
	Kind Kind
	File string // of a Model

	// Version is that of an AlphaBeta, "" for the newest.
	Version string

	// Limits per move; zero where none is given.
	Depth  int
	Nodes  uint64
	Visits int
	Time   time.Duration
}

// SpecHelp tells a user what ParseSpec understands.
const SpecHelp = "model:FILE, alphabeta:depth=N, alphabeta:time=D, alphabeta:nodes=N or random"

// ParseSpec reads a description of a player:
//
//	random
//	model:FILE                 a model, with the limit the command gives
//	alphabeta                  the baseline, with the limit the command gives
//	alphabeta:depth=6          or nodes=100000, or time=0.1s; several joined with commas
//	alphabeta-1:depth=6        that version of it
func ParseSpec(s string) (Spec, error) {
	kind, rest, more := strings.Cut(s, ":")
	switch {
	case s == "random":
		return Spec{Kind: Random}, nil
	case kind == "model" && rest != "":
		return Spec{Kind: Model, File: rest}, nil
	case kind == "alphabeta" || strings.HasPrefix(kind, "alphabeta-"):
		p := Spec{Kind: AlphaBeta}
		if kind != "alphabeta" {
			p.Version = kind
		}
		if !more {
			return p, nil
		}
		for _, limit := range strings.Split(rest, ",") {
			if err := p.setLimit(limit); err != nil {
				return Spec{}, fmt.Errorf("player %q: %w", s, err)
			}
		}
		return p, nil
	}
	return Spec{}, fmt.Errorf("player %q is not known; use %s", s, SpecHelp)
}

func (p *Spec) setLimit(limit string) error {
	name, value, _ := strings.Cut(limit, "=")
	var err error
	switch name {
	case "depth":
		if p.Depth, err = strconv.Atoi(value); err != nil || p.Depth < 1 || p.Depth > 100 {
			return fmt.Errorf("depth %q is not a number from 1 to 100", value)
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
		return fmt.Errorf("%q is not a limit; use depth=N, nodes=N or time=D", limit)
	}
	return nil
}

// Limited reports whether the description has a limit of its own.
func (p Spec) Limited() bool { return p.Depth > 0 || p.Nodes > 0 || p.Visits > 0 || p.Time > 0 }
