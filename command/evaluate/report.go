package evaluate

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"damier/arena"
)

// report is the result of a match as --json prints it. Infinite numbers are null.
type report struct {
	Variant       string   `json:"variant"`
	A             string   `json:"a"`
	B             string   `json:"b"`
	Games         int      `json:"games"`
	Wins          int      `json:"wins"` // of A
	Draws         int      `json:"draws"`
	Losses        int      `json:"losses"`
	Score         number   `json:"score"` // of A, in [0,1]
	ScoreLow      number   `json:"score_low"`
	ScoreHigh     number   `json:"score_high"`
	Elo           number   `json:"elo"` // A over B
	EloLow        number   `json:"elo_low"`
	EloHigh       number   `json:"elo_high"`
	NormalizedElo number   `json:"normalized_elo"`
	LOS           number   `json:"los"`   // probability that A is stronger
	Pairs         [5]int   `json:"pairs"` // pairs in which A made 0, 1/2, 1, 3/2, 2 points
	PairDrawRatio number   `json:"pair_draw_ratio"`
	Distinct      int      `json:"distinct_games"`
	Duplicates    [][2]int `json:"duplicates"`    // pairs of equal games, by number
	IllegalMoves  [2]int   `json:"illegal_moves"` // of A, of B
	TimeOverruns  [2]int   `json:"time_overruns"` // of A, of B
	// Failures counts games lost because a player died or broke its protocol.
	Failures    [2]int   `json:"failures"`
	TimeLosses  [2]int   `json:"time_losses"` // games lost on time
	Adjudicated int      `json:"adjudicated"` // number of games
	Clock       string   `json:"clock,omitempty"`
	Unbalanced  bool     `json:"unbalanced_openings,omitempty"`
	ProofLacks  []string `json:"proof_lacks"` // what is missing for a proof that A is stronger
	Plies       number   `json:"plies_per_game"`
	PlyLimits   int      `json:"ply_limit_draws"`
	SPRT        *test    `json:"sprt,omitempty"`
	Interrupted bool     `json:"interrupted"`
	Seconds     number   `json:"seconds"`
}

// test is the sequential test of a report.
type test struct {
	Elo0    float64 `json:"elo0"` // normalised
	Elo1    float64 `json:"elo1"`
	LLR     number  `json:"llr"`
	Low     number  `json:"llr_reject"`
	High    number  `json:"llr_accept"`
	Verdict string  `json:"verdict"`
}

// number is a float64 that JSON shows as null if it is not finite.
type number float64

// MarshalJSON writes the number with at most 6 digits after the point.
func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsInf(f, 0) || math.IsNaN(f) {
		return []byte("null"), nil
	}
	text := fmt.Sprintf("%.6f", float64(n))
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// newReport makes the report of a match.
func newReport(r arena.Result, m arena.Match, o *options, elapsed time.Duration) report {
	score, elo := r.Pairs.ScoreInterval(0.95), r.Pairs.Elo(0.95)
	p := report{
		Variant: m.Variant.String(), A: r.A, B: r.B,
		Games: r.Games(), Wins: r.Wins, Draws: r.Draws, Losses: r.Losses,
		Score: number(score.Estimate), ScoreLow: number(score.Low), ScoreHigh: number(score.High),
		Elo: number(elo.Estimate), EloLow: number(elo.Low), EloHigh: number(elo.High),
		NormalizedElo: number(r.Pairs.NormalizedElo()), LOS: number(r.Pairs.LikelihoodOfSuperiority()),
		Pairs: r.Pairs, PairDrawRatio: number(r.Pairs.PairDrawRatio()),
		Distinct: r.Distinct, Duplicates: r.Duplicates, IllegalMoves: r.Illegal, TimeOverruns: r.Overruns,
		Failures: r.Failures, TimeLosses: r.Forfeits,
		Adjudicated: r.Judged, Unbalanced: o.unbalanced,
		PlyLimits: r.PlyLimits, Interrupted: r.Interrupted, Seconds: number(elapsed.Seconds()),
		ProofLacks: missingForProof(r, m, o),
	}
	if m.Clock != nil {
		p.Clock = m.Clock.String()
	}
	if p.Duplicates == nil {
		p.Duplicates = [][2]int{}
	}
	if r.Games() > 0 {
		p.Plies = number(float64(r.Plies) / float64(r.Games()))
	}
	if m.SPRT != nil {
		low, high := m.SPRT.Bounds()
		p.SPRT = &test{m.SPRT.Elo0, m.SPRT.Elo1, number(r.LLR), number(low), number(high), r.Verdict.String()}
	}
	return p
}

