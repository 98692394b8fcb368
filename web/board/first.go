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

// The page of the board is sent with a picture of the start position, drawn here, so that a person
// sees it before any script has run. The scripts then replace it by the board.

//go:embed static
var embedded embed.FS

// files are the files of the board page, of the tactics page and of all pages.
var files = web.Files{web.Common, tactics.Files, web.Sub(embedded)}

// firstPage serves the page at / with a picture of v's start and the inline style, and every other
// file at its own name.
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

// styleLink is the line of the page that the inline style replaces.
const styleLink = `<link rel="stylesheet" href="first.css">`

// startPicture returns the start of v as an SVG element, White below, with the places and colours
// of board.js: a square is 100 wide, a piece is a disc with a rim. It has few elements, because a
// browser paints a few faster than hundreds: the dark squares are one dashed line in each row, the
// discs of a colour one path of points with a wide stroke.
func startPicture(v *rules.Variant) string {
	var men [2]strings.Builder
	start := v.HubString(v.Start())[1:]
	for i := range start {
		q := rules.Square(i + 1)
		row, column := v.Board.Row(q), v.Board.Column(q)
		if side := strings.IndexByte("wb", start[i]); side >= 0 { // no variant starts with kings
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
	panic("web: a row of the board has no squares")
}

// firstStyle returns the inline style without comments and spaces.
func firstStyle() string {
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(files.Text("first.css"), "")
	return regexp.MustCompile(`\s*([{};,])\s*`).ReplaceAllString(text, "$1")
}

// inline returns the hashes with which the Content-Security-Policy allows the inline script and
// the inline style of the page.
var inline = sync.OnceValues(func() (script, style string) {
	_, text, _ := strings.Cut(files.Text("index.html"), "<script>")
	text, _, found := strings.Cut(text, "</script>")
	if !found {
		panic("web: index.html has no inline script")
	}
	return web.Source(text), web.Source(firstStyle())
})
