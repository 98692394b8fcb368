package board

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"damier/engine"
	"damier/rules"
	"damier/web"
	"damier/web/searches"
)

// game returns the variant and the start position that a request asks for. A missing variant is
// old, or the server's if old is nil.
func (s *Server) game(q request, old *rules.Variant) (*rules.Variant, rules.Position, error) {
	v := s.config.Variant
	if old != nil {
		v = old
	}
	if q.Variant != "" && (q.Variant != v.Name || q.Options != nil) || q.Options != nil {
		name := q.Variant
		if name == "" {
			name = v.Name
		}
		text := ""
		if q.Options != nil {
			text = *q.Options
		}
		options, err := rules.ParseOptions(text)
		if err == nil {
			v, err = rules.Lookup(name, options)
		}
		if err != nil {
			return nil, rules.Position{}, web.Refuse(422, "variant", "%w", err)
		}
		if q.Options == nil && name == s.config.Variant.Name {
			v = s.config.Variant
		}
	}
	if strings.TrimSpace(q.FEN) == "" {
		return v, v.Start(), nil
	}
	p, err := rules.ParseFEN(v, q.FEN)
	if err != nil {
		return nil, rules.Position{}, web.Refuse(422, "fen", "%w", err)
	}
	return v, p, nil
}

// create serves the request for a new board.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	q, err := read(r)
	if err == nil {
		err = s.createBoard(w, q)
	}
	if err != nil {
		web.WriteProblem(w, err)
	}
}

func (s *Server) createBoard(w http.ResponseWriter, q request) error {
	v, start, err := s.game(q, nil)
	if err != nil {
		return err
	}
	seats, err := s.seats(v, q.Seats, [2]seat{
		{Player: person, Level: engine.DefaultLevel},
		{Player: s.config.Best(v), Level: engine.DefaultLevel},
	})
	if err != nil {
		return err
	}
	k, err := q.clock(start)
	if err != nil {
		return err
	}
	b, err := s.open(v, start)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.seats = seats
	b.setClock(k)
	if q.Informal != nil {
		b.informal = *q.Informal
	}
	b.changed()
	text := b.snapshot()
	b.mu.Unlock()
	web.WriteJSON(w, http.StatusCreated, text)
	return nil
}

// seats returns old with the requested changes. An engine that v does not have is replaced by the
// best one of v.
func (s *Server) seats(v *rules.Variant, asked map[string]seat, old [2]seat) ([2]seat, error) {
	for name, a := range asked {
		c := slices.Index([]string{"white", "black"}, name)
		if c < 0 {
			return old, web.Refuse(422, "seat", "%q is no side; white and black are", web.Clip(name))
		}
		switch a.Player {
		case person, searches.TreeSearch, searches.Trained, searches.AlphaBeta:
		default:
			return old, web.Refuse(422, "seat", "%q is no player; %s, %s, %s and %s are",
				web.Clip(a.Player), person, searches.TreeSearch, searches.Trained, searches.AlphaBeta)
		}
		if utf8.RuneCountInString(a.Name) > maxName {
			return old, web.Refuse(422, "name", "a player's name has at most %d letters", maxName)
		}
		a.Name = strings.Join(strings.FieldsFunc(a.Name, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r)
		}), " ")
		if a.Level == 0 {
			a.Level = old[c].Level
		}
		if a.Level < 1 || a.Level > engine.Levels() {
			return old, web.Refuse(422, "seat", "level %d is not known; 1 to %d are", a.Level, engine.Levels())
		}
		old[c] = a
	}
	for c := range old {
		network := old[c].Player == searches.Trained || old[c].Player == searches.TreeSearch
		if old[c].Model != "" && (!network || !slices.Contains(s.config.Others(v), old[c].Model)) {
			old[c].Model = "" // a model of another variant
		}
		if network && old[c].Model == "" && !s.config.Has(v) {
			old[c].Player = s.config.Best(v)
		}
	}
	return old, nil
}

func (b *board) doNew(q request) (any, error) {
	v, start, err := b.server.game(q, b.game.Variant())
	if err != nil {
		return nil, err
	}
	seats, err := b.server.seats(v, q.Seats, b.seats)
	if err != nil {
		return nil, err
	}
	k, err := q.clock(start)
	if err != nil {
		return nil, err
	}
	b.begin(v, start)
	b.seats = seats
	b.setClock(k)
	if q.Informal != nil {
		b.informal = *q.Informal
	}
	return nil, nil
}
