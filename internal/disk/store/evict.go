package store

import (
	"slices"
	"time"
)

// Item is what may be evicted.
type Item struct {
	Name  string
	Bytes int64
	Used  time.Time // those that were used longest ago go first
	Held  bool      // it counts, and stays
}

// Budget bounds what stays.
type Budget struct {
	Count int // 0: any number
	Bytes int64
}

func (b Budget) fits(count int, bytes int64) bool {
	return bytes <= b.Bytes && (b.Count == 0 || count <= b.Count)
}

// Evict calls remove, in the order of use, for items until the rest fits. One
// that remove reports as not gone still counts. It returns the bytes that stay.
func Evict(items []Item, budget Budget, remove func(Item) (gone bool, err error)) (left int64, err error) {
	count := len(items)
	for _, x := range items {
		left += x.Bytes
	}
	slices.SortStableFunc(items, func(a, b Item) int { return a.Used.Compare(b.Used) })
	for _, x := range items {
		if budget.fits(count, left) {
			break
		}
		if x.Held {
			continue
		}
		gone, err := remove(x)
		if err != nil {
			return left, err
		}
		if gone {
			count, left = count-1, left-x.Bytes
		}
	}
	return left, nil
}
