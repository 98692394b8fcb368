package dashboard

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"slices"

	"damier/mcts"
	"damier/notation"
	"damier/rules"
	"damier/web"
)

// evaluation is a network's evaluation of a position.
type evaluation struct {
	Generation int       `json:"generation"`
	Score      float64   `json:"score"`  // expected of White
	Priors     []float64 `json:"priors"` // of the moves shown
	all        []float32 // of all moves
}

// position answers with the evaluations of a position by the networks that the run has kept.
func (d *Dashboard) position(s *shown, w http.ResponseWriter, r *http.Request) error {
	var q struct {
		FEN string `json:"fen"`
	}
	if err := web.Decode(r, &q); err != nil {
		return err
	}
	v := s.About().Variant
	p := v.Start()
	if len(q.FEN) > maxFEN {
		return web.Refuse(http.StatusUnprocessableEntity, "fen",
			"a position has %d characters at most", maxFEN)
	}
	if q.FEN != "" {
		var err error
		if p, err = rules.ParseFEN(v, q.FEN); err != nil {
			return web.Refuse(http.StatusUnprocessableEntity, "fen", "%v", err)
		}
	}
	moves := v.AppendMoves(nil, p)
	if len(moves) == 0 {
		return web.Refuse(http.StatusUnprocessableEntity, "over",
			"the game is over: there is no legal move")
	}
	generations, err := s.Generations()
	if err != nil {
		return err
	}
	fen, newest := v.FEN(p), -1
	if len(generations) > 0 {
		newest = generations[len(generations)-1]
	}
	text := s.cached(fen, newest)
	if text == nil {
		whole := false
		some := spaced(generations, maxNetworks)
		if text, whole, err = d.evaluate(r.Context(), s, p, moves, some); err != nil {
			return err
		}
		if whole {
			s.cache(cachedAnswer{fen, newest, text})
		}
	}
	web.WriteJSON(w, 200, text)
	return nil
}

// spaced returns at most n elements of a list, evenly spaced, the first and the last
// included; n is at least 2.
func spaced(list []int, n int) []int {
	if len(list) <= n {
		return list
	}
	some := make([]int, n)
	for i := range some {
		some[i] = list[i*(len(list)-1)/(n-1)]
	}
	return some
}

// evaluate evaluates a position with networks of the run. It serves one request at a time and runs
// one network at a time, because training runs on the same machine. whole is false if a network
// was left out for lack of time or an error.
func (d *Dashboard) evaluate(
	ctx context.Context, s *shown, p rules.Position, moves []rules.Move,
	generations []int,
) (text []byte, whole bool, err error) {
	v := s.About().Variant
	select {
	case d.queue <- struct{}{}:
		defer func() { <-d.queue }()
	default:
		return nil, false, web.Refuse(http.StatusServiceUnavailable, "busy",
			"too many positions are asked about; try again in a moment")
	}
	ctx, cancel := context.WithTimeout(ctx, positionTime)
	defer cancel()
	busy := web.Refuse(http.StatusServiceUnavailable, "busy",
		"the networks have not answered in %v; try again in a moment", positionTime)
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return nil, false, busy
	}
	var evaluations []evaluation
	leftOut := 0
	// Newest first: if time is up, the oldest are left out.
	for i, g := range slices.Backward(generations) {
		if ctx.Err() != nil {
			leftOut += i + 1
			break
		}
		o, err := s.evaluation(ctx, g, p, moves)
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted since the list was made
		case err != nil:
			leftOut++
		default:
			evaluations = append(evaluations, o)
		}
	}
	if len(evaluations) == 0 && leftOut > 0 {
		return nil, false, busy
	}
	slices.Reverse(evaluations)

	order := make([]int, len(moves))
	for i := range order {
		order[i] = i
	}
	if len(evaluations) > 0 {
		last := evaluations[len(evaluations)-1].all
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case last[i] > last[j]:
				return -1
			case last[i] < last[j]:
				return 1
			}
			return 0
		})
	}
	order = order[:min(len(order), shownMoves)]
	names := []string{}
	for _, i := range order {
		names = append(names, notation.FormatMove(v, p, moves[i]))
	}
	for k := range evaluations {
		evaluations[k].Priors = []float64{}
		for _, i := range order {
			prior := thousandths(evaluations[k].all[i])
			evaluations[k].Priors = append(evaluations[k].Priors, prior)
		}
	}
	if evaluations == nil {
		evaluations = []evaluation{}
	}
	return web.Encode(map[string]any{
		"fen": v.FEN(p), "pieces": v.HubString(p)[1:], "turn": p.Turn.String(), "legal": len(moves),
		"moves": names, "networks": evaluations, "left_out": leftOut,
	}), leftOut == 0, nil
}

// evaluation evaluates a position with one network.
func (s *shown) evaluation(
	ctx context.Context, generation int, p rules.Position, moves []rules.Move,
) (evaluation, error) {
	e, err := s.Network(generation)
	if err != nil {
		return evaluation{}, err
	}
	leaf := []mcts.Leaf{{
		Position: p,
		Moves:    moves,
		Priors:   make([]float32, len(moves)),
		Values:   make([]float32, len(moves)),
	}}
	if err := e.Evaluate(ctx, leaf); err != nil {
		return evaluation{}, err
	}
	value := leaf[0].Value
	if p.Turn == rules.Black {
		value = value.Flip()
	}
	return evaluation{Generation: generation, Score: thousandths(value.Score()), all: leaf[0].Priors}, nil
}

func (s *shown) cached(fen string, newest int) []byte {
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	for _, k := range s.answers {
		if k.fen == fen && k.newest == newest {
			return k.text
		}
	}
	return nil
}

func (s *shown) cache(k cachedAnswer) {
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	older := func(old cachedAnswer) bool { return old.fen == k.fen }
	s.answers = slices.DeleteFunc(s.answers, older)
	if len(s.answers) >= maxCached {
		s.answers = slices.Delete(s.answers, 0, 1)
	}
	s.answers = append(s.answers, k)
}
