package settings

import (
	"slices"
	"testing"
)

// What WriteTOML writes comes back whole, and lines of another form are left out.
func TestReadWritten(t *testing.T) {
	r, err := Resolve(widths{}, Sources{Preset: "day", Set: map[string]string{"train.batch": "512", "options": "draws=fmjd"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadWritten(writeFile(t, "c.toml", string(r.WriteTOML(true))))
	if err != nil {
		t.Fatal(err)
	}
	keys := flatten(&r.Config)
	if len(got) != len(keys) {
		t.Errorf("%d values of %d", len(got), len(keys))
	}
	for _, w := range got {
		if w.Value != keys[w.Key].String() || w.Origin != r.Origin[w.Key] {
			t.Errorf("%+v, want %s from %s", w, keys[w.Key], r.Origin[w.Key])
		}
	}
	got, err = ReadWritten(writeFile(t, "d.toml", "# seed = 3\n\nseed = 4\n[train]\nbatch=5\nmirror = true  # flag\n"))
	if want := []Written{{"seed", "4", ""}, {"train.mirror", "true", "flag"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
