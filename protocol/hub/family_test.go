package hub

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
)

// versatile plays any variant at random; the parameter variant takes effect with Init.
type versatile struct {
	rng     *rand.Rand
	v, next *rules.Variant
}

func (e *versatile) ID() ID                  { return ID{Name: "versatile"} }
func (e *versatile) Variant() *rules.Variant { return e.v }
func (e *versatile) Init() error             { e.v = e.next; return nil }
func (e *versatile) NewGame()                {}
func (e *versatile) Params() []Param         { return []Param{VariantParam(e.next, Variants()...)} }

func (e *versatile) SetParam(_, value string) error {
	for _, v := range Variants() {
		if VariantName(v) == value {
			e.next = v
		}
	}
	return nil
}

func (e *versatile) Search(_ context.Context, g *rules.Game, _ Limits, _ func(Info)) (Result, error) {
	return Result{Move: g.Legal()[e.rng.IntN(len(g.Legal()))]}, nil
}

func TestVariantNames(t *testing.T) {
	p := VariantParam(rules.Breakthrough, Variants()...)
	const want = "param name=variant value=bt type=enum values=\"normal killer bt frisian losing " +
		"brazilian canadian czech english frysk german italian pool portuguese russian spanish thai turkish\""
	if got := p.line().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := VariantParam(rules.Turkish).line().String(); got != "param name=variant value=turkish type=enum values=turkish" {
		t.Error(got)
	}
}

// A game of every variant in one conversation: the variant changes, positions are passed either as
// a string or as moves from the start, and every move is returned.
func TestFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	e := &versatile{rng: rng, v: rules.International, next: rules.International}
	d := talk(t, t.Context(), e)
	d.say("init")
	d.expect("ready")
	now := rules.International
	for _, v := range append(Variants(), rules.International) {
		d.say("set-param name=variant value=%s", VariantName(v))
		d.say("go think")
		if v.Name == now.Name {
			d.expect("done")
		} else {
			d.expect(`error message="go before init`)
		}
		now = v
		d.say("init")
		d.expect("ready")
		d.say("new-game")
		g := rules.NewGame(v)
		var moves []string
		for !g.Over() && g.Ply() < 60 {
			from := rules.NewGame(v)
			text := "start"
			list := moves
			if g.Ply()%2 == 1 { // as a position followed by the last few moves
				n := max(0, g.Ply()-3)
				p := g.Positions()[n]
				text, list = "pos="+v.HubString(p), moves[n:]
				q, err := rules.ParseHub(v, v.HubString(p))
				if err != nil || v.HubString(q) != v.HubString(p) || len(v.HubString(p)) != 1+v.Board.Squares() {
					t.Fatalf("%s: %s is read as %s, %v", v.Name, v.HubString(p), v.HubString(q), err)
				}
				from = rules.NewGameFrom(v, q)
			}
			// The king moves before the position are not sent, so the engine may make more of
			// them.
			for _, m := range list {
				mv, err := notation.ParseHub(v, from.Position(), m)
				if err != nil {
					t.Fatalf("%s: %v", v.Name, err)
				}
				reopen(from)
				if err := from.Play(mv); err != nil {
					t.Fatalf("%s: %v", v.Name, err)
				}
			}
			d.say("pos %s moves=\"%s\"", text, strings.Join(list, " "))
			d.say("go think")
			answer := d.hear()
			move, ok := strings.CutPrefix(answer, "done move=")
			if !ok {
				t.Fatalf("%s, ply %d: heard %q", v.Name, g.Ply(), answer)
			}
			m, err := notation.ParseHub(v, from.Position(), move)
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			if err := g.Play(m); err != nil {
				break // the king's moves, again
			}
			moves = append(moves, move)
		}
		if g.Ply() < 10 {
			t.Errorf("%s: %d plies", v.Name, g.Ply())
		}
	}
	d.say("set-param name=variant value=chess")
	d.expect(`error message="parameter variant=chess: write normal or killer or bt or frisian or losing or brazilian or`)
	d.say("set-param name=variant value=russian")
	d.say("pos start")
	d.say("init")
	d.expect("ready")
	d.say("pos start moves=\"%s\"", "22-18 c3-d4")
	d.expect(`error message="illegal move c3-d4: no piece on 22`)
	d.say("pos pos=W%s", strings.Repeat("e", 50))
	d.expect(`error message="position in Hub form`)
	d.say("quit")
	if err := <-d.end; err != nil {
		t.Error(err)
	}
}

// Hub numbers squares by their place in the position string, whatever the players call them.
func TestHubSquares(t *testing.T) {
	for _, c := range []struct {
		v          *rules.Variant
		fen, moves string
	}{
		{rules.Spanish, "W:W12:B32", "21-17 21-18"}, // 12-16 and 12-15
		{rules.Russian, "W:Wc3:Bd4,a7", "22x15x18"},
		{rules.Turkish, "W:Wd4:Bd5,a7", "36x20x28"},
		{rules.Thai, "B:B14:W18,25", "14x23x18"},
		{rules.English, "B:B14:W18,25", "14x23x18"},
		{rules.Frisian, "W:W33:B23,1", "33x13x23"},
		{rules.Canadian, "W:W45:B39,1", "45x34x39"},
	} {
		p, err := rules.ParseFEN(c.v, c.fen)
		if err != nil {
			t.Errorf("%s: %v", c.v.Name, err)
			continue
		}
		var moves []string
		for _, m := range c.v.AppendMoves(nil, p) {
			moves = append(moves, notation.FormatHub(c.v, m))
		}
		if got := strings.Join(moves, " "); got != c.moves {
			t.Errorf("%s %s: %s, want %s", c.v.Name, c.fen, got, c.moves)
		}
	}
}
