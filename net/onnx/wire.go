package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

func bits(x float32) uint32 { return math.Float32bits(x) }

func appendInt(b []byte, field protowire.Number, x int64) []byte {
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(x))
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendString(b, s)
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendBytes(b, message)
}
