package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A client with maxPosts requests under way is told to wait; other clients are served.
func TestPostsOfOneClientAreBounded(t *testing.T) {
	wait := make(chan struct{})
	began := make(chan struct{})
	g := &Guard{Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		<-wait
	})}
	ask := func(client string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "http://localhost/api/boards", strings.NewReader("{}"))
		r.RemoteAddr = client
		r.Header.Set("Origin", "http://localhost")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	ended := make(chan struct{})
	serve := func(client string) {
		go func() {
			ask(client)
			ended <- struct{}{}
		}()
		<-began
	}
	for range maxPosts {
		serve("192.0.2.1:1000")
	}
	if w := ask("192.0.2.1:2000"); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("one request too many: status %d", w.Code)
	}
	serve("192.0.2.2:1000")
	close(wait)
	for range maxPosts + 1 {
		<-ended
	}
	serve("192.0.2.1:1000")
	<-ended
	if len(g.posts.serving) != 0 {
		t.Errorf("requests are still counted: %v", g.posts.serving)
	}
}
