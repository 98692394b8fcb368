package web

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed static
var embedded embed.FS

// pages are the files that are served at / by one server each, and nowhere else.
var pages = map[string]bool{"index.html": true, "dashboard.html": true}

// static serves the embedded files: the page at /, every other file at its own name.
func static(page string) http.HandlerFunc {
	files, err := fs.Sub(embedded, "static")
	if err != nil {
		panic("web: no page embedded")
	}
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		switch {
		case name == "":
			name = page
		case !fs.ValidPath(name) || pages[name]:
			http.NotFound(w, r) // no listings, one address for each file
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"`+version()+`"`)
		http.ServeFileFS(w, r, files, name)
	}
}

// version names the embedded files: it changes when one of them does.
var version = sync.OnceValue(func() string {
	sum := newSum()
	err := fs.WalkDir(embedded, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n", path, len(text))
		sum.Write(text)
		return err
	})
	if err != nil {
		panic("web: the page is not embedded")
	}
	return strconv.FormatUint(sum.Sum64(), 16)
})

// serveListener serves a listener until ctx is done, when it calls end, which must end all streams. There are so many
// connections open at most, each bounded in time.
func serveListener(ctx context.Context, l net.Listener, handler http.Handler, connections int, end func()) error {
	h := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	stopped := make(chan struct{})
	after := context.AfterFunc(ctx, func() {
		defer close(stopped)
		end()
		patience, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if h.Shutdown(patience) != nil {
			h.Close()
		}
	})
	err := h.Serve(&bounded{Listener: l, free: make(chan struct{}, connections)})
	if !after() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return ctx.Err()
	}
	end()
	return err
}
