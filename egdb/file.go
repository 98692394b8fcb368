package egdb

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"os"
	"sync/atomic"

	"damier/internal/files"
	"damier/rules"
)

// ErrDamaged is wrapped by the error for a file whose content has changed since it was written.
var ErrDamaged = errors.New("damaged")

// ErrForeign is wrapped by the error for a file of another variant, other options or another rules
// version, or of another program.
var ErrForeign = errors.New("foreign")

// The parts of a file, see the drawing in docs/egdb.md:
//
//	magic, length of the header (4 bytes), header (JSON), checksum of all before
//	offset of each block in the payload, checksum of each page of the payload, checksum of these
//	payload: pages of pageSize bytes, the last one shorter
//
// Numbers are little-endian, checksums CRC-32C. A block holds a power of two of positions: the
// number of its different values minus one; these values as indices into the list of the header,
// one or two bytes each; and for each position the index of its value among them, in the smallest
// number of bits. No block crosses a page.
const (
	magic      = "DMEGDB1\n"
	pageSize   = 1 << 14
	maxHeader  = 1 << 20
	maxBlock   = 4096
	maxPayload = 1<<32 - pageSize
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header is the header of a file.
type Header struct {
	Variant   string   `json:"variant"`  // rules.Variant.String, with all options
	Rules     int      `json:"rules"`    // rules.Version
	Material  string   `json:"material"` // Material.String
	Metric    string   `json:"metric"`   // "plies to the end"
	Positions uint64   `json:"positions"`
	Block     int      `json:"block"`  // positions in a block
	Values    []uint16 `json:"values"` // all values that occur, ascending: 0 a draw, 1+2n a win in n, 2+2n a loss in n
	Payload   uint64   `json:"payload"`
	Wins      uint64   `json:"wins"`
	Draws     uint64   `json:"draws"`
	Losses    uint64   `json:"losses"`
	Longest   int      `json:"longest"` // plies of the longest win or loss
}

const metric = "plies to the end"

// page is a checked page of the payload, with a few zeros appended.
type page struct{ bytes []byte }

// file is an open table.
type file struct {
	name    string
	header  Header
	index   *Index
	in      *os.File
	cache   *cache
	start   int64 // offset of the payload
	offsets []uint32
	sums    []uint32
	pages   []atomic.Pointer[page]
	shift   uint // the block size is 1<<shift
	wide    bool // indices into the list of values have two bytes
}

// openFile opens the table of m for the variant of b. The error names the file and wraps
// ErrDamaged, ErrForeign, or that of the system.
func (b *board) openFile(name string, m Material, c *cache) (*file, error) {
	in, _, err := files.Open(name, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, in: in, cache: c}
	if err := f.open(b, m); err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s; remove the file and build the table again", ErrDamaged, fmt.Sprintf(format, args...))
}

// readHeader reads the header of a table. It also returns the offset of the part after it.
func readHeader(in io.ReaderAt) (Header, int64, error) {
	var h Header
	var first [len(magic) + 4]byte
	if n, err := in.ReadAt(first[:], 0); err != nil && (err != io.EOF || n < len(first)) {
		if err == io.EOF {
			return h, 0, fmt.Errorf("%w: %d bytes are too few for an endgame table", ErrForeign, n)
		}
		return h, 0, err
	}
	if string(first[:len(magic)]) != magic {
		return h, 0, fmt.Errorf("%w: it does not begin as an endgame table does, or its first bytes are damaged", ErrForeign)
	}
	n := binary.LittleEndian.Uint32(first[len(magic):])
	if n > maxHeader {
		return h, 0, damaged("a header of %d bytes", n)
	}
	head := make([]byte, len(first)+int(n)+4)
	if _, err := in.ReadAt(head, 0); err == io.EOF {
		return h, 0, damaged("it ends within its header")
	} else if err != nil {
		return h, 0, err
	}
	text, sum := head[:len(head)-4], binary.LittleEndian.Uint32(head[len(head)-4:])
	if crc32.Checksum(text, castagnoli) != sum {
		return h, 0, damaged("the checksum of its header is wrong")
	}
	if err := json.Unmarshal(text[len(first):], &h); err != nil {
		return h, 0, damaged("its header: %v", err)
	}
	return h, int64(len(head)), nil
}

func (f *file) open(b *board, m Material) error {
	h, length, err := readHeader(f.in)
	if err != nil {
		return err
	}
	switch {
	case h.Variant != b.v.String():
		return fmt.Errorf("%w: it is of %.80s, not of %s", ErrForeign, h.Variant, b.v)
	case h.Rules != rules.Version:
		return fmt.Errorf("%w: it was made by version %d of the rules; this program has %d", ErrForeign, h.Rules, rules.Version)
	case h.Material != m.String():
		return fmt.Errorf("%w: it holds %.20s, its name says %s", ErrForeign, h.Material, m)
	case h.Metric != metric:
		return fmt.Errorf("%w: it holds %.40q, not %q", ErrForeign, h.Metric, metric)
	}
	x, err := b.index(m)
	if err != nil {
		return err
	}
	if h.Positions != x.size {
		return damaged("it says %d positions, there are %d", h.Positions, x.size)
	}
	if h.Block != 256 && h.Block != 1024 && h.Block != maxBlock || len(h.Values) == 0 || len(h.Values) > 1<<16 ||
		h.Payload > maxPayload || h.Wins+h.Draws+h.Losses != h.Positions {
		return damaged("its header makes no sense")
	}
	blocks := (h.Positions + uint64(h.Block) - 1) / uint64(h.Block)
	pages := (h.Payload + pageSize - 1) / pageSize
	info, err := f.in.Stat()
	if err != nil {
		return err
	}
	if want := uint64(length) + 4*(blocks+pages+1) + h.Payload; uint64(info.Size()) != want {
		return damaged("it has %d bytes, %d were written", info.Size(), want)
	}
	sums := make([]byte, 4*(blocks+pages+1))
	if _, err := f.in.ReadAt(sums, length); err != nil {
		return err
	}
	if crc32.Checksum(sums[:len(sums)-4], castagnoli) != binary.LittleEndian.Uint32(sums[len(sums)-4:]) {
		return damaged("the checksum of its lists is wrong")
	}
	numbers := make([]uint32, blocks+pages)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint32(sums[4*i:])
	}
	f.header, f.index = h, x
	f.offsets, f.sums = numbers[:blocks:blocks], numbers[blocks:]
	for i, o := range f.offsets {
		if uint64(o) >= h.Payload || i > 0 && o <= f.offsets[i-1] {
			return damaged("block %d begins where none can", i)
		}
	}
	f.start = length + int64(len(sums))
	f.pages = make([]atomic.Pointer[page], pages)
	f.shift = uint(bits.TrailingZeros(uint(h.Block)))
	f.wide = len(h.Values) > 256
	return nil
}

