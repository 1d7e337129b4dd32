package arrowjson

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// reach is how many bytes of a value are enough to see its first n characters.
func reach(n int) int { return n * utf8.UTFMax }

// bindStart returns a function that reads the start of a value without building
// all of it; nil if the values are not plain text or bytes, because other types
// are short or nested.
func bindStart(field arrow.Field, arr arrow.Array) func(dst []byte, i, n int) []byte {
	if ext, _ := extensionOf(field); ext.name != "" {
		return nil
	}
	switch a := arr.(type) {
	case array.StringLike:
		return func(dst []byte, i, n int) []byte {
			v := a.Value(i)
			return append(dst, v[:min(len(v), reach(n))]...)
		}
	case interface {
		arrow.Array
		Value(int) []byte
	}:
		return func(dst []byte, i, n int) []byte {
			v := a.Value(i)
			return base64.StdEncoding.AppendEncode(dst, v[:min(len(v), n)])
		}
	}
	return nil
}

// AppendStart is AppendText for the first n characters of value i; cut says that
// there are more. It does not copy the rest of a long text or blob.
func (c *Column) AppendStart(dst []byte, i, n int) (text []byte, kind Kind, cut bool) {
	from := len(dst)
	if c.start != nil && !c.arr.IsNull(i) {
		kind, dst = Text, c.start(dst, i, n+1)
	} else {
		c.scratch, kind = c.text(c.scratch[:0], i)
		dst = append(dst, c.scratch[:min(len(c.scratch), reach(n+1))]...)
		if cap(c.scratch) > keptScratch {
			c.scratch = nil
		}
	}
	end := from
	for range n {
		if end == len(dst) {
			return dst, kind, false
		}
		_, size := utf8.DecodeRune(dst[end:])
		end += size
	}
	return dst[:end], kind, end < len(dst)
}

// keptScratch is how much memory a column keeps between values, in bytes.
const keptScratch = 1 << 20
