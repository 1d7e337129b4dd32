package parquetwriter

import (
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codec is how pages are compressed.
type Codec int64

// The codecs, by their numbers in the format.
const (
	uncompressed Codec = 0
	Snappy       Codec = 1
	Zstd         Codec = 6
)

// chunk is a column's part of a row group, ready to be written.
type chunk struct {
	codec       Codec
	body        []byte // pages and their headers
	dictSize    int    // of the page of the dictionary; 0: none
	raw         int    // size of the pages without compression
	encoding    int64
	rows, nulls int
	least, most []byte // as statistics say them; nil: unknown
}

// Kinds of page.
const (
	dataPage       = 0
	dictionaryPage = 2
)

// fill makes the pages: one of the dictionary, if there is one, and one of the
// values.
func (c *chunk) fill(s *scratch, l *leaf, v *validity, e encoded) {
	c.rows, c.nulls, c.encoding = v.rows, v.nulls, e.encoding
	s.page = append(v.appendLevels(s.page[:0]), e.values...)
	if c.pages(s, e); c.codec != uncompressed && len(c.body) > c.raw/100*97 {
		c.codec = uncompressed // spare readers the work
		c.pages(s, e)
	}
}

func (c *chunk) pages(s *scratch, e encoded) {
	c.body, c.dictSize, c.raw = c.body[:0], 0, 0
	if e.entries > 0 {
		c.page(s, dictionaryPage, e.dict, func(t *thrift) {
			t.structField(7, func() {
				t.number(1, tI32, int64(e.entries))
				t.number(2, tI32, plain)
			})
		})
		c.dictSize = len(c.body)
	}
	c.page(s, dataPage, s.page, func(t *thrift) {
		t.structField(5, func() {
			t.number(1, tI32, int64(c.rows))
			t.number(2, tI32, e.encoding)
			t.number(3, tI32, rle)
			t.number(4, tI32, rle)
		})
	})
}

// page appends a page behind its header.
func (c *chunk) page(s *scratch, kind int64, content []byte, header func(*thrift)) {
	packed := s.compress(content, c.codec)
	t := &thrift{buf: c.body}
	t.number(1, tI32, kind)
	t.number(2, tI32, int64(len(content)))
	t.number(3, tI32, int64(len(packed)))
	header(t)
	t.stop()
	c.raw += len(t.buf) - len(c.body) + len(content)
	c.body = append(t.buf, packed...)
}

// compress returns a page as it is to be written; it is valid until the next call.
func (s *scratch) compress(page []byte, codec Codec) []byte {
	switch codec {
	case Snappy:
		s.packed = slices.Grow(s.packed[:0], s2.MaxEncodedLen(len(page)))
		return s2.EncodeSnappy(s.packed[:cap(s.packed)], page)
	case Zstd:
		if s.zstd == nil {
			s.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
				zstd.WithEncoderCRC(false)) // these options are valid
		}
		s.packed = s.zstd.EncodeAll(page, s.packed[:0])
		return s.packed
	}
	return page
}

// metadata writes the chunk's part of the footer; start is where it lies.
func (c *chunk) metadata(t *thrift, l leaf, start int64) {
	t.number(2, tI64, start)
	t.structField(3, func() {
		t.number(1, tI32, l.kind)
		all := []int64{c.encoding, rle}
		if c.dictSize > 0 {
			all = append(all, plain)
		}
		t.list(2, tI32, len(all))
		for _, e := range all {
			t.value(e)
		}
		t.list(3, tBinary, 1)
		t.text([]byte(l.name))
		t.number(4, tI32, int64(c.codec))
		t.number(5, tI64, int64(c.rows))
		t.number(6, tI64, int64(c.raw))
		t.number(7, tI64, int64(len(c.body)))
		t.number(9, tI64, start+int64(c.dictSize))
		if c.dictSize > 0 {
			t.number(11, tI64, start)
		}
		t.structField(12, func() {
			t.number(3, tI64, int64(c.nulls))
			if c.least != nil {
				t.bytes(5, c.most)
				t.bytes(6, c.least)
				t.bool(7, true)
				t.bool(8, true)
			}
		})
	})
}
