package board

import (
	"slices"

	"damier/notation"
	"damier/rules"
	"damier/web"
)

// node is a position in the tree of a board's moves: the move that leads to it and the moves
// played from it. The root is the start position and has no move.
//
// The board's line goes from the root to a leaf; the game is its beginning. Behind the position
// that was chosen the line follows the main moves.
type node struct {
	ply
	id     int // on this board; the root's is 0
	parent *node
	next   []*node // the main move first, then the variations
	before []notation.Note
	times  notation.Times
	timed  bool            // times.Spent is written in PDN, because it is of a clock or of a file
	notes  []notation.Note // after the move; Ply is not used in notes and before
}

// maxNodes is the maximum number of moves of a board, variations included.
const maxNodes = 5000

// child returns the child node of a move, nil if there is none.
func (n *node) child(m rules.Move) *node {
	for _, c := range n.next {
		if c.move == m {
			return c
		}
	}
	return nil
}

// main reports whether n is its parent's main move; the root is.
func (n *node) main() bool { return n.parent == nil || n.parent.next[0] == n }

// promote makes n its parent's main move.
func (n *node) promote() {
	list := n.parent.next
	i := slices.Index(list, n)
	copy(list[1:i+1], list[:i])
	list[0] = n
}

// size returns the number of nodes of the subtree at n.
func (n *node) size() int {
	count := 0
	for open := []*node{n}; len(open) > 0; count++ {
		n := open[len(open)-1]
		open = append(open[:len(open)-1], n.next...)
	}
	return count
}

// within reports whether n is in the subtree at m.
func (n *node) within(m *node) bool {
	for n != nil && n != m {
		n = n.parent
	}
	return n == m
}

// here returns the node of the position that is shown. The caller holds the lock.
func (b *board) here() *node {
	if n := b.game.Ply(); n > 0 {
		return b.line[n-1]
	}
	return b.root
}

// addChild returns the child of a node with a move, and adds it if it is new. The caller holds the
// lock.
func (b *board) addChild(at *node, k ply) (*node, error) {
	if c := at.child(k.move); c != nil {
		c.path = k.path
		return c, nil
	}
	if b.nodes >= maxNodes {
		return nil, web.Refuse(409, "long",
			"the game has too many moves with its variations: %d are kept", maxNodes)
	}
	b.nodes++
	b.lastID++
	c := &node{ply: k, id: b.lastID, parent: at}
	at.next = append(at.next, c)
	return c, nil
}

// lineThrough returns the line through n: from the first move to n, then main moves to a leaf.
func lineThrough(n *node) []*node {
	var line []*node
	for m := n; m.parent != nil; m = m.parent {
		line = append(line, m)
	}
	slices.Reverse(line)
	for len(n.next) > 0 {
		n = n.next[0]
		line = append(line, n)
	}
	return line
}

// visit shows the position of a node and makes the line through it the board's line. The caller
// holds the lock.
func (b *board) visit(n *node) error {
	line := lineThrough(n)
	common := 0
	for common < min(b.game.Ply(), len(line)) && line[common] == b.line[common] {
		common++
	}
	for b.game.Ply() > common {
		b.game.Undo()
	}
	b.line = line
	at := 0
	for m := n; m.parent != nil; m = m.parent {
		at++
	}
	return b.seek(at)
}

// findNode returns the node with the id of a request. The caller holds the lock.
func (b *board) findNode(q request) (*node, error) {
	if q.Node == nil {
		return nil, web.Refuse(422, "request", "which move is meant?")
	}
	for open := []*node{b.root}; len(open) > 0; {
		n := open[len(open)-1]
		if n.id == *q.Node {
			return n, nil
		}
		open = append(open[:len(open)-1], n.next...)
	}
	return nil, web.Refuse(422, "node", "this move is not there any more")
}

// doGoto shows the position after any move of the tree.
func (b *board) doGoto(q request) (any, error) {
	n, err := b.findNode(q)
	if err != nil {
		return nil, err
	}
	b.interrupt()
	b.auto, b.retracted = false, false
	if i := slices.Index(b.line, n); i >= 0 {
		return nil, b.seek(i + 1) // the line stays as it is
	}
	return nil, b.visit(n)
}

// doPromote makes the variation that contains a move the main line at the point where it branches
// off.
func (b *board) doPromote(q request) (any, error) {
	n, err := b.findNode(q)
	if err != nil {
		return nil, err
	}
	for n.main() {
		if n.parent == nil {
			return nil, web.Refuse(422, "main", "this is the main line already")
		}
		n = n.parent
	}
	n.promote()
	return nil, b.visit(b.here())
}

// doDelete deletes a move with all moves behind it.
func (b *board) doDelete(q request) (any, error) {
	n, err := b.findNode(q)
	if err != nil {
		return nil, err
	}
	if n.parent == nil {
		return nil, web.Refuse(422, "request", "the start cannot be deleted; begin a new game")
	}
	b.interrupt()
	b.auto = false
	return nil, b.deleteSubtree(n)
}

