package play

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"damier/notation"
	"damier/notation/gamefile"
)

// record returns a text that differs for different games: the moves, including those of previous
// episodes, and the end.
func (s *session) record() string {
	var all []any
	for _, e := range s.past {
		all = append(all, e.game.Moves(), e.note)
	}
	outcome, _ := s.game.Outcome()
	return fmt.Sprint(append(all, s.game.Moves(), outcome)...)
}

// save adds the game to a PDN file.
func (s *session) save(file string) error { return s.add(file, notation.Write) }

// manoury prints the game in Manoury's notation, or adds it to a file.
func (s *session) manoury(file string) {
	var err error
	if file == "" {
		for _, g := range s.games() {
			if err = notation.WriteManoury(s.out, g); err != nil {
				break
			}
		}
	} else if err = s.add(file, notation.WriteManoury); err == nil {
		s.say("Saved to %s.", file)
	}
	if err != nil {
		s.say("%v", err)
	}
}

// load continues the last game of a file.
func (s *session) load(file string) error {
	if file == "" {
		s.say("load needs a file name: load game.pdn")
		return nil
	}
	last, err := notation.LastGame(s.v, file)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		s.say("loading a game: %v", err)
	} else if err != nil {
		s.say("%v", err)
	}
	switch {
	case err != nil && last == nil:
		return nil
	case last == nil:
		s.say("%s: there is no game in it", file)
		return nil
	}
	if err := s.restart(last.Game); err != nil {
		return err
	}
	s.saved = s.record()
	return nil
}

// games returns the games to write as PDN: the previous episodes of informal play, and the present
// game.
func (s *session) games() []*notation.Game {
	tags := notation.Tags{
		{Name: "Event", Value: "Damier"},
		{Name: "Date", Value: time.Now().Format("2006.01.02")},
	}
	for c, names := range [2][2]string{{"White", "WhiteType"}, {"Black", "BlackType"}} {
		if s.people[c] {
			tags = append(tags, notation.Tag{Name: names[0], Value: "you"}, notation.Tag{Name: names[1], Value: "human"})
		} else {
			tags = append(tags, notation.Tag{Name: names[0], Value: s.engine.Name()}, notation.Tag{Name: names[1], Value: "program"})
		}
	}
	var games []*notation.Game
	for _, e := range s.past {
		g := notation.NewGame(e.game, tags)
		g.Notes = []notation.Note{notation.Comment(e.game.Ply(), e.note)}
		games = append(games, g)
	}
	return append(games, notation.NewGame(s.game, tags))
}

// add adds the game to a file; the file is complete at any time.
func (s *session) add(file string, write func(io.Writer, *notation.Game) error) error {
	return gamefile.Append(file, s.games(), write)
}
