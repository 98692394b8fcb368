package learner

import (
	"bytes"
	"fmt"

	"damier/data"
)

// checkpoint writes everything that the next session needs, then the manifest that names it.
func (l *Learner) checkpoint() error {
	m := &l.run.Manifest
	var state bytes.Buffer
	if err := l.trainer.Save(&state); err != nil {
		return err
	}
	m.Checkpoints++
	name := fmt.Sprintf(checkpointName, m.Checkpoints)
	var err error
	if m.Checkpoint, err = l.run.writeFile(checkpointDir, name, state.Bytes()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if m.Unfinished, err = l.writeUnfinished(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	m.Games, m.Steps = l.store.State(), l.steps()
	m.Seconds, m.CPUSeconds = l.seconds(), l.cpuSeconds()
	if err := l.run.Save(); err != nil {
		return err
	}
	// Only now delete the files that the old manifest named.
	if err := l.run.removeOthers(checkpointDir, named(checkpointName, 1), map[string]bool{name: true}); err != nil {
		return err
	}
	return l.run.removeOthers(checkpointDir, named(unfinishedName, 2), map[string]bool{m.Unfinished.Name: true})
}

// The names of the files in checkpoint/: of the trainer's state, by the number of the checkpoint,
// and of the games in progress, by session and checkpoint.
const (
	checkpointName = "%06d.safetensors"
	unfinishedName = "unfinished-%04d-%06d.parquet"
)

// writeUnfinished writes the games in progress. Synchronous runs have none, because they finish
// every game.
func (l *Learner) writeUnfinished() (File, error) {
	var games []data.Game
	for _, p := range l.players {
		games = append(games, p.Unfinished()...)
	}
	if l.cfg.Synchronous || len(games) == 0 {
		return File{}, nil
	}
	name := fmt.Sprintf(unfinishedName, l.run.Manifest.Session, l.run.Manifest.Checkpoints)
	info, err := data.WriteShard(l.run.path(checkpointDir), name, l.variant, games)
	if err != nil {
		return File{}, err
	}
	return File{name, info.SHA256}, nil
}
