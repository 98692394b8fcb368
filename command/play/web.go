package play

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"damier/book"
	"damier/book/played"
	"damier/egdb"
	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/internal/files"
	"damier/net/nnue"
	"damier/rules"
	"damier/web"
	"damier/web/board"
	pages "damier/web/searches"
)

// defaultAddress is the default address of the board. It is always the same, so that a browser
// remembers its settings. If it is in use, any free port is taken.
const defaultAddress = "127.0.0.1:6480"

func newWebCommand() *cobra.Command {
	o := &webOptions{}
	c := &cobra.Command{
		Use:   "web [flags]",
		Short: "Play in the browser, with analysis",
		Long: `Serve the board to a browser on this machine, and print its address. Everything is in the program: the page
needs no other server.

In a terminal the browser is opened too, unless --no-open is given or there is no screen to show it on.

All variants can be chosen on the page, persons and engines for both sides, ten levels; the opponent is the
strongest engine that comes with the program, or the network of --model. Games are read and written as PDN,
positions as FEN; the analysis shows the expected score, the best moves and
the line expected. With --egdb the page can also show what the endgame tables know: the verdict on the
position and on each of its moves. The opening explorer shows the moves of the opening book, and with --games those
of your own games with their results.

It listens on the loopback. With another --addr a browser needs a token, which is part of the printed
address; --token sets it.

Exit code: 0 never, it serves until it is stopped; 1 failure, 2 wrong usage, 4 damaged or foreign model file,
130 stopped by Ctrl-C.`,
		Example: `  play web
  play web --variant frisian --no-open
  play web --model runs/russian/models/gen-000150.nnue
  play web --models runs/international/models
  play web --games mygames.pdn --games folder/of/games
  play web --addr 0.0.0.0:8080`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return o.serve(c) },
	}
	o.game.define(c)
	c.Flags().StringVar(&o.model, "model", "", "network file, such as RUN/models/gen-000150.nnue, which also sets the variant; if empty, the network that comes with the program")
	tables(c, &o.egdb)
	o.book.define(c)
	o.define(c)
	return c
}

// define defines the flags that only the board in the browser has.
func (o *webOptions) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.models, "models", "", "folder whose network files *.nnue can be chosen on the page, besides those that come with the program")
	f.StringArrayVar(&o.games, "games", nil, "PDN file of your own games, or a folder of files *.pdn, for the opening explorer; they are only read; repeat the flag for more")
	f.StringVar(&o.address, "addr", defaultAddress, "address to listen on; port 0 takes any free port")
	f.StringVar(&o.token, "token", "", "token that a browser needs; if empty and the address is not the loopback, a random one")
	f.BoolVar(&o.noOpen, "no-open", false, "print the address and do not open it")
	f.IntVar(&o.boards, "boards", 100, "games that may be open at a time")
}

// webOptions are the flags of play web.
type webOptions struct {
	game    variantFlags
	model   string
	models  string
	egdb    string // setting of endgame tables
	book    bookFlags
	games   []string
	address string
	token   string
	noOpen  bool
	boards  int
}

