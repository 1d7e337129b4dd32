package parquetwriter

import "math/bits"

// table is an open hash table of values that have been seen, and their places in
// a dictionary.
type table struct {
	keys   []uint64 // values, or hashes of texts
	places []uint32 // one more than the place; 0: empty
	shift  int
	mask   int
}

// clear empties the table for at most n values.
func (t *table) clear(n int) {
	log := bits.Len(uint(2 * n))
	size := 1 << log
	if cap(t.keys) < size {
		t.keys, t.places = make([]uint64, size), make([]uint32, size)
	}
	t.keys, t.places = t.keys[:size], t.places[:size]
	clear(t.places)
	t.shift, t.mask = 64-log, size-1
}

// slot is where to begin to look for a hash.
func (t *table) slot(hash uint64) int { return int(hash >> t.shift) }
