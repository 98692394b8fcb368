package board

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"damier/notation"
	"damier/rules"
	"damier/web"
)

// gameInFile is an entry in the list of a file's games.
type gameInFile struct {
	White  string `json:"white"`
	Black  string `json:"black"`
	Event  string `json:"event"`
	Result string `json:"result"`
	Plies  int    `json:"plies"`
}

// doLoad reads a text as PDN or Manoury's notation and loads its game. If there are several and no
// index, it answers with their list.
func (b *board) doLoad(q request) (any, error) {
	v := variantOf(q.Text, b.game.Variant())
	games, err := notation.Parse(v, q.Text)
	switch {
	case err != nil && len(games) == 0:
		return nil, web.Refuse(422, "pdn", "%w", err)
	case len(games) == 0:
		return nil, web.Refuse(422, "pdn", "there is no game in this text")
	}
	bad := err // of games that could not be read
	if q.Index == nil && len(games) > 1 {
		list := make([]gameInFile, min(len(games), maxGames))
		for i := range list {
			t := games[i].Tags
			list[i] = gameInFile{
				White:  t.Get("White"),
				Black:  t.Get("Black"),
				Event:  t.Get("Event"),
				Result: games[i].Result.Text(v),
				Plies:  games[i].Ply(),
			}
		}
		answer := map[string]any{"games": list}
		if bad != nil {
			answer["bad"] = web.Say(bad)
		}
		return answer, nil
	}
	i := 0
	if q.Index != nil {
		i = *q.Index
	}
	if i < 0 || i >= len(games) {
		return nil, web.Refuse(422, "pdn", "there is no game %d in this text", i+1)
	}
	if err := b.load(games[i]); err != nil {
		return nil, err
	}
	if q.Index == nil && bad != nil {
		b.tell(bad)
	}
	return nil, nil
}

// variantOf returns the variant that the tags of a PDN text name. Without such a tag it returns v,
// the variant being played.
func variantOf(text string, v *rules.Variant) *rules.Variant {
	name := ""
	if m := variantTag.FindStringSubmatch(text); m != nil {
		name = m[1]
	} else if m := gameTypeTag.FindStringSubmatch(text); m != nil {
		if m[1] == strconv.Itoa(v.GameType) {
			return v
		}
		for _, n := range rules.Names() {
			if u, err := rules.Lookup(n, nil); err == nil && strconv.Itoa(u.GameType) == m[1] {
				name = n
				break
			}
		}
	}
	if name == "" {
		return v
	}
	var options rules.Options
	if m := optionsTag.FindStringSubmatch(text); m != nil {
		if o, err := rules.ParseOptions(m[1]); err == nil {
			options = o
		}
	}
	if u, err := rules.Lookup(name, options); err == nil {
		return u
	}
	return v
}

// pdn sends the game as a PDN file.
func pdn(b *board, w http.ResponseWriter, _ *http.Request) error {
	return download(b, w, "game.pdn", notation.Write)
}

// manoury sends the game in Manoury's notation.
func manoury(b *board, w http.ResponseWriter, _ *http.Request) error {
	return download(b, w, "game.txt", notation.WriteManoury)
}

// download sends the board's games as a text file.
func download(
	b *board, w http.ResponseWriter, name string, write func(io.Writer, *notation.Game) error,
) error {
	b.mu.Lock()
	b.touched = time.Now()
	games, err := b.records()
	b.mu.Unlock()
	if err != nil {
		return err
	}
	var text strings.Builder
	for i, g := range games {
		if i > 0 {
			text.WriteString("\n")
		}
		if err := write(&text, g); err != nil {
			return web.Refuse(422, "pdn", "%w", err)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, text.String())
	return nil
}

// maxGames is the maximum number of games listed of a file.
const maxGames = 1000

var (
	gameTypeTag = regexp.MustCompile(`\[\s*GameType\s+"(\d+)`)
	variantTag  = regexp.MustCompile(`\[\s*Variant\s+"([a-z!]+)"`)
	optionsTag  = regexp.MustCompile(`\[\s*VariantOptions\s+"([^"]*)"`)
)