func (o *webOptions) serve(c *cobra.Command) error {
	v, err := open.Variant(o.game.name, o.game.options, c.Flags().Changed("variant"), o.model)
	if err != nil {
		return err
	}
	if o.boards < 1 {
		return cli.Usagef("--boards must be above 0")
	}
	shelf := newNetworkShelf(v)
	if err := shelf.choose(o.model); err != nil {
		return err
	}
	if err := shelf.fill(o.models); err != nil {
		return err
	}
	if _, err := open.Tables(c.Context(), v, o.egdb); err != nil {
		return err
	}
	if err := o.book.check(); err != nil {
		return err
	}
	if _, err := open.Book(v, o.book.setting); err != nil {
		return err
	}
	shelf.tables, shelf.book = o.egdb, o.book
	names, err := played.Find(o.games)
	if err != nil {
		return cli.Usagef("--games: %w", err)
	}
	l, err := o.listen(c.Flags().Changed("addr"))
	if err != nil {
		return err
	}
	if o.token == "" && !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		o.token = web.NewToken()
	}
	config := board.Config{
		Networks: pages.Networks{Network: shelf.network, Open: shelf.open, Library: shelf.library},
		Verdicts: verdicts(o.egdb),
		Book:     shelf.bookMoves,
		Variant:  v, Token: o.token, Boards: o.boards, Pace: 500 * time.Millisecond,
	}
	games := &played.Games{}
	if len(names) > 0 {
		config.Games = ownGames{games}
	}
	s := board.New(config)
	go shelf.network(v) // the first board wants it
	address := o.printed(l.Addr().(*net.TCPAddr))
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
	if a := l.Addr().(*net.TCPAddr); !a.IP.IsLoopback() {
		fmt.Fprint(c.ErrOrStderr(), openToOthers(a, o.token))
	}
	if len(names) > 0 {
		ctx, cancel := context.WithCancel(c.Context())
		var reading sync.WaitGroup
		reading.Go(func() { readGames(ctx, games, names, v, c.ErrOrStderr()) })
		defer reading.Wait()
		defer cancel()
	}
	return s.Serve(c.Context(), l)
}

// verdictNodes is how many positions are searched at most to decide whether draw counters prevent
// wins, for all moves of a position together. It bounds the time that a search for a move waits.
const verdictNodes = 200_000

// verdicts returns [board.Config.Verdicts] for a setting of endgame tables; nil if they are off.
func verdicts(setting string) func(
	context.Context, *rules.Variant, rules.Position,
) ([]board.Verdict, error) {
	if setting == "" || setting == egdb.Off {
		return nil
	}
	worth := map[egdb.Result]int{egdb.Win: 1, egdb.Draw: 0, egdb.Loss: -1}
	return func(ctx context.Context, v *rules.Variant, p rules.Position) ([]board.Verdict, error) {
		t, err := open.Tables(ctx, v, setting)
		if err != nil {
			return nil, err
		}
		moves := max(len(v.AppendMoves(nil, p)), 1)
		var all []board.Verdict
		verdicts, err := t.Verdicts(ctx, p, max(verdictNodes/moves, 1))
		if err != nil {
			return nil, err
		}
		for _, x := range verdicts {
			all = append(all, board.Verdict{
				Move: x.Move, Known: x.Known,
				Result: worth[x.Result], Plies: x.Plies, Sure: x.Sure,
				Forbidden: x.Forbidden, Theory: worth[x.Theory],
			})
		}
		return all, nil
	}
}

// listen listens on the address. If it is in use and no address was given, it takes any free port.
func (o *webOptions) listen(chosen bool) (net.Listener, error) {
	l, err := net.Listen("tcp", o.address)
	if err != nil && !chosen {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, cli.Usagef("--addr %s: %w", o.address, err)
	}
	return l, nil
}

// printed returns the address to open.
func (o *webOptions) printed(a *net.TCPAddr) string {
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if a.IP.IsUnspecified() {
		u.Host = fmt.Sprintf("localhost:%d", a.Port)
	}
	if o.token != "" {
		u.RawQuery = url.Values{"token": {o.token}}.Encode()
	}
	return u.String()
}

// openToOthers returns a warning for a server that listens on more than the loopback.
func openToOthers(a *net.TCPAddr, token string) string {
	host := a.String()
	if a.IP.IsUnspecified() {
		host = fmt.Sprintf("ADDRESS-OF-THIS-MACHINE:%d", a.Port)
	}
	return fmt.Sprintf("Other machines can reach this server: whoever has the token plays here, with this machine's processor.\n"+
		"They open http://%s/?token=%s\nThe way there is not encrypted. Leave out --addr to serve this machine alone.\n", host, url.QueryEscape(token))
}

