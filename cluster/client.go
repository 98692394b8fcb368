package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"damier/internal/files"
)

// Access says how to reach a hub.
type Access struct {
	URL         string // nats://... or tls://..., or several separated by commas
	TokenFile   string // its first word is the token
	NKey        string // file with the seed of an nkey
	Credentials string // credentials file of an external NATS cluster
	Fingerprint string // SHA-256 of the server's certificate; "": the system must trust it
}

// ErrAccess is wrapped by the errors of a hub that does not accept the token or key.
var ErrAccess = errors.New("the hub does not let this worker in")

// connect connects as a user. With an nkey or credentials, these identify the user.
func (a Access) connect(user string, options ...nats.Option) (*nats.Conn, error) {
	options = append([]nats.Option{
		nats.Name(user), nats.CustomInboxPrefix(inbox(user)),
		nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.ReconnectJitter(time.Second, time.Second),
		nats.Timeout(5 * time.Second), nats.PingInterval(20 * time.Second),
	}, options...)
	switch {
	case a.Credentials != "":
		options = append(options, nats.UserCredentials(a.Credentials))
	case a.NKey != "":
		o, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return nil, fmt.Errorf("nkey %s: %w", a.NKey, err)
		}
		options = append(options, o)
	case a.TokenFile != "":
		text, err := files.Read(a.TokenFile, maxKeys)
		if err != nil {
			return nil, fmt.Errorf("token: %w", err)
		}
		words := strings.Fields(string(text))
		if len(words) == 0 {
			return nil, fmt.Errorf("token: %s is empty", a.TokenFile)
		}
		options = append(options, nats.UserInfo(user, words[0]))
	}
	if a.Fingerprint != "" {
		c, err := pinned(a.Fingerprint)
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(c))
	}
	nc, err := nats.Connect(a.URL, options...)
	switch {
	case err == nil:
		return nc, nil
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(err.Error(), "Authorization Violation"):
		return nil, fmt.Errorf("%w: %s: it does not know the token or key, or has barred it", ErrAccess, a.URL)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return nil, fmt.Errorf("%s needs TLS: type the line that train --listen prints, with its --fingerprint: %w",
			a.URL, err)
	}
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) && a.Fingerprint == "" {
		return nil, fmt.Errorf("%s: this system does not trust the hub's certificate (%w): "+
			"type the line that train --listen prints, with its --fingerprint", a.URL, err)
	}
	return nil, fmt.Errorf("%s: %w", a.URL, err)
}

// AskStatus asks a hub for its status.
func AskStatus(ctx context.Context, a Access) (Status, error) {
	nc, err := a.connect(statusUser)
	if err != nil {
		return Status{}, err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, statusSubject, nil)
	if err != nil {
		return Status{}, fmt.Errorf("%s: no hub answers there: %w", a.URL, err)
	}
	var s Status
	err = json.Unmarshal(m.Data, &s)
	return s, err
}

// sendHeartbeat sends a heartbeat of a worker.
func sendHeartbeat(nc *nats.Conn, name string, b heartbeat) {
	if text, err := json.Marshal(b); err == nil {
		nc.Publish(heartbeatSubject+name, text)
	}
}
