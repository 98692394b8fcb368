package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"damier/arena/tournament"
	"damier/data"
	"damier/egdb"
	"damier/internal/files"
	"damier/learner"
	"damier/learner/journal"
	"damier/learner/settings"
	damiernet "damier/net"
	"damier/protocol/dxp"
	"damier/rules"
)

// ranges is the number of parts of a file, each of which is damaged in turn.
const ranges = 32

// damages are the kinds of damage to a part of a file, or to the file.
var damages = []string{"bit", "zeros", "ones", "lost", "twice", "noise", "cut", "gone", "pipe", "device", "folder", "loop", "sparse"}

// damage changes one file of a folder: "NAME DAMAGE PART SEED".
func damage(dir, input string) (file, kind string, err error) {
	f := strings.Fields(input)
	var part int
	var seed uint64
	if len(f) != 4 || !slices.Contains(damages, f[1]) {
		return "", "", fmt.Errorf("an input is a file, one of %s, a part up to %d and a seed", strings.Join(damages, ", "), ranges-1)
	}
	if _, err := fmt.Sscan(f[2]+" "+f[3], &part, &seed); err != nil {
		return "", "", err
	}
	file, kind = f[0], f[1]
	path := filepath.Join(dir, file)
	b, err := os.ReadFile(path)
	if err != nil {
		return file, kind, err
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	from, to := part*len(b)/ranges, (part+1)*len(b)/ranges
	from += rng.IntN(to - from + 1)
	to = min(len(b), from+1+rng.IntN(max(to-from, 1)))
	middle := append([]byte(nil), b[from:to]...)
	for i := range middle {
		switch kind {
		case "zeros":
			middle[i] = 0
		case "ones":
			middle[i] = 0xff
		case "noise":
			middle[i] = byte(rng.Uint32())
		}
	}
	after := b[to:]
	switch kind {
	case "bit":
		if len(middle) > 0 {
			middle[rng.IntN(len(middle))] ^= 1 << rng.IntN(8)
		}
	case "lost":
		middle = nil
	case "twice":
		middle = append(middle, middle...)
	case "cut":
		middle, after = nil, nil
	}
	if err := os.Remove(path); err != nil {
		return file, kind, err
	}
	switch kind {
	case "gone":
	case "pipe":
		err = mkfifo(path)
	case "device":
		err = os.Symlink("/dev/zero", path)
	case "folder":
		err = os.Mkdir(path, 0o700)
	case "loop":
		err = os.Symlink(filepath.Base(path), path)
	default:
		if err = os.WriteFile(path, slices.Concat(b[:from], middle, after), 0o600); err == nil && kind == "sparse" {
			err = os.Truncate(path, 1<<40)
		}
	}
	return file, kind, err
}

// folderFiles returns the files in a folder and its subfolders, with their content.
func folderFiles(dir string) (names []string, all map[string][]byte, err error) {
	all = map[string][]byte{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		names = append(names, name)
		all[name], err = os.ReadFile(path)
		return err
	})
	return names, all, err
}

// damagedFolder is a folder of files, one of which is damaged at a time, with the code that reads
// it.
type damagedFolder struct {
	dir   string
	begin func(ctx context.Context, dir string) error // makes it
	read  func(ctx context.Context, dir, file, kind string) error
	names []string
	files map[string][]byte
	n     int
}

// make returns the next damage: every kind, in every part of every file.
func (d *damagedFolder) make(rng *rand.Rand) []byte {
	n := d.n
	d.n++
	if len(d.names) == 0 {
		return nil // the folder is being made
	}
	file, n := d.names[n%len(d.names)], n/len(d.names)
	kind, n := damages[n%len(damages)], n/len(damages)
	return fmt.Appendf(nil, "%s %s %d %d", file, kind, n*7%ranges, rng.Uint32())
}

