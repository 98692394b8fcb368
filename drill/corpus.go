package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"damier/arena"
	"damier/engine/open"
	"damier/learner"
	"damier/learner/journal"
	"damier/net/nnue"
	"damier/notation"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
	"damier/tactics"
)

// corpus is a fuzz test for which the drill finds inputs.
type corpus struct {
	test   string // folder and name
	text   bool   // it takes a string, not bytes
	before string // arguments before it
	seeds  [][]byte
	try    func([]byte) error
}

// corpora returns the corpora of the parsers that take one text.
func corpora(dir string) ([]corpus, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	games := []*rules.Game{randomGame(rng, rules.International, 12), randomGame(rng, rules.Russian, 12)}
	pdn, err := pdnSeeds(games)
	if err != nil {
		return nil, err
	}
	var network bytes.Buffer
	if err := nnue.New(rules.English, 1, 1).Save(&network); err != nil {
		network.Reset()
	}
	lines := lineSeeds(games)
	v := rules.International
	metrics := [][]byte{[]byte("{\"event\":\"start\",\"message\":\"session 1\"}\n{\"event\":\"generation\",\"seconds\":5,\"progress\":{\"rows\":5,\"reasons\":{\"no moves\":1}}}\n{\"event\":\"evaluation\",\"evaluation\":{\"generation\":1}}\n")}
	manifest := [][]byte{[]byte(`{"format":1,"rules":1,"name":"x","generation":3,"seconds":1.5,"checkpoint":{"name":"000001.safetensors"},"games":{"shards":[{"name":"1.parquet","rows":5}],"removed":{"games":2}},"evaluations":[{"generation":1}]}`)}
	return []corpus{
		{"learner/FuzzManifest", false, "", manifest, func(b []byte) error {
			err := os.WriteFile(filepath.Join(dir, "run.json"), b, 0o600)
			if err == nil {
				_, err = learner.OpenView(dir, method)
			}
			return err
		}},
		{"learner/journal/FuzzJournal", false, "", metrics, func(b []byte) error {
			events, err := journal.Decode(bytes.NewReader(b))
			return errors.Join(err, fmt.Errorf("%c events", 'a'+len(events)))
		}},
		{"learner/settings/FuzzConfig", true, "", configSeeds()[1:2], func(b []byte) error { return tryConfig(dir, b) }},
		{"net/nnue/FuzzLoad", false, "", [][]byte{network.Bytes()}, func(b []byte) error { _, err := nnue.Load(bytes.NewReader(b), nil); return err }},
		{"engine/open/FuzzParseSpec", true, "", lines[:6], func(b []byte) error { _, err := open.ParseSpec(string(b)); return err }},
		{"tactics/FuzzRead", true, "", lines, func(b []byte) error { _, err := tactics.Read(bytes.NewReader(b)); return err }},
		{"protocol/dxp/FuzzParse", false, "", lines, func(b []byte) error { _, err := dxp.Parse(b); return err }},
		{"protocol/dxp/FuzzSession", false, "byte('\\x01')", peerSeeds(), func(b []byte) error { return tryPeer(context.Background(), append([]byte{1}, b...)) }},
		{"protocol/hub/FuzzParseLine", true, "", lines, func(b []byte) error { _, err := hub.ParseLine(string(b)); return err }},
		{"protocol/hub/FuzzClient", true, "", engineSeeds()[:2], func(b []byte) error { return tryEngine(context.Background(), b) }},
		{"arena/FuzzParseOpenings", true, "", lines, func(b []byte) error {
			_, err := arena.ParseOpenings(v, "x", bytes.NewReader(b))
			return err
		}},
		{"notation/FuzzPDN", false, "", pdn[:1], func(b []byte) error {
			r := notation.NewReader(bytes.NewReader(b), v)
			for {
				if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
					return err
				} else if err != nil {
					return nil
				}
			}
		}},
		{"rules/FuzzParseFEN", true, "byte('\\x00')", [][]byte{[]byte("W:W31-50:B1-20"), []byte("B:WK5,10:BK30:H3:F4")}, func(b []byte) error {
			_, err := rules.ParseFEN(v, string(b))
			return err
		}},
		{"rules/FuzzParseHub", true, "byte('\\x00')", [][]byte{[]byte(v.HubString(v.Start()))}, func(b []byte) error {
			_, err := rules.ParseHub(v, string(b))
			return err
		}},
		{"internal/plain/FuzzText", true, "", [][]byte{[]byte("a\x1b[31mb"), []byte("\u202eabc\xff")}, func(b []byte) error {
			return errors.New(string(b[:min(len(b), 3)]))
		}},
	}, nil
}

// digits matches the parts in which two errors of the same kind may differ.
var digits = regexp.MustCompile(`[0-9]+|"[^"]*"|'[^']*'`)

// Limits of a corpus.
const (
	corpusFiles = 24   // for each test
	corpusBytes = 4096 // for each file
)

// writeCorpora looks, for the given time for each test, for inputs that are refused for different
// reasons. It writes them below root, where `go test` runs them:
// PACKAGE/testdata/fuzz/TEST/drill-NN.
func writeCorpora(root string, each time.Duration, seed uint64, out io.Writer) error {
	dir, err := os.MkdirTemp("", "damier-corpus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := corpora(dir)
	if err != nil {
		return err
	}
	for i, c := range all {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		seen := map[string]bool{}
		folder := filepath.Join(root, filepath.Dir(c.test), "testdata", "fuzz", filepath.Base(c.test))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for end := time.Now().Add(each); time.Now().Before(end) && len(seen) < corpusFiles; {
			b := mutate(rng, c.seeds)
			if len(b) > corpusBytes {
				continue
			}
			kind := ""
			if err := c.try(b); err != nil {
				kind = digits.ReplaceAllString(err.Error(), "#")
			}
			if seen[kind] {
				continue
			}
			seen[kind] = true
			text := "go test fuzz v1\n"
			if c.before != "" {
				text += c.before + "\n"
			}
			if c.text {
				text += fmt.Sprintf("string(%q)\n", b)
			} else {
				text += fmt.Sprintf("[]byte(%q)\n", b)
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("drill-%02d", len(seen))), []byte(text), 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "%-28s %d inputs\n", c.test, len(seen))
	}
	return nil
}
