package learner

import (
	"path/filepath"

	"damier/learner/journal"
	"damier/learner/settings"
)

// PlotRun draws progress.png of the run in dir from its metrics and returns the name of the file.
func PlotRun(dir string) (string, error) {
	if !IsRun(dir) {
		return "", notRun(dir)
	}
	events, err := journal.Read(dir)
	if err != nil {
		return "", err
	}
	title := filepath.Base(absolute(dir))
	if c, err := ResolveRun(dir, nil, settings.Sources{}); err == nil {
		if title != c.Variant { // the run of a variant is named after it if nobody names it
			title += ": " + c.Variant
		}
		journal.Rate(c.Variant, journal.Ratings(events))
	}
	file := filepath.Join(dir, plotFile)
	return file, advise(journal.Plot(file, title, events))
}
