package cli

import (
	"strings"
	"testing"
)

func TestRelease(t *testing.T) {
	defer released.Store(released.Load())
	Release("", "0123456789abcdef")
	if b := BuildOf(); b.Version == "" || b.Commit == "0123456789abcdef" {
		t.Errorf("without a version the build is %+v", b)
	}
	Release("v1.2.3", "0123456789abcdef")
	if b := BuildOf(); b != (Build{Version: "v1.2.3", Commit: "0123456789abcdef"}) {
		t.Errorf("the build is %+v", b)
	}
	if v := Version(); !strings.HasPrefix(v, "v1.2.3 go") {
		t.Errorf("the version is %q", v)
	}
}
