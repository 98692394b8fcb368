package learner

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"damier/arena"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
)

// evaluationDue reports whether it is time to measure the network. At first that is whenever the run
// is twice as old as at the last measure, beginning with a fifth of the period; then once a period.
func (l *Learner) evaluationDue() bool {
	last := l.run.Manifest.LastEvaluation
	return l.cfg.Evaluation.Every > 0 && l.seconds()-last >= evaluationPause(60*l.cfg.Evaluation.Every, last)
}

// evaluationPause returns the time to the next measure from that of the last, 0 if there was none.
func evaluationPause(period, last float64) float64 { return min(period, max(last, period/5)) }

// evaluate measures the last published network: against the rungs of the ladder that are near its
// strength, and against the accepted network, which tells the gain, and is the gate.
func (l *Learner) evaluate(ctx context.Context) error {
	m := &l.run.Manifest
	if m.Generation == 0 {
		return nil // no network is published yet
	}
	begun := time.Now()
	model, err := l.run.method.Load(l.run.path(modelsDir, m.Model.Name), l.variant)
	if err != nil {
		return err
	}
	own := model.Players(l.variant, l.cfg.Evaluation.Visits)
	players, refitted := own, m.refitted()
	if refitted {
		best, err := l.run.method.Load(l.run.path(modelsDir, m.Best().Name), l.variant)
		if err != nil {
			return err
		}
		players = best.Players(l.variant, l.cfg.Evaluation.Visits)
	}

	// Play all matches at once, so that the cores stay busy during the last games of a match.
	rating := journal.Rating{Variant: l.variant.Name, Generation: m.Generation, Refit: refitted, Visits: l.cfg.Evaluation.Visits}
	rungs := l.rungs()
	rating.Rungs = make([]journal.RungResult, len(rungs))
	matches, ctx := errgroup.WithContext(ctx)
	for i, r := range rungs {
		matches.Go(func() error {
			result, err := l.match(ctx, fmt.Sprintf("gen-%06d-%s", m.Generation, fileName(r.Spec)),
				players, opponent(l.variant, r), l.cfg.Evaluation.Games)
			if err != nil {
				return fmt.Errorf("evaluation against %s: %w", r.Spec, err)
			}
			rating.Rungs[i] = journal.RungResult{
				Rung: r.Spec, Wins: result.Wins, Draws: result.Draws, Losses: result.Losses,
				Score: result.Score(), Distinct: result.Distinct,
			}
			return nil
		})
	}
	matches.Go(func() error {
		var err error
		rating.Gate, err = l.gate(ctx, own)
		return err
	})
	if err := matches.Wait(); err != nil {
		return err
	}
	if r := m.Refit; refitted {
		rating.Own = &journal.GateResult{Against: r.Generation, Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Low: r.Low, High: r.High, Passed: true}
	}
	if err := l.decide(rating.Gate, model); err != nil {
		return err
	}
	rating.Seconds = time.Since(begun).Seconds()
	m.Evaluations = append(m.Evaluations, rating)
	m.rate(l.variant.Name)
	rating = m.Evaluations[len(m.Evaluations)-1]
	m.LastEvaluation = l.seconds()
	m.Seconds, m.CPUSeconds = l.seconds(), l.cpuSeconds()
	if err := l.run.Save(); err != nil {
		return err
	}
	if err := l.event(journal.Event{Kind: "evaluation", Evaluation: &rating}); err != nil {
		return err
	}
	l.report.Evaluation(l, m.Evaluations)
	_, err = PlotRun(l.run.Dir)
	return err
}

// rungs returns the rungs that are neither far too strong nor far too weak. The first of each kind
// is always played, so that there is always a rung.
func (l *Learner) rungs() []settings.Rung {
	var all []settings.Rung
	for _, spec := range l.cfg.Evaluation.Rungs {
		if r, err := settings.ParseRung(spec); err == nil {
			all = append(all, r)
		}
	}
	last := map[string]float64{}
	for _, e := range l.run.Manifest.Evaluations {
		for _, r := range e.Rungs {
			last[r.Rung] = r.Score
		}
	}
	if len(all) == 0 {
		return nil
	}
	from, to := 0, len(all)
	for i, r := range all {
		score, seen := last[r.Spec]
		if seen && score > 0.95 && i+1 < len(all) {
			from = i + 1
		}
		if seen && score < 0.05 && to > i+1 {
			to = i + 1
		}
	}
	return all[from:max(to, from+1)]
}

