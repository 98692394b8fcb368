package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"damier/arena"
	"damier/data"
	"damier/engine/open"
	"damier/learner/settings"
	"damier/mcts"
	"damier/models"
	"damier/net"
	"damier/net/nnue"
	"damier/notation"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
	"damier/tactics"
	"damier/web/board"
)

// errBroken is wrapped by the errors for failures of the program.
var errBroken = errors.New("did not hold")

func isBroken(err error) bool { return errors.Is(err, errBroken) }

// broken returns an error for a failure of the program.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errBroken}, args...)...)
}

// whole is the time limit of a class that resumes a whole run, on a machine that may do other
// work.
const whole = 2 * time.Minute

// family are the variants.
var family = func() (all []*rules.Variant) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			panic(err)
		}
		all = append(all, v)
	}
	return all
}()

// allClasses returns the classes; they may write to dir.
func allClasses(dir string) ([]class, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	games := make([]*rules.Game, 6)
	for i := range games {
		games[i] = randomGame(rng, readAs[i%len(readAs)], 40)
	}
	networks, err := networkSeeds()
	if err != nil {
		return nil, err
	}
	shard, err := shardSeed(dir, rng)
	if err != nil {
		return nil, err
	}
	pdn, err := pdnSeeds(games)
	if err != nil {
		return nil, err
	}
	server := board.New(board.Config{})
	kills, err := newKills(dir)
	if err != nil {
		return nil, err
	}
	crashes, failing := newCrashes(dir), newFailing(dir)
	damagedRun, damagedTables, damagedResults := newDamagedRun(dir), newDamagedTables(dir), newDamagedResults(dir)
	all := []class{
		{name: "network", share: 1, seeds: networks, try: tryNetwork},
		{name: "weights", share: 1, make: weights, try: tryNetwork},
		{name: "shard", share: 1, seeds: [][]byte{shard}, try: func(_ context.Context, b []byte) error { return tryShard(dir, b, bytes.Equal(b, shard)) }},
		{name: "config", share: 1, seeds: configSeeds(), try: func(_ context.Context, b []byte) error { return tryConfig(dir, b) }},
		{name: "games", share: 1, seeds: pdn, try: tryGames},
		{name: "fen", share: 1, make: fen, try: tryFEN},
		{name: "lines", share: 1, seeds: lineSeeds(games), try: tryLines},
		{name: "engine", share: 1, seeds: engineSeeds(), try: tryEngine},
		{name: "peer", share: 1, make: func(rng *rand.Rand) []byte { return mutate(rng, peerSeeds()) }, try: tryPeer},
		{name: "http", share: 2, make: httpInput, try: func(ctx context.Context, b []byte) error { return tryHTTP(ctx, server, b) }},
		{name: "run", share: 2, make: damagedRun.make, try: damagedRun.try},
		{name: "tables", share: 1, make: damagedTables.make, try: damagedTables.try},
		{name: "results", share: 1, make: damagedResults.make, try: damagedResults.try},
		{name: "crash", share: 3, limit: whole, make: crashes.make, try: crashes.try},
		{name: "fault", share: 3, limit: whole, make: failing.make, try: failing.try},
		{name: "kill", share: 4, limit: whole, make: kills.make, try: kills.try},
	}
	if canMount() {
		disks := newFullDisks(dir)
		all = append(all, class{name: "disk", share: 1, limit: whole, make: disks.make, try: disks.try})
	}
	return all, nil
}

func randomGame(rng *rand.Rand, v *rules.Variant, plies int) *rules.Game {
	g := rules.NewGame(v)
	for !g.Over() && g.Ply() < plies {
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			panic(err)
		}
	}
	return g
}

// networkSeeds are files of networks of two variants.
func networkSeeds() ([][]byte, error) {
	var seeds [][]byte
	for _, v := range []*rules.Variant{rules.International, rules.English} {
		m, err := models.NNUE(v)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			return nil, err
		}
		seeds = append(seeds, b.Bytes())
	}
	return seeds, nil
}

