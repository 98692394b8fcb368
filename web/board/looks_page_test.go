package board_test

import (
	"testing"

	"damier/web/board"
)

// worst is the lowest contrast of a piece with its square: that of its face or its edge, which of
// both is higher; and that of a square's name with the square, which comes second.
const worst = `(() => {
	const light = (css) => {
		const [r, g, b] = css.match(/[\d.]+/g).slice(0, 3).map((x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((x, y) => y - x); return (x + 0.05) / (y + 0.05) };
	const square = document.querySelector('button[data-square="30"]'), ground = getComputedStyle(square).backgroundColor;
	const pieces = [...document.querySelectorAll("#board .face")].map((e) => getComputedStyle(e)).map((s) => Math.max(contrast(s.fill, ground), contrast(s.stroke, ground)));
	return [Math.min(...pieces), contrast(getComputedStyle(square.querySelector(".n")).color, ground)];
})()`

// Three boards and three sets of pieces can be chosen, are legible in light and dark, and are
// remembered.
func TestLooks(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("international", "person", "person")
	p.setUp("W:W33,44,K46:B12,K5")
	p.Script(`for (const d of document.querySelectorAll("details")) d.open = true`)
	seen := map[string]bool{}
	for _, look := range [][2]string{{"wood", "discs"}, {"green", "flat"}, {"grey", "plain"}} {
		p.Choose("set-board", look[0])
		for _, pieces := range []string{"discs", "flat", "plain"} {
			p.Choose("set-pieces", pieces)
			for _, theme := range []string{"light", "dark"} {
				p.Choose("set-theme", theme)
				if c := eval[[]float64](p, worst); c[0] < 3 || c[1] < 3 {
					t.Errorf("%s, %s, %s: the contrast of a piece is %.2f, of a name %.2f", look[0], pieces, theme, c[0], c[1])
				}
			}
			seen[eval[string](p, `(() => {const s = getComputedStyle(document.querySelector("#board .face")); return s.fill + s.stroke + getComputedStyle(document.querySelector('button[data-square="30"]')).backgroundColor})()`)] = true
		}
		p.Choose("set-pieces", look[1])
		p.Accessible(look[0])
		p.Shot("looks-" + look[0])
	}
	if len(seen) != 9 {
		t.Errorf("%d looks, want 9", len(seen))
	}
	p.Reload()
	p.Wait(`document.documentElement.dataset.board === "grey" && document.documentElement.dataset.pieces === "plain"`)
}
