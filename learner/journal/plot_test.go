package journal

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestPlot(t *testing.T) {
	progress := &Progress{NewGames: 10, White: 0.3, Draws: 0.4, Black: 0.3, Sims: 1000, RowsRate: 100, TrainRate: 500, Length: 60,
		HeldRows: 100, HeldValue: 0.9, HeldMaterial: 1}
	a, b := rating(1, 0), rating(2, 80)
	for name, events := range map[string][]Event{
		"nothing":       nil,
		"no evaluation": {{Kind: "generation", CPUHours: 0.1, Progress: progress}, {Kind: "generation", CPUHours: 0.2, Progress: progress}},
		"not finite":    {{Kind: "generation", CPUHours: 0.1, Progress: &Progress{NewGames: 1, Sims: math.Inf(1)}}},
		"all": {{Kind: "generation", CPUHours: 0.1, Progress: progress}, {Kind: "evaluation", CPUHours: 0.1, Evaluation: &a},
			{Kind: "generation", CPUHours: 0.2, Progress: progress}, {Kind: "evaluation", CPUHours: 0.3, Evaluation: &b}},
	} {
		path := filepath.Join(t.TempDir(), "p.png")
		if err := Plot(path, "test", events); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if picture, err := png.Decode(bytes.NewReader(text)); err != nil || picture.Bounds().Dx() < 800 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
