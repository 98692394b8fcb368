package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"damier/rules"
)

// ErrIllegal is wrapped by the errors of a [WireDecoder] for bytes that are no game, or a game
// that breaks the rules.
var ErrIllegal = errors.New("not a legal game")

// The bits that say which parts of a ply follow in the wire form.
const (
	wireFull   = 1 << iota // a full search
	wireSearch             // visits, priors and values of the moves
	wireValues             // simulations, root and raw value
	wireTree               // positions of the tree
)

// wireKnown are the bits that have a meaning.
const wireKnown = wireFull | wireSearch | wireValues | wireTree

// AppendGame appends the wire form of a game: the data that replaying does not give, in the 16-bit
// encoding of a shard. It is an eighth of the size of the game in memory. It has no checksum,
// because a [WireDecoder] replays the game.
func AppendGame(dst []byte, v *rules.Variant, g *Game) []byte {
	dst = appendText(dst, g.ID)
	dst = appendText(dst, g.Model)
	dst = binary.AppendUvarint(dst, uint64(g.Generation))
	dst = binary.LittleEndian.AppendUint64(dst, g.Seed)
	dst = appendText(dst, v.FEN(g.Start))
	dst = append(dst, g.Start.Quiet, g.Start.Endgame, uint8(g.Outcome))
	dst = appendText(dst, string(g.Reason))
	dst = binary.AppendUvarint(dst, uint64(len(g.Plies)))
	for i := range g.Plies {
		dst = AppendPly(dst, &g.Plies[i])
	}
	return dst
}

// AppendPly appends the wire form of a ply. Equal search results give equal bytes.
func AppendPly(dst []byte, p *Ply) []byte {
	flags := byte(0)
	if p.Full {
		flags |= wireFull
	}
	if len(p.Visits) > 0 {
		flags |= wireSearch
	}
	if p.Simulations != 0 || p.Root != (rules.WDL{}) || p.Raw != (rules.WDL{}) {
		flags |= wireValues
	}
	if len(p.Tree) > 0 {
		flags |= wireTree
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(p.Played))
	if flags&wireValues != 0 {
		dst = binary.AppendUvarint(dst, uint64(p.Simulations))
		for _, w := range [2]rules.WDL{p.Root, p.Raw} {
			for _, x := range [3]float32{w.Win, w.Draw, w.Loss} {
				dst = binary.LittleEndian.AppendUint16(dst, quantShare(x))
			}
		}
	}
	if flags&wireSearch != 0 {
		for i := range p.Visits {
			dst = binary.AppendUvarint(dst, uint64(p.Visits[i]))
			dst = binary.LittleEndian.AppendUint16(dst, quantPrior(p.Priors[i]))
			dst = binary.LittleEndian.AppendUint16(dst, quantValue(p.Values[i]))
		}
	}
	if flags&wireTree != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(p.Tree)))
		for i := range p.Tree {
			n := &p.Tree[i]
			dst = append(dst, uint8(len(n.Line)))
			dst = append(dst, n.Line...)
			dst = binary.LittleEndian.AppendUint16(dst, quantValue(n.Value))
		}
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// WireLimits are the limits of a game in its wire form. A ply or a position of a tree takes many
// times its bytes there in memory, so a [WireDecoder] checks them before it allocates.
type WireLimits struct {
	Plies int // of the game
	// Positions of the trees for each search: after n searches of the game at most n times that,
	// all trees together, because a search that keeps its tree may report positions of earlier
	// ones.
	Positions int
}

// WireDecoder reads games in their wire form and replays each of them by the rules, so that every
// game it returns may be stored in a shard. Only one goroutine may use it.
type WireDecoder struct {
	c         *checker
	b         []byte // the bytes not read yet
	limits    WireLimits
	positions int // that the trees of the game may still have
}

// NewWireDecoder returns a decoder of games of v.
func NewWireDecoder(v *rules.Variant) *WireDecoder { return &WireDecoder{c: newChecker(v)} }

// mostText is the largest size in bytes of a text in the wire form.
const mostText = 512

// WireID returns the id of a game in its wire form and does not read the rest. The error wraps
// [ErrIllegal].
func WireID(b []byte) (string, error) {
	d := WireDecoder{b: b}
	id, err := d.text()
	if err != nil {
		return "", fmt.Errorf("%w: its id: %w", ErrIllegal, err)
	}
	return id, nil
}

// Game reads a game from all of b. The error wraps [ErrIllegal]. It allocates memory in proportion
// to len(b) only, and none for what the limits exclude.
func (d *WireDecoder) Game(b []byte, limits WireLimits) (g Game, err error) {
	d.b, d.limits, d.positions = b, limits, 0
	clear(d.c.seen) // the decoder does not check whether a game comes twice
	if err := d.game(&g); err != nil {
		return Game{}, fmt.Errorf("%w: game %q: %w", ErrIllegal, g.ID, err)
	}
	return g, nil
}

var errShort = errors.New("it is cut short")