func (d *damagedFolder) try(ctx context.Context, input []byte) error {
	if d.files == nil {
		whole := filepath.Join(d.dir, "whole")
		err := d.begin(context.WithoutCancel(ctx), whole)
		if err == nil {
			d.names, d.files, err = folderFiles(whole)
		}
		if err != nil {
			return broken("%v", err)
		}
	}
	dir := filepath.Join(d.dir, "tried")
	if err := os.RemoveAll(dir); err != nil {
		return broken("%v", err)
	}
	for name, text := range d.files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
			return broken("%v", err)
		}
	}
	if len(input) == 0 { // undamaged
		return d.read(ctx, dir, "", "")
	}
	file, kind, err := damage(dir, string(input))
	if err != nil {
		return err
	}
	return d.read(ctx, dir, file, kind)
}

// newDamagedRun damages the files of a run.
func newDamagedRun(dir string) *damagedFolder {
	return &damagedFolder{dir: filepath.Join(dir, "damaged-run"), begin: func(ctx context.Context, dir string) error {
		sources := quietSources(map[string]string{"limits.games_gb": "1", "limits.keep_models": "5"})
		if said, err := session(ctx, dir, sources); err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
		return nil
	}, read: readRun}
}

// vital reports whether every byte of a file of a run is covered by a checksum.
func vital(file string) bool {
	switch filepath.Ext(file) {
	case data.Extension, ".safetensors":
		return true
	}
	return false
}

// readRun verifies, shows and resumes a run with a damaged file.
func readRun(ctx context.Context, dir, file, kind string) error {
	before, err := files.Read(filepath.Join(dir, file), 1<<30) // the file may now be a pipe
	whole := err == nil && len(before) > 0
	wrong := learner.Verify(ctx, dir, method, io.Discard)
	if vital(file) && wrong == nil {
		if !whole || kind == "cut" || kind == "lost" {
			return broken("verify finds nothing wrong with %s, damaged by %s", file, kind)
		}
	}
	if v, err := learner.OpenView(dir, method); err == nil { // the data of the dashboard
		v.Events(0)
		v.Settings()
		v.Generations()
		v.Boards(4)
		v.WritePrometheus(io.Discard)
		learner.WriteCard(io.Discard, dir, method, learner.Card{})
	}
	journal.Read(dir)
	run, err := learner.Open(dir, method, settings.Sources{})
	if err != nil {
		return tellsDamage(file, kind, err)
	}
	defer run.Close()
	var said bytes.Buffer
	l, err := learner.New(ctx, run, &learner.Console{Out: &said})
	if err != nil {
		return tellsDamage(file, kind, err)
	}
	l.Close()
	return wrong
}