// weights returns the file of a network with some weights that training never gives.
func weights(rng *rand.Rand) []byte {
	m := nnue.New(rules.International, 64, rng.Uint64())
	tensors := m.Tensors()
	for range 1 + rng.IntN(100) {
		t := tensors[rng.IntN(len(tensors))].Data
		t[rng.IntN(len(t))] = []float32{3e38, -3e38, 1e-45, 100, -100, net.MaxWeight, -net.MaxWeight}[rng.IntN(7)]
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// tryNetwork loads a network and, if it is valid, searches with it.
func tryNetwork(ctx context.Context, b []byte) error {
	m, err := nnue.Load(bytes.NewReader(b), nil)
	if err == nil {
		s := mcts.NewSearch(m.Variant, nnue.TreeSearch(mcts.Config{}))
		s.Start(rules.NewGame(m.Variant), mcts.Budget{Simulations: 200}, nil)
		if _, err := s.Run(ctx, m.Evaluator().OnePly(nnue.OnePlyConfig{}), 1); err != nil {
			return broken("a network that was accepted does not search: %v", err)
		}
		return nil
	}
	if !errors.Is(err, net.ErrDamaged) && !errors.Is(err, net.ErrForeign) {
		return broken("an error that says neither damaged nor foreign: %v", err)
	}
	return err
}

// shardSeed is the file of a few games.
func shardSeed(dir string, rng *rand.Rand) ([]byte, error) {
	v := rules.International
	var games []data.Game
	for i := range 3 {
		played := randomGame(rng, v, 60)
		g := data.Game{ID: fmt.Sprint("drill-", i), Variant: v.Name, Options: v.Options.String(), Rules: rules.Version, Start: v.Start(), Outcome: rules.Draw, Reason: rules.PlyLimit}
		r := rules.NewGame(v)
		for _, m := range played.Moves() {
			p := data.Ply{Position: r.Position(), Occurrences: uint8(r.Occurrences()), Moves: append([]rules.Move(nil), r.Legal()...)}
			for j, legal := range p.Moves {
				if legal == m {
					p.Played = j
				}
			}
			if n := len(p.Moves); n > 1 {
				p.Full, p.Simulations = true, n
				p.Root, p.Raw = rules.WDL{Draw: 1}, rules.WDL{Draw: 1}
				for range p.Moves {
					p.Visits, p.Priors, p.Values = append(p.Visits, 1), append(p.Priors, 1/float32(n)), append(p.Values, 0.5)
				}
			}
			g.Plies = append(g.Plies, p)
			if err := r.Play(m); err != nil {
				return nil, err
			}
		}
		games = append(games, g)
	}
	if _, err := data.WriteShard(dir, "seed"+data.Extension, v, games); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "seed"+data.Extension))
}

// tryShard reads a shard. Only the shard that was written must be accepted.
func tryShard(dir string, b []byte, whole bool) error {
	path := filepath.Join(dir, "tried"+data.Extension)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return broken("%v", err)
	}
	_, err := data.ReadShard(path, rules.International)
	switch {
	case err == nil && !whole:
		return broken("a changed shard was read")
	case err != nil && !errors.Is(err, data.ErrDamaged) && !errors.Is(err, data.ErrForeign):
		return broken("an error that says neither damaged nor foreign: %v", err)
	}
	return err
}

func configSeeds() [][]byte {
	var seeds [][]byte
	for _, preset := range []string{"smoke", ""} {
		r, err := settings.Resolve(method, settings.Sources{Preset: preset})
		if err != nil {
			panic(err)
		}
		seeds = append(seeds, r.WriteTOML(false), r.WriteTOML(true))
	}
	return seeds
}

func tryConfig(dir string, b []byte) error {
	path := filepath.Join(dir, "tried.toml")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return broken("%v", err)
	}
	_, err := settings.Resolve(method, settings.Sources{File: path})
	return err
}

func pdnSeeds(games []*rules.Game) ([][]byte, error) {
	var seeds [][]byte
	for i, g := range games {
		n := &notation.Game{Game: g, Tags: notation.Tags{{Name: "Event", Value: "Drill"}}, Notes: []notation.Note{notation.Comment(1, "so far"), {Ply: 2, NAG: 3}}}
		var b bytes.Buffer
		write := notation.Write
		if !g.Variant().Algebraic && i%2 == 0 {
			write = notation.WriteManoury
		}
		if err := write(&b, n); err != nil {
			return nil, err
		}
		seeds = append(seeds, b.Bytes())
	}
	return seeds, nil
}

// readAs are the variants as which games are read: one with numbers and one with coordinates.
var readAs = []*rules.Variant{rules.International, rules.Russian}