func (f *file) close() error { return f.in.Close() }

// read reads page i from the file and checks it.
func (f *file) read(i int) (*page, error) {
	size := int(min(pageSize, f.header.Payload-uint64(i)*pageSize))
	p := &page{make([]byte, size+4)}
	from := f.start + int64(i)*pageSize
	if _, err := f.in.ReadAt(p.bytes[:size], from); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if crc32.Checksum(p.bytes[:size], castagnoli) != f.sums[i] {
		return nil, fmt.Errorf("%s: %w", f.name, damaged("the checksum of bytes %d to %d is wrong", from, from+int64(size)-1))
	}
	return p, nil
}

// at returns value i, which must be less than the number of positions.
func (f *file) at(i uint64) (value, error) {
	number := i >> f.shift
	offset := f.offsets[number]
	p := f.pages[offset/pageSize].Load()
	if p == nil {
		var err error
		if p, err = f.cache.load(f, int(offset/pageSize)); err != nil {
			return 0, err
		}
	}
	v, ok := f.decode(p, int(offset%pageSize), int(i)&(1<<f.shift-1))
	if !ok {
		return 0, fmt.Errorf("%s: %w", f.name, damaged("block %d makes no sense", number))
	}
	return v, nil
}

// decode returns the j-th value of the block at offset begin of its page. It returns false for a
// block that no encoder of ours writes.
func (f *file) decode(p *page, begin, j int) (value, bool) {
	b := p.bytes[begin:]
	var different, data int
	if f.wide {
		different = int(binary.LittleEndian.Uint16(b)) + 1
		data = 2 + 2*different
	} else {
		different = int(b[0]) + 1
		data = 1 + different
	}
	width := bits.Len(uint(different - 1))
	bit := j * width
	from := data + bit>>3
	if from+4 > len(b) {
		return 0, false
	}
	place := int(binary.LittleEndian.Uint32(b[from:])>>(bit&7)) & (1<<width - 1)
	if place >= different {
		return 0, false
	}
	if f.wide {
		place = int(binary.LittleEndian.Uint16(b[2+2*place:]))
	} else {
		place = int(b[1+place])
	}
	if place >= len(f.header.Values) {
		return 0, false
	}
	return value(f.header.Values[place]), true
}

// all reads all values without the cache.
func (f *file) all() ([]value, error) {
	raw := make([]value, 0, f.header.Positions)
	var p *page
	loaded := -1
	for number, offset := range f.offsets {
		if n := int(offset / pageSize); n != loaded {
			var err error
			if p, err = f.read(n); err != nil {
				return nil, err
			}
			loaded = n
		}
		size := min(1<<f.shift, int(f.header.Positions)-len(raw))
		for j := range size {
			v, ok := f.decode(p, int(offset%pageSize), j)
			if !ok {
				return nil, fmt.Errorf("%s: %w", f.name, damaged("block %d makes no sense", number))
			}
			raw = append(raw, v)
		}
	}
	return raw, nil
}

// check reads all pages and compares their checksums.
func (f *file) check() error {
	for i := range f.pages {
		if _, err := f.read(i); err != nil {
			return err
		}
	}
	return nil
}
