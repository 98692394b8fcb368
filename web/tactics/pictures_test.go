package tactics_test

import (
	"testing"

	"damier/tactics"
	"damier/web/board"
	"damier/web/webtest"
)

// TestPictures draws the pictures of docs/tactics.md, light and dark; see the test of the same name
// in web/board.
func TestPictures(t *testing.T) {
	webtest.NeedPictures(t)
	x := tacticFor(t, func(x *tactics.Tactic) bool { return short(x) && x.Nodes > 30 })
	p := openTactic(t, board.Config{}, x, 1280, 800)
	for ply := 0; ply < len(x.Line); ply += 2 {
		p.Wait(turnOfSolver)
		p.enter(x, ply)
	}
	p.Says("#rating-change", "Solved: +")
	for theme, end := range map[string]string{"light": "", "dark": "-dark"} {
		p.Script(`document.documentElement.dataset.theme = "` + theme + `"`)
		p.Picture("tactics" + end)
	}
}
