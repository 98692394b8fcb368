package tactics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chromedp/chromedp"

	"damier/rules"
	"damier/tactics"
	"damier/web/board"
)

// opponent is a game of a rating period.
type opponent struct {
	Rating    float64 `json:"rating"`
	Deviation float64 `json:"deviation"`
	Score     float64 `json:"score"`
}

// glicko is the plain twin of update in rating.js: the equations of Glickman's paper one by one.
func glicko(r, rd float64, games []opponent) (float64, float64) {
	q := math.Log(10) / 400
	g := func(rd float64) float64 {
		return 1 / math.Sqrt(1+3*math.Pow(q, 2)*math.Pow(rd, 2)/math.Pow(math.Pi, 2))
	}
	expected := func(o opponent) float64 {
		return 1 / (1 + math.Pow(10, -g(o.Deviation)*(r-o.Rating)/400))
	}
	sum := 0.0
	for _, o := range games {
		sum += math.Pow(g(o.Deviation), 2) * expected(o) * (1 - expected(o))
	}
	d2 := 1 / (math.Pow(q, 2) * sum)
	gain := 0.0
	for _, o := range games {
		gain += g(o.Deviation) * (o.Score - expected(o))
	}
	return r + q/(1/math.Pow(rd, 2)+1/d2)*gain, math.Sqrt(1 / (1/math.Pow(rd, 2) + 1/d2))
}

// update runs the function of the page.
func (p *tab) update(r, rd float64, games []opponent) (float64, float64) {
	p.Helper()
	text, err := json.Marshal(games)
	if err != nil {
		p.Fatal(err)
	}
	found, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(
		`import("./rating.js").then(({ update }) => { const x = update({ rating: %v, deviation: %v }, %s); return [x.rating, x.deviation] })`,
		r, rd, text), chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	return found[0], found[1]
}

// TestGlicko: the page's formula gives the result of the example in Glickman's paper, and that of
// the twin on random games.
func TestGlicko(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	example := []opponent{{1400, 30, 1}, {1550, 100, 0}, {1700, 300, 0}}
	if r, rd := p.update(1500, 200, example); math.Abs(r-1464) > 0.5 || math.Abs(rd-151.4) > 0.05 {
		t.Errorf("the paper's example gives %.1f and %.2f, want 1464 and 151.4", r, rd)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var games []opponent
		for range 1 + random.IntN(4) {
			games = append(games, opponent{
				800 + 1500*random.Float64(), 30 + 300*random.Float64(), float64(random.IntN(3)) / 2,
			})
		}
		r, rd := 800+1500*random.Float64(), 30+320*random.Float64()
		gotR, gotRD := p.update(r, rd, games)
		wantR, wantRD := glicko(r, rd, games)
		if math.Abs(gotR-wantR) > 1e-6 || math.Abs(gotRD-wantRD) > 1e-6 {
			t.Errorf("%v %v %v: %v and %v, want %v and %v", r, rd, games, gotR, gotRD, wantR, wantRD)
		}
	}
}

// kept is what the page keeps of a person.
type kept struct {
	Rating, Deviation float64
	Streak, Best      int
	Rated             []string
}

func (p *tab) rating() (k kept) {
	p.Helper()
	text := eval[string](p, `localStorage.getItem("tactics.rating") ?? "{}"`)
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		p.Fatal(err)
	}
	return k
}

// TestRatingAndStreak: a tactic solved alone counts as won, one with a wrong move as lost, each
// once; the next one is near the rating; a reset forgets all.
func TestRatingAndStreak(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	p.Says("#rating", "1,200 ± 350.")
	p.Says("#rating", "in a row: 0, at best 0.")
	p.Says("#rating-change", fmt.Sprintf("rated %s", thousands(x.Rating())))

	for ply := 0; ply < len(x.Line); ply += 2 {
		p.Wait(turnOfSolver)
		p.enter(x, ply)
	}
	p.Says("#status", "Solved!")
	p.Says("#rating-change", "Solved: +")
	p.Says("#rating", "in a row: 1, at best 1.")
	want, deviation := glicko(1200, 350, []opponent{{float64(x.Rating()), 100, 1}})
	if k := p.rating(); math.Abs(k.Rating-want) > 1e-6 || math.Abs(k.Deviation-deviation) > 1e-6 || k.Streak != 1 {
		t.Errorf("kept is %+v, want a rating of %.2f ± %.2f", k, want, deviation)
	}
	p.Shot("tactic-rating")

	// It counts once.
	p.Drive(chromedp.Click(chromedp.CSS("#again")))
	p.Wait(turnOfSolver)
	p.Says("#rating-change", "Solved: +")
	p.Drive(chromedp.Click(chromedp.CSS("#hint")))
	p.Says("#refusal", "Give something")
	if k := p.rating(); k.Streak != 1 || k.Rating < want-1e-6 {
		t.Errorf("after a hint in a tactic that has counted: %+v", k)
	}

	// The next one is the nearest to the rating of those that were not solved.
	p.Drive(chromedp.Click(chromedp.CSS("#onward")))
	p.Wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]").dataset.id !== %q`, x.ID()))
	p.Wait(turnOfSolver)
	id := eval[string](p, `document.querySelector("#list [aria-current=true]").dataset.id`)
	next := tacticFor(t, func(y *tactics.Tactic) bool { return y.ID() == id })
	far := func(y *tactics.Tactic) float64 { return math.Abs(float64(y.Rating()) - want) }
	nearest := tacticFor(t, func(y *tactics.Tactic) bool { return y.ID() != x.ID() && far(y) < far(next) || y == next })
	if nearest != next {
		t.Errorf("the next is rated %d, %s %d; the person %.0f", next.Rating(), nearest.ID(), nearest.Rating(), want)
	}

	// A wrong move counts as lost, once, even if the tactic is solved afterwards.
	v := next.Variant
	var other rules.Move
	for _, m := range v.AppendMoves(nil, next.Start) {
		if m != next.Line[0] {
			other = m
			break
		}
	}
	p.Click(int(other.From), int(other.To))
	p.Says("#rating-change", "Not solved at once and alone: −")
	p.Says("#rating", "in a row: 0, at best 1.")
	k := p.rating()
	if after, _ := glicko(want, deviation, []opponent{{float64(next.Rating()), 100, 0}}); math.Abs(k.Rating-after) > 1e-6 || len(k.Rated) != 2 {
		t.Errorf("kept is %+v, want a rating of %.2f", k, after)
	}

	// It is kept, and can be forgotten.
	p.Drive(chromedp.Reload(), chromedp.WaitVisible(`body.tactics[data-ready="true"]`))
	p.Says("#rating", thousands(int(math.Round(k.Rating))))
	p.Drive(chromedp.Click(chromedp.CSS("#rating-reset")), chromedp.Click(chromedp.CSS("#sure-yes")))
	p.Says("#rating", "1,200 ± 350. Solved in a row: 0, at best 0.")
	if k := p.rating(); len(k.Rated) != 0 {
		t.Errorf("kept is %+v after the reset", k)
	}
}

// thousands writes a rating as the English page does.
func thousands(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}
