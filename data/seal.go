package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// A sealed file contains the SHA-256 of all its other bytes, so that a changed bit is found before
// the file is parsed. The sum is 64 hexadecimal digits, the value of the key sealKey in the
// Parquet footer; it is computed over the file with the character 0 in their place. In the footer
// a key is followed by the header of the value's field and by its length, one byte each: 0x18
// 0x40.
const (
	sealKey    = "damier.sha256"
	sealDigits = 2 * sha256.Size
	sealMark   = sealKey + "\x18\x40"
	magic      = "PAR1"
)

var blankSeal = bytes.Repeat([]byte{'0'}, sealDigits)

// seal writes the sum into a file that has blankSeal as the value of sealKey.
func seal(file []byte) {
	at := bytes.LastIndex(file, []byte(sealMark))
	if at < 0 || !bytes.HasPrefix(file[at+len(sealMark):], blankSeal) {
		panic("data: no place for the checksum in the shard's footer")
	}
	sum := sha256.Sum256(file)
	hex.Encode(file[at+len(sealMark):], sum[:])
}

// checkSeal checks the sum. Its error wraps ErrDamaged, or ErrForeign for a complete Parquet file
// of another program.
func checkSeal(file []byte) error {
	n := len(file)
	begins, ends := bytes.HasPrefix(file, []byte(magic)), bytes.HasSuffix(file, []byte(magic))
	at := bytes.LastIndex(file, []byte(sealMark))
	switch {
	case n == 0:
		return fmt.Errorf("%w: it is empty", ErrDamaged)
	case !begins && !ends:
		return fmt.Errorf("%w: it is no Parquet file", ErrForeign)
	case !ends || n < 3*len(magic):
		return fmt.Errorf("%w: its end is missing after %d bytes", ErrDamaged, n)
	case !begins:
		return fmt.Errorf("%w: its beginning is wrong", ErrDamaged)
	case at < 0 && !bytes.Contains(file, []byte(keyFormat)):
		return fmt.Errorf("%w: a Parquet file without the key %s", ErrForeign, keyFormat)
	case at < 0 || at+len(sealMark)+sealDigits > n:
		return fmt.Errorf("%w: it has lost its checksum", ErrDamaged)
	}
	from := at + len(sealMark)
	h := sha256.New()
	h.Write(file[:from])
	h.Write(blankSeal)
	h.Write(file[from+sealDigits:])
	if want := hex.EncodeToString(h.Sum(nil)); want != string(file[from:from+sealDigits]) {
		return fmt.Errorf("%w: its checksum does not fit its %d bytes", ErrDamaged, n)
	}
	return nil
}

// ErrDamaged is wrapped by the errors of readers for a damaged shard: cut short, changed, or with
// content that the rules contradict.
var ErrDamaged = errors.New("damaged shard")

// ErrForeign is wrapped by the errors of readers for a file that may be sound but does not fit
// this run: no shard, a shard of another format version, or games of another variant, options or
// rules version.
var ErrForeign = errors.New("foreign shard")