// deleteSubtree deletes the subtree at n. If the position shown is in it, the board shows the
// position before n. The caller holds the lock.
func (b *board) deleteSubtree(n *node) error {
	here := b.here()
	if here.within(n) {
		here = n.parent
	}
	if b.ended != rules.Ongoing && b.endNode.within(n) {
		b.clearEnd()
	}
	timed := b.clock != nil && b.clock.at.within(n)
	b.nodes -= n.size()
	b.forgetReviewOf(n)
	n.parent.next = slices.DeleteFunc(n.parent.next, func(c *node) bool { return c == n })
	err := b.visit(here)
	if timed {
		err = b.restoreClock(err)
	}
	return err
}

// maxComment is the maximum size of a comment in bytes.
const maxComment = 4000

// doAnnotate replaces the comment and the glyphs of a move.
func (b *board) doAnnotate(q request) (any, error) {
	n, err := b.findNode(q)
	if err != nil {
		return nil, err
	}
	if len(q.Text) > maxComment || len(q.Glyphs) > 8 {
		return nil, web.Refuse(422, "request",
			"a comment has at most %d bytes, a move at most 8 glyphs", maxComment)
	}
	var notes []notation.Note
	for _, g := range q.Glyphs {
		if g < 1 || g > 255 || n.parent == nil {
			return nil, web.Refuse(422, "request", "%d is no glyph of this move; 1 to 255 are", g)
		}
		notes = append(notes, notation.Note{NAG: g})
	}
	if text := notation.CleanComment(q.Text); text != "" {
		notes = append(notes, notation.Comment(0, text))
	}
	n.notes = notes
	return nil, nil
}

// addMoves adds the moves of a file behind a node whose position is p, with their notes and
// variations. The caller holds the lock.
func (b *board) addMoves(
	at *node, p rules.Position, moves []rules.Move, notes []notation.Note,
	variations []notation.Variation,
) error {
	v := b.game.Variant()
	note := func(ply int) (list []notation.Note) {
		for ; len(notes) > 0 && notes[0].Ply <= ply; notes = notes[1:] {
			list = append(list, notes[0])
		}
		return list
	}
	before := note(0)
	for i, m := range moves {
		n, err := b.addChild(at, newPly(v, p, m, nil))
		if err != nil {
			return err
		}
		n.before = append(n.before, before...)
		n.addNotes(note(i + 1))
		before = nil
		for ; len(variations) > 0 && variations[0].Ply <= i; variations = variations[1:] {
			if w := variations[0]; w.Ply == i {
				if err := b.addMoves(at, p, w.Moves, w.Notes, w.Variations); err != nil {
					return err
				}
			}
		}
		at, p = n, v.Play(p, m)
	}
	return nil
}

// variationFrom returns the line that begins with a move, in the form of a file. It includes the
// variations at every move except the first.
func variationFrom(first *node, ply int) notation.Variation {
	w := notation.Variation{Ply: ply}
	for n, i := first, 0; n != nil; i++ {
		for _, note := range n.before {
			note.Ply = i
			w.Notes = append(w.Notes, note)
		}
		w.Moves = append(w.Moves, n.move)
		for _, note := range n.notesToWrite() {
			note.Ply = i + 1
			w.Notes = append(w.Notes, note)
		}
		if i > 0 {
			w.Variations = append(w.Variations, variationsBeside(n, i)...)
		}
		if len(n.next) == 0 {
			break
		}
		n = n.next[0]
	}
	return w
}

// variationsBeside returns the variations to a main move, which has the given ply.
func variationsBeside(n *node, ply int) (list []notation.Variation) {
	for _, c := range n.parent.next[1:] {
		list = append(list, variationFrom(c, ply))
	}
	return list
}

// treeMove is a move of the tree as sent to the page.
type treeMove struct {
	ID      int    `json:"id"`
	Up      int    `json:"up"` // the id of the move before
	Text    string `json:"text"`
	Manoury string `json:"manoury,omitempty"`
	Turn    string `json:"turn"`
	Book    bool   `json:"book,omitempty"` // an engine took it from its book
	written
	timesState
}

// written holds the annotations of a move.
type written struct {
	Before  string `json:"before,omitempty"`
	Glyphs  []int  `json:"glyphs,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// annotations returns the annotations of a node's move.
func (n *node) annotations() (w written) {
	for _, note := range n.before {
		if note.NAG < 0 {
			w.Before = join(w.Before, note.Text)
		}
	}
	for _, note := range n.notes {
		if note.NAG >= 0 {
			w.Glyphs = append(w.Glyphs, note.NAG)
		} else {
			w.Comment = join(w.Comment, note.Text)
		}
	}
	return w
}

// tree lists the moves in preorder, the main move before its variations; nil if there is only one
// line. The caller holds the lock.
func (b *board) tree() []treeMove {
	if b.nodes == len(b.line) {
		return nil
	}
	list := make([]treeMove, 0, b.nodes)
	for open := []*node{b.root}; len(open) > 0; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n.parent != nil {
			list = append(list, treeMove{
				ID:      n.id,
				Up:      n.parent.id,
				Text:    n.text,
				Manoury: n.manoury,
				Turn:    n.turn.String(),
				Book:    n.book,
				written: n.annotations(),

				timesState: n.timesState(),
			})
		}
		for _, c := range slices.Backward(n.next) {
			open = append(open, c)
		}
	}
	return list
}
