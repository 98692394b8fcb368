package page

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"time"

	"damier/alphabeta"
	"damier/engine"
	"damier/mcts"
	"damier/models"
	"damier/net/nnue"
	"damier/rules"
	"damier/web"
)

//go:embed static
var embedded embed.FS

// Files are the files of the page, without the program of its worker.
var Files = web.Files{web.Sub(embedded), web.Common}

// The engines that a Request can name.
const (
	Tree      = "tree"      // tree search over the network that comes with the program
	NNUE      = "nnue"      // alpha-beta search over the same network
	AlphaBeta = "alphabeta" // the baseline, without a network
)

// Sizes of the memory of a search.
const (
	// treeNodes is the largest number of nodes of a tree; a node takes some 250 bytes. It is
	// smaller than in the native programs, because a page has less memory. A tree that is not full
	// finds the same move.
	treeNodes = 1_000_000

	// tableBits is the size of the native programs' table, because the size of a table changes
	// what an alpha-beta search finds.
	tableBits = engine.DefaultTableBits
)

// Limits of a Request, so that no search takes hours.
const (
	maxNodes  = 100_000_000
	maxMillis = 600_000
)

// Request is a request of the page to its worker. The Reply has the same ID.
type Request struct {
	ID int    `json:"id"`
	Op string `json:"op"` // variants, new, play, undo, think or show

	Variant string `json:"variant,omitempty"` // new
	FEN     string `json:"fen,omitempty"`     // new; "" is the variant's start
	Index   int    `json:"index,omitempty"`   // play: of the legal moves

	// For think: Engine is "" for the stronger one of the variant. The limit is a level from 1, or
	// nodes (visits of a tree search), or milliseconds. With Play, the move found is played.
	Engine string `json:"engine,omitempty"`
	Level  int    `json:"level,omitempty"`
	Nodes  int64  `json:"nodes,omitempty"`
	Millis int64  `json:"millis,omitempty"`
	Play   bool   `json:"play,omitempty"`
}

// Reply is the answer to a Request. Error is "" on success.
type Reply struct {
	ID       int           `json:"id"`
	Error    string        `json:"error,omitempty"`
	Variants []web.Variant `json:"variants,omitempty"` // of variants
	Levels   int           `json:"levels,omitempty"`   // of variants
	State    *State        `json:"state,omitempty"`
	Thought  *Thought      `json:"thought,omitempty"`
}

// State is the game as the page draws it.
type State struct {
	Variant string       `json:"variant"`
	FEN     string       `json:"fen"`
	Pieces  string       `json:"pieces"` // a letter for each square: w b W B, e for none
	Turn    string       `json:"turn"`
	Moves   []string     `json:"moves"`
	Last    *web.Move    `json:"last,omitempty"`
	Legal   []web.Choice `json:"legal"`   // empty when the game is over
	Must    int          `json:"must"`    // pieces to capture: 0 none, -1 a free number
	Outcome string       `json:"outcome"` // "*" while the game goes on
	Reason  string       `json:"reason,omitempty"`
}

// Thought is the result of a search. Score is White's expected score, in [0,1].
type Thought struct {
	Engine string  `json:"engine"`
	Move   string  `json:"move"`
	Score  float64 `json:"score"`
	Nodes  int64   `json:"nodes"` // visits of a tree search
	Depth  int     `json:"depth"`
	Millis float64 `json:"millis"`
}

// Session is one game with its engines. It is not safe for concurrent use.
type Session struct {
	game    *rules.Game
	engines map[string]engine.Engine // of the variant
}

// Do executes a request and returns the reply.
func (s *Session) Do(ctx context.Context, r Request) Reply {
	reply := Reply{ID: r.ID}
	var err error
	switch r.Op {
	case "variants":
		for _, name := range rules.Names() {
			v, err := rules.Lookup(name, nil)
			if err != nil {
				panic(err) // rules must know every name that it lists
			}
			reply.Variants = append(reply.Variants, web.Describe(v))
		}
		reply.Levels = engine.Levels()
		return reply
	case "new":
		err = s.begin(r.Variant, r.FEN)
	case "play":
		err = s.play(r.Index)
	case "undo":
		err = s.undo()
	case "think":
		reply.Thought, err = s.think(ctx, r)
	case "show":
		if s.game == nil {
			err = errNoGame
		}
	default:
		err = fmt.Errorf("page: operation %q is not known", r.Op)
	}
	if err != nil {
		reply.Error = err.Error()
	}
	if s.game != nil {
		reply.State = s.state()
	}
	return reply
}

var errNoGame = errors.New("page: there is no game; ask for a new one first")

func (s *Session) begin(variant, fen string) error {
	v, err := rules.Lookup(variant, nil)
	if err != nil {
		return err
	}
	g := rules.NewGame(v)
	if fen != "" {
		p, err := rules.ParseFEN(v, fen)
		if err != nil {
			return err
		}
		g = rules.NewGameFrom(v, p)
	}
	if s.game == nil || s.game.Variant().Name != v.Name {
		s.engines = map[string]engine.Engine{}
	}
	for _, e := range s.engines {
		e.NewGame()
	}
	s.game = g
	return nil
}

func (s *Session) play(index int) error {
	if s.game == nil {
		return errNoGame
	}
	if s.game.Over() {
		return errors.New("page: the game is over")
	}
	legal := s.game.Legal()
	if index < 0 || index >= len(legal) {
		return fmt.Errorf("page: there is no legal move %d; there are %d", index, len(legal))
	}
	return s.game.Play(legal[index])
}

