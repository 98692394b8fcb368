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
	bucket      = "damier" // of orders, and of networks
	orderKey    = "order"

	kvStream  = "KV_" + bucket
	objStream = "OBJ_" + bucket

	gamesSubject     = "damier.games." // and the worker's name
	heartbeatSubject = "damier.beat."
	noticeSubject    = "damier.word." // from the hub to one worker
	announceSubject  = "damier.announce"
	statusSubject    = "damier.status"
	matchSubject     = "damier.match." // and what is asked, and the worker's name

	statusUser = "status" // may ask for the status, and nothing else
)

// Bounds of what is sent.
const (
	maxMessage  = 1 << 20  // bytes of a message
	maxUnpacked = 16 << 20 // bytes of a message's games
	maxGames    = 256      // of a message
	maxSegments = 32       // of a game: networks that played it
	maxActors   = 1024     // of a worker
	keptOrders  = 32       // games by older ones are refused
)

// orderGrace is how long the games of workers may be on their way when their order is replaced: an order is
// kept for so long at least, and until what came in that time is taken. New orders wait for it.
const orderGrace = time.Minute

var workerName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// inbox returns the prefix of the subjects on which a user gets answers.
func inbox(user string) string { return "_INBOX_" + user }

// gameName is the id of a game in its parts.
type gameName struct {
	seed   uint64
	worker string
	actor  string // its name has the worker's in it
	number uint64
}

// parseID reads the id of a game: SEED-WORKER-aINDEX-NUMBER.
func parseID(id string) (gameName, error) {
	var n gameName
	wrong := fmt.Errorf("%q is not the id of a game of a worker", id)
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
	if id != n.String() { // one game has one id
		return n, wrong
	}
	n.worker = worker
	return n, nil
}

func (n gameName) String() string { return fmt.Sprintf("%016x-%s-%d", n.seed, n.actor, n.number) }
