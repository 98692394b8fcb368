package egdb

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"

	"damier/rules"
)

// encodeTable writes the file of a table.
func encodeTable(w io.Writer, x *Index, values []value) error {
	h := Header{
		Variant:   x.board.v.String(),
		Rules:     rules.Version,
		Material:  x.material.String(),
		Metric:    metric,
		Positions: x.size,
	}
	count := make([]uint64, 1<<16)
	for _, v := range values {
		count[v]++
	}
	place := make([]uint16, 1<<16)
	for v, n := range count {
		if n == 0 {
			continue
		}
		place[v] = uint16(len(h.Values))
		h.Values = append(h.Values, uint16(v))
		result, plies := value(v).result()
		h.Longest = max(h.Longest, plies)
		switch result {
		case Win:
			h.Wins += n
		case Loss:
			h.Losses += n
		default:
			h.Draws += n
		}
	}
	var offsets []uint32
	var payload []byte
	for _, size := range []int{256, 1024, maxBlock} {
		o, p := encodeBlocks(values, size, place, len(h.Values))
		if len(p) > maxPayload {
			return fmt.Errorf("%s of %s: more than 4 GB compressed; the format has no larger tables", h.Material, h.Variant)
		}
		if payload == nil || len(p)+4*len(o) < len(payload)+4*len(offsets) {
			h.Block, offsets, payload = size, o, p
		}
	}
	h.Payload = uint64(len(payload))
	text, err := json.Marshal(&h)
	if err != nil {
		return err
	}
	if len(text) > maxHeader {
		return fmt.Errorf("%s of %s: a header of %d bytes", h.Material, h.Variant, len(text))
	}
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...)
	head = append(head, text...)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	var sums []byte
	for _, o := range offsets {
		sums = binary.LittleEndian.AppendUint32(sums, o)
	}
	for page := range slices.Chunk(payload, pageSize) {
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(page, castagnoli))
	}
	sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(sums, castagnoli))
	for _, part := range [][]byte{head, sums, payload} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// encodeBlocks returns the payload of blocks of size positions, and the offset of each block.
func encodeBlocks(values []value, size int, place []uint16, different int) ([]uint32, []byte) {
	var offsets []uint32
	var payload, block []byte
	local := make([]int, different) // index in the block, plus one
	var palette []uint16
	wide := different > 256
	for part := range slices.Chunk(values, size) {
		palette = palette[:0]
		for _, v := range part {
			if p := place[v]; local[p] == 0 {
				palette = append(palette, p)
				local[p] = len(palette)
			}
		}
		block = block[:0]
		if wide {
			block = binary.LittleEndian.AppendUint16(block, uint16(len(palette)-1))
			for _, p := range palette {
				block = binary.LittleEndian.AppendUint16(block, p)
			}
		} else {
			block = append(block, byte(len(palette)-1))
			for _, p := range palette {
				block = append(block, byte(p))
			}
		}
		width := bits.Len(uint(len(palette) - 1))
		word, n := uint64(0), 0
		if width > 0 {
			for _, v := range part {
				word |= uint64(local[place[v]]-1) << n
				for n += width; n >= 8; n -= 8 {
					block = append(block, byte(word))
					word >>= 8
				}
			}
			if n > 0 {
				block = append(block, byte(word))
			}
		}
		for _, p := range palette {
			local[p] = 0
		}
		if left := pageSize - len(payload)%pageSize; left < len(block) {
			payload = append(payload, make([]byte, left)...)
		}
		offsets = append(offsets, uint32(len(payload)))
		payload = append(payload, block...)
	}
	return offsets, payload
}
