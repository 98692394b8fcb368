package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFactsMatter switches off one fact of a variant after the other: each has a position or a
// game that then comes out differently.
func TestFactsMatter(t *testing.T) {
	moves := func(fen string) func(*Variant) string {
		return func(v *Variant) string {
			p := dataPosition(t, v, fen)
			if got, want := v.AppendMoves(nil, p), v.ReferenceMoves(p); formatMoves(v, got) != formatMoves(v, want) {
				return fmt.Sprintf("the twins differ: %s and %s", formatMoves(v, got), formatMoves(v, want))
			}
			var text []string
			for _, m := range v.AppendMoves(nil, p) {
				text = append(text, squareText(m))
			}
			return strings.Join(text, " ")
		}
	}
	end := func(fen, text string, plies int) func(*Variant) string {
		return func(v *Variant) string {
			g := NewGameFrom(v, dataPosition(t, v, fen))
			for _, f := range strings.Fields(text) {
				for _, m := range g.Legal() {
					if squareText(m) == f && !g.Over() {
						if err := g.Play(m); err != nil {
							t.Fatal(err)
						}
						break
					}
				}
			}
			wander(t, g, plies)
			outcome, reason := g.Outcome()
			return fmt.Sprintf("%s %s at %d", outcome, reason, g.Ply())
		}
	}
	full := func(fen string) func(*Variant) string { // with the pieces captured
		return func(v *Variant) string {
			return strings.TrimSpace(formatMoves(v, v.AppendMoves(nil, dataPosition(t, v, fen))))
		}
	}
	late := func(fen string, quiet uint8) func(*Variant) string { // one king move after so many plies
		return func(v *Variant) string {
			p := dataPosition(t, v, fen)
			p.Quiet = quiet
			g := NewGameFrom(v, p)
			wander(t, g, 1)
			outcome, reason := g.Outcome()
			return fmt.Sprintf("%s %s at %d", outcome, reason, g.Ply())
		}
	}
	start := func(v *Variant) string { return v.FENRanges(v.Start()) }
	for _, c := range []struct {
		rule, name, options string
		off                 func(*Variant)
		result              func(*Variant) string
		want                string
	}{
		{"Black begins", "english", "", func(v *Variant) { v.First = White }, start, "B:W21-32:B1-12"},
		{"five rows", "canadian", "", func(v *Variant) { v.Rows = 4 }, start, "W:W43-72:B1-30"},
		{"one row", "frysk", "", func(v *Variant) { v.Rows = 4 }, start, "W:W46-50:B1-5"},
		{"an empty row behind", "turkish", "", func(v *Variant) { v.EmptyRows = 0 }, start, "W:W41-56:B9-24"},
		{"squares are counted from White's side", "spanish", "", func(v *Variant) { v.Mirrored = false }, start, "W:W1-12:B21-32"},
		{"Black begins in Thai", "thai", "", func(v *Variant) { v.First = White }, start, "B:W25-32:B1-8"},
		{"moves along rows and columns", "turkish", "", func(v *Variant) { v.MoveLines = Diagonals }, moves("W:W36:B1"), "36-28 36-35 36-37"},
		{"captures along rows and columns", "frisian", "", func(v *Variant) { v.CaptureLines = Diagonals }, moves("W:W38:B28"), "38x18"},
		{"Turkish captures", "turkish", "", func(v *Variant) { v.CaptureLines = Diagonals }, moves("W:W36:B35,37,28"), "36x20 36x34 36x38"},
		{"men capture backwards", "russian", "", func(v *Variant) { v.ManCapturesBack = false }, moves("W:W18:B23"), "18x27"},
		{"men do not capture backwards", "czech", "", func(v *Variant) { v.ManCapturesBack = true }, moves("W:W18:B23"), "18-14 18-15"},
		{"men spare kings", "italian", "", func(v *Variant) { v.MenSpareKings = false }, moves("W:W30:BK26"), "30-27"},
		{"kings go one step", "english", "", func(v *Variant) { v.KingFlies = true }, moves("W:WK32:B1"), "32-27 32-28"},
		{"behind the last king", "killer", "", func(v *Variant) { v.Landing = Anywhere }, moves("W:WK46:BK23"), "46x19"},
		{"directly behind", "thai", "", func(v *Variant) { v.Landing = Anywhere }, moves("W:WK32:B23"), "32x18"},
		{"directly behind, by option", "german", "landing=halt", func(v *Variant) { v.Landing = Anywhere }, moves("W:WK29:B22"), "32x19"},
		{"a king goes on where it can", "russian", "", func(v *Variant) { v.KingGoesOn = false }, moves("W:WK29:B25,14"), "29x5 29x9"},
		{"removed at once", "turkish", "", func(v *Variant) { v.RemovedAtOnce = false }, moves("W:WK36:B28,14,23,27"), "36x25 36x26"},
		{"removed after the move", "international", "", func(v *Variant) { v.RemovedAtOnce = true }, moves("B:W23,29,30,38,39:BK35"), "35x34"},
		{"removed at once in Thai", "thai", "", func(v *Variant) { v.RemovedAtOnce = false }, full("W:WK18:B15,22"), "18-11[15,22] 18-25[15,22]"},
		{"no turn back", "turkish", "", func(v *Variant) { v.NoTurnBack = false }, full("W:WK36:B28,44"), "d4xd8[28] d4xd7[28] d4xd6[28] d4xd2[44] d4xd1[44]"},
		{"crowned at once", "russian", "", func(v *Variant) { v.CrownedAtOnce = false }, moves("W:W11:B7,9"), "11x13"},
		{"crowned at the end", "brazilian", "", func(v *Variant) { v.CrownedAtOnce = true }, moves("W:W11:B7,9"), "11x2"},
		{"crowned at once, by option", "turkish", "crown=at-once", func(v *Variant) { v.CrownedAtOnce = false }, moves("W:W17:B9,4"), "17x5 17x6 17x7 17x8"},
		{"the most pieces", "international", "", func(v *Variant) { v.Priority = nil }, moves("W:W33,35:B28,18,30"), "33x13"},
		{"the most pieces on twelve rows", "canadian", "", func(v *Variant) { v.Priority = nil }, moves("W:W45,47:B39,27,41"), "45x21"},
		{"the most pieces in Turkish", "turkish", "", func(v *Variant) { v.Priority = nil }, moves("W:W50,53:B42,26,45"), "50x18"},
		{"kings count as men", "brazilian", "", func(v *Variant) { v.Priority = append(v.Priority, MostKings) }, moves("W:W22:B17,K18"), "22x13 22x15"},
		{"free choice in English", "english", "", func(v *Variant) { v.Priority = []Criterion{MostPieces} }, moves("W:W21,22:B17,18,11"), "21x14 22x8 22x13"},
		{"free choice in Russian", "russian", "", func(v *Variant) { v.Priority = []Criterion{MostPieces} }, moves("W:W21,23:B17,19,11"), "21x14 23x7"},
		{"free choice in German", "german", "", func(v *Variant) { v.Priority = []Criterion{MostPieces} }, moves("W:W21,22:B17,18,11"), "23x5 23x16 24x15"},
		{"free choice in Thai", "thai", "", func(v *Variant) { v.Priority = []Criterion{MostPieces} }, moves("W:W21,22:B17,18,11"), "21x14 22x8 22x13"},
		{"free choice among Czech men", "czech", "", func(v *Variant) { v.Priority = append(v.Priority, MostPieces) }, moves("W:W21,22:B17,18,11"), "21x14 22x8 22x13"},
		{"free choice", "pool", "", func(v *Variant) { v.Priority = []Criterion{MostPieces} }, moves("W:WK29,28:B22,14,23,24"), "28x10 29x5 29x9 29x20"},
		{"the most value", "frisian", "", func(v *Variant) { v.Priority[0] = MostPieces }, moves("W:W28:BK22,33"), "28x17"},
		{"a king is worth less than two men", "frisian", "", func(v *Variant) { v.KingValue = 201 }, moves("W:W44:BK40,39,29"), "44x24"},
		{"a Frisian king first", "frisian", "", func(v *Variant) { v.Priority = v.Priority[:1] }, moves("W:WK46,19:B14,37"), "46x23 46x28 46x32"},
		{"quantity", "spanish", "", func(v *Variant) { v.Priority = v.Priority[1:] }, moves("W:W21,22:B18,19,12"), "22x8"},
		{"quantity before quality", "spanish", "", func(v *Variant) { v.Priority[0], v.Priority[1] = MostKings, MostPieces }, moves("W:W21,22:BK18,19,12"), "22x8"},
		{"quality", "spanish", "", func(v *Variant) { v.Priority = v.Priority[:1] }, moves("W:W22:B18,K19"), "22x15"},
		{"the most Italian pieces", "italian", "", func(v *Variant) { v.Priority = v.Priority[1:] }, moves("W:W22,K25:B21,19,12"), "22x8"},
		{"an Italian king first", "italian", "", func(v *Variant) { v.Priority = v.Priority[:1] }, moves("W:WK23,31:B19,26,27"), "23x21"},
		{"the most kings", "italian", "", func(v *Variant) { v.Priority = v.Priority[:2] }, moves("W:WK23:B19,K28"), "23x32"},
		{"more kings before earlier ones", "italian", "", func(v *Variant) { v.Priority = slices.Delete(slices.Clone(v.Priority), 2, 3) },
			moves("W:WK28,K2:B15,23,K6,K14"), "28x3"},
		{"the earliest kings, to the last", "italian", "", func(v *Variant) { v.Priority = v.Priority[:3] }, moves("W:WK30:B10,K12,K18,20,K26,K27"), "30x5"},
		{"a Czech king first", "czech", "", func(v *Variant) { v.Priority = nil }, moves("W:WK31,22:B18,27"), "31x20 31x24"},
		{"three king moves in a row", "frisian", "", func(v *Variant) { v.KingMoveLimit = 0 },
			end("W:WK47,50:B6,7,K1", "47-36 7-11 36-31 11-16 31-36 1-34 36-47", 0), "*  at 6"},
		{"two, by option", "frisian", "kings=strict", func(v *Variant) { v.KingMoveLimit = 3 },
			end("W:WK47,50:B6,7,K1", "47-36 7-11 36-31 11-16 31-36", 0), "*  at 4"},
		{"the first king wins", "breakthrough", "", func(v *Variant) { v.FirstKingWins = false }, end("W:W6:B45", "6-1", 0), "white first king at 1"},
		{"no move wins", "antidraughts", "", func(v *Variant) { v.NoMovesWins = false }, end("W:W46:B41,37", "", 0), "white no legal move at 0"},

		{"Italian repetition", "italian", "", func(v *Variant) { v.Draws.Repetition = 3 },
			end("W:W31,K29:BK1,6", "29-25 1-5 25-29 5-1 29-25 1-5 25-29 5-1 29-25 1-5 25-29 5-1", 0), "draw fourfold at 12"},
		{"English repetition", "english", "", func(v *Variant) { v.Draws.Repetition = 0 },
			end("B:W21,K31:BK1,12", "1-5 31-26 5-1 26-31 1-5 31-26 5-1 26-31", 0), "draw threefold at 8"},
		{"forty moves", "english", "", func(v *Variant) { v.Draws.KingPlies = 0 }, end("B:W21,K31,K32:BK1,K2,12", "", 90), "draw 40-move at 80"},
		{"fifteen moves", "czech", "", func(v *Variant) { v.Draws.KingPlies = 0 }, end("W:WK29,K32,K31,21:BK1,K4,12", "", 40), "draw 15-move at 30"},
		{"the common policy", "spanish", "", func(v *Variant) { v.Draws.KingPlies = 0 }, late("W:WK30,21:BK2,12", 49), "draw 25-move at 1"},
		{"fifteen king moves", "russian", "", func(v *Variant) { v.Draws.KingPlies = 0 }, end("W:W21,29,30,K32:BK1,3,4,12", "", 34), "draw 15-move at 30"},
		{"three kings against one", "russian", "", func(v *Variant) { v.Draws.ManyKings, v.Draws.KingPlies = 0, 0 },
			func(v *Variant) string {
				w := *v
				w.Draws.KingPlies, w.Draws.MainRoad, w.Draws.FourPieces = 0, 0, 0
				return end("W:WK30,K31,K32:BK4", "", 34)(w.prepare())
			}, "draw 15-move at 30"},
		{"the main road", "russian", "", func(v *Variant) { v.Draws.MainRoad = 0 },
			end("W:WK30,K31,K32:BK4", "31-26 4-8 30-21 8-11 32-5 11-15 5-1 15-8 26-23 8-22", 0), "draw main road at 10"},
		{"two against one", "brazilian", "", func(v *Variant) { v.Draws.TwoPieces = 0 }, end("W:WK30,K32:BK1", "", 20), "draw 5-move at 10"},
		{"four and five pieces", "russian", "", func(v *Variant) { v.Draws.FourPieces = 0 },
			func(v *Variant) string {
				w := *v
				w.Draws.KingPlies = 0
				return end("W:WK32,K31:BK1,K2", "", 70)(w.prepare())
			}, "draw 30-move at 60"},
		{"six and seven pieces", "russian", "", func(v *Variant) { v.Draws.SixPieces = 0 },
			func(v *Variant) string {
				w := *v
				w.Draws.KingPlies = 0
				return end("W:WK32,K31,K30:BK1,K2,K3", "", 130)(w.prepare())
			}, "draw 60-move at 120"},
		{"thirteen moves", "pool", "", func(v *Variant) { v.Draws.ManyKings = 0 }, end("B:WK1:BK30,K31,K32", "", 40), "draw 13-move at 26"},
		{"thirty plies", "pool", "", func(v *Variant) { v.Draws.KingPlies = 0 }, end("B:WK1,K2:BK30,K31,K32", "", 40), "draw 15-move at 30"},
		{"seven moves", "frisian", "", func(v *Variant) { v.Draws.TwoKings = 0 }, end("W:WK46,K47:BK3", "", 20), "draw 7-move at 14"},
		{"king against king", "frisian", "", func(v *Variant) { v.Draws.OneKing = 0 }, end("W:WK47:BK3", "", 4), "draw immediate draw at 0"},
		{"one piece each", "turkish", "", func(v *Variant) { v.Draws.OneEach = false }, end("W:WK57:BK5", "", 4), "draw immediate draw at 0"},
		{"25 moves, by option", "turkish", "draws=25-move", func(v *Variant) { v.Draws.KingPlies = 0 }, end("W:WK57,K58:BK8,K7", "", 60), "draw 25-move at 50"},
	} {
		v := with(t, c.name, c.options)
		got := c.result(v)
		if got != c.want {
			t.Errorf("%s: %s: %s, want %s", v, c.rule, got, c.want)
		}
		without := *with(t, c.name, c.options)
		c.off(&without)
		without.prepare()
		if off := c.result(&without); off == got {
			t.Errorf("%s: %s: the same without the rule", v, c.rule)
		}
	}
}

// wander plays quiet king moves that offer nothing and repeat nothing, until the game ends or n
// plies are played. It tries again where it runs into a corner.
func wander(t testing.TB, g *Game, n int) {
	t.Helper()
	v, begun := g.Variant(), g.Ply()
	for try := range uint64(200) {
		rng := rand.New(rand.NewPCG(try, 3))
		for !g.Over() && g.Ply()-begun < n {
			var good []Move
			for _, m := range g.Legal() {
				p := g.Position()
				q := v.Play(p, m)
				if v.Board.Has(p.Kings(p.Turn), m.From) && !m.IsCapture() && !v.HasCaptures(q) && g.OccurrencesOf(q) < 2 {
					good = append(good, m)
				}
			}
			if len(good) == 0 {
				break
			}
			if err := g.Play(good[rng.IntN(len(good))]); err != nil {
				t.Fatal(err)
			}
		}
		if g.Over() || g.Ply()-begun >= n {
			return
		}
		for g.Ply() > begun {
			g.Undo()
		}
	}
	t.Fatalf("%s: no way through from %s", v, v.FEN(g.Position()))
}
