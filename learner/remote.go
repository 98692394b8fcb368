package learner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"damier/egdb"
	"damier/internal/files"
	"damier/learner/settings"
	"damier/rules"
	"damier/selfplay"
)

// Order has all that a worker without access to the run's folder needs to play for the run.
type Order struct {
	Run        string          `json:"run"`
	Variant    string          `json:"variant"`
	Options    string          `json:"options"`
	Rules      int             `json:"rules"` // rules.Version
	Seed       uint64          `json:"seed"`
	SelfPlay   selfplay.Config `json:"selfplay"`
	Stage      selfplay.Stage  `json:"stage"`
	Method     string          `json:"method"`  // Method.Extension
	Network    string          `json:"network"` // SHA-256 of the network's file
	Model      string          `json:"model"`   // id of the network, as in game records
	Generation int             `json:"generation"`

	// Tables are the materials of the endgame tables that the run plays with, none without tables.
	// Their values follow from the rules, so that who has tables of them finds the same.
	Tables []string `json:"tables,omitempty"`
}

// Lookup returns the variant of the run.
func (o *Order) Lookup() (*rules.Variant, error) {
	return settings.Config{Variant: o.Variant, Options: o.Options}.Lookup()
}

// Decode reads the network of the order from the bytes of its file and checks their SHA-256 sum.
func (o *Order) Decode(method Method, file []byte) (Network, error) {
	if o.Method != method.Extension() {
		return nil, foreign("the run has networks %q, and this program those of %q",
			o.Method, method.Extension())
	}
	sum := sha256.Sum256(file)
	if got := hex.EncodeToString(sum[:]); got != o.Network {
		return nil, damaged("the network has the SHA-256 %s, and %s was announced", got, o.Network)
	}
	v, err := o.Lookup()
	if err != nil {
		return nil, err
	}
	n, err := method.Read(bytes.NewReader(file), v)
	if err != nil {
		return nil, err
	}
	if n.ID() != o.Model || n.Generation() != o.Generation {
		return nil, damaged("the network is %s of generation %d, and %s of generation %d was announced",
			n.ID(), n.Generation(), o.Model, o.Generation)
	}
	return n, nil
}

// Remote provides what others need to play for a run, and writes their games into its folder like
// an extra worker. It only reads the run itself, which a learner may hold. Only one goroutine may
// use it.
type Remote struct {
	Variant *rules.Variant
	Games   string        // folder for the shards
	Period  time.Duration // finished games should be on disk after this time
	Tables  *egdb.Tables  // that the run plays with, nil for none

	dir      string
	method   Method
	config   *settings.Resolved
	modified time.Time // modification time of the manifest read last
	size     int64
}

// OpenRemote opens the run in dir, which the method trains, and its endgame tables.
func OpenRemote(ctx context.Context, dir string, method Method) (*Remote, error) {
	w, err := RunWorker(dir, method, "", 1) // it says what is wrong with the run
	if err != nil {
		return nil, err
	}
	config, err := ResolveRun(dir, nil, settings.Sources{})
	if err != nil {
		return nil, err
	}
	var shelf egdb.Shelf
	tables, err := shelf.Tables(ctx, config.Config.SelfPlay.Tables, w.Variant)
	if err != nil {
		return nil, err
	}
	return &Remote{Tables: tables, Variant: w.Variant, Games: w.Dir, Period: w.Period, dir: dir, method: method, config: config}, nil
}

// Changed reports whether the manifest has changed since [Remote.Order] read it. It only looks at
// the modification time and size of the file.
func (r *Remote) Changed() bool {
	info, err := os.Stat(filepath.Join(r.dir, manifestFile))
	return err == nil && (!info.ModTime().Equal(r.modified) || info.Size() != r.size)
}

// Forget makes the next call of [Remote.Changed] return true.
func (r *Remote) Forget() { r.modified = time.Time{} }

// Order returns the present order and the file of its network.
func (r *Remote) Order() (Order, []byte, error) {
	info, err := os.Stat(filepath.Join(r.dir, manifestFile))
	if err != nil {
		return Order{}, nil, err
	}
	m, err := readManifest(r.dir)
	if err != nil {
		return Order{}, nil, err
	}
	c := r.config.Config
	file := m.Model
	if m.GateClosed {
		file = m.Accepted
	}
	var content []byte
	if file.Name == "" {
		n, err := r.method.New(r.Variant, c)
		if err != nil {
			return Order{}, nil, err
		}
		var b bytes.Buffer
		if err := n.Save(&b); err != nil {
			return Order{}, nil, err
		}
		content = b.Bytes()
	} else if content, err = files.Read(filepath.Join(r.dir, modelsDir, file.Name), maxFile); err != nil {
		return Order{}, nil, err
	}
	n, err := r.method.Read(bytes.NewReader(content), r.Variant)
	if err != nil {
		return Order{}, nil, err
	}
	play, tables := c.SelfPlay, []string(nil)
	if r.Tables != nil {
		play.Tables = egdb.On // and not a folder of this machine
		for _, m := range r.Tables.Materials() {
			tables = append(tables, m.String())
		}
	}
	sum := sha256.Sum256(content)
	r.modified, r.size = info.ModTime(), info.Size()
	return Order{
		Run: m.Name, Variant: c.Variant, Options: c.Options, Rules: rules.Version, Seed: c.Seed,
		SelfPlay: play, Tables: tables, Stage: c.SelfPlay.Stage(m.Games.Totals().Rows), Method: r.method.Extension(),
		Network: hex.EncodeToString(sum[:]), Model: n.ID(), Generation: n.Generation(),
	}, content, nil
}
