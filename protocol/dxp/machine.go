package dxp

import (
	"errors"
	"fmt"

	"damier/rules"
)

// Supports returns an error with the reason if games of v cannot be played over DXP.
func Supports(v *rules.Variant) error {
	if v.Name != rules.International.Name {
		return fmt.Errorf("DXP plays international draughts only, not %s: its messages have no word for another game, and no room for another board", v.Name)
	}
	return nil
}

// Role says which end asks for games.
type Role uint8

// The roles.
const (
	Initiator Role = iota
	Follower
)

// String returns "initiator" or "follower".
func (r Role) String() string { return [...]string{"initiator", "follower"}[r] }

// State is the state of a conversation.
type State uint8

// The states.
const (
	Idle      State = iota
	Requested       // our GameReq waits for its answer
	Asked           // the partner's GameReq waits for ours
	Playing
	Ending // our GameEnd waits for its answer
	Ended  // the partner's GameEnd waits for ours
)

// String returns the state's name.
func (s State) String() string {
	return [...]string{"idle", "requested", "asked", "playing", "ending", "ended"}[s]
}

// ErrProtocol is wrapped by the errors for messages that are not allowed in the present state.
var ErrProtocol = errors.New("against the protocol")

// Machine is one end of a conversation: its state, and the game played. It checks the messages of
// both sides, and does no input or output.
//
//	Idle       -- we send GAMEREQ, receive it -->  Requested, Asked
//	Requested  -- GAMEACC comes               -->  Playing, or Idle if refused
//	Asked      -- GAMEACC goes                -->  Playing, or Idle if refused
//	Playing    -- MOVE, in turn               -->  Playing
//	Playing    -- GAMEEND goes, comes         -->  Ending, Ended
//	Ending     -- GAMEEND comes               -->  Idle
//	Ended      -- GAMEEND goes                -->  Idle
//
// CHAT changes nothing. A BACKREQ may cross anything; its BACKACC takes the game back.
type Machine struct {
	role    Role
	variant *rules.Variant
	state   State
	request GameReq
	partner string
	mine    rules.Color
	game    *rules.Game

	// floor means that it is our turn to send although the game says otherwise, because the
	// partner's move could not be played.
	floor bool

	back, backAsked *BackReq // the unanswered request of ours, and of the partner

	sent, received *GameEnd // of the last game
}

// NewMachine returns an idle end of a conversation about games of v, which DXP must support.
func NewMachine(role Role, v *rules.Variant) (*Machine, error) {
	if err := Supports(v); err != nil {
		return nil, err
	}
	return &Machine{role: role, variant: v}, nil
}

// State returns the state of the conversation.
func (m *Machine) State() State { return m.state }

// Game returns the present or last game, nil before the first. A game that the rules have drawn is
// open again if a player goes on.
func (m *Machine) Game() *rules.Game { return m.game }

// Mine returns our side in the game.
func (m *Machine) Mine() rules.Color { return m.mine }

// MyTurn reports whether it is our turn to send a MOVE or a GAMEEND.
func (m *Machine) MyTurn() bool {
	return m.state == Playing && (m.floor || m.game.Position().Turn == m.mine)
}

// Partner returns the partner's name, "" while it is not known.
func (m *Machine) Partner() string { return m.partner }

// Request returns the GameReq of the game.
func (m *Machine) Request() GameReq { return m.request }

// Ends returns the GameEnds of the last game, nil if one was not sent.
func (m *Machine) Ends() (sent, received *GameEnd) { return m.sent, m.received }

func (m *Machine) wrong(who string, message Message) error {
	return fmt.Errorf("%w: %s sent %s in state %s", ErrProtocol, who, kindOf(message), m.state)
}

// kindOf returns the kind of a message.
func kindOf(message Message) string {
	switch message.(type) {
	case GameReq:
		return "GAMEREQ"
	case GameAcc:
		return "GAMEACC"
	case Move:
		return "MOVE"
	case GameEnd:
		return "GAMEEND"
	case Chat:
		return "CHAT"
	case BackReq:
		return "BACKREQ"
	}
	return "BACKACC"
}

// Send updates the state for a message that we send. If it returns an error we must not send it.
func (m *Machine) Send(message Message) error {
	wrong := m.wrong("we", message)
	switch x := message.(type) {
	case GameReq:
		if m.role != Initiator || m.state != Idle {
			return wrong
		}
		if err := m.check(x); err != nil {
			return err
		}
		m.state, m.request = Requested, x
	case GameAcc:
		if m.state != Asked {
			return wrong
		}
		m.state = Idle
		if x.Answer == Accepted {
			m.begin(m.request.Follower)
		}
	case Move:
		if !m.MyTurn() || m.floor || m.back != nil || m.backAsked != nil {
			return wrong
		}
		return m.play(x)
	case GameEnd:
		switch {
		case m.state == Ended:
			m.state = Idle
		case m.MyTurn() && m.back == nil:
			m.state = Ending
		default:
			return wrong
		}
		m.sent = &x
	case BackReq:
		if m.state != Playing || m.back != nil {
			return wrong
		}
		if _, ok := m.plies(x); !ok {
			return fmt.Errorf("the game has no move %d of %s to go back to", x.Number, x.Turn)
		}
		m.back = &x
	case BackAcc:
		if m.backAsked == nil {
			return wrong
		}
		if x.Answer == BackAccepted {
			if _, ok := m.plies(*m.backAsked); !ok {
				return fmt.Errorf("the game has no move %d of %s to go back to", m.backAsked.Number, m.backAsked.Turn)
			}
			m.rewind(*m.backAsked)
		}
		m.backAsked = nil
	}
	return nil
}

