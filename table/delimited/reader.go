package delimited

import (
	"bytes"
	"errors"
	"io"
)

const (
	// BlockSize is the approximate size of a batch's text, in bytes.
	BlockSize = 1 << 20
	// maxRecord is the maximum size of a record, in bytes. An open quote without
	// an end within that is treated as text.
	maxRecord = 16 << 20
	// minSpan is the minimum that maxRecord is reduced to in a file full of such
	// quotes, which would otherwise be read again and again.
	minSpan = 64 << 10
	// minOddSpan is the same for records of several lines with quotes in the wrong
	// place, which are read anew from each of these lines.
	minOddSpan = 1 << 10
)

// ErrTooLong means that a record without an open quote is too long. The file is
// probably not a text table.
var ErrTooLong = errors.New("a record is longer than 16 MiB")

// Reader splits a stream of UTF-8 text into records.
type Reader struct {
	src    io.Reader
	d      Dialect
	block  int
	delim0 byte
	multi  bool      // the delimiter has more than one byte
	stop   [256]bool // bytes that end a run of plain text
	span   int       // maximum distance to the end of an open quote
	carry  []byte    // the start of a record that the last block cut
	line   int64     // physical line of the next record
	index  int64     // index of the next record
	eof    bool
	begun  bool
	apart  bool // a blank or drawn line comes before the next record
	err    error
	heads  [][][]byte // the records that name the columns

	comments Passed
	rulers   Passed
	aligned  *aligner
	drawn    Passed // rulers that no record follows yet

	oddSpan int // the most of a record of several lines with a quote in the wrong place
	// lastClose caches the position of the last well-formed closing quote in the
	// line that ends at lastEOL, so that a line full of quotes takes linear time.
	lastEOL, lastClose int
}

// NewReader returns a reader of src with batches of about size bytes. The caller
// still owns src.
func NewReader(src io.Reader, d Dialect, size int) *Reader {
	aligned := &aligner{d: d}
	switch {
	case d.Ends != "":
		src = &endings{src: src, mark: []byte(d.Ends)}
	case d.Wrapped:
		src = newLineMapper(src, func(line []byte) []byte { return Unwrap(line, d.Quote) })
	case len(d.Cuts) > 0, d.Gap > 0:
		src = newLineMapper(src, aligned.split)
	}
	r := &Reader{src: src, aligned: aligned, d: d, block: size, span: maxRecord, oddSpan: maxRecord, line: 1}
	r.stop['\n'], r.stop['\r'] = true, true
	if d.Delimiter != "" {
		r.delim0 = d.Delimiter[0]
		r.multi = len(d.Delimiter) > 1
		r.stop[r.delim0] = true
	}
	if d.Escape != 0 {
		r.stop[d.Escape] = true
	}
	return r
}

// Next fills b with the next records. It returns io.EOF, and no records, at the
// end. b can be reused for each call, or be a new &Batch{}.
func (r *Reader) Next(b *Batch) error {
	if r.err != nil {
		return r.err
	}
	b.buf = append(b.buf[:0], r.carry...)
	r.carry = r.carry[:0]
	err := r.more(b, r.block)
	if err == nil && !r.begun {
		r.begun = true
		err = r.skip(b)
	}
	if err != nil {
		return r.fail(err)
	}
	b.reset(r.index, r.line)
	pos := 0
	for {
		pos = r.records(b, pos)
		if len(b.rows) > 0 || (r.eof && pos >= len(b.buf)) {
			break
		}
		// One record is longer than the block.
		if len(b.buf)-pos > 2*maxRecord {
			return r.fail(ErrTooLong)
		}
		if err := r.more(b, 2*len(b.buf)+1); err != nil {
			return r.fail(err)
		}
	}
	r.carry = append(r.carry, b.buf[pos:]...)
	if len(b.rows) == 0 {
		return r.fail(io.EOF)
	}
	r.index += int64(len(b.rows))
	return nil
}

// Comment is a line that is not a record.
type Comment struct {
	Line int64
	Text string // its start
}

// Passed are lines that need to be mentioned, such as those that are not records.
type Passed struct {
	Count int64
	First []Comment // the first of them
}

const (
	maxComments = 10  // maximum number of comments to keep
	maxComment  = 200 // bytes of one
)

// Comments returns the comments skipped so far, except those before the first
// record. Call it between two calls of Next.
func (r *Reader) Comments() Passed { return r.comments }

// Rulers is Comments for lines that are drawn between two records of data.
func (r *Reader) Rulers() Passed { return r.rulers }

// Crossed are the lines with text across the start of a fixed-width column that were
// split at other places. Call it after the last call of Next.
func (r *Reader) Crossed() Passed { return r.aligned.crossed }

func (p *Passed) add(line int64, text []byte) {
	if p.Count++; len(p.First) < maxComments {
		p.First = append(p.First, Comment{line, string(text[:min(len(text), maxComment)])})
	}
}

// join moves the lines of other behind those of p.
func (p *Passed) join(other *Passed) {
	p.Count += other.Count
	p.First = append(p.First, other.First[:min(len(other.First), maxComments-len(p.First))]...)
	*other = Passed{First: other.First[:0]}
}

// Line returns the physical line of the next record.
func (r *Reader) Line() int64 { return r.line }

func (r *Reader) fail(err error) error {
	r.err = err
	return err
}

// more appends to b from the stream until it has at least want bytes.
func (r *Reader) more(b *Batch, want int) error {
	if cap(b.buf) < want {
		b.buf = append(make([]byte, 0, want), b.buf...)
	}
	for idle := 0; len(b.buf) < want && !r.eof; {
		n, err := r.src.Read(b.buf[len(b.buf):want])
		b.buf = b.buf[:len(b.buf)+n]
		if idle++; n > 0 {
			idle = 0
		}
		switch {
		case err == io.EOF:
			r.eof = true
		case err != nil:
			return err
		case idle > 100:
			return io.ErrNoProgress
		}
	}
	return nil
}

// skip drops the lines before the first record.
func (r *Reader) skip(b *Batch) error {
	for n := r.d.Skip; n > 0; n-- {
		end, next := eol(b.buf, 0)
		for end == len(b.buf) && !r.eof {
			if len(b.buf) > maxRecord {
				return ErrTooLong
			}
			if err := r.more(b, 2*len(b.buf)+1); err != nil {
				return err
			}
			end, next = eol(b.buf, 0)
		}
		b.buf = b.buf[next:]
		r.line++
	}
	return r.more(b, r.block)
}

// eol returns where the line that starts at p ends, and where the next starts.
func eol(buf []byte, p int) (end, next int) {
	line := buf[p:]
	i := bytes.IndexByte(line, '\n')
	if i >= 0 {
		line = line[:i]
	}
	if j := bytes.IndexByte(line, '\r'); j >= 0 {
		if j == i-1 {
			return p + j, p + j + 2
		}
		return p + j, p + j + 1
	}
	if i < 0 {
		return len(buf), len(buf)
	}
	return p + i, p + i + 1
}
