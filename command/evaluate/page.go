package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"damier/arena/tournament"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/internal/publish"
	"damier/internal/shell"
)

// picture returns the name of the picture of --page, and its address in the page.
func (o *tournamentOptions) picture() (file, address string) {
	name := strings.TrimSuffix(filepath.Base(o.page), ".md") + ".png"
	return filepath.Join(filepath.Dir(o.page), "images", name), "images/" + name
}

// checkPage returns an error if --page names no Markdown file, or if a file is there that no
// tournament wrote.
func (o *tournamentOptions) checkPage() error {
	if o.page == "" {
		return nil
	}
	if filepath.Ext(o.page) != ".md" {
		return cli.Usagef("--page %s is not the name of a Markdown file, such as tournament.md", o.page)
	}
	text, err := files.Read(o.page, 1<<26)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		picture, _ := o.picture()
		if _, err := os.Stat(picture); err == nil {
			return cli.Usagef("--page %s: its picture %s is there without the page; remove it, or choose another name",
				o.page, picture)
		}
	case err != nil:
		return fmt.Errorf("--page: %w", err)
	case !bytes.HasPrefix(text, []byte(tournament.PageMark)):
		return cli.Usagef("--page %s is a file that no tournament wrote; choose another name", o.page)
	}
	return nil
}

// command returns the command that makes the page again.
func (o *tournamentOptions) command(c *cobra.Command) string {
	words := append([]string{}, "damier", "evaluate", "tournament")
	add := func(name, value string) { words = append(words, "--"+name, shell.Word(value)) }
	for _, name := range []string{"variant", "gauntlet"} {
		if f := c.Flags().Lookup(name); f.Changed {
			add(name, f.Value.String())
		}
	}
	for _, player := range o.players {
		add("player", player)
	}
	for _, control := range o.controls {
		add("control", control)
	}
	for _, name := range []string{"games", "anchor", "openings", "seed", "max-plies", "leaves", "adjudicate", "egdb", "concurrency"} {
		if f := c.Flags().Lookup(name); f.Changed {
			add(name, f.Value.String())
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"unbalanced", o.unbalanced}, {"report", o.reportOnly}} {
		if flag.set {
			words = append(words, "--"+flag.name)
		}
	}
	add("out", o.out)
	add("page", o.page)
	return strings.Join(words, " ")
}

// report writes the files of the reports into the folders and prints them. If all games are
// played, it also writes --page.
func (o *tournamentOptions) report(
	c *cobra.Command, events []*event, family bool, anchor *tournament.Anchor, complete bool,
) error {
	var reports []tournament.Report
	for _, e := range events {
		r, err := tournament.Make(e.store, anchor)
		if err != nil {
			return cli.WithCode(cli.Usage, err)
		}
		if err := writeReport(e, r); err != nil {
			return err
		}
		reports = append(reports, r)
	}
	text, object, err := printed(reports, family)
	if err != nil {
		return err
	}
	if family {
		if err := writeFiles(o.out, []outFile{{familyFiles[0], text}, {familyFiles[1], object}}); err != nil {
			return err
		}
	}
	if o.page != "" && complete {
		if err := o.writePage(c, reports, anchor); err != nil {
			return err
		}
	}
	if o.json {
		text = object
	}
	if _, err := c.OutOrStdout().Write(text); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// printed returns the reports as text and as JSON: an object for one variant, otherwise a list.
func printed(reports []tournament.Report, family bool) (text, object []byte, err error) {
	var value any = reports
	if !family {
		value = reports[0]
	}
	if object, err = json.Marshal(value); err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	var texts []string
	for _, r := range reports {
		texts = append(texts, r.Text())
	}
	return []byte(strings.Join(texts, "\n")), append(object, '\n'), nil
}

// The files of a report, of one variant in its folder, and of several in the folder above.
var (
	reportFiles = []string{"report.txt", "report.json", "report.png", "games.pdn"}
	familyFiles = reportFiles[:2]
)

// writeReport writes the files of one variant's report into its folder.
func writeReport(e *event, r tournament.Report) error {
	text, object, err := printed([]tournament.Report{r}, false)
	if err != nil {
		return err
	}
	picture, err := r.Picture()
	if err != nil {
		return err
	}
	pdn, err := e.store.PDN()
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	return writeFiles(e.dir, []outFile{
		{reportFiles[0], text}, {reportFiles[1], object}, {reportFiles[2], picture}, {reportFiles[3], pdn},
	})
}

// outFile is the name and the content of a file; a nil content is not written.
type outFile struct {
	name string
	text []byte
}

// writeFiles writes files into a folder.
func writeFiles(dir string, all []outFile) error {
	for _, file := range all {
		if file.text == nil {
			continue
		}
		err := publish.Write(filepath.Join(dir, file.name), func(w io.Writer) error {
			_, err := w.Write(file.text)
			return err
		})
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// writePage writes --page and its picture.
func (o *tournamentOptions) writePage(c *cobra.Command, reports []tournament.Report, anchor *tournament.Anchor) error {
	page := tournament.Page{Command: o.command(c), Anchor: anchor, Reports: reports}
	if !o.reportOnly { // else the players are those of the folders
		for _, text := range o.players {
			p := parseContestant(text)
			page.Players = append(page.Players, tournament.Player{Name: p.name, Spec: p.text})
		}
	}
	picture, err := page.PNG()
	if err != nil {
		return err
	}
	file, address := o.picture()
	if picture != nil {
		page.Picture = address
		if err := publish.MkdirAll(filepath.Dir(file)); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := writeFiles(filepath.Dir(file), []outFile{{filepath.Base(file), picture}}); err != nil {
			return err
		}
	}
	return writeFiles(filepath.Dir(o.page), []outFile{{filepath.Base(o.page), []byte(page.Markdown())}})
}
