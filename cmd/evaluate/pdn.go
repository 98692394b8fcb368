package main

import (
	"bufio"
	"fmt"
	"strconv"
	"time"

	"damier/arena"
	"damier/internal/publish"
	"damier/notation"
)

// pdnFile collects the games of a match under a temporary name until the match is over.
type pdnFile struct {
	file *publish.File
	w    *bufio.Writer
}

func createPDN(name string) (*pdnFile, error) {
	f, err := publish.Create(name)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	return &pdnFile{file: f, w: bufio.NewWriter(f)}, nil
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
	if err := p.file.Publish(); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	return nil
}

// discard removes the temporary file, unless it was finished.
func (p *pdnFile) discard() { p.file.Discard() }
