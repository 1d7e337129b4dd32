package jsonrows

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// MaxKeys limits the different keys in the rows of a text: each becomes a column,
// and the engine is slow with more.
const MaxKeys = 5000

// Key is where a key of rows was first read.
type Key struct {
	Name string // its beginning
	Line int64
	hash uint64
}

// Keys are the different keys of rows, compared as engines do, which ignore case.
type Keys map[uint64]Key

// Add takes the keys of another file of the same table. A key that engines would
// take for another one is refused.
func (k Keys) Add(other Keys) *Error {
	for folded, key := range other {
		own, there := k[folded]
		if there && own.hash != key.hash {
			e := refusal(fmt.Sprintf("the key %q differs from %q of another file of the table in case only, and both would be the same column",
				key.Name, own.Name), key.Name, own.Name)
			e.Line = key.Line
			return e
		}
		k[folded] = key
	}
	return nil
}

// keys counts the different keys of rows, and notes their numbers.
type keys struct {
	seen    map[uint64]struct{} // their hashes, as they are written
	names   Keys
	last    []uint64 // those of the last row, which the next one mostly has, too
	numbers Numbers
	fault   *Error // a key that cannot be a column of its own; its line is not set
}

// add adds the keys and numbers of row number at, which ends in the given line,
// and returns how many keys there are so far.
func (k *keys) add(row []byte, at, line int64) int {
	depth, n, due := 0, 0, false // due: a text at this position is a key
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
				k.key(n, key, line)
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
func (k *keys) key(n int, key []byte, line int64) {
	hash := xxh3.Hash(key)
	if n < len(k.last) && k.last[n] == hash {
		return
	}
	k.last = append(k.last[:min(n, len(k.last))], hash)
	if _, ok := k.seen[hash]; ok {
		return
	}
	if k.seen == nil {
		k.seen, k.names = map[uint64]struct{}{}, Keys{}
	}
	k.seen[hash] = struct{}{}
	k.name(key, line)
}

// name adds a new key. It rejects keys that engines would confuse or rename,
// because their values would be lost silently.
func (k *keys) name(key []byte, line int64) {
	var text string
	if bytes.IndexByte(key, '\\') >= 0 && json.Unmarshal([]byte(`"`+string(key)+`"`), &text) == nil {
		key = []byte(text)
	}
	name := Key{Name: string(key[:min(len(key), maxNumber)]), Line: line, hash: xxh3.Hash(key)}
	folded := xxh3.Hash(lower(key))
	other, taken := k.names[folded]
	switch {
	case len(key) == 0:
		k.refuse("a key is empty, and cannot name a column", name.Name, "column_1")
	case bytes.IndexByte(key, 0) >= 0:
		k.refuse(fmt.Sprintf("the key %q has a zero byte, and cannot name a column", name.Name), name.Name, "column_1")
	case taken && other.hash != name.hash:
		k.refuse(fmt.Sprintf("the keys %q and %q differ only in case, and would be the same column", other.Name, name.Name), name.Name,
			name.Name+"_2")
	case !taken:
		k.names[folded] = name
	}
}

// refuse records the first fault.
func (k *keys) refuse(reason, from, to string) {
	if k.fault == nil {
		k.fault = refusal(reason, from, to)
	}
}

// refusal has the jq program that renames the key.
func refusal(reason, from, to string) *Error {
	e := &Error{Reason: reason}
	if len(from) < maxNumber && len(to) < maxNumber { // they are complete
		was, _ := json.Marshal(from) // a string always can
		is, _ := json.Marshal(to)
		e.Jq = fmt.Sprintf(".[%s] = .[%s] | del(.[%[2]s])", is, was)
	}
	return e
}

// lower is a key in the way in which engines compare names: ASCII alone has case.
func lower(key []byte) []byte {
	out := bytes.Clone(key)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}

// textEnd returns the end of the text that starts at i: its closing quote, or the
// end of row.
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

// tooManyKeys is the error for rows with too many keys, which are data rather
// than names.
func (r *Reader) tooManyKeys() *Error {
	return r.forAllRows(&Error{Reason: fmt.Sprintf("the rows have more than %d different keys, and each would be a column", MaxKeys),
		Jq: "to_entries[]"})
}

// forAllRows turns the jq program of an error from one for a single row into one for
// all rows.
func (r *Reader) forAllRows(e *Error) *Error {
	e.Line = r.line
	switch r.layout {
	case Array:
		e.Jq = ".[] | " + e.Jq
	case Features:
		e.Jq = ".features[].properties | " + e.Jq
	}
	return e
}
