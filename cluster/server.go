package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"time"

	"damier/internal/shell"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// DefaultPort is the port of a hub, the usual one of NATS servers.
const DefaultPort = 4222

// ErrAddress is wrapped by the error for a bad address to listen on.
var ErrAddress = errors.New("not an address to listen on")

// parseAddress parses HOST:PORT, HOST or :PORT. An empty host is the loopback address.
func parseAddress(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
		text = strconv.Itoa(DefaultPort)
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%w: %q; give HOST:PORT", ErrAddress, listen)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return "", 0, fmt.Errorf("%w: %q; give an IP address of this machine, or 0.0.0.0 for all of them",
			ErrAddress, listen)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// hostConfig says how clients reach an embedded server. The fields are those of [HubConfig].
type hostConfig struct {
	dir, listen          string
	tokens, keys         string
	certificate, certKey string
	store                int64 // limit of the streams in bytes; 0: a server without streams
}

// startServer starts an embedded server. join is what workers type after --join, "" if the server
// has no port.
func startServer(c hostConfig) (e *embedded, a *access, join string, err error) {
	if a, err = openAccess(c.dir, c.tokens, c.keys); err != nil {
		return nil, nil, "", err
	}
	var cert *tls.Certificate
	fingerprint, name := "", ""
	if c.listen != "" {
		if name, _, err = parseAddress(c.listen); err != nil {
			return nil, nil, "", err
		}
		if c.certificate != "" || !loopback(name) {
			made, sum, own, err := certificate(c.dir, c.certificate, c.certKey)
			if err != nil {
				return nil, nil, "", err
			}
			cert = &made
			if own {
				fingerprint = sum
			}
		}
	}
	if e, err = newEmbedded(c.dir, c.listen, a, cert, c.store); err != nil || c.listen == "" {
		return e, a, "", err
	}
	scheme := "nats"
	if cert != nil {
		scheme = "tls"
	}
	tokens := c.tokens
	if tokens == "" && c.keys == "" {
		tokens = filepath.Join(c.dir, tokenFile)
	}
	join = fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(reachableHost(name), fmt.Sprint(e.options.Port)))
	if tokens != "" {
		join += " --token-file " + shell.Word(tokens)
	} else {
		join += " --nkey SEEDFILE"
	}
	if fingerprint != "" {
		join += " --fingerprint " + fingerprint
	}
	return e, a, join, nil
}

// reachableHost returns the host that workers should type for the address that the server listens
// on: for 0.0.0.0 the first IPv4 address of this machine.
func reachableHost(host string) string {
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return host
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return host
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return host
}

// embedded is a NATS server in this process.
type embedded struct {
	options *server.Options
	server  *server.Server
}

// newEmbedded starts a server whose streams are in dir; with store 0 it has no streams. It
// acknowledges a message only after the message is on the disk (SyncAlways). With listen "" it
// opens no port, and only this process can connect.
func newEmbedded(dir, listen string, a *access, c *tls.Certificate, store int64) (*embedded, error) {
	o := &server.Options{
		ServerName:                 "damier",
		DontListen:                 listen == "",
		NoSigs:                     true,
		NoLog:                      true,
		JetStream:                  store > 0,
		StoreDir:                   filepath.Join(dir, "streams"),
		SyncAlways:                 true,
		JetStreamMaxStore:          store,
		JetStreamMaxMemory:         64 << 20,
		MaxPayload:                 maxMessage + 4096,
		MaxControlLine:             4096,
		MaxPending:                 64 << 20,
		WriteDeadline:              10 * time.Second,
		PingInterval:               20 * time.Second,
		CustomClientAuthentication: a,
		AlwaysEnableNonce:          true,
	}
	if listen != "" {
		var err error
		if o.Host, o.Port, err = parseAddress(listen); err != nil {
			return nil, err
		}
	}
	if c != nil {
		o.TLS = true
		o.TLSTimeout = 5
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*c}}
	}
	e := &embedded{options: o}
	return e, e.start()
}

// start starts the server, or starts it again on the same port.
func (e *embedded) start() error {
	s, err := server.NewServer(e.options)
	if err != nil {
		return fmt.Errorf("embedded NATS server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(20*time.Second) || e.options.JetStream && !s.JetStreamEnabled() {
		s.Shutdown()
		s.WaitForShutdown()
		return fmt.Errorf("the embedded NATS server does not start on %s:%d with its streams in %s: "+
			"another process uses the address or the folder, or the disk is full",
			e.options.Host, e.options.Port, e.options.StoreDir)
	}
	e.server = s
	if a, ok := s.Addr().(*net.TCPAddr); ok {
		e.options.Port = a.Port // the port to use when it is started again
	}
	return nil
}

// healthy reports whether the server still has its streams: it drops them when the disk is full.
func (e *embedded) healthy() bool { return e.server.Running() && e.server.JetStreamEnabled() }

func (e *embedded) close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}

// InProcessConn connects from this process, to the current server if it was restarted.
func (e *embedded) InProcessConn() (net.Conn, error) { return e.server.InProcessConn() }

// connect returns the connection of the hub.
func (e *embedded) connect(a *access, options ...nats.Option) (*nats.Conn, error) {
	options = append(options, nats.InProcessServer(e), nats.UserInfo(hubUser, a.hubPassword))
	return nats.Connect("", options...)
}

// loopback reports whether only this machine can reach the address.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
