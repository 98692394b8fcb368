//go:build !purego

package simd

func (n *SparseNet) output(inputs []uint16, weights []int16) int32 {
	if len(inputs) == 0 {
		return sparseAVX2(&n.rows[0], nil, 0, &n.bias[0], &weights[0], n.width/SparseLanes, 2*n.width)
	}
	_ = n.rows[int(inputs[len(inputs)-1])*n.width]
	return sparseAVX2(&n.rows[0], &inputs[0], len(inputs), &n.bias[0], &weights[0], n.width/SparseLanes, 2*n.width)
}