// write prints the report for people.
func (r report) write(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s", name)
		fmt.Fprintf(&b, format+"\n", args...)
	}
	fmt.Fprintf(&b, "%s\n", r.Variant)
	line("A", "%s", r.A)
	line("B", "%s", r.B)
	if r.Interrupted {
		line("interrupted", "only whole pairs of games count")
	}
	line("games", "%d: +%d =%d -%d for A", r.Games, r.Wins, r.Draws, r.Losses)
	line("score", "%.1f %%  (95 %%: %.1f to %.1f)", 100*r.Score, 100*r.ScoreLow, 100*r.ScoreHigh)
	line("Elo", "%s  (95 %%: %s to %s)", elo(r.Elo), elo(r.EloLow), elo(r.EloHigh))
	line("normalised Elo", "%s  (A stronger with probability %.1f %%)", elo(r.NormalizedElo), 100*r.LOS)
	line("pairs", "0: %d  1/2: %d  1: %d  3/2: %d  2: %d  (drawn %.1f %%)",
		r.Pairs[0], r.Pairs[1], r.Pairs[2], r.Pairs[3], r.Pairs[4], 100*r.PairDrawRatio)
	line("distinct games", "%d of %d", r.Distinct, r.Games)
	for i, d := range r.Duplicates {
		if i == 5 {
			line("", "... and %d more", len(r.Duplicates)-5)
			break
		}
		line("", "games %d and %d are the same: a bug of the set-up, or too few openings", d[0]+1, d[1]+1)
	}
	line("illegal moves", "A %d, B %d", r.IllegalMoves[0], r.IllegalMoves[1])
	line("time overruns", "A %d, B %d", r.TimeOverruns[0], r.TimeOverruns[1])
	if r.Failures != [2]int{} || r.TimeLosses != [2]int{} || r.Clock != "" {
		line("lost by failure", "A %d, B %d", r.Failures[0], r.Failures[1])
		line("lost on time", "A %d, B %d", r.TimeLosses[0], r.TimeLosses[1])
	}
	line("plies a game", "%.1f, %d drawn at the limit", float64(r.Plies), r.PlyLimits)
	if r.Adjudicated > 0 {
		line("adjudicated", "%d games", r.Adjudicated)
	}
	if t := r.SPRT; t != nil {
		line("SPRT", "[%g, %g] normalised Elo: %s, LLR %.2f (%.2f to %.2f)",
			t.Elo0, t.Elo1, t.Verdict, float64(t.LLR), float64(t.Low), float64(t.High))
	}
	for i, text := range r.ProofLacks {
		if i == 0 {
			line("proof", "none that A is stronger; it would need")
		}
		line("", "- %s", text)
	}
	if len(r.ProofLacks) == 0 {
		line("proof", "A is stronger: all that a proof needs is there")
	}
	line("time", "%s", time.Duration(float64(r.Seconds)*1e9).Round(100*time.Millisecond))
	_, err := io.WriteString(w, b.String())
	return err
}

// elo formats an Elo difference with its sign.
func elo(e number) string {
	switch f := float64(e); {
	case math.IsInf(f, 1):
		return "+infinite"
	case math.IsInf(f, -1):
		return "-infinite"
	default:
		return fmt.Sprintf("%+.0f", f)
	}
}
