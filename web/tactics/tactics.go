package tactics

import (
	"context"
	"embed"
	"net/http"
	"slices"

	"damier/notation"
	"damier/rules"
	"damier/tactics"
	"damier/web"
	"damier/web/searches"
)

//go:embed static
var embedded embed.FS

// Files are the files of the page; the board's server serves them together with its own.
var Files = web.Sub(embedded)

// Pages serves the requests of the tactics page. It is a part of the board's server.
type Pages struct {
	ctx      context.Context // parent of all searches
	queue    *searches.Queue
	networks searches.Networks
}

// New returns Pages whose searches run in the queue and end when ctx is done.
func New(ctx context.Context, queue *searches.Queue, networks searches.Networks) *Pages {
	return &Pages{ctx, queue, networks}
}

// tacticInfo is an entry in the list of a variant's tactics. It does not reveal the solution.
type tacticInfo struct {
	ID     string          `json:"id"`
	Turn   string          `json:"turn"` // the solver's side
	Level  int             `json:"level"`
	Moves  int             `json:"moves"` // of the solver
	Gain   float64         `json:"gain"`  // in men, 0 if the game is won
	Rating int             `json:"rating"`
	Themes []tactics.Theme `json:"themes"`
}

func infoOf(t *tactics.Tactic) tacticInfo {
	i := tacticInfo{
		ID:     t.ID(),
		Turn:   t.Solver().String(),
		Level:  t.Level,
		Moves:  t.Moves(),
		Rating: t.Rating(),
		Themes: t.Themes,
	}
	if t.Gain != tactics.Won {
		i.Gain = float64(t.Gain) / tactics.Man
	}
	return i
}

// tacticState is a tactic as sent to the page.
type tacticState struct {
	tacticInfo
	Variant string       `json:"variant"`
	FEN     string       `json:"fen"`
	Depth   int          `json:"depth"`
	Visits  int          `json:"visits"` // that the network needs, 0 not searched, -1 not found
	Most    int          `json:"most"`   // visits of that search at most
	Nodes   int          `json:"nodes"`  // that the alpha-beta needs, 0 not searched, -1 not found
	Source  string       `json:"source"`
	Engine  string       `json:"engine"` // the engine to watch
	Name    string       `json:"name"`   // of its network, "" for the program's
	Steps   []tacticStep `json:"steps"`
	End     string       `json:"end"` // pieces after the line
}

// tacticStep is a position of the solution with its move.
type tacticStep struct {
	Pieces string       `json:"pieces"`
	Legal  []web.Choice `json:"legal,omitempty"` // if the solver is to move
	Must   int          `json:"must"`
	Index  int          `json:"index"` // of Move in Legal
	Move   web.Move     `json:"move"`
}

// tacticsOf returns the tactics of a variant, in the order of the collection.
func tacticsOf(name string) []*tactics.Tactic {
	var list []*tactics.Tactic
	all := tactics.Collection()
	for i := range all {
		if all[i].Variant.Name == name {
			list = append(list, &all[i])
		}
	}
	return list
}

// Routes adds the handlers of the page's requests to m.
func (s *Pages) Routes(m *http.ServeMux) {
	m.HandleFunc("GET /api/tactics", func(w http.ResponseWriter, _ *http.Request) {
		type count struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
		}
		list := []count{}
		for _, name := range rules.Names() {
			if n := len(tacticsOf(name)); n > 0 {
				list = append(list, count{name, n})
			}
		}
		answer := map[string]any{"variants": list, "themes": tactics.AllThemes()}
		web.WriteJSON(w, 200, web.Encode(answer))
	})
	m.HandleFunc("GET /api/tactics/{variant}", func(w http.ResponseWriter, r *http.Request) {
		list := []tacticInfo{}
		for _, t := range tacticsOf(r.PathValue("variant")) {
			list = append(list, infoOf(t))
		}
		web.WriteJSON(w, 200, web.Encode(list))
	})
	m.HandleFunc("GET /api/tactics/{variant}/{id}", s.withTactic(s.tactic))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/explain", s.withTactic(explainInTactic))
	m.HandleFunc("POST /api/tactics/{variant}/{id}/refute", s.withTactic(s.refute))
	m.HandleFunc("GET /api/tactics/{variant}/{id}/watch", s.withTactic(s.watchTactic))
}

// tactic answers with the state of a tactic.
func (s *Pages) tactic(t *tactics.Tactic, w http.ResponseWriter, _ *http.Request) error {
	web.WriteJSON(w, 200, web.Encode(s.tacticState(t)))
	return nil
}

// withTactic returns a handler that calls serve with the tactic that the path names.
func (s *Pages) withTactic(
	serve func(*tactics.Tactic, http.ResponseWriter, *http.Request) error,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var err error = web.Refuse(404, "tactic", "there is no tactic %q", web.Clip(r.PathValue("id")))
		for _, t := range tacticsOf(r.PathValue("variant")) {
			if t.ID() == r.PathValue("id") {
				err = serve(t, w, r)
				break
			}
		}
		if err != nil {
			web.WriteProblem(w, err)
		}
	}
}

func (s *Pages) tacticState(t *tactics.Tactic) tacticState {
	v := t.Variant
	state := tacticState{
		tacticInfo: infoOf(t),
		Variant:    v.Name,
		FEN:        v.FEN(t.Start),
		Depth:      t.Depth,
		Visits:     t.Visits,
		Most:       tactics.MostVisits,
		Nodes:      t.Nodes,
		Source:     t.Source,
		Engine:     s.networks.Analyst(v),
		Name:       s.networks.Own(v),
	}
	positions := t.Positions()
	for i, m := range t.Line {
		p := positions[i]
		legal := v.AppendMoves(nil, p)
		step := tacticStep{
			Pieces: v.HubString(p)[1:],
			Must:   web.Must(legal),
			Index:  slices.Index(legal, m),
			Move:   moveOf(v, p, m),
		}
		if p.Turn == t.Solver() {
			step.Legal = web.Choices(v, p, legal)
		}
		state.Steps = append(state.Steps, step)
	}
	state.End = v.HubString(positions[len(t.Line)])[1:]
	return state
}

// moveOf returns a move of p as the page draws it.
func moveOf(v *rules.Variant, p rules.Position, m rules.Move) web.Move {
	s := web.Move{
		Text: notation.FormatMove(v, p, m), Turn: p.Turn.String(), Path: web.Squares{m.From, m.To},
		Captured: v.Board.AppendSquares(nil, m.Captured()),
	}
	if paths := v.CapturePaths(p, m); len(paths) > 0 {
		s.Path = paths[0]
	}
	return s
}