// gate plays the new network against the accepted one, which is the one measured before unless the
// gate is closed. It returns nil if there is no accepted one.
func (l *Learner) gate(ctx context.Context, players arena.Factory) (*journal.GateResult, error) {
	m := &l.run.Manifest
	games := l.cfg.Evaluation.GateGames
	if games == 0 || l.cfg.Synchronous && l.cfg.Evaluation.Gate > 0 || m.Accepted.Name == m.Model.Name ||
		m.Accepted.Name == "" || !exists(l.run.path(modelsDir, m.Accepted.Name)) {
		return nil, nil
	}
	accepted, err := l.run.method.Load(l.run.path(modelsDir, m.Accepted.Name), l.variant)
	if err != nil {
		l.warn("there is nothing to measure the gate against: %v", err)
		return nil, nil
	}
	others := accepted.Players(l.variant, l.cfg.Evaluation.Visits)
	result, err := l.match(ctx, fmt.Sprintf("gen-%06d-gen-%06d", m.Generation, accepted.Generation()), players, others, games)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	interval := result.Pairs.ScoreInterval(0.95)
	return &journal.GateResult{
		Against: accepted.Generation(), Wins: result.Wins, Draws: result.Draws, Losses: result.Losses,
		Low: interval.Low, High: interval.High, Passed: interval.High >= l.cfg.Evaluation.Gate,
	}, nil
}

// decide accepts the network, or closes the gate: if the network is clearly weaker than the
// accepted one, self-play uses the accepted one until a later network passes.
func (l *Learner) decide(g *journal.GateResult, model Network) error {
	m := &l.run.Manifest
	if g != nil && !g.Passed {
		if m.GateClosed {
			return nil
		}
		accepted, err := l.run.method.Load(l.run.path(modelsDir, m.Accepted.Name), l.variant)
		if err != nil {
			return err
		}
		l.warn("generation %d scores at most %.0f %% against generation %d: self-play goes on with that one until a network passes",
			m.Generation, 100*g.High, g.Against)
		m.GateClosed = true
		return l.play(accepted)
	}
	m.Accepted = m.Model
	if !m.GateClosed {
		return nil
	}
	m.GateClosed = false
	return l.play(model)
}

// maxPlies returns the length in plies at which an evaluation game counts as a draw: four for each
// playing square, and at least 200. Games that long are endings that nobody wins. The minimum is
// for small boards, where games are not shorter, because every advance of a man restarts the draw
// counters.
func maxPlies(v *rules.Variant) int { return max(200, 4*v.Board.Squares()) }

// match plays a match on all cores and saves its games.
func (l *Learner) match(ctx context.Context, name string, a, b arena.Factory, games int) (arena.Result, error) {
	// Begin with another opening in each generation, so that not every network is measured on the
	// same few.
	shift := l.run.Manifest.Generation % len(l.openings)
	var pdn pdnFile
	result, err := arena.Match{
		Variant:     l.variant,
		A:           a,
		B:           b,
		Openings:    append(l.openings[shift:len(l.openings):len(l.openings)], l.openings[:shift]...),
		Games:       games,
		Concurrency: min(games, l.cfg.ActorCount()),
		MaxPlies:    maxPlies(l.variant),
		Seed:        l.cfg.Seed + uint64(l.run.Manifest.Generation),
		OnGame:      pdn.add,
	}.Play(ctx)
	if err != nil {
		return result, err
	}
	if result.Interrupted {
		return result, ctx.Err()
	}
	if n := len(result.Duplicates); n > 0 {
		l.warn("%s: %d games of the match are the same as another one", name, n)
	}
	return result, write(l.run.path(matchesDir, name+".pdn"), pdn.bytes())
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fileName converts the name of a rung to a file name.
func fileName(spec string) string {
	b := []byte(spec)
	for i, c := range b {
		if c == ':' || c == '=' || c == ',' {
			b[i] = '-'
		}
	}
	return string(b)
}
