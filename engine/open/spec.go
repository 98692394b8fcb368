package open

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"damier/engine"
	"damier/internal/cli"
	"damier/mcts"
	"damier/net/nnue"
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

	// Version of an AlphaBeta; "" means the baseline.
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
// c_scale, c_puct, fpu, best, least_visits, scout, share, forcing, repetition_draw, reuse,
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

// parseTree reads the text after "tree:": a file, settings, or both. more is false if there is no
// colon.
func parseTree(text string, more bool) (Spec, error) {
	p := Spec{Kind: Tree, Search: mcts.Config{Share: true, Reuse: true}}
	if !more {
		return p, nil
	}
	settings := ""
	if p.File, settings = cutFile(text); p.File == "" && (settings == "" || text[0] == ',') {
		return Spec{}, errors.New("the file of the network is missing")
	}
	return p, p.setAll(settings)
}

// cutFile splits text into the name of a file and the settings after it, "name=value" joined with
// commas. Either may be empty.
func cutFile(text string) (file, settings string) {
	at := settingStart.FindStringIndex("," + text)
	switch {
	case at == nil:
		return text, ""
	case at[0] == 0:
		return "", text
	}
	return text[:at[0]-1], text[at[0]:]
}

// setAll applies the settings of a tree search, "name=value" joined with commas; "" means none.
func (p *Spec) setAll(settings string) error {
	if settings == "" {
		return nil
	}
	given := map[string]bool{}
	for _, setting := range strings.Split(settings, ",") {
		name, value, _ := strings.Cut(setting, "=")
		if given[name] {
			return fmt.Errorf("%s is given twice", name)
		}
		given[name] = true
		if err := p.set(name, value); err != nil {
			return err
		}
	}
	switch {
	case p.Visits > 0 && p.Cores > 0:
		return errors.New("cores goes with time: a search that visits end runs on one")
	case p.Visits > 0 && p.Time > 0:
		return errors.New("visits and time contradict each other: give one of them")
	case p.Level > 0 && (p.Visits > 0 || p.Time > 0):
		return errors.New("a level has its visits: give no other limit")
	case p.Level > 0 && p.Cores > 0:
		return errors.New("cores goes with time: a level has its visits, and runs on one")
	}
	return p.Search.Validate()
}

// parseNNUE reads the text after "nnue:": a file, limits, or both.
func parseNNUE(text string, more bool) (Spec, error) {
	p := Spec{Kind: NNUE}
	if !more {
		return p, nil
	}
	at := settingStart.FindStringIndex("," + text)
	if at == nil {
		p.File = text
	} else {
		p.File = strings.TrimSuffix(text[:max(at[0]-1, 0)], ",")
		for _, limit := range strings.Split(text[at[0]:], ",") {
			if err := p.setLimit(limit); err != nil {
				return Spec{}, err
			}
		}
	}
	if p.File == "" && at == nil {
		return Spec{}, errors.New("the file of the network is missing")
	}
	return p, p.checkLimits()
}

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

// foreignSetting matches the beginning of a setting of another program, whose parameters may have
// any names.
var foreignSetting = regexp.MustCompile(`,[A-Za-z_][A-Za-z0-9_-]*=`)

// cutSettings splits off the settings after a program or an address, which may be quoted.
func cutSettings(text string) (head string, settings []string, err error) {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		head, rest, quoted = strings.Cut(rest, `"`)
		if !quoted {
			return "", nil, errors.New("the closing quote is missing")
		}
		if rest == "" {
			return head, nil, nil
		}
		if at := foreignSetting.FindStringIndex(rest); at == nil || at[0] != 0 {
			return "", nil, fmt.Errorf("%q behind the quotes is no setting; write ,name=value", rest)
		}
		return head, splitSettings(rest), nil
	}
	at := foreignSetting.FindStringIndex(text)
	if at == nil {
		return text, nil, nil
	}
	return text[:at[0]], splitSettings(text[at[0]:]), nil
}

// splitSettings splits ",name=value,name=value" at the commas that are followed by a name and =.
func splitSettings(text string) []string {
	var settings []string
	for text != "" {
		text = text[1:]
		end := len(text)
		if at := foreignSetting.FindStringIndex(text); at != nil {
			end = at[0]
		}
		settings = append(settings, text[:end])
		text = text[end:]
	}
	return settings
}

func parseHub(text string) (Spec, error) {
	p := Spec{Kind: Hub}
	var settings []string
	var err error
	if p.Program, settings, err = cutSettings(text); err != nil {
		return p, err
	}
	command, err := p.Command()
	if err != nil {
		return p, err
	}
	if len(command) == 0 {
		return p, errors.New("the program is missing")
	}
	var params []string
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "depth", "nodes", "time":
			if err := p.setLimit(setting); err != nil {
				return p, err
			}
		case "dir":
			p.Dir = value
		default:
			if strings.Contains(value, ",") {
				return p, fmt.Errorf("parameter %s: a value with a comma cannot be told here", name)
			}
			params = append(params, setting)
		}
	}
	p.Params = strings.Join(params, ",")
	return p, nil
}

