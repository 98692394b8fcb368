package open

import "testing"

// FuzzParseSpec: a description of a player is read, or refused with an error message.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{
		"random", "tree:visits=200,c_puct=0.6", `hub:"./scan hub",time=1s,book=false`, "dxp:localhost:27531,time=3m,say=hello",
		"alphabeta-1:depth=4", "model:a.safetensors,root=puct", "nnue:level=3", "", ":", "hub:\"", "tree:visits=-1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParseSpec(text); err != nil && err.Error() == "" {
			t.Error("it is refused without a word")
		}
	})
}