// tryGames reads games as two variants, and writes what it has read.
func tryGames(_ context.Context, b []byte) error {
	read, first := 0, error(nil)
	for _, v := range readAs {
		games, err := notation.Parse(v, string(b))
		if err != nil && first == nil {
			first = err
		}
		read += len(games)
		for _, g := range games {
			if err := notation.Write(io.Discard, g); err != nil {
				return broken("a game that was read cannot be written: %v", err)
			}
		}
		r := notation.NewReader(bytes.NewReader(b), v)
		for n := 0; ; n++ {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				break
			}
			if n > len(b) {
				return broken("a reader that does not end")
			}
		}
	}
	if read > 0 {
		return nil
	}
	return first
}

// fen returns a position of any variant with many kings, where captures have an enormous number of
// paths.
func fen(rng *rand.Rand) []byte {
	v := family[rng.IntN(len(family))]
	squares := rng.Perm(v.Board.Squares())
	var sides [2][]string
	for _, s := range squares[:1+rng.IntN(len(squares)-1)] {
		name := fmt.Sprint(s + 1)
		if rng.IntN(2) == 0 {
			name = "K" + name
		}
		side := 0
		if rng.IntN(20) > rng.IntN(20) {
			side = 1
		}
		sides[side] = append(sides[side], name)
	}
	text := []byte(fmt.Sprintf("W:W%s:B%s", strings.Join(sides[0], ","), strings.Join(sides[1], ",")))
	if rng.IntN(2) == 0 {
		text = mutate(rng, [][]byte{text})
	}
	return append([]byte(v.Name+"\n"), text...)
}

// tryFEN reads a position of a variant and generates its moves.
func tryFEN(_ context.Context, b []byte) error {
	name, text, _ := strings.Cut(string(b), "\n")
	v, err := rules.Lookup(name, nil)
	if err != nil {
		return err
	}
	p, err := rules.ParseFEN(v, text)
	if err != nil {
		_, err = rules.ParseHub(v, text)
		return err
	}
	g := rules.NewGameFrom(v, p)
	g.Legal()
	return nil
}

// lineSeeds are single lines from outside: positions, moves, messages, players, combinations.
func lineSeeds(games []*rules.Game) [][]byte {
	seeds := []string{
		"tree:visits=200,c_puct=0.6", `hub:"./scan hub",time=1s,book=false`, "dxp:localhost:27531,time=3m,say=hello", "alphabeta-1:depth=4", "nnue:a.nnue,depth=6",
		"moves=6,win=0.98,draw=0.02,after=80", "60s+0.5s", "draws=fmjd,equal=free",
		`info depth=12 mean-depth=9.1 score=0.25 nodes=1200 pv="32-28 19-23"`, `param name=threads value=1 type=int min=1 max=16`, "id name=x version=1 author=y",
		"R01Scan                            W000205006A", "M0000000132280", "A0", "B0", "C0", "Chello",
		"damier-openings 1 international\n33-28 17-21\n", "32-28", "28x17x8",
	}
	for _, g := range games {
		seeds = append(seeds, g.Variant().HubString(g.Position()), g.Variant().FEN(g.Position()))
	}
	all := make([][]byte, len(seeds))
	for i, s := range seeds {
		all[i] = []byte(s)
	}
	return all
}

// tryLines passes a line to every parser of lines.
func tryLines(_ context.Context, b []byte) error {
	text, v := string(b), rules.International
	_, first := hub.ParseLine(text)
	_, err1 := dxp.Parse(b)
	_, err2 := open.ParseSpec(text)
	_, err3 := rules.ParseOptions(text)
	_, err4 := arena.ParseOpenings(v, "drill", bytes.NewReader(b))
	_, err5 := tactics.Read(bytes.NewReader(b))
	_, err6 := notation.ParseMove(v, v.Start(), text)
	_, err7 := arena.ParseAdjudication(text)
	_, err8 := arena.ParseControl(text)
	_, err9 := notation.ParseHub(v, v.Start(), text)
	for _, err := range []error{first, err1, err2, err3, err4, err5, err6, err7, err8, err9} {
		if err == nil {
			return nil
		}
	}
	return first
}

func engineSeeds() [][]byte {
	return [][]byte{
		[]byte("id name=Drill version=1\nparam name=threads value=1 type=int min=1 max=16\nwait\nready\ninfo depth=1 score=0.1 pv=\"32-28\"\ndone move=32-28 ponder=19-23\n"),
		[]byte("id name=Drill\nparam name=variant value=normal type=enum values=\"normal bt\"\nwait\nready\nerror message=\"no\"\ndone move=31-26\n"),
		[]byte(strings.Repeat("param name=p value=1 type=string\n", 900) + "wait\nready\ndone move=33-28\n"),
	}
}

