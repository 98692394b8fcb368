package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

func BenchmarkView(b *testing.B) {
	for _, name := range []string{"international", "canadian"} {
		b.Run(name, func(b *testing.B) {
			v, err := rules.Lookup(name, nil)
			if err != nil {
				b.Fatal(err)
			}
			g := New(Config{Game: rules.NewGame(v), People: both, Engine: &book{}, Look: colored, Title: name})
			g.Update(tea.WindowSizeMsg{Width: 130, Height: 50})
			b.ReportAllocs()
			for b.Loop() {
				g.View()
			}
		})
	}
}
