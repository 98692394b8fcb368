package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"damier/arena"
	"damier/notation"
	"damier/rules"
)

// pdnFile collects the games of a match under a temporary name until the match is over.
type pdnFile struct {
	name    string
	variant *rules.Variant
	file    *os.File
	w       *bufio.Writer
	done    bool
}

func createPDN(name string, v *rules.Variant) (*pdnFile, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	return &pdnFile{name: name, variant: v, file: f, w: bufio.NewWriter(f)}, nil
}

// add writes a game.
func (p *pdnFile) add(g arena.GameRecord) error {
	tags := notation.Tags{
		{Name: "Event", Value: "Damier match"},
		{Name: "Date", Value: time.Now().Format("2006.01.02")},
		{Name: "Round", Value: fmt.Sprintf("%d.%d", g.Number/2+1, g.Number%2+1)},
		{Name: "White", Value: g.White},
		{Name: "Black", Value: g.Black},
		{Name: "WhiteType", Value: "program"},
		{Name: "BlackType", Value: "program"},
	}
	if g.Opening >= 0 {
		tags.Set("Opening", strconv.Itoa(g.Opening+1))
	}
	if err := notation.Write(p.w, notation.NewGame(g.Game, tags)); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	return nil
}

// finish gives the file its name.
func (p *pdnFile) finish() error {
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	if err := publish(p.file, p.name); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	p.done = true
	return nil
}

// discard removes the temporary file, unless it was finished.
func (p *pdnFile) discard() {
	if !p.done {
		p.file.Close()
		os.Remove(p.file.Name())
	}
}
