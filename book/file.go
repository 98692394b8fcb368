package book

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"damier/internal/publish"
	"damier/rules"
)

// ErrDamaged is wrapped by the error for a file whose content has changed since it was written.
var ErrDamaged = errors.New("damaged")

// ErrForeign is wrapped by the error for a file of another variant, other options or another rules
// version, or of another program.
var ErrForeign = errors.New("foreign")

// The parts of a file:
//
//	magic, length of the header (4 bytes), header (JSON), checksum of all before
//	keys in ascending order (8 bytes each), values (2 bytes each), checksum of these
//
// Numbers are little-endian, checksums CRC-32C. The low 15 bits of a value are a Score, the high
// bit says that the position was expanded: all its moves are in the file.
const (
	magic     = "DMBOOK1\n"
	workMagic = "DMBWRK1\n" // the scores that the searches of a build have found
	maxHeader = 1 << 16
	entrySize = 10

	expandedBit = 1 << 15

	// MaxBytes is the size of the largest file.
	MaxBytes = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header is the header of a file.
type Header struct {
	Variant   string  `json:"variant"`   // rules.Variant.String, with all options
	Rules     int     `json:"rules"`     // rules.Version
	Positions int     `json:"positions"` // in the file
	Expanded  int     `json:"expanded"`  // those whose moves are all in the file
	Plies     int     `json:"plies"`     // from the start to the deepest position
	Score     float64 `json:"score"`     // of the start, in [0,1] for the side to move
	Recipe    Recipe  `json:"recipe"`
	Made      string  `json:"made"` // the command that makes the same file
}

// Recipe holds the settings that decide, with the number of positions, what a build makes. Network
// is empty for an engine without a network, and in files made before it was a field.
type Recipe struct {
	Engine  string  `json:"engine"`            // with its version
	Network string  `json:"network,omitempty"` // SHA-256 of the file of its network, in hexadecimal digits
	Nodes   int     `json:"nodes"`             // of a search, as the engine counts them
	Weight  float64 `json:"weight"`            // plies that the loss of one point costs in the priority
	Seed    uint64  `json:"seed"`              // of the engine
}

// Relabel returns the file of a book of v with the hash of a network in its header. It serves
// books that were made before headers named networks.
func Relabel(file []byte, v *rules.Variant, network string) ([]byte, error) {
	h, keys, values, err := parse(file, magic, v)
	if err != nil {
		return nil, err
	}
	h.Recipe.Network = network
	k := &Book{keys: keys, values: values}
	entries := make([]entry, h.Positions)
	for i := range entries {
		entries[i].key, entries[i].value = k.at(i)
	}
	return encode(magic, h, entries)
}

// entry is a position of a file.
type entry struct {
	key   uint64
	value uint16
}

// encode returns the bytes of a file. It sorts the entries.
func encode(magic string, h Header, entries []entry) ([]byte, error) {
	h.Positions = len(entries)
	text, err := json.Marshal(&h)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("book: a header of %d bytes", len(text))
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	b := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...)
	b = append(b, text...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	start := len(b)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint64(b, e.key)
	}
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, e.value)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("book: %d positions take more than %d bytes", len(entries), MaxBytes)
	}
	return b, nil
}

func write(name, magic string, h Header, entries []entry) error {
	text, err := encode(magic, h, entries)
	if err != nil {
		return err
	}
	return publish.Write(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s; remove the file and build it again", ErrDamaged, fmt.Sprintf(format, args...))
}

// parse checks the bytes of a file and returns its header, keys and values. It takes no memory
// but that of the header.
func parse(b []byte, magic string, v *rules.Variant) (h Header, keys, values []byte, err error) {
	const first = len(magic0) + 4
	if len(b) < first {
		return h, nil, nil, fmt.Errorf("%w: %d bytes are too few for a book", ErrForeign, len(b))
	}
	if string(b[:len(magic)]) != magic {
		return h, nil, nil, fmt.Errorf("%w: it does not begin as such a file does, or its first bytes are damaged", ErrForeign)
	}
	n := binary.LittleEndian.Uint32(b[len(magic):])
	if n > maxHeader || first+int(n)+4 > len(b) {
		return h, nil, nil, damaged("a header of %d bytes", n)
	}
	head := b[:first+int(n)]
	rest := b[len(head):]
	if crc32.Checksum(head, castagnoli) != binary.LittleEndian.Uint32(rest) {
		return h, nil, nil, damaged("the checksum of its header is wrong")
	}
	rest = rest[4:]
	if err := json.Unmarshal(head[first:], &h); err != nil {
		return h, nil, nil, damaged("its header: %v", err)
	}
	switch {
	case h.Variant != v.String():
		return h, nil, nil, fmt.Errorf("%w: it is of %.80s, not of %s", ErrForeign, h.Variant, v)
	case h.Rules != rules.Version:
		return h, nil, nil, fmt.Errorf("%w: it was made by version %d of the rules; this program has %d",
			ErrForeign, h.Rules, rules.Version)
	case h.Positions < 0 || h.Positions > MaxBytes/entrySize || len(rest) != h.Positions*entrySize+4:
		return h, nil, nil, damaged("%d positions do not take %d bytes", h.Positions, len(rest))
	}
	body := rest[:len(rest)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(rest[len(body):]) {
		return h, nil, nil, damaged("the checksum of its positions is wrong")
	}
	keys, values = body[:8*h.Positions], body[8*h.Positions:]
	for i := 8; i < len(keys); i += 8 {
		if binary.LittleEndian.Uint64(keys[i-8:]) >= binary.LittleEndian.Uint64(keys[i:]) {
			return h, nil, nil, damaged("its keys are not in order")
		}
	}
	for i := 0; i < len(values); i += 2 {
		if Score(binary.LittleEndian.Uint16(values[i:])&^expandedBit) > one {
			return h, nil, nil, damaged("a score is above 1")
		}
	}
	return h, keys, values, nil
}

// magic0 is the magic of either kind of file, for its length.
const magic0 = magic
