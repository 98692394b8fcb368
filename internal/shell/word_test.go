package shell

import (
	"os/exec"
	"testing"
)

// A shell reads every word as it was, and words that need no quotes get none.
func TestWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("this system has no sh")
	}
	for _, w := range []string{"", "a b", "it's", "a\nb", "*", "~", "$HOME", "`id`", `\`, "a;b", "#", "{a,b}", "a&b", "!", "(x)", "''", "<>|\"[?]"} {
		out, err := exec.Command(sh, "-c", "printf %s. "+Word(w)).Output()
		if err != nil || string(out) != w+"." {
			t.Errorf("%q as %s: the shell reads %q, %v", w, Word(w), out, err)
		}
	}
	for _, w := range []string{"--set", "net.width=96", "selfplay.visits=0:16,1000:64", "runs/a-b_c.nnue", "50%"} {
		if Word(w) != w {
			t.Errorf("%s needs no quotes, and is %s", w, Word(w))
		}
	}
}
