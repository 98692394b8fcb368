package mcts

import (
	"math"
	"testing"

	"damier/rules"
)

// In Turkish draughts c2-c3 loses four men for one: Black offers d5-d4, White must take d3xb5, and
// b3xf1 takes four and becomes a king. An evaluator that counts pieces, likes one move and thinks
// little of offers lets no search look there in a hundred visits, unless forcing moves have a
// share of the priors.
func TestForcingSeesTheOffer(t *testing.T) {
	v := lookup(t, "turkish")
	p, err := rules.ParseFEN(v, "W:W34,40,44,45,48,49,51,53,54,55,56,K5:B11,12,13,14,15,19,21,22,23,27,28,42")
	if err != nil {
		t.Fatal(err)
	}
	eval := func(l *Leaf) {
		sum := float32(0)
		for i, m := range l.Moves {
			l.Priors[i] = 1
			if v.HasCaptures(v.Play(l.Position, m)) {
				l.Priors[i] = 0.01
			}
			sum += l.Priors[i]
		}
		favourite := 0
		for i, m := range l.Moves {
			if v.FormatMove(m) == "c2-c3" {
				favourite = i
			}
		}
		l.Priors[favourite] += 2 * sum // as sure of itself as a network
		sum *= 3
		for i := range l.Priors {
			l.Priors[i] /= sum
		}
		worth := func(c rules.Color) float32 { return float32(l.Position.Men(c).Len() + 3*l.Position.Kings(c).Len()) }
		own, their := worth(l.Position.Turn), worth(l.Position.Turn.Opponent())
		l.Value = rules.WDL{Win: own / (own + their), Loss: their / (own + their)}
	}
	// offered returns how often the search looked at the offer, of all looks at c2-c3.
	offered := func(forcing float64) (offer, all int32) {
		s := NewSearch(v, Config{Candidates: 2, FPU: 0.1, Forcing: forcing})
		g := rules.NewGameFrom(v, p)
		run(t, s, g, Budget{Simulations: 200}, nil, eval, 1)
		for _, m := range g.Legal() {
			if v.FormatMove(m) != "c2-c3" {
				continue
			}
			id := s.find([]rules.Move{m})
			for i, reply := range v.AppendMoves(nil, s.position(id)) {
				if v.FormatMove(reply) == "d5-d4" {
					if e := s.edgeOf(id, i); e != noEdge {
						offer = s.edge(step{id, e}).visits
					}
					return offer, s.nodes[id].visits
				}
			}
		}
		t.Fatal("c2-c3 d5-d4 is not in the tree")
		return 0, 0
	}
	if offer, all := offered(-1); offer != 0 {
		t.Errorf("without forcing moves %d of %d visits go to the offer: this tests nothing", offer, all)
	}
	if offer, all := offered(0.25); offer == 0 {
		t.Errorf("with forcing moves %d of %d visits go to the offer", offer, all)
	}
}

// TestVariantDefaults: a variant's own constants stand where none are set, and only there.
func TestVariantDefaults(t *testing.T) {
	turkish := lookup(t, "turkish")
	if c := (Config{}).For(turkish); c.FPU != -1 || c.Candidates != 32 {
		t.Errorf("in Turkish draughts %+v", c)
	}
	if c := (Config{Candidates: 8, FPU: 0.2}).For(turkish); c.FPU != 0.2 || c.Candidates != 8 {
		t.Errorf("set in Turkish draughts: %+v", c)
	}
	if c := (Config{}).For(rules.International); c != (Config{}).WithDefaults() {
		t.Errorf("in international draughts %+v", c)
	}
}

// The root's priors, which policy targets are made of, stay those of the evaluator, and elsewhere
// priors still sum to 1.
func TestForcingPriors(t *testing.T) {
	s := NewSearch(rules.International, Config{Forcing: 0.25})
	g := gameFrom("W:W27,28,32,33,37,38,39,42,43,48:B8,9,12,13,14,16,18,19,23,24")
	r := run(t, s, g, Budget{Simulations: 300}, nil, uniform, 1)
	for i, p := range r.Priors {
		if p != 1/float32(len(r.Priors)) {
			t.Errorf("root prior %d is %g", i, p)
		}
	}
	raised := 0
	for i := 1; i < len(s.nodes); i++ {
		n := &s.nodes[i]
		if n.state != expanded {
			continue
		}
		sum, equal := 0.0, 1/float32(s.nodes[i].count)
		for j, prior := range s.priorsOf(int32(i)) {
			sum += float64(prior)
			p := s.position(int32(i))
			m := rules.International.AppendMoves(nil, p)[j]
			offer := !m.IsCapture() && rules.International.HasCaptures(rules.International.Play(p, m))
			if offer {
				raised++
			}
			if offer && prior < equal*(1-2e-3) || !offer && prior > equal*(1+2e-3) {
				t.Fatalf("node %d: prior %g of %s, offer %v; equal ones would be %g", i, prior, rules.International.FormatMove(m), offer, equal)
			}
		}
		if math.Abs(sum-1) > 2e-3 {
			t.Fatalf("node %d: priors sum to %g", i, sum)
		}
	}
	if raised == 0 {
		t.Error("no forcing move in the tree")
	}
}
