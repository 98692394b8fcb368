package nnue_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"syscall"
	"testing"

	"damier/alphabeta"
	"damier/arena"
	"damier/models"
	"damier/rules"
)

var zzVariants = flag.String("zz", "international", "")
var zzNodes = flag.Uint64("zz-nodes", 300000, "")
var zzRounds = flag.Int("zz-rounds", 10, "")
var zzBits = flag.Int("zz-bits", 20, "")
var zzPos = flag.Int("zz-pos", 8, "")
var zzVersion = flag.String("zz-version", "alphabeta-2", "")

func zzCPU() int64 {
	var r syscall.Rusage
	syscall.Getrusage(1, &r) // thread
	return r.Utime.Nano() + r.Stime.Nano()
}

func TestZZ(t *testing.T) {
	for _, name := range splitNames(*zzVariants) {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.NNUE(v)
		if err != nil {
			t.Fatal(err)
		}
		openings, err := arena.Openings(v)
		if err != nil {
			t.Fatal(err)
		}
		e, err := alphabeta.New(v, alphabeta.Config{Version: *zzVersion, Evaluator: m.Evaluator(), TableBits: *zzBits})
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		var total, nodes, depth float64
		for i := range *zzPos {
			g := rules.NewGameFrom(v, openings[i*len(openings)/ *zzPos].Position(v))
			// advance the game, so that middle games and endings are there too
			q, err := alphabeta.New(v, alphabeta.Config{TableBits: 10})
			if err != nil {
				t.Fatal(err)
			}
			for k := 0; k < i*6 && !g.Over(); k++ {
				r, _ := q.Search(context.Background(), g, alphabeta.Limits{Depth: 2}, nil)
				g.Play(r.PV[0])
			}
			if g.Over() {
				continue
			}
			best := math.Inf(1)
			var n uint64
			for range *zzRounds {
				e.NewGame()
				t0 := zzCPU()
				r, _ := e.Search(context.Background(), g, alphabeta.Limits{Nodes: *zzNodes}, nil)
				best = min(best, float64(zzCPU()-t0))
				if n == 0 {
					n = r.Nodes
					depth += float64(r.Depth)
					fmt.Fprintln(h, r.Nodes, r.Score, r.PV, r.Depth)
				}
			}
			total += best
			nodes += float64(n)
		}
		t.Logf("%-14s hash %016x nodes %.0f depth %.2f  %.1f ns/node", name, h.Sum64(), nodes, depth/float64(*zzPos), total/nodes)
	}
}

func splitNames(s string) []string {
	var all []string
	last := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ',' {
			all = append(all, s[last:i])
			last = i + 1
		}
	}
	return all
}
