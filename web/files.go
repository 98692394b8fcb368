package web

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
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

// Common are the files that all pages share.
var Common = Sub(embedded)

// Sub returns the folder "static" of embedded files.
func Sub(embedded embed.FS) fs.FS {
	files, err := fs.Sub(embedded, "static")
	if err != nil {
		panic("web: the embedded files have no folder static")
	}
	return files
}

// Files are embedded files in several folders. No two folders have a file of the same name.
type Files []fs.FS

// Open opens the named file in the first folder that has it.
func (f Files) Open(name string) (fs.File, error) {
	for _, folder := range f {
		file, err := folder.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Text returns the text of an embedded file. It panics if there is none of that name.
func (f Files) Text(name string) string {
	text, err := fs.ReadFile(f, name)
	if err != nil {
		panic("web: " + name + " is not embedded")
	}
	return string(text)
}

// Serve serves the files: the page at / only, every other file at its own name. No file is served
// at /index.html, because net/http redirects that to /.
func (f Files) Serve(page string) http.HandlerFunc {
	version := sync.OnceValue(f.version)
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		switch {
		case name == "":
			name = page
		case !fs.ValidPath(name) || name == page || name == "index.html":
			http.NotFound(w, r) // no directory listings, one address for each file
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"`+version()+`"`)
		http.ServeFileFS(w, r, f, name)
	}
}

// version returns a hash of all names and contents: it changes when one of the files changes.
func (f Files) version() string {
	sum := fnv.New64a()
	for _, folder := range f {
		err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(folder, path)
			fmt.Fprintf(sum, "%s %d\n", path, len(text))
			sum.Write(text)
			return err
		})
		if err != nil {
			panic("web: an embedded file cannot be read: " + err.Error())
		}
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}

// Serve serves a listener until ctx is done. Then it calls end, which must end all event streams.
// At most `connections` connections are open at a time, each with read and idle timeouts.
func Serve(
	ctx context.Context, l net.Listener, handler http.Handler, connections int, end func(),
) error {
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
