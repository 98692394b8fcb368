// Package net is the file format of networks and of the state of their training: safetensors files
// of float32 tensors, with metadata and a checksum of the whole file.
//
// [WriteTensors] writes a file, [ReadTensors] reads it strictly, and [CopyTensors] copies the
// numbers into tensors of a network. [VariantOf] finds the variant of a file. Errors wrap
// [ErrDamaged] or [ErrForeign]. Packages nnue and net/train define what the tensors mean.
package net
