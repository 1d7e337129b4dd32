package client

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of an answer that is held in memory. A catalog of 100,000 tables fits;
// a few bytes of JSON that take a hundred times as many in memory do not.
const (
	maxJSON    = 64 << 20
	maxObjects = 250_000
	maxValues  = 3_000_000
	maxDepth   = 1000
)

// errTooMuch is the error of an answer beyond these bounds.
var errTooMuch = errors.New("its answer is larger than any of ours")

// boundedJSON passes JSON on and counts what it is made of. It fails as soon as
// that is too much, before anything is made of it.
type boundedJSON struct {
	r io.Reader

	size, objects, values, depth int
	text, escaped                bool // within a text, behind a backslash of it
}

// Read implements io.Reader.
func (b *boundedJSON) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.size += n
	b.count(p[:n])
	if b.size > maxJSON || b.objects > maxObjects || b.values > maxValues || b.depth > maxDepth {
		return n, errTooMuch
	}
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

// textEnd returns how much of p belongs to the text that it begins in.
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
