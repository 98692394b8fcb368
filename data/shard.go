package data

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

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

// count adds a game to the description.
func (i *ShardInfo) count(g *Game) {
	if i.Games == 0 {
		i.MinGeneration, i.MaxGeneration = g.Generation, g.Generation
	}
	i.Games++
	i.Plies += len(g.Plies)
	i.Rows += g.Rows()
	i.MinGeneration = min(i.MinGeneration, g.Generation)
	i.MaxGeneration = max(i.MaxGeneration, g.Generation)
	switch g.Outcome {
	case rules.WhiteWins:
		i.WhiteWins++
	case rules.BlackWins:
		i.BlackWins++
	case rules.Ongoing:
		i.Unfinished++
	default:
		i.Draws++
	}
	if g.Reason == rules.PlyLimit {
		i.Cut++
	}
}

// file describes the file of the games that have been counted.
func (i *ShardInfo) file(name string, content []byte) {
	sum := sha256.Sum256(content)
	i.Name, i.Bytes, i.SHA256 = name, int64(len(content)), hex.EncodeToString(sum[:])
}

// Shards returns the names of the shards of a folder in lexical order.
func Shards(dir string) ([]string, error) {
	return files.List(dir, func(name string) bool { return strings.HasSuffix(name, Extension) })
}

// WriteShard writes games, at least one, as the shard dir/name, as [Writer] does.
func WriteShard(dir, name string, v *rules.Variant, games []Game) (ShardInfo, error) {
	w, err := encodeGames(v, games)
	if err != nil {
		return ShardInfo{}, fmt.Errorf("write %s: %w", filepath.Join(dir, name), err)
	}
	return w.Write(dir, name)
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
	var info ShardInfo
	for i := range games {
		info.count(&games[i])
	}
	info.file(filepath.Base(path), file)
	return games, info, nil
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