func (d *WireDecoder) game(g *Game) error {
	var fen, reason string
	var err error
	for _, s := range []*string{&g.ID, &g.Model} {
		if *s, err = d.text(); err != nil {
			return err
		}
	}
	generation, err := d.number(math.MaxInt32)
	if err != nil {
		return err
	}
	if len(d.b) < 8 {
		return errShort
	}
	g.Seed = binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	if fen, err = d.text(); err != nil {
		return err
	}
	if len(d.b) < 3 {
		return errShort
	}
	if g.Start, err = rules.ParseFEN(d.c.v, fen); err != nil {
		return fmt.Errorf("its start: %w", err)
	}
	g.Start.Quiet, g.Start.Endgame, g.Outcome = d.b[0], d.b[1], rules.Outcome(d.b[2])
	d.b = d.b[3:]
	if reason, err = d.text(); err != nil {
		return err
	}
	plies, err := d.number(math.MaxUint16)
	if err != nil {
		return err
	}
	if plies > len(d.b)/2 { // a ply has at least two bytes
		return errShort
	}
	if plies > d.limits.Plies {
		return fmt.Errorf("it has %d plies, more than %d", plies, d.limits.Plies)
	}
	g.Generation, g.Reason = generation, rules.Reason(reason)
	g.Variant, g.Options, g.Rules = d.c.v.Name, d.c.v.Options.String(), rules.Version
	if g.Outcome == rules.Ongoing {
		return errors.New("it is not over")
	}
	g.Plies = make([]Ply, plies)
	if err := d.c.begin(g); err != nil {
		return err
	}
	for i := range g.Plies {
		if err := d.ply(&g.Plies[i]); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
	}
	if len(d.b) > 0 {
		return fmt.Errorf("%d bytes follow its end", len(d.b))
	}
	return d.c.end(g)
}

// ply reads a ply and plays its move.
func (d *WireDecoder) ply(p *Ply) error {
	if len(d.b) == 0 {
		return errShort
	}
	if d.c.game.Over() {
		_, reason := d.c.game.Outcome()
		return fmt.Errorf("the game goes on after its end by %s", reason)
	}
	flags := d.b[0]
	d.b = d.b[1:]
	if flags&^wireKnown != 0 {
		return fmt.Errorf("flags %#x", flags)
	}
	p.Position, p.Occurrences = d.c.game.Position(), uint8(min(d.c.game.Occurrences(), 255))
	p.Moves, p.Full = slices.Clone(d.c.game.Legal()), flags&wireFull != 0
	var err error
	if p.Played, err = d.number(len(p.Moves) - 1); err != nil {
		return fmt.Errorf("the number of the move: %w", err)
	}
	if flags&wireValues != 0 {
		if p.Simulations, err = d.number(math.MaxInt32); err != nil {
			return fmt.Errorf("simulations: %w", err)
		}
		if len(d.b) < 12 {
			return errShort
		}
		p.Root, p.Raw = d.wdl(), d.wdl()
	}
	if flags&wireSearch != 0 {
		if err := d.search(p); err != nil {
			return err
		}
	}
	if flags&wireTree != 0 {
		if err := d.tree(p); err != nil {
			return err
		}
	}
	if err := d.c.choice(p); err != nil {
		return err
	}
	return d.c.game.Play(p.Moves[p.Played])
}

// search reads the results of the search for each move.
func (d *WireDecoder) search(p *Ply) error {
	d.positions += d.limits.Positions
	n := len(p.Moves)
	p.Visits = make([]uint16, n)
	both := make([]float32, 2*n)
	p.Priors, p.Values = both[:n:n], both[n:]
	for i := range n {
		visits, err := d.number(math.MaxUint16)
		if err != nil {
			return fmt.Errorf("visits: %w", err)
		}
		if len(d.b) < 4 {
			return errShort
		}
		p.Visits[i] = uint16(visits)
		p.Priors[i], p.Values[i] = dequantPrior(d.uint16()), dequantValue(d.uint16())
	}
	return nil
}

// tree reads the positions of the tree and follows the line to each.
func (d *WireDecoder) tree(p *Ply) error {
	// At least 4 bytes each: a line of one move, its length and its value.
	n, err := d.number(len(d.b) / 4)
	if err != nil {
		return fmt.Errorf("positions of the tree: %w", err)
	}
	if n > 0 && len(p.Visits) == 0 {
		return errors.New("positions of a tree without a search")
	}
	if n > d.positions {
		return fmt.Errorf("%d positions of the tree, %d more than the searches so far can find", n, n-d.positions)
	}
	d.positions -= n
	p.Tree = make([]Node, n)
	for i := range p.Tree {
		if len(d.b) == 0 || len(d.b) < 3+int(d.b[0]) {
			return errShort
		}
		length := int(d.b[0])
		node := &p.Tree[i]
		node.Line = slices.Clone(d.b[1 : 1+length])
		d.b = d.b[1+length:]
		node.Value = dequantValue(d.uint16())
		if length == 0 || !(node.Value >= 0 && node.Value <= 1) {
			return fmt.Errorf("position %d of the tree: %d moves, value %v", i, length, node.Value)
		}
		if node.Position, err = follow(d.c.v, p.Position, node.Line); err != nil {
			return fmt.Errorf("position %d of the tree: %w", i, err)
		}
	}
	return nil
}

// uint16 reads two bytes; the caller has checked that they are there.
func (d *WireDecoder) uint16() uint16 {
	x := binary.LittleEndian.Uint16(d.b)
	d.b = d.b[2:]
	return x
}

func (d *WireDecoder) wdl() rules.WDL {
	w, draw, l := d.uint16(), d.uint16(), d.uint16()
	return rules.WDL{Win: dequantShare(w), Draw: dequantShare(draw), Loss: dequantShare(l)}
}

// number reads a number of at most max.
func (d *WireDecoder) number(max int) (int, error) {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, errShort
	}
	if x > uint64(max) {
		return 0, fmt.Errorf("%d is more than %d", x, max)
	}
	d.b = d.b[n:]
	return int(x), nil
}

func (d *WireDecoder) text() (string, error) {
	n, err := d.number(mostText)
	if err != nil {
		return "", err
	}
	if len(d.b) < n {
		return "", errShort
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s, nil
}