// tryEngine plays Hub with an engine that answers everything with the bytes of b.
func tryEngine(ctx context.Context, b []byte) error {
	c := hub.NewClient(bytes.NewReader(b), io.Discard)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := c.Hello(ctx, time.Second); err != nil {
		return err
	}
	if err := c.Init(ctx, time.Second); err != nil {
		return err
	}
	_, err := c.Think(ctx, rules.NewGame(rules.International), hub.Limits{Time: 10 * time.Millisecond}, time.Second, 100*time.Millisecond, func(hub.Line) {})
	return err
}

// bodies are the bodies of requests. An input of class http is an address, a newline and a body.
var bodies = []string{
	`{"variant":"frisian","fen":"W:WK5:B30,24,17,7,21,10,4,28,26,13,44,33,20,22,37,43,29,15,8,9"}`,
	`{"variant":"international","options":"draws=fmjd","seats":{"white":{"player":"person"},"black":{"player":"alphabeta","level":1}},"clock":{"main":60,"increment":1}}`,
	`{"text":"[Event \"x\"]\n\n1. 32-28 19-23 2. 28x19 14x23 *"}`, `{"text":"32-28"}`, `{"ply":0,"index":0}`, `{"ply":0,"index":0,"path":[32,28]}`, `{"from":32,"to":28}`,
	`{"node":1,"text":"a good move","glyphs":[1,2]}`, `{"side":"white","on":true}`, `{"informal":true}`, `{}`,
	`{"side":"white","text":"bbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"}`,
}

// addresses are the addresses; BOARD stands for a board that is open and has a game of two moves.
var addresses = func() []string {
	all := []string{"/api/boards", "/api/boards/BOARD/../../../etc"}
	for _, name := range board.Actions() {
		all = append(all, "/api/boards/BOARD/"+name)
	}
	tactic := tactics.Collection()[0]
	of := "/api/tactics/" + tactic.Variant.Name + "/" + tactic.ID()
	return append(all, of+"/explain", of+"/refute")
}()

func httpInput(rng *rand.Rand) []byte {
	body := bodies[rng.IntN(len(bodies))]
	switch rng.IntN(4) {
	case 0:
		body = string(mutate(rng, [][]byte{[]byte(body)}))
	case 1: // a whole request about a strange position
		name, fen, _ := strings.Cut(string(fen(rng)), "\n")
		text, err := json.Marshal(map[string]string{"variant": name, "fen": fen})
		if err != nil {
			panic(err)
		}
		body = string(text)
	}
	return []byte(addresses[rng.IntN(len(addresses))] + "\n" + body)
}

// tryHTTP posts the input to the server as a page does. It opens a board with a game first if the
// address needs one.
func tryHTTP(ctx context.Context, s *board.Server, b []byte) error {
	address, body, _ := strings.Cut(string(b), "\n")
	post := func(address, body string) (int, []byte) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost:8080/", strings.NewReader(body))
		r.URL.Path = address
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "http://localhost:8080")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code, w.Body.Bytes()
	}
	open := ""
	if strings.Contains(address, "BOARD") {
		status, answer := post("/api/boards", `{"variant":"international","seats":{"white":{"player":"person"},"black":{"player":"person"}}}`)
		var board struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(answer, &board); err != nil || board.ID == "" {
			return broken("no board could be opened: %d %s", status, answer)
		}
		open = board.ID
		for _, action := range []string{`load {"text":"1. 32-28 19-23 *"}`, `seek {"ply":0}`} {
			name, body, _ := strings.Cut(action, " ")
			if status, answer := post("/api/boards/"+open+"/"+name, body); status != http.StatusOK {
				return broken("no game could be opened: %d %s", status, answer)
			}
		}
		address = strings.ReplaceAll(address, "BOARD", open)
	}
	status, answer := post(address, body)
	if open == "" {
		var board struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(answer, &board) == nil {
			open = board.ID
		}
	}
	if open != "" {
		post("/api/boards/"+open+"/close", "{}")
	}
	switch {
	case status >= 500 && status != http.StatusServiceUnavailable:
		return broken("status %d: %s", status, answer)
	case status >= 400:
		return fmt.Errorf("status %d: %s", status, answer)
	}
	return nil
}
