// Build writes the page without a server: a folder of static files that any web server can serve.
// The page loads nothing from other sites.
//
//	go run ./web/page/build DIR
//
// DIR is created if it does not exist. A folder with other content is refused. In a folder that an
// earlier build wrote, each file is replaced as a whole.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"damier/internal/publish"
	"damier/web/page"
)

const (
	program = "damier.wasm.gz"
	marker  = "damier-page.txt" // its presence means that this program wrote the folder
	limit   = 10_000_000        // maximum size of all files together, in bytes
)

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "Writes the page without a server.\n\n"+
			"    go run ./web/page/build DIR\n"+
			"    (cd DIR && python3 -m http.server)\n")
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	total, err := build(ctx, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		if ctx.Err() != nil {
			os.Exit(130)
		}
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "%s: %d bytes in all; any web server can serve it\n", flag.Arg(0), total)
}

// build makes the page and writes its folder. It returns the size of all files in bytes.
func build(ctx context.Context, dir string) (total int, err error) {
	if err := checkFree(dir); err != nil { // check before the compilation, which takes minutes
		return 0, err
	}
	files, err := contents(ctx)
	if err != nil {
		return 0, err
	}
	return write(dir, files)
}

// write writes the files to a folder and returns their size in bytes.
func write(dir string, files []file) (total int, err error) {
	if err := checkFree(dir); err != nil {
		return 0, err
	}
	for _, f := range files {
		total += len(f.content)
	}
	if total > limit {
		return 0, fmt.Errorf("the page has %d bytes; at most %d", total, limit)
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := publish.MkdirAll(filepath.Dir(name)); err != nil {
			return 0, err
		}
		err := publish.Write(name, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// checkFree returns an error if dir has content that this program did not write.
func checkFree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == marker {
			return nil
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty and was not written by this program; "+
			"name an empty or a new folder", dir)
	}
	return nil
}

// file is a file of the folder; name is relative to the folder.
type file struct {
	name    string
	content []byte
}

// contents returns the files in the order in which they are written; index.html is last.
func contents(ctx context.Context) ([]file, error) {
	wasm, err := compile(ctx)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("wasm_exec.js of the Go distribution, which starts WebAssembly: %w", err)
	}
	files := []file{
		{marker, []byte("Written by go run ./web/page/build of Damier.\n")},
		{program, wasm}, {"wasm_exec.js", glue},
	}
	for _, folder := range page.Files {
		err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name == "index.html" {
				return err
			}
			content, err := fs.ReadFile(folder, name)
			files = append(files, file{name, content})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return append(files, file{"index.html", []byte(page.Files.Text("index.html"))}), nil
}

// compile returns the worker's program for js/wasm, compressed by gzip.
func compile(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "damier-page")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "damier.wasm")
	_, err = output(ctx, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=",
		"-o", out, "damier/web/page/worker")
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// output runs the go command with GOOS=js GOARCH=wasm and returns its standard output.
func output(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}
