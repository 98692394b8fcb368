package board_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"damier/web/board"
	"damier/web/webtest"
)

// Every sound is audible, short, and unlike the others.
const rendered = `import("./sound.js").then(async ({ build }) => {
	const sums = [];
	for (const name of ["move", "capture", "end", "low"]) {
		const context = new OfflineAudioContext(1, 44100 * 2, 44100);
		build(context, name);
		const samples = (await context.startRendering()).getChannelData(0);
		const energy = (from, to) => samples.slice(from * 44100, to * 44100).reduce((sum, x) => sum + x * x, 0);
		if (energy(0, 1) < 10 || energy(1, 2) > 0.01 || samples.some((x) => Math.abs(x) > 1)) sums.push(0);
		sums.push(Math.round(energy(0, 1)));
	}
	return sums;
})`

// Sounds are off until they are switched on; then a move and the end of the game are heard, and
// the choice is remembered.
func TestSounds(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	sums, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[]int](rendered, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{0: true}
	for _, n := range sums {
		if seen[n] {
			t.Errorf("the energies of the sounds are %v", sums)
		}
		seen[n] = true
	}
	p.Script(`window.started = 0; const start = OscillatorNode.prototype.start;
		OscillatorNode.prototype.start = function (...at) { window.started++; return start.apply(this, at) }`)
	p.begin("international", "person", "person")
	p.Click(32, 28)
	p.waitForMoves("32-28")
	if n := webtest.Eval[int](p.Tab, "window.started"); n != 0 {
		t.Errorf("%d tones with the sounds off", n)
	}
	p.Script(`document.querySelector("#set-sounds").click()`)
	p.Click(19, 23)
	p.Wait("window.started === 2")
	p.Click(28, 19)
	p.Wait("window.started === 5")
	p.press("#resign")
	p.press("#choices button")
	p.Wait("window.started === 8")
	p.Reload()
	p.Wait(`document.querySelector("#set-sounds").checked`)
}
