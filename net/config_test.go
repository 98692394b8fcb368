package net

import (
	"strings"
	"testing"
)

func TestConfigDefaults(t *testing.T) {
	want := Config{Arch: Lattice, Channels: 48, Layers: 6, Taps: 5, GlobalPool: 2, PolicyRank: 15, ValueHidden: 32}
	if got := (Config{}).For(international); got != want {
		t.Errorf("zero config resolves to %+v, want %+v", got, want)
	}
	want = Config{Arch: MLP, Hidden: 256, PolicyRank: 15, ValueHidden: 32}
	if got := (Config{Arch: MLP, Channels: 48, Layers: 3, Taps: 2}).Resolve(); got != want {
		t.Errorf("mlp resolves to %+v, want %+v", got, want)
	}
	for name, cfg := range configs {
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if once, twice := cfg.Resolve(), cfg.Resolve().Resolve(); once != twice {
			t.Errorf("%s: resolves to %+v, then to %+v", name, once, twice)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		field string
		cfg   Config
	}{
		{"Arch", Config{Arch: "transformer"}},
		{"Channels", Config{Channels: 12}},
		{"Channels", Config{Channels: -8, Layers: 3}},
		{"Channels", Config{Channels: 1 << 20}},
		{"Layers", Config{Layers: 5}},
		{"Layers", Config{Layers: 1000}},
		{"Taps", Config{Taps: 7}},
		{"GlobalPool", Config{Layers: 4, GlobalPool: 3}},
		{"GlobalPool", Config{GlobalPool: -2}},
		{"Hidden", Config{Arch: MLP, Hidden: 100}},
		{"PolicyRank", Config{PolicyRank: 16}},
		{"PolicyRank", Config{PolicyRank: 67}},
		{"ValueHidden", Config{ValueHidden: 4}},
	} {
		err := c.cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), c.field+" ") {
			t.Errorf("%+v: error %v, want one that names %s", c.cfg, err, c.field)
		}
		if _, err := NewModel(international, c.cfg, 1); err == nil {
			t.Errorf("%+v: NewModel takes it", c.cfg)
		}
	}
}
