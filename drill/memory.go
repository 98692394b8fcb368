package main

import (
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"damier/internal/chart"
	"damier/internal/publish"
)

// memory records the resident memory of a program over time.
type memory struct {
	began time.Time
	mu    sync.Mutex
	curve []plotter.XYs // minutes and MB, a line for each process
	most  float64       // MB
}

// watch samples the memory of a process until stop is called.
func (m *memory) watch(pid int) (stop func()) {
	m.mu.Lock()
	m.curve = append(m.curve, nil)
	line := len(m.curve) - 1
	m.mu.Unlock()
	done := make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			if mb, err := resident(pid); err == nil && mb > 0 { // otherwise the process has ended
				m.mu.Lock()
				m.curve[line] = append(m.curve[line], plotter.XY{X: time.Since(m.began).Minutes(), Y: mb})
				m.most = max(m.most, mb)
				m.mu.Unlock()
			}
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() { close(done); sampling.Wait() }
}

// resident returns the resident memory of a process in MB.
func resident(pid int) (float64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, err
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kb / 1024, err
}

// median returns the median of the samples in the part from..to of the time, in [0,1].
func (m *memory) median(from, to float64) float64 {
	end := time.Since(m.began).Minutes()
	var all []float64
	for _, line := range m.curve {
		for _, p := range line {
			if p.X >= from*end && p.X <= to*end {
				all = append(all, p.Y)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// draw writes the curve as a picture.
func (m *memory) draw(file, title string) error {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "minutes", "resident MB"
	p.X.Min, p.Y.Min = 0, 0
	for _, line := range m.curve {
		if l, err := plotter.NewLine(line); err == nil && len(line) > 0 {
			l.Color = chart.Blue
			p.Add(l)
		}
	}
	p.Y.Max = max(1.2*m.most, 1)
	p.Add(plotter.NewGrid())
	picture, err := chart.PNG([][]*plot.Plot{{p}}, 9, 3.5)
	if err != nil {
		return err
	}
	return publish.Write(file, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
