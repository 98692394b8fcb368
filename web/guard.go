package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// BodyLimit is the maximum size of a request's body in bytes: enough for a file of a thousand
// games.
const BodyLimit = 1 << 20

// Source returns the source expression ('sha256-...') with which a Content-Security-Policy allows
// an inline script or style.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Guard checks every request before the server's own handler:
//
//   - Without a token the Host must be the loopback, so a foreign domain name that resolves to
//     this machine (DNS rebinding) is refused. With a token, the request must carry it: as a
//     cookie, or from a program as a bearer token.
//   - A POST must be JSON and carry the Origin of the page itself; no other site can send that.
//   - A request to /api/ that another site makes a browser send is refused by its Sec-Fetch-Site.
//   - The body's size and the time to write are bounded. The answer's headers forbid everything
//     that the page does not need.
type Guard struct {
	// Token is what every request must carry; "" for no check.
	Token string

	// Cookie is the name of the cookie that carries the token. Servers on other ports of a
	// machine share its cookies, so each kind of server has a name of its own.
	Cookie string

	Script string // the Source of the page's inline script; "" for none
	Style  string // the Source of its inline style; "" for none
	Next   http.Handler

	posts posts
}

// policy allows the page its own files, its inline script and its inline style, and nothing else.
// No other page may frame it.
func (g *Guard) policy() string {
	source := func(kind, within string) string {
		if within != "" {
			within = " " + within
		}
		return kind + " 'self'" + within + "; "
	}
	return "default-src 'none'; " + source("script-src", g.Script) + source("style-src", g.Style) +
		"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// posts counts the POST requests being served, by the client's address. A client with more than
// maxPosts at a time is told to wait, so that it cannot take the processor from the others.
type posts struct {
	mu      sync.Mutex
	serving map[string]int
}

// maxPosts is the maximum number of POST requests of one client being served. A page sends one at
// a time.
const maxPosts = 8

// begin admits a request of a client, or returns false. The caller calls end for an admitted one.
func (p *posts) begin(client string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.serving == nil {
		p.serving = map[string]int{}
	}
	if p.serving[client] >= maxPosts {
		return false
	}
	p.serving[client]++
	return true
}

func (p *posts) end(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.serving[client]--; p.serving[client] == 0 {
		delete(p.serving, client)
	}
}

// ServeHTTP passes the request to Next, or refuses it with a Problem.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", g.policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	// The error is ignored because a test's recorder has no deadline.
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(WriteTime))
	switch {
	case g.Token == "" && !loopback(r.Host):
		WriteProblem(w, Refuse(http.StatusMisdirectedRequest, "host",
			"this server answers to localhost only, not to %q", Clip(r.Host)))
		return
	case g.Token != "" && !g.admitted(w, r):
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		h.Set("Allow", "GET, HEAD, POST")
		WriteProblem(w, Refuse(http.StatusMethodNotAllowed, "method",
			"GET and POST are all that is answered"))
		return
	}
	site := r.Header.Get("Sec-Fetch-Site")
	foreign := site != "" && site != "same-origin" && site != "none"
	if foreign && strings.HasPrefix(r.URL.Path, "/api/") {
		WriteProblem(w, Refuse(http.StatusForbidden, "origin", "another site may not ask this"))
		return
	}
	if r.Method == http.MethodPost {
		if !sameOrigin(r) {
			WriteProblem(w, Refuse(http.StatusForbidden, "origin",
				"a POST must come from the page itself, not from %q", Clip(r.Header.Get("Origin"))))
			return
		}
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			WriteProblem(w, Refuse(http.StatusUnsupportedMediaType, "type",
				"a POST must be application/json"))
			return
		}
		client, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			client = r.RemoteAddr
		}
		if !g.posts.begin(client) {
			w.Header().Set("Retry-After", "1")
			WriteProblem(w, Refuse(http.StatusTooManyRequests, "busy",
				"%d requests of yours are being served; wait for their answers", maxPosts))
			return
		}
		defer g.posts.end(client)
		r.Body = http.MaxBytesReader(w, r.Body, BodyLimit)
	}
	g.Next.ServeHTTP(w, r)
}

// admitted reports whether the request carries the token; if not, it has written the answer. The
// page's address with ?token= sets the cookie and redirects; otherwise the answer says what is
// missing.
func (g *Guard) admitted(w http.ResponseWriter, r *http.Request) bool {
	right := func(token string) bool {
		return subtle.ConstantTimeCompare([]byte(token), []byte(g.Token)) == 1
	}
	query := r.URL.Query().Get("token")
	if c, err := r.Cookie(g.Cookie); err == nil && right(c.Value) && query == "" {
		return true
	}
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ok && right(bearer) {
		return true
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && right(query) {
		http.SetCookie(w, &http.Cookie{
			Name: g.Cookie, Value: g.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return false
	}
	WriteProblem(w, Refuse(http.StatusUnauthorized, "token",
		"open the address with ?token= that the program has printed"))
	return false
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin reports whether the Origin of a request is the server that it is sent to.
func sameOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// bounded is a listener with at most cap(free) open connections; more wait in the system's
// backlog.
type bounded struct {
	net.Listener
	free chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	b.free <- struct{}{}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &boundedConn{Conn: c, release: sync.OnceFunc(func() { <-b.free })}, nil
}

type boundedConn struct {
	net.Conn
	release func()
}

func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.release()
	return err
}

// NewID returns a random name of 128 bits that nobody can guess.
func NewID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// NewToken returns a token for a Guard.
func NewToken() string { return NewID() }
