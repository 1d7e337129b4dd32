package jsonrows

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"
)

// MaxKeys is how many different keys the rows of a text may have: each is a
// column, and the engine takes long for tables of more.
const MaxKeys = 5000

// keys counts the different keys of rows, and notes their numbers.
type keys struct {
	seen    map[uint64]struct{} // their hashes
	last    []uint64            // those of the last row, which the next one mostly has, too
	numbers Numbers
}

// add takes the keys and numbers of a row, whose number is at, and returns how
// many keys there are by now.
func (k *keys) add(row []byte, at int64) int {
	depth, n, due := 0, 0, false // due: a text at this place is a key
	var key []byte
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '{', '[':
			depth++
			due = depth == 1
		case '}', ']':
			depth--
		case ',':
			due = depth == 1
		case '"':
			end := textEnd(row, i+1)
			if due {
				key = row[i+1 : end]
				k.key(n, xxh3.Hash(key))
				n++
			}
			i, due = end, false
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end, doubtful := numberEnd(row, i)
			if doubtful {
				k.numbers.take(at, key, row[i:end], depth > 1)
			}
			i = end - 1
		}
	}
	return len(k.seen)
}

// key takes the n-th key of a row.
func (k *keys) key(n int, hash uint64) {
	if n < len(k.last) && k.last[n] == hash {
		return
	}
	k.last = append(k.last[:min(n, len(k.last))], hash)
	if k.seen == nil {
		k.seen = map[uint64]struct{}{}
	}
	k.seen[hash] = struct{}{}
}

// textEnd returns where the text that begins at i ends: at its quote, or with row.
func textEnd(row []byte, i int) int {
	for i < len(row) {
		j := bytes.IndexByte(row[i:], '"')
		if j < 0 {
			break
		}
		i += j
		back := i
		for back > 0 && row[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i
		}
		i++
	}
	return len(row)
}

// tooManyKeys refuses a text whose rows have too many keys, which are data
// rather than names.
func (r *Reader) tooManyKeys() *Error {
	e := &Error{Line: r.line, Reason: fmt.Sprintf("the rows have more than %d different keys, and each would be a column", MaxKeys), Jq: "to_entries[]"}
	switch r.layout {
	case Array:
		e.Jq = ".[] | " + e.Jq
	case Features:
		e.Jq = ".features[].properties | " + e.Jq
	}
	return e
}
