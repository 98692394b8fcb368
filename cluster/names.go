package cluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Protocol is the version of the messages. Hub and worker must have the same.
const Protocol = 2

// The names of streams, buckets and subjects.
const (
	gamesStream = "damier-games"
	consumer    = "hub"
	bucket      = "damier" // of the orders, and of the networks
	orderKey    = "order"

	kvStream  = "KV_" + bucket
	objStream = "OBJ_" + bucket

	gamesSubject     = "damier.games." // + the worker's name
	heartbeatSubject = "damier.beat."
	noticeSubject    = "damier.word." // + the worker's name; from the hub to it
	announceSubject  = "damier.announce"
	statusSubject    = "damier.status"
	matchSubject     = "damier.match." // + request + "." + the worker's name

	statusUser = "status" // user who may ask for the status and nothing else
)

// Limits on what is sent.
const (
	maxMessage  = 1 << 20  // bytes of a message
	maxUnpacked = 16 << 20 // bytes of a message's games
	maxGames    = 256      // of a message
	maxSegments = 32       // of a game: orders it was played by
	maxActors   = 1024     // of a worker
	keptOrders  = 32       // games by older orders are refused
)

// orderGrace is how long games of a replaced order may still be on their way. An order is kept for
// at least this long, and until the messages that came in that time have been read. New orders
// wait for that.
const orderGrace = time.Minute

var workerName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// inbox returns the prefix of the subjects on which a user receives replies.
func inbox(user string) string { return "_INBOX_" + user }

// gameName is a parsed game id.
type gameName struct {
	seed   uint64
	worker string
	actor  string // WORKER-aINDEX
	number uint64
}

// parseID parses the id of a game: SEED-WORKER-aINDEX-NUMBER.
func parseID(id string) (gameName, error) {
	var n gameName
	wrong := fmt.Errorf("%q is not the id of a worker's game", id)
	first, last := strings.IndexByte(id, '-'), strings.LastIndexByte(id, '-')
	if first != 16 || last <= first {
		return n, wrong
	}
	n.actor = id[first+1 : last]
	worker, index, ok := strings.Cut(n.actor, "-a")
	i, err := strconv.ParseUint(index, 10, 16)
	if !ok || err != nil || i >= maxActors || !workerName.MatchString(worker) {
		return n, wrong
	}
	if n.seed, err = strconv.ParseUint(id[:first], 16, 64); err != nil {
		return n, wrong
	}
	if n.number, err = strconv.ParseUint(id[last+1:], 10, 64); err != nil {
		return n, wrong
	}
	if id != n.String() { // only the canonical spelling, so that a game has one id
		return n, wrong
	}
	n.worker = worker
	return n, nil
}

func (n gameName) String() string { return fmt.Sprintf("%016x-%s-%d", n.seed, n.actor, n.number) }
