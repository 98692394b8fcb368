package board

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"damier/notation"
	"damier/rules"
	"damier/web"
)

// load replaces the game by one of a file, shown at the end of its main line, with persons at both
// sides. The caller holds the lock.
func (b *board) load(n *notation.Game) error {
	if n.Ply() > maxPlies {
		return web.Refuse(422, "long", "the game is too long: %d moves, at most %d are read",
			n.Ply(), maxPlies)
	}
	fresh := &board{game: rules.NewGameFrom(n.Variant(), n.Start()), root: &node{}}
	notes := slices.Clone(n.Notes)
	for len(notes) > 0 && notes[0].Ply == 0 {
		fresh.root.notes = append(fresh.root.notes, notes[0])
		notes = notes[1:]
	}
	if err := fresh.addMoves(fresh.root, n.Start(), n.Moves(), notes, n.Variations); err != nil {
		return err
	}
	b.begin(n.Variant(), n.Start())
	b.root = fresh.root
	deriveSpent(b.root, n.Tags.Get("TimeControl"))
	b.nodes = fresh.nodes
	b.lastID = fresh.lastID
	b.line = lineThrough(b.root)
	if err := b.seek(len(b.line)); err != nil {
		return fmt.Errorf("web: a game that was read cannot be played: %w", err)
	}
	if o, r := n.Outcome(); o != rules.Ongoing && !b.over() {
		b.ended = o
		b.endReason = r
		b.endNode = b.here()
		b.applyEnd()
	}
	b.tags = slices.Clone(n.Tags)
	for c := range b.seats {
		b.seats[c].Player = person
		b.seats[c].Name = "" // the players are those of the file
	}
	return nil
}

// records returns the games to write as PDN: one for each episode of informal play, whose last
// comment says what happened at its end, and then the present game. The caller holds the lock.
func (b *board) records() ([]*notation.Game, error) {
	var games []*notation.Game
	for _, e := range b.past {
		n, err := b.record(e.game)
		if err != nil {
			return nil, err
		}
		ply := e.game.game.Ply()
		comparePly := func(n notation.Note, ply int) int { return n.Ply - ply }
		after, _ := slices.BinarySearchFunc(n.Notes, ply+1, comparePly)
		n.Notes = slices.Insert(n.Notes, after, notation.Comment(ply, e.text(b.game.Variant())))
		games = append(games, n)
	}
	n, err := b.record(b.currentPlay())
	return append(games, n), err
}

// record returns a game to write as PDN. The caller holds the lock.
func (b *board) record(p played) (*notation.Game, error) {
	g := rules.NewGameFrom(p.game.Variant(), p.game.Start())
	line := lineThrough(p.root)
	for _, k := range line {
		if o, _ := g.Outcome(); o == rules.Draw {
			g.End(rules.Ongoing, rules.NoReason)
		}
		if err := g.Play(k.move); err != nil {
			return nil, err
		}
	}
	final := p.root
	if len(line) > 0 {
		final = line[len(line)-1]
	}
	if p.root == b.root && b.ended != rules.Ongoing && b.endNode == final {
		g.End(b.ended, b.endReason)
	}
	tags := slices.Clone(p.tags)
	for _, t := range []notation.Tag{
		{Name: "Event", Value: "Damier"}, {Name: "Date", Value: time.Now().Format("2006.01.02")},
		{Name: "White", Value: b.name(rules.White)}, {Name: "Black", Value: b.name(rules.Black)},
		{Name: "TimeControl", Value: b.clock.tag()},
	} {
		if !tags.Has(t.Name) {
			tags.Set(t.Name, t.Value)
		}
	}
	n := notation.NewGame(g, tags)
	for _, note := range p.root.notes {
		note.Ply = 0
		n.Notes = append(n.Notes, note)
	}
	if len(line) > 0 {
		w := variationFrom(line[0], 0)
		n.Notes = append(n.Notes, w.Notes...)
		n.Variations = append(variationsBeside(line[0], 0), w.Variations...)
	}
	return n, nil
}

// name returns the name of the player of a side for PDN. The caller holds the lock.
func (b *board) name(c rules.Color) string {
	s := b.seats[c]
	if s.Player == person {
		return cmp.Or(s.Name, "Person")
	}
	return fmt.Sprintf("Damier %s, level %d", s.Player, s.Level)
}
