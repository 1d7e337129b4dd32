package summary

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"unicode/utf8"
)

// counts is a hash table of texts and how often they occur. Its hash depends on
// the process, so that no file can be made in which all texts collide.
type counts struct {
	limits *limits
	seed   maphash.Seed
	seeded bool
	slots  []uint32 // 1 and the index of an entry, or 0
	all    []entry
	bytes  []byte // all texts one behind the other
}

type entry struct {
	hash       uint64
	n          int64
	at, length uint32 // of its text; less than 4 GB are in the table
}

func (c *counts) hash(v []byte) uint64 {
	if !c.seeded {
		c.seed, c.seeded = maphash.MakeSeed(), true
	}
	return maphash.Bytes(c.seed, v)
}

// add counts a text. It reports false if the text is new and there is no room.
func (c *counts) add(v []byte, hash uint64) bool {
	if 2*len(c.all) >= len(c.slots) {
		c.grow()
	}
	mask := uint64(len(c.slots) - 1)
	at := hash & mask
	for c.slots[at] != 0 {
		if e := &c.all[c.slots[at]-1]; e.hash == hash && bytes.Equal(c.text(e), v) {
			e.n++
			return true
		}
		at = (at + 1) & mask
	}
	if n := len(c.all); n > 0 && (n >= c.limits.texts || len(c.bytes)+len(v) > c.limits.bytes) {
		return false
	}
	c.all = append(c.all, entry{hash, 1, uint32(len(c.bytes)), uint32(len(v))})
	c.bytes = append(c.bytes, v...)
	c.slots[at] = uint32(len(c.all))
	return true
}

func (c *counts) text(e *entry) []byte { return c.bytes[e.at : e.at+e.length] }

// grow makes twice as many slots.
func (c *counts) grow() {
	const first = 1 << 10
	c.slots = make([]uint32, max(first, 2*len(c.slots)))
	mask := uint64(len(c.slots) - 1)
	for i := range c.all {
		at := c.all[i].hash & mask
		for c.slots[at] != 0 {
			at = (at + 1) & mask
		}
		c.slots[at] = uint32(i + 1)
	}
}

// drain passes on all texts and empties the table.
func (c *counts) drain(r *found) {
	for i := range c.all {
		r.take(c.text(&c.all[i]), c.all[i].n)
	}
	clear(c.slots)
	c.all, c.bytes = c.all[:0], c.bytes[:0]
}

// found has the figures of the texts that have been counted so far.
type found struct {
	plain    bool
	distinct int64
	text     Text
}

// take takes a text that occurs n times in all.
func (r *found) take(v []byte, n int64) {
	r.distinct++
	if !r.plain {
		return
	}
	length := int64(utf8.RuneCount(v))
	if r.distinct == 1 || length < r.text.Shortest {
		r.text.Shortest = length
	}
	r.text.Longest = max(r.text.Longest, length)
	common := r.text.Common
	if len(common) == MostCommon {
		if last := common[MostCommon-1]; n < last.Count || n == last.Count && bytes.Compare(v, last.Text) > 0 {
			return
		}
		common = common[:MostCommon-1]
	}
	this := Common{bytes.Clone(v), n}
	at, _ := slices.BinarySearchFunc(common, this, func(a, b Common) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), bytes.Compare(a.Text, b.Text))
	})
	r.text.Common = slices.Insert(common, at, this)
}