// Command splits the program of a Hub player into its words. Blanks separate them; single quotes
// keep blanks together.
func (p Spec) Command() ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quoted := false, false
	for _, r := range p.Program {
		switch {
		case r == '\'':
			begun, quoted = true, !quoted
		case (r == ' ' || r == '\t') && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quoted {
		return nil, fmt.Errorf("program %q: a single quote is not closed", p.Program)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

func parseDXP(text string) (Spec, error) {
	p := Spec{Kind: DXP}
	var settings []string
	var err error
	if p.Address, settings, err = cutSettings(text); err != nil {
		return p, err
	}
	if p.Address == "" {
		return p, errors.New("the address is missing: dxp:HOST:PORT")
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "time":
			if err := p.setLimit(setting); err != nil {
				return p, err
			}
		case "say":
			p.Say = value
		default:
			return p, fmt.Errorf("%q is not a setting of a program behind DXP; there are time, for a game, and say", name)
		}
	}
	return p, nil
}

// set applies one setting of a tree. In mcts.Config zero means the default. So where zero is a
// sensible value set stores the value that the Config uses for it, and elsewhere it refuses zero.
func (p *Spec) set(name, value string) error {
	c := &p.Search
	whole := map[string]*int{
		"visits": &p.Visits, "leaves": &p.Leaves, "cores": &p.Cores, "candidates": &c.Candidates,
		"repetition_draw": &c.RepetitionDraw, "max_nodes": &c.MaxNodes, "scout": &c.Scout,
	}
	numbers := map[string]*float64{
		"c_visit": &c.CVisit, "c_scale": &c.CScale, "c_puct": &c.CPuct, "fpu": &c.FPU, "forcing": &c.Forcing, "best": &c.Best,
		"least_visits": &c.LeastVisits, "temperature": &p.Temperature,
	}
	var err error
	switch {
	case name == "egdb":
		return p.setTables(value)
	case name == "book":
		return p.setBook(value)
	case name == "root":
		if c.Root = mcts.Root(value); c.Root != mcts.Gumbel && c.Root != mcts.PUCT {
			return fmt.Errorf("root %q is neither %s nor %s", value, mcts.Gumbel, mcts.PUCT)
		}
	case name == "precision":
		return errors.New("there is no precision to choose: the network is computed in integers")
	case name == "reuse":
		if c.Reuse, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("reuse %q is neither true nor false", value)
		}
	case name == "share":
		if c.Share, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("share %q is neither true nor false", value)
		}
	case name == "time" || name == "level":
		return p.setLimit(name + "=" + value)
	case name == "scout" && value == "0":
		c.Scout = -1 // none
	case whole[name] != nil:
		if *whole[name], err = strconv.Atoi(value); err != nil || *whole[name] < 1 {
			return fmt.Errorf("%s %q is not a number above 0", name, value)
		}
	case numbers[name] != nil:
		f, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
			return fmt.Errorf("%s %q is not a number", name, value)
		case (name == "fpu" || name == "forcing") && f <= 0:
			f = -1 // none
		case f <= 0:
			return fmt.Errorf("%s %q is not a number above 0", name, value)
		}
		*numbers[name] = f
	default:
		return fmt.Errorf("%q is not a setting of a tree%s; there are %s", name, cli.DidYouMean(name, strings.Split(treeSettings, ", ")), treeSettings)
	}
	return nil
}

// treeSettings lists the settings that set knows, for messages.
const treeSettings = "level, visits, time, leaves, cores, root, candidates, c_visit, c_scale, c_puct, fpu, best, " +
	"least_visits, scout, share, forcing, repetition_draw, reuse, max_nodes, temperature, egdb, book"

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
		return fmt.Errorf("%q is not a limit; use depth=N, nodes=N, time=D, with time cores=N, level=N, egdb=on, or book=on", limit)
	}
	return nil
}

// Limited reports whether the description has its own limit.
func (p Spec) Limited() bool {
	return p.Level > 0 || p.Depth > 0 || p.Nodes > 0 || p.Visits > 0 || p.Time > 0
}

// Settings returns the settings of a tree search that differ from the defaults, in the form that
// ParseSpec reads: ",root=puct,c_puct=0.7", "" if there are none. It leaves out the limits.
func (p Spec) Settings() string {
	var b strings.Builder
	c := p.Search
	if c.Root != "" {
		fmt.Fprintf(&b, ",root=%s", c.Root)
	}
	for _, s := range []struct {
		name  string
		value float64
	}{
		{"candidates", float64(c.Candidates)}, {"c_visit", c.CVisit}, {"c_scale", c.CScale}, {"c_puct", c.CPuct},
		{"fpu", c.FPU}, {"best", c.Best}, {"least_visits", c.LeastVisits}, {"forcing", c.Forcing}, {"leaves", float64(p.Leaves)}, {"cores", float64(p.Cores)},
		{"repetition_draw", float64(c.RepetitionDraw)}, {"max_nodes", float64(c.MaxNodes)}, {"scout", float64(c.Scout)},
		{"temperature", p.Temperature},
	} {
		if s.value != 0 {
			fmt.Fprintf(&b, ",%s=%g", s.name, max(s.value, 0)) // a negative FPU or forcing stands for 0
		}
	}
	if p.Tables != "" {
		fmt.Fprintf(&b, ",egdb=%s", p.Tables)
	}
	usual := p.Kind == Tree // share and reuse of a Tree are true by default
	if c.Share != usual {
		fmt.Fprintf(&b, ",share=%t", c.Share)
	}
	if c.Reuse != usual {
		fmt.Fprintf(&b, ",reuse=%t", c.Reuse)
	}
	return b.String()
}

// TreeSearch returns the constants of a Tree's search: those given, and for the rest those of
// [TreeSearch].
func (p Spec) TreeSearch() mcts.Config {
	c := TreeSearch(p.Search)
	c.Share, c.Reuse = p.Search.Share, p.Search.Reuse
	if p.Level > 0 && p.Search.Root == "" {
		c.Root = engine.LevelOf(p.Level).Root()
	}
	return c
}

// TreeSearch fills the zero fields of c with the constants of a search in play: those of
// [nnue.TreeSearch], and the size of the tree.
func TreeSearch(c mcts.Config) mcts.Config {
	c.MaxNodes = cmp.Or(c.MaxNodes, treeNodes)
	return nnue.TreeSearch(c)
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
