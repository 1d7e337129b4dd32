package summary

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// order sorts keys and writes them as bytes.
type order[K comparable] struct {
	width   int
	sort    func(keys, scratch []K) // scratch has the same length
	compare func(a, b K) int
	put     func(dst []byte, k K) []byte
	get     func(src []byte) K
	desk    func(*buffers) *scratch[K]
}

var narrowOrder = &order[uint64]{
	width: 8, sort: sortNarrow, compare: cmp.Compare[uint64],
	put:  binary.LittleEndian.AppendUint64,
	get:  binary.LittleEndian.Uint64,
	desk: func(d *buffers) *scratch[uint64] { return &d.narrow },
}

var wideOrder = &order[wide]{
	width: 16, sort: func(keys, _ []wide) { slices.SortFunc(keys, compareWide) }, compare: compareWide,
	put: func(dst []byte, k wide) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, k.high), k.low)
	},
	get: func(src []byte) wide {
		return wide{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
	},
	desk: func(d *buffers) *scratch[wide] { return &d.wide },
}

func compareWide(a, b wide) int {
	if c := cmp.Compare(a.high, b.high); c != 0 {
		return c
	}
	return cmp.Compare(a.low, b.low)
}

// sortNarrow sorts by one byte after the other, the least significant first. It
// passes over bytes that are the same in all keys.
func sortNarrow(keys, scratch []uint64) {
	const few = 256 // keys that are sorted faster by comparing them
	if len(keys) < few {
		slices.Sort(keys)
		return
	}
	var counts [8][256]uint32
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k>>(8*b))]++
		}
	}
	from, to := keys, scratch
	for b := range counts {
		if counts[b][byte(keys[0]>>(8*b))] == uint32(len(keys)) {
			continue
		}
		at := uint32(0)
		var starts [256]uint32
		for v, n := range counts[b] {
			starts[v] = at
			at += n
		}
		for _, k := range from {
			v := byte(k >> (8 * b))
			to[starts[v]] = k
			starts[v]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
