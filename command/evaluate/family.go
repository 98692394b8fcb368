package evaluate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/arena"
	"damier/arena/tournament"
	"damier/internal/cli"
	"damier/rules"
)

// everyVariant is the value of --variant that stands for all variants.
const everyVariant = "all"

// variantMark stands for the name of the variant in the descriptions of players and the file of
// openings.
const variantMark = "{variant}"

// event is the tournament of one variant, with its open folder.
type event struct {
	arena.Tournament // without entrants
	players          []contestant
	settings         tournament.Settings
	hashed           []tournament.Player
	dir              string
	store            *tournament.Store // nil until the folder is open
}

// eventVariants returns the variants of --variant in the order of the alphabet, in which --report
// finds their folders. family says that each has a folder of its own below --out.
func (o *tournamentOptions) eventVariants() (variants []*rules.Variant, family bool, err error) {
	names := strings.Split(o.variant, ",")
	if o.variant == everyVariant {
		names = rules.Names()
	}
	if len(names) == 1 {
		var texts []string
		for _, text := range o.players {
			texts = append(texts, parseContestant(text).text)
		}
		v, err := o.playedVariant(texts...)
		return []*rules.Variant{v}, false, err
	}
	for _, name := range names {
		v, err := cli.Variant(name, "")
		if err != nil {
			return nil, false, err
		}
		if slices.ContainsFunc(variants, func(w *rules.Variant) bool { return w.Name == v.Name }) {
			return nil, false, cli.Usagef("--variant %s has %s twice", o.variant, v.Name)
		}
		variants = append(variants, v)
	}
	slices.SortFunc(variants, func(a, b *rules.Variant) int { return strings.Compare(a.Name, b.Name) })
	return variants, true, nil
}

// folder returns the folder of a variant's tournament.
func (o *tournamentOptions) folder(v *rules.Variant, family bool) string {
	if family {
		return filepath.Join(o.out, v.Name)
	}
	return o.out
}

// newEvents makes the tournaments of all variants and checks their players, without touching a
// folder.
func (o *tournamentOptions) newEvents(controls []limit) (events []*event, family bool, err error) {
	variants, family, err := o.eventVariants()
	if err != nil {
		return nil, false, err
	}
	for _, v := range variants {
		e, err := o.newEvent(v)
		if err == nil {
			e.dir = o.folder(v, family)
			// Report a wrong player before a folder is made.
			for _, control := range controls {
				if _, err = o.sides(v, e.players, control); err != nil {
					break
				}
			}
		}
		if err != nil && family {
			err = cli.WithCode(cli.Code(err), fmt.Errorf("%s: %w", v.Name, err))
		}
		if err != nil {
			return nil, false, err
		}
		events = append(events, e)
	}
	return events, family, o.checkFree(events, family)
}

// checkFree returns an error if a folder in which no tournament has been played yet has files that
// the reports would replace.
func (o *tournamentOptions) checkFree(events []*event, family bool) error {
	played := false
	for _, e := range events {
		if tournament.Exists(e.dir) {
			played = true
		} else if err := checkFree(e.dir, reportFiles); err != nil {
			return err
		}
	}
	if family && !played {
		return checkFree(o.out, familyFiles)
	}
	return nil
}

func checkFree(dir string, names []string) error {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return cli.Usagef("%s is no tournament, and has a file %s, which the report would replace: give another folder with --out", dir, name)
		}
	}
	return nil
}

// open opens the folder of an event, and returns the number of games that are missing in it.
func (e *event) open(controls []limit) (missing int, err error) {
	if e.store, err = tournament.Open(e.dir, e.Variant, e.settings, e.hashed); err != nil {
		return 0, storeError(err)
	}
	for _, l := range controls {
		missing += len(e.missing(l))
	}
	return missing, nil
}

// missing returns the games of a section that were not played yet.
func (e *event) missing(l limit) map[arena.Meeting]bool {
	t := e.Tournament
	t.Entrants = make([]arena.Entrant, len(e.players)) // the schedule asks only how many they are
	missing := map[arena.Meeting]bool{}
	for _, m := range t.Schedule() {
		if !e.store.Played(meetingKey(m, l, e.players)) {
			missing[m] = true
		}
	}
	return missing
}

// folderEvents opens the folders below --out, or --out itself, as they are.
func (o *tournamentOptions) folderEvents() (events []*event, family bool, err error) {
	dirs := []string{o.out}
	if !tournament.Exists(o.out) {
		dirs = nil
		for _, name := range rules.Names() {
			if dir := filepath.Join(o.out, name); tournament.Exists(dir) {
				dirs = append(dirs, dir)
			}
		}
		if len(dirs) == 0 {
			return nil, false, cli.Usagef("%s is no tournament: there is no %s in it, nor in a folder of a variant",
				o.out, tournament.ResultsFile)
		}
		family = true
	}
	for _, dir := range dirs {
		e := &event{dir: dir}
		var settings tournament.Settings
		if settings, e.hashed, err = tournament.Peek(dir); err != nil {
			return events, family, storeError(err)
		}
		name, _, _ := strings.Cut(settings.Variant, "[")
		if e.Variant, err = rules.Lookup(name, nil); err != nil {
			return events, family, cli.WithCode(cli.Damaged, fmt.Errorf("%s: %w", dir, err))
		}
		e.settings = settings
		events = append(events, e)
		if _, err := e.open(nil); err != nil {
			return events, family, err
		}
	}
	return events, family, nil
}

// closeAll closes the folders of all events.
func closeAll(events []*event) error {
	var all []error
	for _, e := range events {
		if e.store != nil {
			all = append(all, e.store.Close())
			e.store = nil
		}
	}
	return errors.Join(all...)
}

// played returns the number of games in all folders.
func played(events []*event) int {
	n := 0
	for _, e := range events {
		n += len(e.store.Games)
	}
	return n
}

// inVariant replaces the mark of the variant in the description of a player or a file's name.
func inVariant(text string, v *rules.Variant) string {
	return strings.ReplaceAll(text, variantMark, v.Name)
}
