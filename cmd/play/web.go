package main

import (
	"errors"
	"fmt"
	stdnet "net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"damier/alphabeta"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/mcts"
	"damier/models"
	"damier/net"
	"damier/nnue"
	"damier/player"
	"damier/rules"
	"damier/web"
)

// defaultAddress is where the board is served when nothing is said: always the same, so that a browser remembers its
// settings. If somebody has it, any free port is taken.
const defaultAddress = "127.0.0.1:6480"

func newWebCommand() *cobra.Command {
	o := &webOptions{}
	c := &cobra.Command{
		Use:   "web [flags]",
		Short: "Play in the browser, with analysis",
		Long: `Serve the board to a browser on this machine, and print its address. Everything is in the program: the page asks
nothing of any network.

In a terminal the browser is opened too, unless --no-open is given or there is no screen to show it on.

All variants can be chosen on the page, persons and engines for both sides, ten levels; the opponent is the
strongest engine that comes with the program, or the network of --model. Games are read and written as PDN,
positions as FEN; the analysis shows the expected score (of a network win, draw and loss), the best moves and
the line expected.

It listens on the loopback unless --addr says otherwise, and then wants a token, which the printed address
carries: --token chooses it.

Exit code: 0 never, it serves until it is stopped; 1 failure, 2 wrong usage, 4 damaged or foreign model file,
130 stopped by Ctrl-C.`,
		Example: `  play web
  play web --variant frisian --no-open
  play web --model runs/international/models/gen-000150.safetensors
  play web --variant russian --model runs/russian-nnue/model.nnue
  play web --models runs/international/models
  play web --addr 0.0.0.0:8080`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.serve(c) },
	}
	o.game.define(c)
	c.Flags().StringVar(&o.model, "model", "", "file of a network for --variant, *.safetensors for tree search or *.nnue for alpha-beta; what comes with the program when empty")
	c.Flags().StringVar(&o.precision, "precision", "", precisionHelp)
	o.define(c)
	return c
}

// define defines the flags that only the board in the browser has.
func (o *webOptions) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.models, "models", "", "folder whose model files can be chosen on the page, besides the models that come with the program")
	f.StringVar(&o.address, "addr", defaultAddress, "address to listen on; port 0 takes any free port")
	f.StringVar(&o.token, "token", "", "word that a browser must bring; made up when empty and the address is not the loopback")
	f.BoolVar(&o.noOpen, "no-open", false, "print the address and do not open it")
	f.IntVar(&o.boards, "boards", 100, "games that may be open at a time")
}

// webOptions are the flags of play web.
type webOptions struct {
	game      variantFlags
	model     string
	models    string
	precision string
	address   string
	token     string
	noOpen    bool
	boards    int
}

func (o *webOptions) serve(c *cobra.Command) error {
	v, err := o.game.lookup()
	if err != nil {
		return err
	}
	if o.boards < 1 {
		return cli.Usagef("--boards must be above 0")
	}
	precision, err := parsePrecision(o.precision)
	if err != nil {
		return err
	}
	shelf := &modelShelf{variant: v, precision: precision, models: map[string]*net.Model{}, nnues: map[string]*nnue.Evaluator{}, others: map[string][]web.Model{}}
	if err := shelf.choose(o.model); err != nil {
		return err
	}
	if err := shelf.fill(o.models); err != nil {
		return err
	}
	l, err := o.listen(c.Flags().Changed("addr"))
	if err != nil {
		return err
	}
	if o.token == "" && !l.Addr().(*stdnet.TCPAddr).IP.IsLoopback() {
		o.token = web.NewToken()
	}
	s := web.New(web.Config{
		NNUE: shelf.nnueFor, Points: nnue.Points, Tree: shelf.treeFor, Search: player.TreeSearch(mcts.Config{}), Models: shelf.model, ModelFirst: shelf.file != "", OwnNNUE: shelf.nnueName, Library: shelf.library,
		Variant: v, Token: o.token, Boards: o.boards, Pace: 500 * time.Millisecond,
	})
	go shelf.nnueFor(v) // the first board wants them
	address := o.printed(l.Addr().(*stdnet.TCPAddr))
	if _, err := fmt.Fprintln(c.OutOrStdout(), address); err != nil {
		l.Close()
		s.Close()
		return fmt.Errorf("writing the address: %w", err)
	}
	said := "Open this address in a browser. Ctrl-C ends."
	if !o.noOpen && isTerminal(c.OutOrStdout()) && openBrowser(address) {
		said = "The board opens in your browser; if it does not, open this address by hand. Ctrl-C ends."
	}
	fmt.Fprintln(c.ErrOrStderr(), said)
	if a := l.Addr().(*stdnet.TCPAddr); !a.IP.IsLoopback() {
		fmt.Fprint(c.ErrOrStderr(), openToOthers(a, o.token))
	}
	return s.Serve(c.Context(), l)
}

// listen takes the address, or if nobody has chosen one and it is taken any free port.
func (o *webOptions) listen(chosen bool) (stdnet.Listener, error) {
	l, err := stdnet.Listen("tcp", o.address)
	if err != nil && !chosen {
		l, err = stdnet.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, cli.Usagef("--addr %s: %w", o.address, err)
	}
	return l, nil
}

// printed returns the address to open.
func (o *webOptions) printed(a *stdnet.TCPAddr) string {
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if a.IP.IsUnspecified() {
		u.Host = fmt.Sprintf("localhost:%d", a.Port)
	}
	if o.token != "" {
		u.RawQuery = url.Values{"token": {o.token}}.Encode()
	}
	return u.String()
}

