package learner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"damier/data"
	"damier/internal/files"
	"damier/mcts"
	"damier/rules"
	"damier/selfplay"
)

// Order is all that one must know to play for a run: a worker that has no folder of it is sent one.
type Order struct {
	Run        string          `json:"run"`
	Variant    string          `json:"variant"`
	Options    string          `json:"options"`
	Rules      int             `json:"rules"` // rules.Version
	Seed       uint64          `json:"seed"`
	SelfPlay   selfplay.Config `json:"selfplay"`
	Stage      selfplay.Stage  `json:"stage"`
	Net        string          `json:"net"`     // architecture
	Network    string          `json:"network"` // SHA-256 of the network's file
	Model      string          `json:"model"`   // id of the network, as in records
	Generation int             `json:"generation"`
}

// Lookup returns the variant of the run.
func (o *Order) Lookup() (*rules.Variant, error) {
	return Config{Variant: o.Variant, Options: o.Options}.Lookup()
}

// Decode reads the network of the order from the bytes of its file, whose sum it checks.
func (o *Order) Decode(file []byte) (Network, error) {
	sum := sha256.Sum256(file)
	if got := hex.EncodeToString(sum[:]); got != o.Network {
		return nil, fmt.Errorf("%w: the network has the SHA-256 %s, and %s was announced", data.ErrDamaged, got, o.Network)
	}
	v, err := o.Lookup()
	if err != nil {
		return nil, err
	}
	c := Config{}
	c.Net.Arch = o.Net
	n, err := c.decode(file, v)
	if err != nil {
		return nil, err
	}
	if n.id() != o.Model || n.Generation() != o.Generation {
		return nil, fmt.Errorf("%w: the network is %s of generation %d, and %s of generation %d was announced",
			data.ErrDamaged, n.id(), n.Generation(), o.Model, o.Generation)
	}
	return n, nil
}

// Evaluators returns evaluators of a network for n actors, as self-play with c uses them.
func Evaluators(network Network, c selfplay.Config, n int) ([]mcts.Evaluator, error) {
	own, err := network.evaluators(c, n)
	all := make([]mcts.Evaluator, len(own))
	for i := range own {
		all[i] = own[i]
	}
	return all, err
}

// Remote gives others what they need to play for a run, and takes their games into its folder as those of
// an extra worker. The run itself, which a learner may hold, is only read. It belongs to one goroutine.
type Remote struct {
	Variant *rules.Variant
	Games   string        // folder for the shards
	Period  time.Duration // finished games should be on disk after this

	dir      string
	config   *Resolved
	modified time.Time // of the manifest that was read last
	size     int64
}

// OpenRemote opens the run in dir.
func OpenRemote(dir string) (*Remote, error) {
	w, err := RunWorker(dir, "", 1) // it says what is wrong with the run
	if err != nil {
		return nil, err
	}
	config, err := ResolveRun(dir, Sources{})
	if err != nil {
		return nil, err
	}
	return &Remote{Variant: w.Variant, Games: w.Dir, Period: w.Period, dir: dir, config: config}, nil
}

// Changed reports whether the manifest is another one than [Remote.Order] has read. It costs one look at
// the file's date and size.
func (r *Remote) Changed() bool {
	info, err := os.Stat(filepath.Join(r.dir, manifestFile))
	return err == nil && (!info.ModTime().Equal(r.modified) || info.Size() != r.size)
}

// Forget makes [Remote.Changed] report true again.
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
		n, err := newNetwork(r.Variant, c)
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
	n, err := c.decode(content, r.Variant)
	if err != nil {
		return Order{}, nil, err
	}
	sum := sha256.Sum256(content)
	r.modified, r.size = info.ModTime(), info.Size()
	return Order{
		Run: m.Name, Variant: c.Variant, Options: c.Options, Rules: rules.Version, Seed: c.Seed,
		SelfPlay: c.SelfPlay, Stage: c.stage(m.Games.Totals().Rows), Net: c.Net.Arch,
		Network: hex.EncodeToString(sum[:]), Model: n.id(), Generation: n.Generation(),
	}, content, nil
}
