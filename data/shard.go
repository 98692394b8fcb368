package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"damier/internal/files"
	"damier/rules"
)

// FormatVersion is the version of the shard format. It grows with every change of columns or
// encodings.
const FormatVersion = 2

// Extension is the extension of the name of a shard.
const Extension = ".parquet"

// The keys of a shard's footer.
const (
	keyFormat  = "damier.format"  // FormatVersion
	keyVariant = "damier.variant" // rules.Variant.Name
	keyOptions = "damier.options" // rules.Options.String
	keyRules   = "damier.rules"   // rules.Version
)

// maxShard is the size in bytes above which a file is refused unread. Shards of a run have a few
// MB.
const maxShard = 1 << 30

// ShardInfo describes a shard. The manifest of a run has one for each shard.
type ShardInfo struct {
	Name          string `json:"name"`  // file name within its folder
	Games         int    `json:"games"` // at least 1
	Plies         int    `json:"plies"` // rows of the file
	Rows          int    `json:"rows"`  // searched rows: plies of a full search
	Bytes         int64  `json:"bytes"`
	SHA256        string `json:"sha256"` // of the file, 64 hexadecimal digits
	MinGeneration int    `json:"min_generation"`
	MaxGeneration int    `json:"max_generation"`
	WhiteWins     int    `json:"white_wins"`
	BlackWins     int    `json:"black_wins"`
	Draws         int    `json:"draws"`
	Cut           int    `json:"cut"` // games ended by rules.PlyLimit; they count as draws too

	// Unfinished games have the outcome rules.Ongoing and no reason. A run stores them between two
	// sessions; they are not part of a Store.
	Unfinished int `json:"unfinished,omitempty"`
}

// describe returns the description of a shard with these games and these bytes.
func describe(name string, games []Game, file []byte) ShardInfo {
	sum := sha256.Sum256(file)
	info := ShardInfo{
		Name: name, Games: len(games), Bytes: int64(len(file)), SHA256: hex.EncodeToString(sum[:]),
		MinGeneration: games[0].Generation, MaxGeneration: games[0].Generation,
	}
	for i := range games {
		g := &games[i]
		info.Plies += len(g.Plies)
		info.Rows += g.Rows()
		info.MinGeneration = min(info.MinGeneration, g.Generation)
		info.MaxGeneration = max(info.MaxGeneration, g.Generation)
		switch g.Outcome {
		case rules.WhiteWins:
			info.WhiteWins++
		case rules.BlackWins:
			info.BlackWins++
		case rules.Ongoing:
			info.Unfinished++
		default:
			info.Draws++
		}
		if g.Reason == rules.PlyLimit {
			info.Cut++
		}
	}
	return info
}

// Shards returns the names of the shards of a folder in lexical order.
func Shards(dir string) ([]string, error) {
	return files.List(dir, func(name string) bool { return strings.HasSuffix(name, Extension) })
}

// checkName returns an error for a name that is not safe as a file name everywhere.
func checkName(name string) error {
	base, ok := strings.CutSuffix(name, Extension)
	if !ok || base == "" || base[0] == '.' {
		return fmt.Errorf("%q is no name for a shard: it must end in %s and not begin with a dot", name, Extension)
	}
	for _, c := range base {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return fmt.Errorf("%q is no name for a shard: it may have letters, digits, dots, hyphens and underscores", name)
		}
	}
	return nil
}

// WriteShard writes games, at least one, as the shard dir/name; name ends in [Extension]. The file
// appears completely or not at all, survives a loss of power once WriteShard has returned, and is
// never overwritten. Equal games give equal bytes. WriteShard refuses games that a reader would
// refuse, and names game and ply in the error; for games of other rules the error wraps
// ErrForeign.
func WriteShard(dir, name string, v *rules.Variant, games []Game) (ShardInfo, error) {
	if err := checkName(name); err != nil {
		return ShardInfo{}, err
	}
	file, err := encodeShard(v, games)
	if err != nil {
		return ShardInfo{}, fmt.Errorf("write %s: %w", filepath.Join(dir, name), err)
	}
	if err := writeFile(dir, name, file); err != nil {
		return ShardInfo{}, err
	}
	return describe(name, games, file), nil
}

// encodeShard returns the bytes of a shard.
func encodeShard(v *rules.Variant, games []Game) ([]byte, error) {
	if len(games) == 0 {
		return nil, errors.New("a shard must have a game")
	}
	c, names := newChecker(v), newMoveNames(v)
	for i := range games {
		if err := c.checkGame(&games[i]); err != nil {
			return nil, err
		}
	}
	return encodeRows(v, func(yield func([]row) bool) {
		var rows []row
		for i := range games {
			if rows = appendRows(rows[:0], v, &games[i], names); !yield(rows) {
				return
			}
		}
	})
}

// encodeRows returns the bytes of a shard with these rows, game by game.
func encodeRows(v *rules.Variant, games iter.Seq[[]row]) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, rowSchema,
		parquet.Compression(&parquet.Zstd), // the shared codec, which reuses its encoders
		parquet.CreatedBy("damier", strconv.Itoa(FormatVersion), ""),
		parquet.KeyValueMetadata(keyFormat, strconv.Itoa(FormatVersion)),
		parquet.KeyValueMetadata(keyVariant, v.Name),
		parquet.KeyValueMetadata(keyOptions, v.Options.String()),
		parquet.KeyValueMetadata(keyRules, strconv.Itoa(rules.Version)),
		parquet.KeyValueMetadata(sealKey, string(blankSeal)),
	)
	for rows := range games {
		if _, err := w.Write(rows); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	seal(b.Bytes())
	return b.Bytes(), nil
}