// networkShelf loads networks when they are needed, each once. Any goroutine may call its methods.
type networkShelf struct {
	variant *rules.Variant // variant of the chosen network
	chosen  string         // name of the chosen network; "" for none
	tables  string         // setting of endgame tables
	book    bookFlags

	// Files of a folder: by the variant with its options and by name.
	others map[string]map[string]string

	mu sync.Mutex
	// By the variant with its options and the name; nil where there is none.
	networks map[string]*nnue.Evaluator
}

func newNetworkShelf(v *rules.Variant) *networkShelf {
	return &networkShelf{variant: v, others: map[string]map[string]string{}, networks: map[string]*nnue.Evaluator{}}
}

// choose chooses the network of a file for the variant; "" means none.
func (s *networkShelf) choose(file string) error {
	if file == "" {
		return nil
	}
	m, err := open.Network(s.variant, file)
	if err != nil {
		return err
	}
	s.chosen = open.Label(file)
	s.networks[shelfKey(s.variant, "")] = m.Evaluator()
	return nil
}

func shelfKey(v *rules.Variant, name string) string { return v.String() + "\n" + name }

// mostFiles is the largest number of network files of a folder.
const mostFiles = 500

// fill reads the network files of a folder; "" means none. The page can choose only files that
// exist now. It skips files that are no networks of this program.
func (s *networkShelf) fill(folder string) error {
	if folder == "" {
		return nil
	}
	names, err := files.List(folder, func(name string) bool { return strings.HasSuffix(name, nnue.Extension) })
	switch {
	case err != nil || len(names) == 0:
		return cli.Usagef("--models %s: there is no file *%s in such a folder", folder, nnue.Extension)
	case len(names) > mostFiles:
		return cli.Usagef("--models %s: %d network files, at most %d can be chosen from", folder, len(names), mostFiles)
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		v, err := open.FileVariant(path)
		if err != nil {
			continue
		}
		if s.others[v.String()] == nil {
			s.others[v.String()] = map[string]string{}
		}
		s.others[v.String()][open.Label(path)] = path
	}
	if len(s.others) == 0 {
		return cli.Usagef("--models %s: none of its %d files is a network of this program", folder, len(names))
	}
	return nil
}

// library implements searches.Networks.Library.
func (s *networkShelf) library(v *rules.Variant) []string {
	return slices.Sorted(maps.Keys(s.others[v.String()]))
}

// network implements searches.Networks.Network.
func (s *networkShelf) network(v *rules.Variant) (name string, ok bool) {
	if e, err := s.evaluator(v, ""); e == nil || err != nil {
		return "", false
	}
	if v.String() == s.variant.String() {
		return s.chosen, true
	}
	return "", true
}

// open implements searches.Networks.Open.
func (s *networkShelf) open(v *rules.Variant, player, network string) (engine.Engine, error) {
	e, err := s.evaluator(v, network)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, pages.ErrNoNetwork
	}
	spec, err := open.ParseSpec(player)
	if err != nil {
		return nil, err
	}
	return open.Over(v, spec, open.Settings{
		TableBits: pages.TableBits, MaxNodes: pages.MaxNodes, Tables: s.tables,
		Book: s.bookSetting(v), BookUse: s.book.use,
	}, e)
}

// bookSetting returns the setting of the book of v.
func (s *networkShelf) bookSetting(v *rules.Variant) string {
	if s.book.setting != book.Off && v.String() != s.variant.String() {
		return book.On // a file belongs to its variant
	}
	return s.book.setting
}

// evaluator returns the network of v with a name of the library, or with "" the one that comes
// with the program. It returns nil if there is none.
func (s *networkShelf) evaluator(v *rules.Variant, name string) (*nnue.Evaluator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := shelfKey(v, name)
	if e, known := s.networks[key]; known {
		return e, nil
	}
	file := ""
	if name != "" {
		if file = s.others[v.String()][name]; file == "" {
			return nil, pages.ErrNoNetwork
		}
	}
	m, err := open.Network(v, file)
	switch {
	case err == nil:
		s.networks[key] = m.Evaluator()
	case file == "": // no network comes for the variant or its options
		s.networks[key] = nil
	default:
		return nil, err
	}
	return s.networks[key], nil
}
