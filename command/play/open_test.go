package play

import (
	stdnet "net"
	"strings"
	"testing"
)

// A person who opens the board to other machines is told what that means and which address they
// type.
func TestOpenToOthers(t *testing.T) {
	for ip, want := range map[string]string{"0.0.0.0": "http://ADDRESS-OF-THIS-MACHINE:8080/?token=a%2Fb", "192.0.2.7": "http://192.0.2.7:8080/?token=a%2Fb"} {
		said := openToOthers(&stdnet.TCPAddr{IP: stdnet.ParseIP(ip), Port: 8080}, "a/b")
		if !strings.Contains(said, want) || !strings.Contains(said, "Other machines can reach this server") || !strings.Contains(said, "not encrypted") {
			t.Errorf("%s: %s", ip, said)
		}
	}
}
