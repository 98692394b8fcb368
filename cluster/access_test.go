package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"damier/learner/sparse"
)

// A worker may publish its games and read the run's networks, and nothing else.
func TestRights(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	a := accessTo(h)
	bad := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(bad, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Access{
		"wrong token": {URL: a.URL, TokenFile: bad}, "no token": {URL: a.URL},
	} {
		if _, err := c.connect("w1", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"hub", "W1", "a.b", "*", "w>"} {
		if _, err := a.connect(name, nats.NoReconnect()); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	x := newIntruder(t, a, "w1")
	denied := make(chan error, 64)
	x.nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err })
	for _, subject := range []string{
		gamesSubject + "w2", heartbeatSubject + "w2", noticeSubject + "w2", announceSubject, "$KV.damier.order", "$O.damier.C.x",
		"$JS.API.STREAM.DELETE.damier-games", "$JS.API.STREAM.PURGE.KV_damier", "$JS.API.CONSUMER.CREATE.damier-games",
		"$JS.API.CONSUMER.MSG.NEXT.damier-games.hub", "$JS.ACK.damier-games.hub.1.1.1.1.1", statusSubject,
	} {
		if err := x.nc.Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		x.nc.Flush()
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("a worker may publish to %s", subject)
		}
	}
	for _, subject := range []string{">", gamesSubject + "*", "_INBOX_w2.>", heartbeatSubject + "*"} {
		if _, err := x.nc.Subscribe(subject, func(*nats.Msg) {}); err != nil {
			t.Fatal(err)
		}
		x.nc.Flush()
		select {
		case <-denied:
		case <-time.After(5 * time.Second):
			t.Errorf("a worker may subscribe to %s", subject)
		}
	}
	// A wrong clock is shown and has no other effect. Like a worker, the test sends more than one
	// heartbeat: the server drops those that come before the hub listens.
	wait(t, h, "the clock", func(s Status) bool {
		if err := x.nc.Publish(heartbeatSubject+"w1", []byte(`{"time":1e9}`)); err != nil {
			t.Fatal(err)
		}
		return len(s.Workers) == 1 && s.Workers[0].Skew < -1e6
	})
	// On 100 MB the server closes the connection and keeps running.
	if err := x.nc.Publish(gamesSubject+"w1", make([]byte, 100<<20)); err == nil {
		x.nc.Flush()
		if x.nc.IsConnected() {
			t.Error("a message of 100 MB is accepted")
		}
	}
	wait(t, h, "the first order", func(s Status) bool { return s.Run != "" })
	if s, err := AskStatus(t.Context(), a); err != nil || s.Run == "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// A key has a label; the names of its workers begin with it, and a barred key is refused under any
// name.
func TestKeys(t *testing.T) {
	t.Parallel()
	dir, files := newRun(t, nil), t.TempDir()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := pair.PublicKey()
	seed, _ := pair.Seed()
	seedFile, keys := filepath.Join(files, "seed"), filepath.Join(files, "keys")
	os.WriteFile(seedFile, seed, 0o600)
	os.WriteFile(keys, []byte("# the club\n"+public+" anna\n"), 0o600)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Keys: keys})
	a := Access{URL: accessTo(h).URL, NKey: seedFile}
	w := Worker{Method: sparse.Method{}, Access: a, Name: WorkerName("anna"), Actors: 1, Games: 2}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.connect("bert_1", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
		t.Errorf("another label: %v", err)
	}
	x := newIntruder(t, a, "anna_1")
	x.put(t, "m", []byte("rubbish"))
	wait(t, h, "the bar", func(s Status) bool { return s.Barred["anna"] != "" })
	if _, err := a.connect("anna_2", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
		t.Errorf("a barred key: %v", err)
	}
}

// Other addresses than the loopback use TLS, and the worker identifies the hub by its fingerprint.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "0.0.0.0:0"})
	a := accessTo(h)
	if len(a.Fingerprint) != 64 || !strings.HasPrefix(a.URL, "tls://") {
		t.Fatal(h.Join())
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(a.URL, "tls://"), ":")
	a.URL = "nats://127.0.0.1:" + port
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	if s, err := AskStatus(t.Context(), a); err != nil || !strings.HasPrefix(s.Variant, "international") {
		t.Errorf("%+v, %v", s, err)
	}
	a.Fingerprint = strings.Repeat("ab", 32)
	if _, err := a.connect("w1", nats.NoReconnect()); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("another fingerprint: %v", err)
	}
	a.Fingerprint = ""
	if _, err := a.connect("w1", nats.NoReconnect()); err == nil {
		t.Error("a self-signed certificate is trusted without a fingerprint")
	}
}

// Without an address the hub opens no port.
func TestNoPort(t *testing.T) {
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: newRun(t, nil)})
	if h.Join() != "" || h.server.server.Addr() != nil {
		t.Errorf("%q, %v", h.Join(), h.server.server.Addr())
	}
}