// Receive updates the state for a message of the partner. An error that wraps ErrProtocol means
// that the message was not allowed; it has changed nothing. The partner must be told about other
// errors: rules.ErrIllegalMove, or what is wrong with a requested game.
func (m *Machine) Receive(message Message) error {
	wrong := m.wrong("the partner", message)
	switch x := message.(type) {
	case GameReq:
		switch {
		case m.role == Initiator:
			return fmt.Errorf("%w: both ends want to be the initiator", ErrProtocol)
		case m.state != Idle:
			return wrong
		}
		m.state, m.request, m.partner = Asked, x, x.Name
		if x.Version > 1 {
			return fmt.Errorf("version %d of the protocol is not known", x.Version)
		}
		return m.check(x)
	case GameAcc:
		if m.state != Requested {
			return wrong
		}
		m.state, m.partner = Idle, x.Name
		if x.Answer == Accepted {
			m.begin(m.request.Follower.Opponent())
		}
	case Move:
		switch {
		case m.state == Ending:
			return nil // it crossed our GAMEEND
		case m.state != Playing || m.MyTurn():
			return wrong
		}
		if err := m.play(x); err != nil {
			m.floor = true
			return err
		}
	case GameEnd:
		switch m.state {
		case Ending:
			m.state = Idle
		case Playing: // accepted also out of turn, because it ends the game in any case
			m.state = Ended
		default:
			return wrong
		}
		m.received = &x
	case BackReq:
		switch {
		case m.state == Ending:
			return nil // it crossed our GAMEEND
		case m.state != Playing || m.backAsked != nil:
			return wrong
		}
		m.backAsked = &x
	case BackAcc:
		if m.back == nil {
			return wrong
		}
		if x.Answer == BackAccepted && m.state == Playing {
			m.rewind(*m.back)
		}
		m.back = nil
	}
	return nil
}

// Unreadable updates the state for something from the partner that is not a message. If it was the
// partner's turn in a game, it is now ours, as after a move that could not be played.
func (m *Machine) Unreadable() {
	if m.state == Playing && !m.MyTurn() {
		m.floor = true
	}
}

// CanGoBack reports whether the game contains the position to which the partner asks to go back.
func (m *Machine) CanGoBack() bool {
	if m.backAsked == nil {
		return false
	}
	_, ok := m.plies(*m.backAsked)
	return ok
}

// check returns an error if the requested game cannot be played.
func (m *Machine) check(r GameReq) error {
	if r.Moves < 0 || r.Moves > 999 {
		return fmt.Errorf("a game of %d moves cannot be told: 0 to 999", r.Moves)
	}
	if _, err := FormatTime(r.Time); err != nil && m.role == Initiator {
		return err
	}
	if r.Start != nil {
		if err := rules.Validate(m.variant, *r.Start); err != nil {
			return fmt.Errorf("the position cannot be played: %w", err)
		}
	}
	return nil
}

// begin begins the game of the request.
func (m *Machine) begin(mine rules.Color) {
	start := m.variant.Start()
	if m.request.Start != nil {
		start = *m.request.Start
	}
	m.state, m.mine, m.game = Playing, mine, rules.NewGameFrom(m.variant, start)
	m.floor, m.back, m.backAsked, m.sent, m.received = false, nil, nil, nil, nil
}

// play plays a move of the side to move. A draw by rule that nobody has claimed does not end the
// game.
func (m *Machine) play(x Move) error {
	g := m.game
	if o, _ := g.Outcome(); o == rules.Draw {
		g.End(rules.Ongoing, rules.NoReason)
	}
	captured := board().Set(x.Captured...)
	for _, move := range g.Legal() {
		if move.From == x.From && move.To == x.To && move.Captured() == captured {
			return g.Play(move)
		}
	}
	return fmt.Errorf("%w %s of %s in %s", rules.ErrIllegalMove, x.append(nil), g.Position().Turn, m.variant.FEN(g.Position()))
}

// plies returns the number of plies before the position of a BackReq, and whether the game
// contains it.
func (m *Machine) plies(b BackReq) (int, bool) {
	n := 2 * (b.Number - 1)
	if b.Turn != m.variant.First {
		n++
	}
	if m.game.Start().Turn != m.variant.First {
		n--
	}
	return n, n >= 0 && n <= m.game.Ply()
}

func (m *Machine) rewind(b BackReq) {
	n, ok := m.plies(b)
	if !ok {
		return
	}
	for m.game.Ply() > n {
		m.game.Undo()
	}
	m.floor = false
}
