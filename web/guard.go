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

// BodyLimit is the most that a request may bring: a file of a thousand games.
const BodyLimit = 1 << 20

// Source returns the name by which a policy lets a script or a style within a page be used.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Guard stands before everything that a server serves:
//
//   - Without a token the Host must be the loopback: a name of somebody else that has been made to lead here (DNS
//     rebinding) is refused. With one, the token must be there: as its cookie, or from a program as a bearer.
//   - A POST must be JSON and carry the Origin of the page itself, which no other site can.
//   - What another site asks a browser to fetch from the interface is refused by Sec-Fetch-Site.
//   - Bodies and times are bounded, and the answer's headers forbid everything that the page does not need.
type Guard struct {
	Token  string // "" for none
	Cookie string // that carries the token: servers on other ports of a machine share its cookies, so each kind has its own
	Script string // within the page: its Source; "" for none
	Style  string // the same
	Next   http.Handler

	posts posts
}

// policy lets the page use nothing but its own files and the script and the style within it, and nobody
// frame it.
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

// posts counts the requests to do something that are being served, by the address of the client: one that sends more
// than maxPosts at a time is told to wait, so that it cannot keep others from the processor.
type posts struct {
	mu      sync.Mutex
	serving map[string]int
}

// maxPosts is how many requests to do something a client may have under way. A page has one.
const maxPosts = 8

// begin admits a request of a client; the caller ends it.
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

// ServeHTTP answers or refuses.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", g.policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(WriteTime)) // a recorder of a test has none
	switch {
	case g.Token == "" && !loopback(r.Host):
		WriteProblem(w, Refuse(http.StatusMisdirectedRequest, "host", "this server answers to localhost only, not to %q", Clip(r.Host)))
		return
	case g.Token != "" && !g.admitted(w, r):
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		h.Set("Allow", "GET, HEAD, POST")
		WriteProblem(w, Refuse(http.StatusMethodNotAllowed, "method", "GET and POST are all that is answered"))
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); strings.HasPrefix(r.URL.Path, "/api/") && site != "" && site != "same-origin" && site != "none" {
		WriteProblem(w, Refuse(http.StatusForbidden, "origin", "another site may not ask this"))
		return
	}
	if r.Method == http.MethodPost {
		if !sameOrigin(r) {
			WriteProblem(w, Refuse(http.StatusForbidden, "origin", "a POST must come from the page itself, not from %q", Clip(r.Header.Get("Origin"))))
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			WriteProblem(w, Refuse(http.StatusUnsupportedMediaType, "type", "a POST must be application/json"))
			return
		}
		client, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			client = r.RemoteAddr
		}
		if !g.posts.begin(client) {
			w.Header().Set("Retry-After", "1")
			WriteProblem(w, Refuse(http.StatusTooManyRequests, "busy", "%d requests of yours are being served; wait for their answers", maxPosts))
			return
		}
		defer g.posts.end(client)
		r.Body = http.MaxBytesReader(w, r.Body, BodyLimit)
	}
	g.Next.ServeHTTP(w, r)
}

// admitted checks the token. The address with ?token= turns it into a cookie; without one a page says what is wanted.
func (g *Guard) admitted(w http.ResponseWriter, r *http.Request) bool {
	right := func(token string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(g.Token)) == 1 }
	if c, err := r.Cookie(g.Cookie); err == nil && right(c.Value) && r.URL.Query().Get("token") == "" {
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && right(bearer) {
		return true
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && right(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: g.Cookie, Value: g.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return false
	}
	WriteProblem(w, Refuse(http.StatusUnauthorized, "token", "open the address with ?token= that the program has printed"))
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

// sameOrigin reports whether the Origin of a request is the server that it asks.
func sameOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// bounded is a listener that has so many connections open at most; more wait in the system's backlog.
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

// NewID returns a name that nobody guesses.
func NewID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// NewToken returns a token for a Guard.
func NewToken() string { return NewID() }
