package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

// undo goes back to the person's turn before its last move.
func (g *Game) undo() tea.Cmd {
	g.stop()
	if endingOf(g.game) != (ending{}) {
		g.game.End(rules.Ongoing, rules.NoReason)
		g.declared = ending{}
	} else if !g.back() {
		g.refuse("there is no move to take back.")
		return g.goOn()
	} else {
		for g.people != (People{}) && !g.mine() && g.back() {
		}
	}
	g.paused = !g.mine()
	g.turned()
	g.say("Back at move %d; y makes it again.", g.number(g.game.Ply()))
	return g.goOn()
}

// back takes one move back.
func (g *Game) back() bool {
	moves := g.game.Moves()
	if len(moves) == 0 {
		return false
	}
	if endingOf(g.game) != (ending{}) {
		g.game.End(rules.Ongoing, rules.NoReason)
	}
	g.redo = append(g.redo, moves[len(moves)-1])
	return g.game.Undo()
}

// again replays moves that were taken back, up to the person's next turn.
func (g *Game) again() tea.Cmd {
	if len(g.redo) == 0 {
		g.refuse("there is no move to make again.")
		return nil
	}
	g.stop()
	for g.forth() && g.people != (People{}) && !g.mine() {
	}
	g.paused = !g.mine()
	g.turned()
	g.say("Move %d.", g.number(g.game.Ply()))
	return g.goOn()
}

// forth replays one move.
func (g *Game) forth() bool {
	n := len(g.redo)
	if n == 0 || !goOn(g.game, g.redo[n-1]) {
		return false
	}
	if g.redo = g.redo[:n-1]; n == 1 && g.declared != (ending{}) {
		g.game.End(g.declared.outcome, g.declared.reason)
	}
	return true
}

// goOn replays a move. If the rules found a draw before it, nobody claimed it.
func goOn(game *rules.Game, m rules.Move) bool {
	if o, _ := game.Outcome(); o == rules.Draw {
		game.End(rules.Ongoing, rules.NoReason)
	}
	return game.Play(m) == nil
}

// whole returns the game up to its end, also if the board shows an earlier position.
func (g *Game) whole() *rules.Game {
	game := g.game.Clone()
	for _, m := range slices.Backward(g.redo) {
		if !goOn(game, m) {
			break
		}
	}
	if len(g.redo) > 0 && g.declared != (ending{}) {
		game.End(g.declared.outcome, g.declared.reason)
	}
	return game
}

// seek shows the position after the given number of plies; the engine waits there.
func (g *Game) seek(ply int) tea.Cmd {
	g.stop()
	for g.game.Ply() > ply && g.back() {
	}
	for g.game.Ply() < ply && g.forth() {
	}
	g.paused = !g.mine()
	g.turned()
	g.say("")
	if g.paused && !g.game.Over() {
		g.say("Move %d; t lets %s go on from here.", g.number(g.game.Ply()), g.engine.Name())
	}
	return g.goOn()
}
