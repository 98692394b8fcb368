package tactics

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/tactics"
	"damier/web"
	"damier/web/searches"
)

// attempt is the body of a POST about a move that a person tries in a tactic.
type attempt struct {
	Ply   int          `json:"ply"` // of the solution; the solver is to move
	Index int          `json:"index"`
	From  rules.Square `json:"from"`
	To    rules.Square `json:"to"`
}

// readAttempt decodes a body and returns it with the position before the move.
func readAttempt(t *tactics.Tactic, r *http.Request) (attempt, rules.Position, error) {
	var q attempt
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, rules.Position{}, web.Refuse(http.StatusBadRequest, "request",
			"the request cannot be read: %v", err)
	}
	if q.Ply < 0 || q.Ply >= len(t.Line) || q.Ply%2 != 0 {
		return q, rules.Position{}, web.Refuse(422, "request",
			"ply %d is none of the solver's", q.Ply)
	}
	return q, t.Positions()[q.Ply], nil
}

// explainInTactic says why no legal move goes from one square to another.
func explainInTactic(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readAttempt(t, r)
	if err != nil {
		return err
	}
	v := t.Variant
	for _, s := range []rules.Square{q.From, q.To} {
		if s == rules.NoSquare || int(s) > v.Board.Squares() {
			return web.Refuse(422, "refused", "%d is no square, the board has 1 to %d",
				s, v.Board.Squares())
		}
	}
	web.WriteJSON(w, 200, web.Encode(web.Explain(v, p, v.AppendMoves(nil, p), q.From, q.To)))
	return nil
}

// refutation shows what follows after a move that is not the solution.
type refutation struct {
	Text   string    `json:"text"`            // the move
	Pieces string    `json:"pieces"`          // after it
	Reply  *web.Move `json:"reply,omitempty"` // of the opponent, if it has a move
	After  string    `json:"after"`           // pieces after the reply
	Gain   float64   `json:"gain"`            // the solver's, in men, after all captures
}

// Bounds on the search for a refutation.
const (
	refuteDepth = 8
	refuteNodes = 60_000
)

// refute answers a legal move that is not the solution with the opponent's best reply and the
// solver's gain after it.
func (s *Pages) refute(t *tactics.Tactic, w http.ResponseWriter, r *http.Request) error {
	q, p, err := readAttempt(t, r)
	if err != nil {
		return err
	}
	v := t.Variant
	legal := v.AppendMoves(nil, p)
	if q.Index < 0 || q.Index >= len(legal) || legal[q.Index] == t.Line[q.Ply] {
		return web.Refuse(422, "refused", "there is no such wrong move")
	}
	m := legal[q.Index]
	answer := refutation{Text: notation.FormatMove(v, p, m)}
	p = v.Play(p, m)
	answer.Pieces, answer.After = v.HubString(p)[1:], v.HubString(p)[1:]
	line, err := s.reply(r.Context(), v, p)
	// The search may have used up the first deadline.
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(web.WriteTime))
	if err != nil {
		return err
	} else if len(line) > 0 {
		reply := moveOf(v, p, line[0])
		answer.Reply = &reply
		for i, m := range line {
			if i > 0 && !m.IsCapture() {
				break
			}
			p = v.Play(p, m)
			if i == 0 {
				answer.After = v.HubString(p)[1:]
			}
		}
	}
	gain := tactics.Balance(v, p, t.Solver()) - tactics.Balance(v, t.Start, t.Solver())
	answer.Gain = float64(gain) / tactics.Man
	web.WriteJSON(w, 200, web.Encode(answer))
	return nil
}

// reply returns the best line from p, nil if the game is over there. Its search waits in the queue
// like a search for a move.
func (s *Pages) reply(
	ctx context.Context, v *rules.Variant, p rules.Position,
) ([]rules.Move, error) {
	g := rules.NewGameFrom(v, p)
	if g.Over() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, searches.MoveTime)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	type found struct {
		line []rules.Move
		err  error
	}
	answer := make(chan found, 1)
	run := func(ctx context.Context, _ *searches.Worker) {
		e, err := engine.NewBaseline(v, 16)
		if err != nil {
			answer <- found{err: err}
			return
		}
		t, err := e.Think(ctx, g, engine.Limits{Depth: refuteDepth, Nodes: refuteNodes}, nil)
		answer <- found{t.Line, err}
	}
	if err := s.queue.Add(&searches.Job{Context: ctx, Run: run}); err != nil {
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy", "%w", err)
	}
	select {
	case f := <-answer:
		return f.line, f.err
	case <-ctx.Done():
		return nil, web.Refuse(http.StatusServiceUnavailable, "busy",
			"no answer in %v", searches.MoveTime)
	}
}
