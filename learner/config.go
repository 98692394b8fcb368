package learner

import (
	"fmt"
	"path/filepath"
	"strings"

	"damier/learner/settings"
	"damier/selfplay"
)

// ResolveRun returns the configuration of the run in dir, overridden by the sources. Keys that a
// source does not mention keep the value of the run, also where the defaults are others today. The
// method is that of the run, or nil if the configuration is only read. For a folder that is no run
// the error wraps data.ErrForeign.
func ResolveRun(dir string, method Method, sources settings.Sources) (*settings.Resolved, error) {
	if !IsRun(dir) {
		return nil, notRun(dir)
	}
	own, err := asWritten(dir, method)
	if err != nil {
		return nil, err
	}
	r, err := settings.Overlay(own, method, sources)
	if err != nil {
		return nil, err
	}
	return r, recall(r, dir)
}

// ownSettings returns the configuration of the run in dir.
func ownSettings(dir string, method Method) (*settings.Resolved, error) {
	own, err := asWritten(dir, method)
	if err != nil {
		return nil, err
	}
	return own, recall(own, dir)
}

// asWritten reads the configuration file of a run. If the method does not accept it as it is, for
// example because lines are lost, it is damaged, because no run writes such a file. Keys that it
// lacks, because the run is older than they are, get the defaults of its board and of the method,
// except value.least_visits, which is what the run has learnt with.
func asWritten(dir string, method Method) (*settings.Resolved, error) {
	path := filepath.Join(dir, configFile)
	own, err := settings.Resolve(nil, settings.Sources{File: path})
	if err != nil {
		return nil, err
	}
	if method != nil {
		if err := method.Check(own.Config); err != nil {
			return nil, damaged("%s: %w; restore it, or begin a new run from the last network with --from",
				path, err)
		}
	}
	const leastVisits = "value.least_visits"
	if own.Origin[leastVisits] == "default" {
		own.Value.LeastVisits, own.Origin[leastVisits] = 0, "the run is older than this key"
	}
	own.Settle(method)
	return own, nil
}

// recall gives the values that come from the file of the run in dir the origins that the file names.
func recall(r *settings.Resolved, dir string) error {
	written, err := settings.ReadWritten(filepath.Join(dir, configFile))
	if err != nil {
		return err
	}
	for _, s := range written {
		if s.Origin != "" && r.Origin[s.Key] == "file "+filepath.Join(dir, configFile) {
			r.Origin[s.Key] = s.Origin
		}
	}
	return nil
}

func (r *Run) writeConfig() error {
	return write(filepath.Join(r.Dir, configFile), r.Config.WriteTOML(true))
}

// visitsToCome says how a run with the given number of rows can have the visits that were asked for
// from its next row on.
func visitsToCome(rows int, own, asked selfplay.Config) string {
	return fmt.Sprintf("visits may change only for rows to come: the run has %s rows, "+
		"so begin the new entry at %d or later: --set selfplay.visits=%s",
		thousands(rows), rows+1, strings.Join(own.VisitsFrom(rows+1, asked), ","))
}
