package data

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"damier/rules"
)

// rowWriter encodes the rows of a shard.
type rowWriter struct {
	b bytes.Buffer
	w *parquet.GenericWriter[row]
}

func newRowWriter(v *rules.Variant) *rowWriter {
	w := &rowWriter{}
	w.w = parquet.NewGenericWriter[row](&w.b, rowSchema,
		parquet.Compression(&parquet.Zstd), // the shared codec, which reuses its encoders
		parquet.CreatedBy("damier", strconv.Itoa(FormatVersion), ""),
		parquet.KeyValueMetadata(keyFormat, strconv.Itoa(FormatVersion)),
		parquet.KeyValueMetadata(keyVariant, v.Name),
		parquet.KeyValueMetadata(keyOptions, v.Options.String()),
		parquet.KeyValueMetadata(keyRules, strconv.Itoa(rules.Version)),
		parquet.KeyValueMetadata(sealKey, string(blankSeal)),
	)
	return w
}

// game encodes the rows of a game. It keeps nothing of them.
func (w *rowWriter) game(rows []row) error {
	_, err := w.w.Write(rows)
	return err
}

// finish returns the bytes of the shard.
func (w *rowWriter) finish() ([]byte, error) {
	if err := w.w.Close(); err != nil {
		return nil, err
	}
	seal(w.b.Bytes())
	return w.b.Bytes(), nil
}

// rowReader reads the columns of a shard. The checksum was correct, so an error here is an error of
// the writer. Still no file may crash the program, and the Parquet library panics on some malformed
// files.
type rowReader struct {
	r        *parquet.GenericReader[row]
	rows     int64 // of the shard
	read     int64 // so far
	batch    []parquet.Row
	ahead    []parquet.Row // read, but not returned: the end of batch
	returned []row
	texts    texts
}

// readAhead is the number of rows that are read at once.
const readAhead = 64

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
	return &rowReader{r: parquet.NewGenericReader[row](f), rows: n, batch: make([]parquet.Row, min(n, readAhead)), texts: texts{}}, nil
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
	k, err := r.r.ReadRows(r.batch[:min(r.rows-r.read, int64(len(r.batch)))])
	if r.read += int64(k); r.read < r.rows && (err != nil || k == 0) {
		return fmt.Errorf("%w: row %d of %d: %v", ErrDamaged, r.read, r.rows, err)
	}
	r.ahead = r.batch[:k]
	return nil
}

// game returns the rows of the next game, none after the last one. They are overwritten by the next
// call, but not the texts and lines in them.
func (r *rowReader) game() (_ []row, err error) {
	defer recoverParquet(&err)
	for n := 0; ; n++ {
		if err := r.fill(); err != nil {
			return nil, err
		}
		if n == cap(r.returned) {
			r.returned = slices.Grow(r.returned[:n], 1)
		}
		r.returned = r.returned[:n]
		if len(r.ahead) == 0 || n > 0 && string(r.ahead[0][0].ByteArray()) != r.returned[0].Game {
			return r.returned, nil
		}
		r.returned = r.returned[:n+1]
		r.returned[n].set(r.ahead[0], r.texts)
		r.ahead = r.ahead[1:]
	}
}