// ReadShard reads a shard of v and checks all of it: the checksum of the file; the columns;
// variant, options and rules version; and every game, by replaying it (positions, counters,
// occurrences, legal moves and their order, the move played, the outcome) and by the ranges of its
// numbers. Probabilities are those rounded to 16 bits. Errors wrap [ErrDamaged] or [ErrForeign]
// and name file, game and ply; other errors are those of the file system. It is safe for
// concurrent use.
func ReadShard(path string, v *rules.Variant) ([]Game, error) {
	games, _, err := readShard(path, v)
	return games, err
}

// Verify is ReadShard, but returns the description of the shard and not its games.
func Verify(path string, v *rules.Variant) (ShardInfo, error) {
	_, info, err := readShard(path, v)
	return info, err
}

func readShard(path string, v *rules.Variant) ([]Game, ShardInfo, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, ShardInfo{}, err
	}
	games, err := decodeShard(file, v)
	if err != nil {
		return nil, ShardInfo{}, fmt.Errorf("read %s: %w", path, err)
	}
	return games, describe(filepath.Base(path), games, file), nil
}

func readFile(path string) ([]byte, error) {
	file, err := files.Read(path, maxShard)
	switch {
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	case err != nil:
		return nil, advise("read", path, err)
	}
	return file, nil
}

// decodeShard reads the bytes of a shard.
func decodeShard(file []byte, v *rules.Variant) ([]Game, error) {
	if err := checkSeal(file); err != nil {
		return nil, err
	}
	r, err := openRows(file, v)
	if err != nil {
		return nil, err
	}
	defer r.close()
	c, names := newChecker(v), newMoveNames(v)
	var games []Game
	for from := 0; ; {
		rows, err := r.game()
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return games, nil
		}
		g, err := c.gameOf(rows, names)
		if errors.Is(err, ErrForeign) {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrDamaged, from, err)
		}
		games = append(games, g)
		from += len(rows)
	}
}

// rowReader reads the columns of a shard. The checksum was correct, so an error here is an error of
// the writer. Still no file may crash the program, and the Parquet library panics on some malformed
// files.
type rowReader struct {
	r        *parquet.GenericReader[row]
	rows     int64 // of the shard
	read     int64 // so far
	batch    []row
	ahead    []row // read, but not returned: the end of batch
	returned []row
}

// openRows opens a shard.
func openRows(file []byte, v *rules.Variant) (r *rowReader, err error) {
	defer recoverParquet(&err)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, k := range []struct{ key, want string }{
		{keyFormat, strconv.Itoa(FormatVersion)},
		{keyVariant, v.Name},
		{keyOptions, v.Options.String()},
		{keyRules, strconv.Itoa(rules.Version)},
	} {
		if got, ok := f.Lookup(k.key); !ok {
			return nil, fmt.Errorf("%w: it has no key %s", ErrDamaged, k.key)
		} else if got != k.want {
			return nil, fmt.Errorf("%w: its %s is %q, and here it is %q", ErrForeign, k.key, got, k.want)
		}
	}
	if !parquet.EqualNodes(f.Schema(), rowSchema) {
		return nil, fmt.Errorf("%w: it has other columns than format %d", ErrDamaged, FormatVersion)
	}
	// Other codecs are not bounded: the library's LZ4 takes memory until there is none for a block that
	// is no block.
	for i, group := range f.Metadata().RowGroups {
		for j := range group.Columns {
			if codec := group.Columns[j].MetaData.Codec; codec != parquet.Zstd.CompressionCodec() {
				return nil, fmt.Errorf("%w: column %d of row group %d is compressed by %s, not by %s", ErrDamaged, j, i, codec, &parquet.Zstd)
			}
		}
	}
	n := f.NumRows()
	if n < 1 || n > int64(len(file)) { // even compressed, a row takes more than a byte
		return nil, fmt.Errorf("%w: %d rows in %d bytes", ErrDamaged, n, len(file))
	}
	return &rowReader{r: parquet.NewGenericReader[row](f), rows: n, batch: make([]row, min(n, 1024))}, nil
}

// recoverParquet turns a panic of the Parquet library into an error.
func recoverParquet(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: its Parquet structure is broken: %v", ErrDamaged, r)
	}
}

func (r *rowReader) close() {
	var err error
	defer recoverParquet(&err)
	err = r.r.Close()
}

// fill reads the next rows ahead, when there are none; after the last one there are none left.
func (r *rowReader) fill() (err error) {
	defer recoverParquet(&err)
	if len(r.ahead) > 0 || r.read == r.rows {
		return nil
	}
	clear(r.batch)
	k, err := r.r.Read(r.batch[:min(r.rows-r.read, int64(len(r.batch)))])
	if r.read += int64(k); r.read < r.rows && (err != nil || k == 0) {
		return fmt.Errorf("%w: row %d of %d: %v", ErrDamaged, r.read, r.rows, err)
	}
	r.ahead = r.batch[:k]
	return nil
}

// game returns the rows of the next game, none after the last one. They are overwritten by the next
// call, but not what they refer to.
func (r *rowReader) game() ([]row, error) {
	r.returned = r.returned[:0]
	for {
		if err := r.fill(); err != nil {
			return nil, err
		}
		if len(r.ahead) == 0 || len(r.returned) > 0 && r.ahead[0].Game != r.returned[0].Game {
			return r.returned, nil
		}
		n := 1
		for n < len(r.ahead) && r.ahead[n].Game == r.ahead[0].Game {
			n++
		}
		r.returned, r.ahead = append(r.returned, r.ahead[:n]...), r.ahead[n:]
	}
}
