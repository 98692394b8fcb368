package egdb

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestBig(t *testing.T) {
	v := lookup(t, os.Getenv("V"), "")
	dir := os.Getenv("D")
	began := time.Now()
	b := Builder{Variant: v, Dir: dir, Pieces: 4}
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Log("build", time.Since(began))
	began = time.Now()
	r := Verifier{Variant: v, Dir: dir}
	n, err := r.Verify(context.Background())
	t.Log("verify", n, err, time.Since(began))
}
