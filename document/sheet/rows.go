package sheet

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// Limits on the parts of a sheet that are in memory at the same time.
const (
	maxRowBytes   = 64 << 20
	maxFrameBytes = 64 << 20
	// maxSheetBytes is the maximum uncompressed size of a sheet. Larger sheets
	// would only cost time, but no real sheet is that large.
	maxSheetBytes = 4 << 30
)

// rowStream splits the XML of a sheet into the part before its rows, the rows,
// and the part after them.
type rowStream struct {
	r    io.Reader
	part string
	buf  []byte // bytes that have been read but not consumed
	room []byte // what buf is in
	read int64
	end  bool // of r
	err  error
}

func newRowStream(part string, r io.Reader) *rowStream { return &rowStream{part: part, r: r} }

// fill reads more; it returns false at the end.
func (s *rowStream) fill(limit int) bool {
	if s.end || s.err != nil {
		return false
	}
	if len(s.buf) > limit {
		s.err = ooxml.TooLarge(s.part, "a row, or what is around the rows, has more than %d MB", limit>>20)
		return false
	}
	const least = 256 << 10
	chunk := min(max(least, len(s.buf)), limit-len(s.buf)+least) // twice as much each time, since a row is looked at from its beginning
	if len(s.room) < len(s.buf)+chunk {
		s.room = make([]byte, 2*len(s.buf)+2*chunk)
	}
	s.buf = s.room[:copy(s.room, s.buf)]
	n, err := io.ReadFull(s.r, s.room[len(s.buf):][:chunk])
	s.buf = s.room[:len(s.buf)+n]
	if s.read += int64(n); s.read > maxSheetBytes {
		s.err = ooxml.TooLarge(s.part, "the sheet unpacks to more than %d GB", maxSheetBytes>>30)
		return false
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.end = true
	} else if err != nil {
		s.err = ooxml.Damaged(s.part, "it cannot be unpacked: %v", err)
	}
	return n > 0
}

// head takes everything up to and with the start tag of the rows' element. The tag
// is the last len(tag) bytes of it.
func (s *rowStream) head() (head []byte, tag ooxml.Tag, err error) {
	for at := 0; ; {
		next := bytes.IndexByte(s.buf[at:], '<')
		if next >= 0 {
			at += next
			if n, ok := ooxml.TagAt(s.buf[at:]); ok {
				at += len(n)
				if n[1] != '!' && n[1] != '?' && n[1] != '/' && n.Name() == "sheetData" {
					head = bytes.Clone(s.buf[:at])
					s.buf = s.buf[at:]
					return head, head[len(head)-len(n):], nil
				}
				continue
			}
		}
		if !s.fill(maxFrameBytes) {
			return nil, nil, s.failed("it has no rows' element")
		}
	}
}

func (s *rowStream) failed(why string) error {
	if s.err != nil {
		return s.err
	}
	return ooxml.Damaged(s.part, "%s", why)
}

// row is one row of a sheet.
type row struct {
	number int
	raw    []byte
}

// rows iterates over the rows; the bytes of a row are valid until the next row.
// What follows the last row, beginning with the end tag of the rows' element,
// stays in buf. An error is stored in err.
func (s *rowStream) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for last := 0; ; {
			raw, ok := s.next()
			if !ok {
				return
			}
			tag, _ := ooxml.TagAt(raw)
			number := last + 1
			if r := tag.Get("r"); r != "" {
				var err error
				if number, err = strconv.Atoi(r); err != nil || number <= last || number > xlsx.MaxRows {
					s.err = ooxml.Damaged(s.part, "row %.20q follows row %d", r, last)
					return
				}
			}
			last = number
			if !yield(row{number, raw}) {
				return
			}
		}
	}
}

// next takes the next row.
func (s *rowStream) next() ([]byte, bool) {
	for {
		at := bytes.IndexByte(s.buf, '<')
		if at >= 0 && at+1 < len(s.buf) {
			if s.buf[at+1] == '/' {
				s.buf = s.buf[at:]
				return nil, false
			}
			if n, ok := ooxml.FlatLength(s.buf[at:]); ok {
				raw := s.buf[at : at+n]
				s.buf = s.buf[at+n:]
				if raw[1] == '!' || raw[1] == '?' {
					continue // remarks between rows mean nothing
				}
				return raw, true
			}
		}
		if !s.fill(maxRowBytes) {
			s.err = s.failed("the rows end early")
			return nil, false
		}
	}
}

// tail returns the part after the rows.
func (s *rowStream) tail() ([]byte, error) {
	for s.err == nil && s.fill(maxFrameBytes) {
	}
	return s.buf, s.err
}

// rowCell is one cell of a row.
type rowCell struct {
	col int
	tag ooxml.Tag
	raw []byte // the complete element
}

// split divides a row into its tag and its cells.
func (r row) split(part string) (tag ooxml.Tag, cells []rowCell, err error) {
	tag, _ = ooxml.TagAt(r.raw)
	if tag.Empty() {
		return tag, nil, nil
	}
	last := 0
	cells = make([]rowCell, 0, 1+len(r.raw)/40)
	for at := len(tag); ; {
		next := bytes.IndexByte(r.raw[at:], '<')
		if at += next; next < 0 || r.raw[at+1] == '/' {
			return tag, cells, nil
		}
		n, ok := ooxml.FlatLength(r.raw[at:])
		if !ok {
			return nil, nil, ooxml.Damaged(part, "row %d ends early", r.number)
		}
		c := rowCell{raw: r.raw[at : at+n : at+n]}
		at += n
		if c.tag, _ = ooxml.TagAt(c.raw); c.raw[1] == '!' || c.raw[1] == '?' || c.tag.Name() != "c" {
			continue
		}
		c.col = last + 1
		if ref := c.tag.Raw("r"); ref != nil {
			if c.col = columnOf(ref); c.col <= last || c.col > xlsx.MaxColumns {
				return nil, nil, ooxml.Damaged(part, "row %d: the cell %.20q is not where it may be", r.number, ref)
			}
		}
		if last = c.col; last > xlsx.MaxColumns {
			return nil, nil, ooxml.Damaged(part, "row %d has more than %d cells", r.number, xlsx.MaxColumns)
		}
		cells = append(cells, c)
	}
}

// child returns the first element with that name in a cell, with its tag; nil if
// there is none.
func (c rowCell) child(name string) (tag ooxml.Tag, inner []byte) {
	if c.tag.Empty() {
		return nil, nil
	}
	for at := len(c.tag); at < len(c.raw); {
		next := bytes.IndexByte(c.raw[at:], '<')
		if at += next; next < 0 || c.raw[at+1] == '/' {
			return nil, nil
		}
		n, ok := ooxml.ElementLength(c.raw[at:])
		if !ok {
			return nil, nil
		}
		tag, _ := ooxml.TagAt(c.raw[at:])
		if c.raw[at+1] != '!' && c.raw[at+1] != '?' && tag.Name() == name {
			if tag.Empty() {
				return tag, nil
			}
			return tag, c.raw[at+len(tag) : at+bytes.LastIndexByte(c.raw[at:at+n], '<')]
		}
		at += n
	}
	return nil, nil
}

// columnOf returns the column in the name of a cell, or 0 if there is none.
func columnOf(ref []byte) (col int) {
	for i := 0; i < len(ref) && col <= xlsx.MaxColumns; i++ {
		l := ref[i] | 0x20
		if l < 'a' || l > 'z' {
			break
		}
		col = col*26 + int(l-'a') + 1
	}
	return col
}
