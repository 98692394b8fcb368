package board

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"damier/rules"
	"damier/web"
	"damier/web/tactics"
)

// The page of the board is sent with a picture of the position that it begins with, drawn here, so that it is seen
// before any script has run. The scripts lay the board in its place.

//go:embed static
var embedded embed.FS

// files are those of the board, of the tactics and of all pages.
var files = web.Files{web.Common, tactics.Files, web.Sub(embedded)}

// firstPage serves the page at / with v's start on the board and the style within it, and every other file at its own
// name.
func firstPage(v *rules.Variant) http.HandlerFunc {
	other := files.Serve("index.html")
	page := regexp.MustCompile(`\n +<`).ReplaceAllString(files.Text("index.html"), "\n<")
	page = strings.Replace(page, styleLink, "<style>"+firstStyle()+"</style>", 1)
	page = strings.Replace(page, "<!--start-->", startPicture(v), 1)
	sum := fnv.New64a()
	io.WriteString(sum, page)
	tag := `"` + strconv.FormatUint(sum.Sum64(), 16) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			other(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "index.html", time.Time{}, strings.NewReader(page))
	}
}

// styleLink is what the style stands in the place of.
const styleLink = `<link rel="stylesheet" href="first.css">`

// startPicture returns the start of v as an SVG element, White below, in the places and colours of board.js: squares of
// 100, and a piece is a disc with a rim. A few elements are painted sooner than some hundred: the dark squares are a broken
// line in each row, the discs of a colour one path with points of some width.
func startPicture(v *rules.Variant) string {
	var men [2]strings.Builder
	start := v.HubString(v.Start())[1:]
	for i := range start {
		q := rules.Square(i + 1)
		row, column := v.Board.Row(q), v.Board.Column(q)
		if side := strings.IndexByte("wb", start[i]); side >= 0 { // no variant begins with kings
			fmt.Fprintf(&men[side], "M%d %dh0", 100*column+50, 100*row+50)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg id="start-picture" viewBox="0 0 %d %d" aria-hidden="true"><path class="dark" d="`, 100*v.Board.Columns, 100*v.Board.Rows)
	for row := range v.Board.Rows {
		fmt.Fprintf(&b, "M%d %dH%d", 100*darkColumn(v.Board, row), 100*row+50, 100*v.Board.Columns)
	}
	b.WriteString(`"/>`)
	for side, name := range []string{"white", "black"} {
		fmt.Fprintf(&b, `<defs><path id="%s-men" d="%s"/></defs>`, name, men[side].String())
		fmt.Fprintf(&b, `<use href="#%s-men" class="%s rim" y="-2"/><use href="#%s-men" class="%s face" y="-2"/>`, name, name, name, name)
	}
	b.WriteString("</svg>")
	return b.String()
}

// darkColumn returns the first dark column of a row, 0 or 1.
func darkColumn(g *rules.Geometry, row int) int {
	if g.Corner == rules.EverySquare {
		return (row + 1) % 2
	}
	for q := rules.Square(1); int(q) <= g.Squares(); q++ {
		if g.Row(q) == row {
			return g.Column(q) % 2
		}
	}
	panic("web: a row without squares")
}

// firstStyle returns the style of the page without what only its readers want.
func firstStyle() string {
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(files.Text("first.css"), "")
	return regexp.MustCompile(`\s*([{};,])\s*`).ReplaceAllString(text, "$1")
}

// inline returns the hashes by which the content security policy lets the script and the style within the page be used.
var inline = sync.OnceValues(func() (script, style string) {
	_, text, _ := strings.Cut(files.Text("index.html"), "<script>")
	text, _, found := strings.Cut(text, "</script>")
	if !found {
		panic("web: the page has no script within it")
	}
	return web.Source(text), web.Source(firstStyle())
})
