package client

import (
	"bytes"
	"errors"
	"io"
)

// Limits of an answer that is held in memory. They allow a catalog of 100,000
// tables, but not a little JSON that would take a hundred times as much memory.
const (
	maxJSON    = 64 << 20
	maxObjects = 250_000
	maxValues  = 3_000_000
	maxDepth   = 1000
)

// errTooMuch is the error for an answer beyond these limits.
var errTooMuch = errors.New("its answer is larger than any of ours")

// boundedJSON passes on JSON and counts its contents. It fails as soon as there
// is too much, before anything is decoded.
type boundedJSON struct {
	r io.Reader

	size, objects, values, depth int
	text, escaped                bool // inside a string; after a backslash in it

	failed error // of the last Read; decoders may hide it
}

// Read implements io.Reader.
func (b *boundedJSON) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.size += n
	b.count(p[:n])
	if b.size > maxJSON || b.objects > maxObjects || b.values > maxValues || b.depth > maxDepth {
		n, err = 0, errTooMuch
	}
	b.failed = err
	return n, err
}

func (b *boundedJSON) count(p []byte) {
	for len(p) > 0 {
		if b.text {
			p = p[b.textEnd(p):]
			continue
		}
		switch p[0] {
		case '"':
			b.text = true
		case ',':
			b.values++
		case '{':
			b.objects++
			b.values++
			b.depth++
		case '[':
			b.values++
			b.depth++
		case '}', ']':
			b.depth--
		}
		p = p[1:]
	}
}

// textEnd returns how much of p belongs to the string that it starts in.
func (b *boundedJSON) textEnd(p []byte) int {
	if b.escaped {
		b.escaped = false
		return 1
	}
	at := bytes.IndexAny(p, `"\`)
	switch {
	case at < 0:
		return len(p)
	case p[at] == '"':
		b.text = false
	default:
		b.escaped = true
	}
	return at + 1
}