// tellsDamage returns err if it says that something is damaged or foreign, or is an error of the
// file system; any other error, and nil, is a failure.
func tellsDamage(file, kind string, err error) error {
	for _, want := range []error{data.ErrDamaged, data.ErrForeign, damiernet.ErrDamaged, damiernet.ErrForeign, learner.ErrConflict, settings.ErrSettings, fs.ErrNotExist} {
		if errors.Is(err, want) {
			return err
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) || strings.Contains(err.Error(), filepath.Base(file)) {
		return err
	}
	return broken("%s %s: an error that does not name the file: %v", file, kind, err)
}

// newDamagedTables damages endgame tables.
func newDamagedTables(dir string) *damagedFolder {
	v := rules.English
	return &damagedFolder{dir: filepath.Join(dir, "damaged-tables"), begin: func(ctx context.Context, dir string) error {
		return (&egdb.Builder{Variant: v, Dir: dir, Pieces: 2}).Build(ctx)
	}, read: func(_ context.Context, dir, file, kind string) error {
		if _, err := egdb.List(dir); err != nil {
			return broken("list: %v", err)
		}
		t, err := egdb.Open(dir, v, 0)
		if err != nil {
			return err
		}
		defer t.Close()
		// For every position of two kings, the answer must be that of the undamaged table, or
		// none.
		good, err := egdb.Open(filepath.Join(filepath.Dir(dir), "whole"), v, 0)
		if err != nil {
			return broken("%v", err)
		}
		defer good.Close()
		for a := range v.Board.Squares() {
			for b := range v.Board.Squares() {
				for kings := range 4 {
					p := twoPieces(v, a+1, b+1, kings)
					if a == b || rules.Validate(v, p) != nil {
						continue
					}
					got, n, ok := t.Probe(p)
					want, m, known := good.Probe(p)
					if ok && (!known || got != want || n != m) {
						return broken("%s %s: %s is %v in %d, and was %v in %d", file, kind, v.FEN(p), got, n, want, m)
					}
				}
			}
		}
		return t.Err()
	}}
}

// twoPieces returns a position with one piece a side; the bits of kings say which are kings.
func twoPieces(v *rules.Variant, white, black, kings int) rules.Position {
	w, b := v.Board.Set(rules.Square(white)), v.Board.Set(rules.Square(black))
	var k rules.Set
	if kings&1 > 0 {
		k = k.Or(w)
	}
	if kings&2 > 0 {
		k = k.Or(b)
	}
	return rules.NewPosition(w, b, k, rules.White)
}

// newDamagedResults damages the results of a tournament.
func newDamagedResults(dir string) *damagedFolder {
	v := rules.International
	settings := tournament.Settings{Openings: "none", MaxPlies: 40, Seed: 1}
	players := []tournament.Player{{Name: "a", Spec: "random"}, {Name: "b", Spec: "random"}}
	return &damagedFolder{dir: filepath.Join(dir, "damaged-results"), begin: func(_ context.Context, dir string) error {
		s, err := tournament.Open(dir, v, settings, players)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range 4 {
			g := rules.NewGame(v)
			for !g.Over() {
				if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
					return err
				}
			}
			if err := s.Add(tournament.Game{Control: "1s", White: "a", Black: "b", Pair: i, Opening: -1, Game: g, Date: "2026.01.01"}); err != nil {
				return err
			}
		}
		return s.Close()
	}, read: func(_ context.Context, dir, _, _ string) error {
		_, _, peek := tournament.Peek(dir)
		s, err := tournament.Open(dir, v, settings, players)
		if err != nil {
			return err
		}
		return errors.Join(s.Close(), peek)
	}}
}

// tryPeer plays DXP with a program that answers everything with the bytes of b; the first byte
// says which side asks for a game.
func tryPeer(ctx context.Context, b []byte) error {
	if len(b) == 0 {
		return errors.New("nothing is said")
	}
	ours, theirs := net.Pipe()
	defer theirs.Close()
	go func() {
		theirs.SetDeadline(time.Now().Add(5 * time.Second))
		theirs.Write(b[1:])
		theirs.Close()
	}()
	go io.Copy(io.Discard, theirs)
	role := dxp.Initiator
	if b[0]%2 == 0 {
		role = dxp.Follower
	}
	s, err := dxp.NewSession(ours, role, dxp.Config{Variant: rules.International, Patience: time.Second, Idle: time.Second})
	if err != nil {
		return err
	}
	defer s.Close()
	if role == dxp.Initiator {
		err = s.Request(ctx, dxp.GameReq{Time: time.Minute, Moves: 75})
	} else {
		_, err = s.Await(ctx, func(dxp.GameReq) dxp.Answer { return dxp.Accepted })
	}
	if err != nil {
		return err
	}
	_, err = s.Play(ctx, func(_ context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) { return g.Legal()[0], nil })
	return err
}

// peerSeeds are the messages of a program at the other end: as the one that answers, and as the
// one that asks.
func peerSeeds() [][]byte {
	name := fmt.Sprintf("%-32s", "Drill")
	return [][]byte{
		[]byte("\x01A" + name + "0\x00M0010023201900\x00M0012022801400\x00E00\x00"),
		[]byte("\x01A" + name + "1\x00"),
		[]byte("\x00R01" + name + "W001075A\x00M001003228000\x00CHello\x00B001W\x00M0010032280000\x00E00\x00"),
		[]byte("\x00R01" + name + "Z001000BWeeeezeeeeeeeeeZeeeeeeeeeeeeeeeWeeeeeeeeeeweeeeeeee\x00M0010001060000\x00"),
	}
}