// openToOthers says what it means that a server listens on more than the loopback.
func openToOthers(a *stdnet.TCPAddr, token string) string {
	host := a.String()
	if a.IP.IsUnspecified() {
		host = fmt.Sprintf("ADDRESS-OF-THIS-MACHINE:%d", a.Port)
	}
	return fmt.Sprintf("Other machines can reach this server: whoever has the token plays here, with this machine's processor.\n"+
		"They open http://%s/?token=%s\nThe way there is not encrypted. Leave out --addr to serve this machine alone.\n", host, url.QueryEscape(token))
}

// modelShelf loads models when they are wanted, each once. Its methods may be called from any goroutine.
type modelShelf struct {
	variant   *rules.Variant // of what was chosen
	file      string         // of a network for tree search; "" for none
	nnueName  string         // of an NNUE; "" for none
	precision net.Precision

	others map[string][]web.Model // those of a folder, by the variant and its options

	mu     sync.Mutex
	models map[string]*net.Model      // by the variant and its options; nil where there is none
	nnues  map[string]*nnue.Evaluator // so, too
}

// choose takes the model of a file for the variant, of either kind; "" is none.
func (s *modelShelf) choose(file string) error {
	switch {
	case file == "":
		return nil
	case !isNNUE(file):
		s.file = file
		_, err := s.load(s.variant)
		return modelError(err)
	case s.precision != net.Float32:
		return cli.Usagef("--precision %s is of a network for tree search; %s is an NNUE", s.precision, file)
	}
	m, err := nnue.LoadFile(file, s.variant)
	if err != nil {
		return modelError(err)
	}
	s.nnueName, s.nnues[s.variant.String()] = player.Label(file), m.Evaluator()
	return nil
}

// mostFiles is how many model files of a folder can be chosen from.
const mostFiles = 500

// fill takes the model files of a folder; "" is none. What the page can name is what is there now; a file that is no
// model of this program is left out.
func (s *modelShelf) fill(folder string) error {
	if folder == "" {
		return nil
	}
	names, err := files.List(folder, func(name string) bool { return strings.HasSuffix(name, ".safetensors") })
	switch {
	case err != nil || len(names) == 0:
		return cli.Usagef("--models %s: there is no file *.safetensors in such a folder", folder)
	case len(names) > mostFiles:
		return cli.Usagef("--models %s: %d model files, at most %d can be chosen from", folder, len(names), mostFiles)
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		m, err := net.LoadFile(path, nil)
		if err != nil {
			continue
		}
		v := m.Variant
		s.others[v.String()] = append(s.others[v.String()], web.Model{Name: player.Label(path), NewEvaluator: func() (mcts.Evaluator, error) {
			m, err := net.LoadFile(path, v)
			if err != nil {
				return nil, err
			}
			es, err := player.Evaluators(m, s.precision, 1)
			if err != nil {
				return nil, err
			}
			return es[0], nil
		}})
	}
	if len(s.others) == 0 {
		return cli.Usagef("--models %s: none of its %d files is a model of this program", folder, len(names))
	}
	return nil
}

// library is web.Config.Library.
func (s *modelShelf) library(v *rules.Variant) []web.Model { return s.others[v.String()] }

func (s *modelShelf) load(v *rules.Variant) (*net.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, known := s.models[v.String()]; known {
		if m == nil {
			return nil, web.ErrNoModel
		}
		return m, nil
	}
	var m *net.Model
	var err error
	if s.file != "" && v.String() == s.variant.String() {
		m, err = net.LoadFile(s.file, v)
	} else {
		m, err = models.Load(v)
	}
	if errors.Is(err, models.ErrNone) || errors.Is(err, net.ErrForeign) && s.file == "" {
		s.models[v.String()] = nil
		return nil, web.ErrNoModel
	}
	if err != nil {
		return nil, err
	}
	s.models[v.String()] = m
	return m, nil
}

// nnueFor is web.Config.NNUE.
func (s *modelShelf) nnueFor(v *rules.Variant) alphabeta.Evaluator {
	if e := s.nnue(v); e != nil {
		return e
	}
	return nil
}

// treeFor is web.Config.Tree.
func (s *modelShelf) treeFor(v *rules.Variant, n int) []mcts.Evaluator {
	e := s.nnue(v)
	if e == nil {
		return nil
	}
	var evs []mcts.Evaluator
	for range n {
		evs = append(evs, e.OnePly(nnue.OnePlyConfig{}))
	}
	return evs
}

// nnue returns the NNUE of v, nil if there is none.
func (s *modelShelf) nnue(v *rules.Variant) *nnue.Evaluator {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, known := s.nnues[v.String()]; known {
		return e
	}
	var e *nnue.Evaluator
	if m, err := models.NNUE(v); err == nil { // else there are none, for the variant or its options: those that come are whole
		e = m.Evaluator()
	}
	s.nnues[v.String()] = e
	return e
}

// model is web.Config.Models.
func (s *modelShelf) model(v *rules.Variant) (web.Model, error) {
	m, err := s.load(v)
	if err != nil {
		return web.Model{}, err
	}
	name := "damier"
	if s.file != "" && v.String() == s.variant.String() {
		name = player.Label(s.file)
	}
	return web.Model{Name: name, NewEvaluator: func() (mcts.Evaluator, error) {
		es, err := player.Evaluators(m, s.precision, 1)
		if err != nil {
			return nil, err
		}
		return es[0], nil
	}}, nil
}
