package open

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"damier/engine"
	"damier/internal/cli"
	"damier/mcts"
	"damier/net/nnue"
)

// parseTree reads the text after "tree:": a file, settings, or both. more is false if there is no
// colon.
func parseTree(text string, more bool) (Spec, error) {
	p := Spec{Kind: Tree, Search: mcts.Config{Share: true, Reuse: true}}
	if !more {
		return p, nil
	}
	settings, err := p.cutFile(text)
	if err != nil {
		return Spec{}, err
	}
	return p, p.setAll(settings)
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

// set applies one setting of a tree. In mcts.Config zero means the default. So where zero is a
// sensible value set stores the value that the Config uses for it, and elsewhere it refuses zero.
func (p *Spec) set(name, value string) error {
	c := &p.Search
	whole := map[string]*int{
		"visits": &p.Visits, "leaves": &p.Leaves, "cores": &p.Cores, "candidates": &c.Candidates,
		"repetition_draw": &c.RepetitionDraw, "max_nodes": &c.MaxNodes, "scout": &c.Scout,
	}
	numbers := map[string]*float64{
		"c_visit": &c.CVisit, "c_scale": &c.CScale, "c_puct": &c.CPuct, "c_puct_growth": &c.CPuctGrowth, "fpu": &c.FPU, "best": &c.Best,
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
		case (name == "fpu" || name == "c_puct_growth") && f <= 0:
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
const treeSettings = "level, visits, time, leaves, cores, root, candidates, c_visit, c_scale, c_puct, c_puct_growth, fpu, best, " +
	"least_visits, scout, share, repetition_draw, reuse, max_nodes, temperature, egdb, book"

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
		{"candidates", float64(c.Candidates)}, {"c_visit", c.CVisit}, {"c_scale", c.CScale}, {"c_puct", c.CPuct}, {"c_puct_growth", c.CPuctGrowth},
		{"fpu", c.FPU}, {"best", c.Best}, {"least_visits", c.LeastVisits}, {"leaves", float64(p.Leaves)}, {"cores", float64(p.Cores)},
		{"repetition_draw", float64(c.RepetitionDraw)}, {"max_nodes", float64(c.MaxNodes)}, {"scout", float64(c.Scout)},
		{"temperature", p.Temperature},
	} {
		if s.value != 0 {
			fmt.Fprintf(&b, ",%s=%g", s.name, max(s.value, 0)) // a negative number stands for 0
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
