package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"damier/data"
	"damier/rules"
)

// ErrVersion is wrapped by the errors for a hub and a worker whose versions or variants differ.
var ErrVersion = errors.New("another version")

// played is a finished game and the orders it was played by.
type played struct {
	game     data.Game
	segments []segment
	stale    bool // an order is no longer kept; of the game only the id was read
}

// segment says that a game followed an order from a ply on.
type segment struct {
	ply   int
	order string
}

// header is the first part of a message of games.
type header struct {
	Protocol int      `json:"protocol"`
	Version  string   `json:"version"` // of the program
	Rules    int      `json:"rules"`   // rules.Version
	Variant  string   `json:"variant"`
	Options  string   `json:"options"`
	Platform string   `json:"platform"` // GOARCH: only equal platforms search bit for bit alike
	Games    int      `json:"games"`
	Orders   []string `json:"orders"` // ids; segments refer to them by index
}

// batchMagic begins every message of games. Two bytes with the length of the header follow.
const batchMagic = "DMRG"

var packer, _ = zstd.NewWriter(nil,
	zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))

// encodeBatch packs games into a message.
func encodeBatch(v *rules.Variant, h header, games []played) ([]byte, error) {
	index := map[string]int{}
	var body, one []byte
	for i := range games {
		body = binary.AppendUvarint(body, uint64(len(games[i].segments)))
		for _, s := range games[i].segments {
			n, ok := index[s.order]
			if !ok {
				n = len(h.Orders)
				index[s.order] = n
				h.Orders = append(h.Orders, s.order)
			}
			body = binary.AppendUvarint(body, uint64(s.ply))
			body = binary.AppendUvarint(body, uint64(n))
		}
		one = data.AppendGame(one[:0], v, &games[i].game)
		body = binary.AppendUvarint(body, uint64(len(one)))
		body = append(body, one...)
	}
	h.Protocol = Protocol
	h.Rules = rules.Version
	h.Games = len(games)
	h.Variant = v.Name
	h.Options = v.Options.String()
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	message := binary.LittleEndian.AppendUint16([]byte(batchMagic), uint16(len(head)))
	message = append(message, head...)
	return packer.EncodeAll(body, message), nil
}

// batchDecoder reads messages of games. It is for one goroutine.
type batchDecoder struct {
	v        *rules.Variant
	games    *data.WireDecoder
	zstd     *zstd.Decoder
	unpacked []byte // reused buffer
}

func newBatchDecoder(v *rules.Variant) (*batchDecoder, error) {
	z, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
	return &batchDecoder{v: v, games: data.NewWireDecoder(v), zstd: z}, err
}

// decode reads a message and replays its games. limits returns the limits of a game that was played
// by these orders, false if one of them is no longer kept. Errors wrap [ErrVersion] or
// [data.ErrIllegal].
func (d *batchDecoder) decode(
	message []byte, limits func([]segment) (data.WireLimits, bool),
) (header, []played, error) {
	var h header
	wrong := func(format string, args ...any) (header, []played, error) {
		return h, nil, fmt.Errorf("%w: "+format, append([]any{data.ErrIllegal}, args...)...)
	}
	head := len(batchMagic) + 2
	if len(message) < head || string(message[:len(batchMagic)]) != batchMagic {
		return wrong("a message of %d bytes does not begin like a message of games", len(message))
	}
	end := head + int(binary.LittleEndian.Uint16(message[len(batchMagic):]))
	if len(message) < end {
		return wrong("its header is truncated")
	}
	if err := json.Unmarshal(message[head:end], &h); err != nil {
		return wrong("its header: %w", err)
	}
	if err := h.check(d.v); err != nil {
		return h, nil, err
	}
	if h.Games < 1 || h.Games > maxGames {
		return wrong("%d games in a message", h.Games)
	}
	body, err := d.zstd.DecodeAll(message[end:], d.unpacked[:0])
	if err != nil {
		return wrong("its games do not unpack: %w", err)
	}
	d.unpacked = body[:0]
	r := reader{b: body}
	var all []played
	for range h.Games {
		var p played
		segments := r.number(maxSegments)
		for range segments {
			s := segment{ply: r.number(1 << 16)}
			if n := r.number(1 << 16); r.err == nil && n < len(h.Orders) {
				s.order = h.Orders[n]
			} else {
				return wrong("a segment names order %d of %d", n, len(h.Orders))
			}
			p.segments = append(p.segments, s)
		}
		game := r.bytes(r.number(maxUnpacked))
		if r.err != nil {
			return wrong("%w", r.err)
		}
		if most, kept := limits(p.segments); kept {
			p.game, err = d.games.Game(game, most)
		} else {
			p.stale = true
			p.game.ID, err = data.WireID(game)
		}
		if err != nil {
			return h, nil, err
		}
		all = append(all, p)
	}
	if len(r.b) > 0 {
		return wrong("%d bytes follow the last game", len(r.b))
	}
	return h, all, nil
}

// check returns an error if games with this header cannot be used for v.
func (h *header) check(v *rules.Variant) error {
	switch {
	case h.Protocol != Protocol:
		return fmt.Errorf("%w: the other side uses protocol %d, this side uses %d: "+
			"install the same release of Damier on both machines", ErrVersion, h.Protocol, Protocol)
	case h.Rules != rules.Version:
		return fmt.Errorf("%w: the other side has version %d of the rules, this side has %d: "+
			"install the same release of Damier on both machines", ErrVersion, h.Rules, rules.Version)
	case h.Variant != v.Name || h.Options != v.Options.String():
		return fmt.Errorf("%w: the games are of %s[%s], but the run is of %s", ErrVersion, h.Variant, h.Options, v)
	}
	return nil
}

// reader reads numbers and bytes from b. After the first error it returns zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) number(max int) int {
	if r.err != nil {
		return 0
	}
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > uint64(max) {
		r.err = fmt.Errorf("a number is truncated or above %d", max)
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n > len(r.b) {
		r.err = errors.New("a game is truncated")
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}
