package gamefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
)

func game() *notation.Game {
	return notation.NewGame(rules.NewGame(rules.International), notation.Tags{{Name: "Event", Value: "x"}})
}

// Whatever is in a file stays at its beginning, and what is no file of games is refused.
func TestNothingIsOverwritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "games.pdn")
	before := "[Event \"mine\"]\n\n1. 32-28 *" // without the end of its line
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Append(file, []*notation.Game{game()}, notation.Write); err != nil {
		t.Fatal(err)
	}
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Add(game()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), before+"\n") || strings.Count(string(text), "[Event") != 3 {
		t.Errorf("the file is now\n%s", text)
	}

	other := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(other, []byte("Dear Sir"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "holds no games") {
		t.Errorf("a letter is taken for games: %v", err)
	}
	if err := Check(t.TempDir()); err == nil {
		t.Error("games can be added to a folder")
	}
	if text, _ := os.ReadFile(other); string(text) != "Dear Sir" {
		t.Errorf("the letter is now %q", text)
	}
}

// Two programs add games to one file at the same time, one of them by another name of it.
func TestTwoWriters(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "games.pdn"), filepath.Join(folder, "link.pdn")
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Symlink(file, link); err != nil {
		link = file // not every system lets everybody make one
	}
	for range 2 {
		if err := Append(link, []*notation.Game{game(), game()}, notation.Write); err != nil {
			t.Fatal(err)
		}
		if err := f.Add(game()); err != nil {
			t.Fatal(err)
		}
	}
	if games, err := notation.ReadFile(rules.International, file); err != nil || len(games) != 6 {
		t.Errorf("%d games, want 6: %v", len(games), err)
	}
}
