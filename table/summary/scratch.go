package summary

// limits bound memory.
type limits struct {
	held  int   // bytes of values that wait for the turn of their column
	keys  int64 // that are sorted at once
	texts int   // that are counted at once
	bytes int   // of these
}

// buffers is memory that is used for one column after the other.
type buffers struct {
	narrow scratch[uint64]
	wide   scratch[wide]
	counts counts
}

// scratch is memory for keys to sort.
type scratch[K comparable] struct{ keys, spare []K }

// room makes room for n keys.
func (s *scratch[K]) room(n int64) {
	if int64(cap(s.keys)) < n {
		s.keys, s.spare = make([]K, 0, n), make([]K, n)
	}
	s.keys = s.keys[:0]
}
