package board_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/engine"
	"damier/notation"
	"damier/rules"
	"damier/web/board"
	"damier/web/webtest"
)

// told is an engine that thinks until it is told its move, also when its time is over.
type told struct {
	engine.Engine
	moves chan string
}

func (e told) Think(
	ctx context.Context, g *rules.Game, _ engine.Limits, _ func(engine.Thought),
) (engine.Thought, error) {
	over := ctx.Done()
	for range 2 {
		select {
		case text := <-e.moves:
			m, err := notation.ParseMove(g.Variant(), g.Position(), text)
			return engine.Thought{Move: m}, err
		case <-over:
		}
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			break
		}
		// On a busy machine the browser takes longer than a move may take.
		longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
		defer cancel()
		over = longer.Done()
	}
	return engine.Thought{Move: g.Legal()[0]}, nil
}

// toldConfig returns a Config whose networks are played by engines that are told their moves.
func toldConfig() (board.Config, chan string) {
	moves := make(chan string)
	c := networkConfig()
	c.Networks.Open = func(v *rules.Variant, _, _ string) (engine.Engine, error) {
		e, err := engine.NewBaseline(v, 12)
		return told{e, moves}, err
	}
	return c, moves
}

// at returns the centre of a square on the screen.
func (p *tab) at(n int) (x, y float64) {
	p.Helper()
	box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector('button[data-square="%d"]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()`, n))
	return box[0], box[1]
}

// A person enters the next move while the engine thinks: by mouse, keyboard and drag. It is played
// at once where it is legal, else dropped with a notice, and it can be taken back.
func TestPremoves(t *testing.T) {
	c, moves := toldConfig()
	p := openTab(t, c, 1280, 1000)
	p.Click(32, 28)
	p.Says("#status", "the engine thinks")

	// Dropped, because a capture is compulsory.
	p.Click(37, 32)
	p.Says("#status", "Premove: 37 – 32.")
	p.Wait(`document.querySelectorAll(".premoved").length === 2`) // when the move before has been drawn
	if got := p.label(32); got != "32, empty, premove, last move" {
		t.Errorf("32 is %q", got)
	}
	p.Shot("premove")
	p.Accessible("a premove")
	p.Choose("set-theme", "dark")
	p.Accessible("a premove, dark")
	p.Choose("set-theme", "light")
	moves <- "19-23"
	p.waitForMoves("32-28 19-23")
	p.Says("#refusal", "The premove 37 – 32 is not legal now and was dropped.")
	p.Says("#status", "White to move, must take 1.")
	p.Wait(`!document.querySelector(".premoved")`)

	// Played at once, entered by keyboard.
	p.Click(28, 19)
	p.Says("#status", "the engine thinks")
	p.Wait(`document.querySelector('button[data-square="37"].movable')`) // when the move before has been drawn
	p.Script(fmt.Sprintf(`document.querySelector('%s').focus()`, fmt.Sprintf(square, 37)))
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Says("#status", "From 37")
	p.Wait(`document.querySelector(".target")`)
	p.Drive(chromedp.KeyEvent("n"), chromedp.KeyEvent(kb.Enter))
	p.Says("#status", "Premove: 37 – ")
	moves <- "14x23"
	p.Wait(`document.querySelectorAll("#moves button").length === 5`)
	p.Says("#moves", "37-3")
	p.Says("#status", "the engine thinks")

	// Taken back by Escape, by the right button and by a click.
	x, y := p.at(20)
	for name, cancel := range map[string]func(){
		"Escape":           func() { p.Drive(chromedp.KeyEvent(kb.Escape)) },
		"the right button": func() { p.Drive(chromedp.MouseClickXY(x, y, chromedp.ButtonRight)) },
		"its last square":  func() { p.Click(30) },
		"another square":   func() { p.Click(27) },
		"a black piece":    func() { p.Click(1) },
	} {
		p.Wait(`document.querySelector('button[data-square="34"].movable')`)
		u, v := p.at(34)
		w, z := p.at(30)
		p.Drive(chromedp.DragAndDropXY(u, v, w, z, 5))
		p.Says("#status", "Premove: 34 – 30.")
		cancel()
		p.Wait(`!document.querySelector(".premoved") && !document.querySelector("#status").textContent.includes("Premove")`)
		p.Logf("taken back by %s", name)
	}
	moves <- "10-14"
	p.Says("#status", "White to move")
	p.Wait(`document.querySelectorAll("#moves button").length === 6`)

	// A piece that is only chosen stays chosen.
	p.setUp("W:W32,50:B19,22")
	p.Click(50, 44)
	p.Says("#status", "the engine thinks")
	p.Click(32)
	p.Says("#status", "From 32")
	moves <- "22-28"
	p.Says("#status", "White to move, must take 2.")
	p.Wait(`document.querySelectorAll(".selected").length === 1`)

	// A capture of two jumps, named leg by leg and by its last square.
	for _, squares := range [][]int{{32, 23, 14}, {32, 14}} {
		p.setUp("W:W32,50:B19,22")
		p.Click(50, 44)
		p.Says("#status", "the engine thinks")
		p.Click(squares...)
		p.Says("#status", "– 14.")
		moves <- "22-28"
		p.Wait(`document.querySelectorAll("#moves button").length >= 3`)
		p.Says("#moves", "32x14")
		p.Says("#status", "White wins")
	}
}

// A premove can be entered as soon as the page shows the move before, even if the answer to that
// move comes later than the event with the new position.
func TestPremoveBeforeTheAnswer(t *testing.T) {
	webtest.NeedBrowser(t)
	c, moves := toldConfig()
	s := board.New(c)
	gate := make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/move") {
			s.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		<-gate
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	p := &tab{webtest.OpenPage(t, handler, s.Close, 1280, 1000)}
	t.Cleanup(release)
	p.Click(32, 28)
	p.Says("#status", "the engine thinks")
	p.Click(37, 32)
	p.Says("#status", "Premove: 37 – 32.")
	release()
	p.answered()
	p.Says("#status", "Premove: 37 – 32.")
	moves <- "20-24"
	p.Wait(`document.querySelectorAll("#moves button").length === 3`)
	p.Says("#moves", "37-32")
}
