package summary

import (
	"context"
	"math/rand/v2"
	"slices"
)

const (
	mostParts = 64 // into which too many keys are divided
	perPart   = 16 // keys of a sample for each part
)

// sorter sorts any number of keys and counts equal ones.
type sorter[K comparable] struct {
	*scratch[K]
	order *order[K]
	most  int64 // keys that are sorted at once
	yield func(k K, n int64)
}

// sort yields the n keys in from in their order, each once with its number. If
// they are too many, it puts them aside by range, and sorts one range after the
// other.
func (s *sorter[K]) sort(ctx context.Context, from *pieces, n int64) error {
	if n <= s.most {
		return s.atOnce(ctx, from, n)
	}
	cuts, err := s.cuts(ctx, from, n)
	if err != nil {
		return err
	}
	equal, parts, sizes := make([]int64, len(cuts)), make([]pieces, len(cuts)+1), make([]int64, len(cuts)+1)
	for i := range parts {
		parts[i] = pieces{spool: from.spool, size: partPiece}
	}
	err = eachKey(ctx, s.order, from, func(k K) error {
		i, found := slices.BinarySearchFunc(cuts, k, s.order.compare)
		if found {
			equal[i]++
			return nil
		}
		sizes[i]++
		return putKey(s.order, &parts[i], k)
	})
	if err != nil {
		return err
	}
	for i := range parts {
		if err := s.sort(ctx, &parts[i], sizes[i]); err != nil {
			return err
		}
		parts[i] = pieces{}
		if i < len(cuts) {
			s.yield(cuts[i], equal[i])
		}
	}
	return nil
}

func (s *sorter[K]) atOnce(ctx context.Context, from *pieces, n int64) error {
	s.room(n)
	err := eachKey(ctx, s.order, from, func(k K) error {
		s.keys = append(s.keys, k)
		return nil
	})
	if err != nil {
		return err
	}
	s.order.sort(s.keys, s.spare[:len(s.keys)])
	for i := 0; i < len(s.keys); {
		j := i + 1
		for j < len(s.keys) && s.keys[j] == s.keys[i] {
			j++
		}
		s.yield(s.keys[i], int64(j-i))
		i = j
	}
	return nil
}

// cuts returns keys that cut all keys into parts of about the same size. They are a
// random sample, so that a key that occurs very often is probably one of them.
func (s *sorter[K]) cuts(ctx context.Context, from *pieces, n int64) ([]K, error) {
	parts := min(mostParts, 2*n/s.most+1)
	step := max(n/(parts*perPart), 1)
	var sample []K
	next := rand.Int64N(step)
	err := from.eachPiece(ctx, func(values []byte) error {
		w := int64(s.order.width)
		count := int64(len(values)) / w
		for ; next < count; next += 1 + rand.Int64N(2*step) {
			sample = append(sample, s.order.get(values[next*w:]))
		}
		next -= count
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sample, s.order.compare)
	var cuts []K
	for i := range parts - 1 {
		cuts = append(cuts, sample[int64(len(sample))*(i+1)/parts])
	}
	return slices.Compact(cuts), nil
}

// eachKey calls f for all keys in from.
func eachKey[K comparable](ctx context.Context, o *order[K], from *pieces, f func(K) error) error {
	return from.eachPiece(ctx, func(values []byte) error {
		for ; len(values) > 0; values = values[o.width:] {
			if err := f(o.get(values)); err != nil {
				return err
			}
		}
		return nil
	})
}

// putKey adds a key to the pieces.
func putKey[K comparable](o *order[K], p *pieces, k K) error {
	p.buf = o.put(p.buf, k)
	if len(p.buf) < p.size {
		return nil
	}
	return p.flush()
}
