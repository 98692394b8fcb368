package open

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"damier/alphabeta"
	"damier/internal/cli"
	"damier/mcts"
)

// Kind is the kind of a player.
type Kind uint8

// The kinds.
const (
	Random Kind = iota
	AlphaBeta
	Hub
	DXP
	NNUE
	Tree
)

// Spec describes a player as a user writes it; see [ParseSpec].
type Spec struct {
	Kind Kind
	File string // network file of NNUE or Tree; "" means the network that comes with the program

	// Search holds those settings of a Tree's search that were given; a zero field means the
	// default. Share and Reuse always have their final values. [Spec.TreeSearch] fills in the
	// rest.
	Search mcts.Config

	// Leaves is the number of leaves that a Tree evaluates together. Cores is the number of cores
	// of a Tree or an alpha-beta search that is limited by Time. Zero if not given.
	Leaves, Cores int

	// Temperature of a Tree is that of nnue.OnePlyConfig; zero if not given.
	Temperature float64

	// Version of the search of an AlphaBeta, "" means the baseline; of an NNUE, "" means the
	// newest.
	Version string

	// Program is the program of a Hub player with its arguments, as in a shell; see
	// [Spec.Command]. Dir is its working directory, and Params are the parameters sent to it:
	// "name=value", joined with commas.
	Program, Dir, Params string

	// Address is the address at which the program of a DXP player listens. Say is a text to send
	// to it.
	Address, Say string

	// Limits for a move; zero if not given.
	Depth  int
	Nodes  uint64
	Visits int
	Time   time.Duration

	// Tables is the setting of endgame tables: "on", "off", the name of their folder, or "" if not
	// given. Random and other programs have none.
	Tables string

	// Book is the setting of an opening book: "on", "off", the name of its file, or "" if not
	// given.
	Book string

	// Level is a level of package engine, which sets the limit and the choice of moves; 0 for
	// none. Random and other programs have none.
	Level int
}

// SpecHelp lists for a user what ParseSpec understands.
const SpecHelp = `tree, tree:FILE, nnue, nnue:FILE, alphabeta:depth=N, alphabeta:time=D, alphabeta:nodes=N, hub:"PROGRAM ARGS", dxp:HOST:PORT or random`

// ParseSpec reads a description of a player:
//
//	random
//	alphabeta                  the baseline, with the limit the command gives
//	alphabeta:depth=6          or nodes=100000, or time=0.1s; several joined with commas; with time also cores=2
//	alphabeta:level=3          at a level
//	alphabeta-1:depth=6        a named version
//	nnue                       alpha-beta search over the network that comes with the program
//	nnue:FILE                  alpha-beta search over the network in a file; limits as above: nnue:FILE,time=0.1s
//	nnue:version=alphabeta-1   with a named version of the search
//	tree                       tree search over the network that comes with the program
//	tree:FILE                  tree search over the network in a file
//	tree:FILE,visits=200       with settings of the search, see below; also tree:time=0.1s,cores=2
//	tree:level=3               at a level
//	tree:egdb=on               with endgame tables: on, off, or their folder; also for nnue and alphabeta
//	tree:book=on               with an opening book: on, off, or its file; also for nnue and alphabeta
//	hub:"PROGRAM ARGS"         a program that speaks Hub, with the limit the command gives
//	hub:"PROGRAM ARGS",time=1s with its own limit: depth, nodes or time; see below
//	dxp:HOST:PORT              a program that listens there for DXP, with 5 minutes for a game
//	dxp:HOST:PORT,time=3m      with another time for a game; say=TEXT sends it a text first
//
// The settings of a tree are its limits, visits=N and time=D; leaves=N and, with time, cores=N;
// those of [mcts.Config] under their names in a configuration file: root, candidates, c_visit,
// c_scale, c_puct, c_puct_growth, fpu, best, least_visits, scout, share, repetition_draw, reuse,
// max_nodes; and temperature of nnue.OnePlyConfig. share and reuse are true unless they are set to
// false. The name of the file ends at the first comma that is followed by a name and =.
//
// The settings of a Hub program are its limits, dir=FOLDER for its working directory, and its own
// parameters by name. The quotes may be left out if no argument contains a comma followed by a
// name and =.
func ParseSpec(s string) (Spec, error) {
	kind, rest, more := strings.Cut(s, ":")
	switch {
	case s == "random":
		return Spec{Kind: Random}, nil
	case kind == "model":
		return Spec{}, fmt.Errorf("player %q: there are no players model:FILE any more: tree:FILE plays a network of train by tree search", s)
	case kind == "tree":
		p, err := parseTree(rest, more)
		if err != nil {
			return Spec{}, fmt.Errorf("player %q: %w", s, err)
		}
		return p, nil
	case kind == "nnue":
		p, err := parseNNUE(rest, more)
		if err != nil {
			return Spec{}, fmt.Errorf("player %q: %w", s, err)
		}
		return p, nil
	case kind == "hub" || kind == "dxp":
		read := parseHub
		if kind == "dxp" {
			read = parseDXP
		}
		p, err := read(rest)
		if err != nil {
			return Spec{}, fmt.Errorf("player %q: %w", s, err)
		}
		return p, nil
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
		if err := p.checkLimits(); err != nil {
			return Spec{}, fmt.Errorf("player %q: %w", s, err)
		}
		return p, nil
	}
	return Spec{}, fmt.Errorf("player %q is not known%s; use %s", s, cli.DidYouMean(kind, kindNames), SpecHelp)
}

// kindNames are the words with which a description may begin.
var kindNames = []string{"random", "tree", "nnue", "alphabeta", "hub", "dxp"}

// Kinds returns the words with which a description of a player may begin.
func Kinds() []string { return slices.Clone(kindNames) }

// settingStart matches the beginning of a setting after the name of a file.
var settingStart = regexp.MustCompile(`,[a-z_]+=`)

// cutFile sets the file to the name of a file at the beginning of text, and returns the settings
// after it, "name=value" joined with commas. Either may be empty, but not both.
func (p *Spec) cutFile(text string) (settings string, err error) {
	at := settingStart.FindStringIndex("," + text)
	switch {
	case at == nil:
		p.File = text
	case at[0] == 0:
		return text, nil
	default:
		p.File, settings = text[:at[0]-1], text[at[0]:]
	}
	if p.File == "" {
		return "", errors.New("the file of the network is missing")
	}
	return settings, nil
}

// parseNNUE reads the text after "nnue:": a file, limits, or both.
func parseNNUE(text string, more bool) (Spec, error) {
	p := Spec{Kind: NNUE}
	if !more {
		return p, nil
	}
	settings, err := p.cutFile(text)
	if err != nil || settings == "" {
		return p, err
	}
	for _, setting := range strings.Split(settings, ",") {
		version, ok := strings.CutPrefix(setting, "version=")
		switch {
		case !ok:
			if err := p.setLimit(setting); err != nil {
				return Spec{}, err
			}
		case !slices.Contains(alphabeta.Versions(), version):
			return Spec{}, fmt.Errorf("version %q is not known; there are %s", version, strings.Join(alphabeta.Versions(), ", "))
		default:
			p.Version = version
		}
	}
	return p, p.checkLimits()
}

// treeNodes is the largest number of nodes of a tree in play; a node takes some 250 bytes.
const treeNodes = 4_000_000

// Label returns a short name for the network in a file: the file's name without folder and
// extension. For model.nnue, of which every run has one, it is the name of the run.
func Label(file string) string {
	name := filepath.Base(file)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	if run := filepath.Base(filepath.Dir(file)); name == "model" && run != "." && run != string(filepath.Separator) {
		return run
	}
	return name
}
