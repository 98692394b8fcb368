package cluster

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"damier/data"
	"damier/internal/files"
)

// key is what a worker authenticates with: a token (shared secret) or the public half of an nkey.
type key struct {
	token  [sha256.Size]byte // SHA-256 of the token
	public string            // public nkey; "" for a token
	label  string            // such workers are named LABEL_...; "": any name
}

// access decides who may connect to the embedded server, and with which permissions.
type access struct {
	dir         string
	hubPassword string // of the hub's own connection
	keys        []key
	labels      map[string]bool

	mu      sync.Mutex
	barred  map[string]string // reason, by name of a worker or label of a key
	clients map[string]uint64 // id of the last connection, by name of a worker
}

// The files that access keeps in the hub's folder.
const (
	tokenFile  = "token"
	barredFile = "barred.json"
)

// maxKeys is the largest size of a file of keys, in bytes; larger files are not read.
const maxKeys = 1 << 20

// openAccess reads the keys. A line of the file tokens is a token and an optional label; a line of
// the file public is a public nkey and a label. Without either file, openAccess generates a token
// and keeps it in dir.
func openAccess(dir, tokens, public string) (*access, error) {
	a, err := openBarred(dir)
	if err != nil {
		return nil, err
	}
	if tokens == "" && public == "" {
		tokens = filepath.Join(dir, tokenFile)
		if _, err := os.Lstat(tokens); errors.Is(err, fs.ErrNotExist) {
			if err := writeSecret(tokens, newSecret()+"\n"); err != nil {
				return nil, err
			}
		}
	}
	for _, source := range []struct {
		path string
		nkey bool
	}{{tokens, false}, {public, true}} {
		if source.path == "" {
			continue
		}
		if err := a.readKeys(source.path, source.nkey); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// openBarred returns an access with the list of barred workers and without keys.
func openBarred(dir string) (*access, error) {
	a := &access{
		dir: dir, hubPassword: newSecret(),
		labels: map[string]bool{}, clients: map[string]uint64{},
	}
	text, err := files.Read(filepath.Join(dir, barredFile), maxLedger)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &a.barred); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", data.ErrDamaged, filepath.Join(dir, barredFile), err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if a.barred == nil {
		a.barred = map[string]string{}
	}
	return a, nil
}

// readKeys adds the keys of a file.
func (a *access) readKeys(path string, nkey bool) error {
	text, err := files.Read(path, maxKeys)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		k := key{}
		if len(words) > 1 {
			k.label = words[1]
		}
		goodLabel := workerName.MatchString(k.label) && !strings.Contains(k.label, "_")
		switch {
		case len(words) > 2 || k.label != "" && !goodLabel:
			return fmt.Errorf("%s, line %d: want KEY or KEY LABEL, a label of letters a-z and digits", path, n)
		case nkey && (k.label == "" || !nkeys.IsValidPublicUserKey(words[0])):
			return fmt.Errorf("%s, line %d: want the public nkey of a user, U..., and a label", path, n)
		case !nkey && len(words[0]) < 16:
			return fmt.Errorf("%s, line %d: a token must have at least 16 characters", path, n)
		case a.labels[k.label]:
			return fmt.Errorf("%s, line %d: the label %q is used twice", path, n, k.label)
		case nkey:
			k.public = words[0]
		default:
			k.token = sha256.Sum256([]byte(words[0]))
		}
		if k.label != "" {
			a.labels[k.label] = true
		}
		a.keys = append(a.keys, k)
	}
	if len(a.keys) == 0 {
		return fmt.Errorf("%s: it contains no key", path)
	}
	return nil
}

// Check implements server.Authentication: it decides whether a client may connect.
func (a *access) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Username == hubUser {
		if subtle.ConstantTimeCompare([]byte(o.Password), []byte(a.hubPassword)) != 1 {
			return false
		}
		c.RegisterUser(&server.User{Username: hubUser})
		return true
	}
	name := o.Username
	if o.Nkey != "" {
		name = o.Name
	}
	k, ok := a.keyOf(o, c.GetNonce())
	if !ok || name == hubUser || !workerName.MatchString(name) {
		return false
	}
	if name == statusUser {
		c.RegisterUser(&server.User{Username: name, Permissions: statusPermissions()})
		return true
	}
	label, _, _ := strings.Cut(name, "_")
	if k.label != "" && label != k.label || k.label == "" && a.labels[label] {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.barred[name] != "" || a.barred[label] != "" {
		return false
	}
	a.clients[name] = c.GetID()
	c.RegisterUser(&server.User{Username: name, Permissions: workerPermissions(name)})
	return true
}

// keyOf returns the key that the client has proved to have.
func (a *access) keyOf(o *server.ClientOpts, nonce []byte) (key, bool) {
	if o.Nkey != "" {
		for _, k := range a.keys {
			if k.public != o.Nkey {
				continue
			}
			signature, err := base64.RawURLEncoding.DecodeString(o.Sig)
			if err != nil {
				return key{}, false
			}
			public, err := nkeys.FromPublicKey(o.Nkey)
			return k, err == nil && len(nonce) > 0 && public.Verify(nonce, signature) == nil
		}
		return key{}, false
	}
	sum := sha256.Sum256([]byte(o.Password))
	for _, k := range a.keys {
		if k.public == "" && subtle.ConstantTimeCompare(k.token[:], sum[:]) == 1 {
			return k, true
		}
	}
	return key{}, false
}

// bar refuses a worker from now on: by the label of its key if it has one, else by its name. It
// returns what is barred and the id of the worker's connection, 0 if it has none.
func (a *access) bar(worker, reason string) (what string, connection uint64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	what = worker
	if label, _, _ := strings.Cut(worker, "_"); a.labels[label] {
		what = label
	}
	a.barred[what] = reason
	text, err := json.MarshalIndent(a.barred, "", "\t")
	if err == nil {
		err = writeFile(filepath.Join(a.dir, barredFile), append(text, '\n'))
	}
	return what, a.clients[worker], err
}

// barredReason returns why a worker is barred, "" if it is not.
func (a *access) barredReason(worker string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	label, _, _ := strings.Cut(worker, "_")
	if a.barred[worker] != "" {
		return a.barred[worker]
	}
	return a.barred[label]
}

// barredReasons returns the reason of every barred worker and label.
func (a *access) barredReasons() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.barred)
}

// hubUser is the user name of the hub's own connection to its server.
const hubUser = "hub"

// workerPermissions lets a worker publish its games and read orders and networks.
func workerPermissions(name string) *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			gamesSubject + name, heartbeatSubject + name, matchSubject + "*." + name,
			"$JS.API.STREAM.INFO." + kvStream, "$JS.API.DIRECT.GET." + kvStream + ".>",
			"$JS.API.STREAM.INFO." + objStream, "$JS.API.DIRECT.GET." + objStream,
			"$JS.API.DIRECT.GET." + objStream + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{
			inbox(name) + ".>", announceSubject, noticeSubject + name,
		}},
	}
}

// statusPermissions lets a client ask for the status and nothing else.
func statusPermissions() *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{statusSubject}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(statusUser) + ".>"}},
	}
}

// newSecret returns 128 random bits in hexadecimal.
func newSecret() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// writeSecret creates a file that only its owner can read. It fails if the file exists.
func writeSecret(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Sync(), f.Close())
}
