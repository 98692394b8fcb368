// Package net is the container of networks and of the state of their training: safetensors files of float32 tensors, with
// metadata and a checksum of the whole.
//
// [WriteTensors] writes one, [ReadTensors] reads it strictly, [CopyTensors] takes its numbers over. [VariantOf] finds the
// variant that a file is for. Errors wrap [ErrDamaged] or [ErrForeign]. What the tensors mean is said by package nnue, whose
// networks are kept so, and by net/train.
package net