func (s *Session) undo() error {
	if s.game == nil {
		return errNoGame
	}
	if !s.game.Undo() {
		return errors.New("page: no move has been played")
	}
	return nil
}

// Best returns the default engine of a variant.
func Best(v *rules.Variant) string {
	if v.Tuning().Search == rules.TreeSearch {
		return Tree
	}
	return NNUE
}

// engine returns the engine of a kind for the game's variant. It makes it at the first call, with
// the same settings as the native programs use for the description of that name.
func (s *Session) engine(kind string) (engine.Engine, error) {
	if e := s.engines[kind]; e != nil {
		return e, nil
	}
	v := s.game.Variant()
	c := alphabeta.Config{Cores: 1, TableBits: tableBits}
	own := engine.Limits{Time: engine.DefaultTime}
	var e engine.Engine
	var err error
	switch kind {
	case AlphaBeta:
		e, err = engine.NewAlphaBeta(v, engine.AlphaBetaConfig{Rated: kind, Search: c, Own: own})
	case NNUE, Tree:
		var m *nnue.Model
		if m, err = models.NNUE(v); err != nil {
			return nil, err
		}
		if kind == NNUE {
			c.Evaluator, c.Name = m.Evaluator(), "damier"
			e, err = engine.NewAlphaBeta(v, engine.AlphaBetaConfig{Rated: kind, Search: c, Own: own})
			break
		}
		search := nnue.TreeSearch(mcts.Config{MaxNodes: treeNodes})
		e, err = engine.NewTree(v, engine.TreeConfig{
			Name:       "damier",
			Evaluators: []mcts.Evaluator{m.Evaluator().OnePly(nnue.OnePlyConfig{})},
			Search:     search,
			Repeatable: true,
			Own:        own,
		})
	default:
		return nil, fmt.Errorf("page: engine %q is not known; use %s, %s or %s",
			kind, Tree, NNUE, AlphaBeta)
	}
	if err != nil {
		return nil, err
	}
	e.Seed(uint64(time.Now().UnixNano()))
	s.engines[kind] = e
	return e, nil
}

func (s *Session) think(ctx context.Context, r Request) (*Thought, error) {
	switch {
	case s.game == nil:
		return nil, errNoGame
	case s.game.Over():
		return nil, errors.New("page: the game is over")
	case r.Level < 0 || r.Level > engine.Levels():
		return nil, fmt.Errorf("page: level %d: levels are 1 to %d", r.Level, engine.Levels())
	case r.Nodes < 0 || r.Nodes > maxNodes || r.Millis < 0 || r.Millis > maxMillis:
		return nil, fmt.Errorf("page: a search of %d nodes and %d ms: at most %d and %d",
			r.Nodes, r.Millis, maxNodes, maxMillis)
	}
	kind := r.Engine
	if kind == "" {
		kind = Best(s.game.Variant())
	}
	e, err := s.engine(kind)
	if err != nil {
		return nil, err
	}
	limits := engine.Limits{Nodes: r.Nodes, Time: time.Duration(r.Millis) * time.Millisecond}
	if r.Level > 0 {
		if err := e.SetLevel(r.Level); err != nil {
			return nil, err
		}
	} else {
		if limits.Unset() {
			limits.Time = engine.DefaultTime
		}
		if err := e.SetOwn(limits); err != nil {
			return nil, err
		}
		limits = engine.Limits{} // its own
	}
	p := s.game.Position()
	t, err := e.Think(ctx, s.game, limits, nil)
	if err != nil {
		return nil, err
	}
	found := &Thought{
		Engine: kind, Move: s.game.Variant().FormatMove(t.Move), Nodes: t.Nodes, Depth: t.Depth,
		Millis: math.Round(float64(t.Elapsed.Microseconds())) / 1000,
	}
	if !math.IsNaN(t.Expected) {
		found.Score = web.WhitesScore(p.Turn, t.Expected)
	}
	if r.Play {
		return found, s.game.Play(t.Move)
	}
	return found, nil
}

// state returns the game as the page draws it.
func (s *Session) state() *State {
	g := s.game
	v, p := g.Variant(), g.Position()
	outcome, reason := g.Outcome()
	st := &State{
		Variant: v.Name,
		FEN:     v.FEN(p),
		Pieces:  v.HubString(p)[1:],
		Turn:    p.Turn.String(),
		Moves:   []string{},
		Legal:   []web.Choice{},
		Outcome: outcome.String(),
		Reason:  string(reason),
	}
	moves, positions := g.Moves(), g.Positions()
	for _, m := range moves {
		st.Moves = append(st.Moves, v.FormatMove(m))
	}
	if n := len(moves); n > 0 {
		st.Last = lastMove(v, positions[n-1], moves[n-1])
	}
	if outcome == rules.Ongoing {
		st.Legal, st.Must = web.Choices(v, p, g.Legal()), web.Must(g.Legal())
	}
	return st
}

// lastMove returns a move of the position before as the page draws it.
func lastMove(v *rules.Variant, before rules.Position, m rules.Move) *web.Move {
	drawn := &web.Move{
		Text: v.FormatMove(m), Turn: before.Turn.String(), Path: web.Squares{m.From, m.To},
		Captured: v.Board.AppendSquares(nil, m.Captured()),
	}
	if m.IsCapture() {
		if paths := v.CapturePaths(before, m); len(paths) > 0 {
			drawn.Path = paths[0]
		}
	}
	return drawn
}
