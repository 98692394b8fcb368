package learner

import (
	"bytes"
	"fmt"
)

// publish makes the trained network the next generation, gives it to the actors, and writes the
// checkpoint.
func (l *Learner) publish() error {
	m := &l.run.Manifest
	m.Generation++
	if err := l.writeModel(); err != nil {
		return err
	}
	if !m.GateClosed {
		if err := l.play(l.newest()); err != nil {
			return err
		}
	}
	l.prune()
	if err := l.checkpoint(); err != nil {
		return err
	}
	if err := l.store.DeletePruned(); err != nil { // the manifest no longer names them
		return fmt.Errorf("games: %w", err)
	}
	return l.pruneModels()
}

// writeModel writes the trained network as the network of the generation.
func (l *Learner) writeModel() error {
	m := &l.run.Manifest
	var file bytes.Buffer
	if err := l.newest().Save(&file); err != nil {
		return err
	}
	var err error
	if m.Model, err = l.run.writeFile(modelsDir, modelFile(l.run.method, m.Generation), file.Bytes()); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if m.Accepted.Name == "" {
		m.Accepted = m.Model
	}
	return nil
}

// play gives the actors the network for later moves.
func (l *Learner) play(model Network) error {
	for _, p := range l.players {
		s, err := model.Searcher(l.variant, l.cfg.SelfPlay)
		if err != nil {
			return err
		}
		p.SetModel(s, model.ID(), model.Generation())
	}
	return nil
}

// pruneModels deletes old networks. It keeps the latest ones, the evaluated ones and the accepted
// one.
func (l *Learner) pruneModels() error {
	m := &l.run.Manifest
	keep := map[string]bool{m.Accepted.Name: true}
	for i := range l.cfg.Limits.KeepModels {
		keep[modelFile(l.run.method, m.Generation-i)] = true
	}
	for _, e := range m.Evaluations {
		keep[modelFile(l.run.method, e.Generation)] = true
	}
	return l.run.removeOthers(modelsDir, named(networkName(l.run.method), 1), keep)
}
