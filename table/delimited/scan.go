package delimited

import "bytes"

// records reads complete records from pos on, and returns the start of the first
// incomplete one.
func (r *Reader) records(b *Batch, pos int) int {
	r.lastEOL = -1
	for pos < len(b.buf) {
		next, ok := r.lineOrRecord(b, pos)
		if !ok {
			break
		}
		pos = next
	}
	return pos
}

// lineOrRecord passes over a blank line or a comment, or reads one record.
func (r *Reader) lineOrRecord(b *Batch, pos int) (next int, ok bool) {
	c := b.buf[pos]
	switch c {
	case '\xef': // files that were put together have their marks inside
		if rest := b.buf[pos:]; bytes.HasPrefix(rest, mark) {
			pos += len(mark)
			if pos == len(b.buf) {
				return pos, true
			}
			c = b.buf[pos]
		} else if len(rest) < len(mark) && !r.eof {
			return pos, false
		}
	case dosEnd:
		if len(bytes.TrimRight(b.buf[pos:], "\r\n")) == 1 {
			return len(b.buf), r.eof
		}
	}
	if c == ' ' && r.d.Delimiter != " " {
		if q := blanks(b.buf, pos); q < len(b.buf) && (b.buf[q] == '\n' || b.buf[q] == '\r') {
			pos, c = q, b.buf[q]
		}
	}
	if c == '\n' || c == '\r' {
		next = pos + 1
		if c == '\r' {
			if next == len(b.buf) && !r.eof {
				return pos, false
			}
			if next < len(b.buf) && b.buf[next] == '\n' {
				next++
			}
		}
		if r.d.KeepBlank {
			b.rows = append(b.rows, row{first: uint32(len(b.fields)), end: uint32(len(b.fields)) + 1, line: uint32(r.line - b.base)})
			b.fields = append(b.fields, Field{uint32(pos), uint32(pos)})
		}
		r.line++
		r.apart = true
		return next, true
	}
	if r.d.Comment != "" && c == r.d.Comment[0] && bytes.HasPrefix(b.buf[pos:], []byte(r.d.Comment)) {
		end, next := eol(b.buf, pos)
		if !r.eof && next >= len(b.buf) && len(b.buf)-pos < maxRecord {
			return pos, false
		}
		r.comments.add(r.line, b.buf[pos:end])
		r.line++
		return next, true
	}
	if r.d.Rulers && ruling[c] {
		end, next := eol(b.buf, pos)
		if !r.eof && next >= len(b.buf) && len(b.buf)-pos < maxRecord {
			return pos, false
		}
		if IsRuler(b.buf[pos:end], r.d.Delimiter) {
			if r.index+int64(len(b.rows)) > int64(max(r.d.Heads, 1)) {
				r.drawn.add(r.line, bytes.ReplaceAll(b.buf[pos:end], []byte(FieldMark), []byte{' '}))
			}
			r.line++
			r.apart = true
			return next, true
		}
	}
	next, ok = r.record(b, pos)
	if ok && r.drawn.Count > 0 {
		r.rulers.join(&r.drawn)
	}
	if ok && r.d.Heads > 0 {
		r.heads = b.DropHead(r.heads, r.d.Heads)
	}
	return next, ok
}

// dosEnd ended files in DOS.
const dosEnd = 0x1a

var mark = []byte("\ufeff")

var ruling = [256]bool{'-': true, '=': true, '+': true, '|': true, ':': true, '_': true, ' ': true, '\t': true, 0x1f: true}

// IsRuler reports whether a line is a drawn line: three or more dashes, and only
// characters that go with them.
func IsRuler(line []byte, delim string) bool {
	run, most := 0, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		if !ruling[c] && (delim == "" || !bytes.HasPrefix(line[i:], []byte(delim))) {
			return false
		}
		run++
		if c != '-' && c != '=' {
			run = 0
		}
		most = max(most, run)
	}
	return most >= 3
}

// DropHead adds the last record to the heads, the n records that name the columns, or
// removes it if it repeats one of them.
func (b *Batch) DropHead(heads [][][]byte, n int) [][][]byte {
	i := len(b.rows) - 1
	rec := b.Record(i)
	if len(heads) < n {
		var head [][]byte
		for _, f := range rec {
			head = append(head, append([]byte(nil), b.Bytes(f)...))
		}
		return append(heads, head)
	}
	for _, head := range heads {
		if len(head) == len(rec) && b.equal(rec, head) {
			b.Repeats = append(b.Repeats, b.Line(i))
			b.fields = b.fields[:b.rows[i].first]
			b.rows = b.rows[:i]
			break
		}
	}
	return heads
}

func (b *Batch) equal(rec []Field, head [][]byte) bool {
	for j, f := range rec {
		if !bytes.EqualFold(b.Bytes(f), head[j]) {
			return false
		}
	}
	return true
}

// state is the result of reading one record.
type state struct {
	lines    int  // further physical lines of the record
	odd      bool // there was a quote in an unexpected position
	unclosed bool
}

// record reads one record. ok is false if the record does not end within the
// block and more text may follow.
func (r *Reader) record(b *Batch, pos int) (next int, ok bool) {
	first := len(b.fields)
	var st state
	p := pos
	for {
		end, more, ok := r.field(b, p, len(b.fields)-first, &st)
		if !ok {
			b.fields, b.fixes = b.fields[:first], b.fixes[:0]
			return pos, false
		}
		p = end
		if more && st.odd && st.lines > 0 && p-pos >= r.oddSpan {
			st.unclosed = true // each line's last quote opens a field that goes on in the next
		}
		if !more || st.unclosed {
			break
		}
	}
	mended := st.odd
	if st.unclosed && !r.eof {
		if end, _ := eol(b.buf, pos); end == len(b.buf) && len(b.buf)-pos < maxRecord {
			b.fields, b.fixes = b.fields[:first], b.fixes[:0]
			return pos, false
		}
	}
	wrong := r.d.Columns > 0 && len(b.fields)-first != r.d.Columns
	if st.unclosed || st.lines > 0 && (st.odd || wrong) || st.odd && wrong {
		if next, fits := r.tryLine(b, pos, first, st); fits {
			if st.odd && p-next > minOddSpan { // the next record would be read as far in vain
				r.oddSpan = max(minOddSpan, r.oddSpan/4)
			}
			p, mended, st.lines = next, true, 0
		}
	}
	if r.d.Columns > 2 && len(b.fields)-first == 1 && r.resplit(b, first) {
		mended = true
	}
	if len(b.fixes) > 0 {
		b.apply(r.d.Quote, r.d.Escape)
	}
	b.rows = append(b.rows, row{
		first: uint32(first), end: uint32(len(b.fields)),
		line: uint32(r.line - b.base), mended: mended, apart: r.apart,
	})
	r.apart = false
	r.line += int64(st.lines) + 1
	return p, true
}

// field reads the field at p, with index col in its record. It returns the start
// of the next field or record, and whether the record continues.
func (r *Reader) field(b *Batch, p, col int, st *state) (next int, more, ok bool) {
	buf := b.buf
	start := p
	if r.d.TrimSpace {
		for p < len(buf) && buf[p] == ' ' {
			p++
		}
	}
	if r.d.Quote != 0 && p < len(buf) && buf[p] == r.d.Quote {
		return r.quoted(b, p, st)
	}
	if !r.d.TrimSpace {
		p = start
	}
	escaped := false
	for {
		for p < len(buf) && !r.stop[buf[p]] {
			p++
		}
		if p >= len(buf) {
			if !r.eof {
				return 0, false, false
			}
			r.plain(b, start, p, escaped)
			return p, false, true
		}
		switch c := buf[p]; {
		case c == '\n':
			r.plain(b, start, p, escaped)
			return p + 1, false, true
		case c == '\r':
			if p+1 == len(buf) && !r.eof {
				return 0, false, false
			}
			if p+1 < len(buf) && buf[p+1] == '\n' {
				r.plain(b, start, p, escaped)
				return p + 2, false, true
			}
			// A lone CR ends a record unless the record is too short for that.
			if r.d.LoneCR || r.d.Columns == 0 || col+1 >= r.d.Columns {
				r.plain(b, start, p, escaped)
				return p + 1, false, true
			}
			p++
		case c == r.d.Escape && r.d.Escape != 0:
			if p+1 >= len(buf) && !r.eof {
				return 0, false, false
			}
			escaped = true
			p = min(p+2, len(buf))
		case r.isDelim(buf, p):
			r.plain(b, start, p, escaped)
			return p + len(r.d.Delimiter), true, true
		case r.multi && !r.eof && len(buf)-p < len(r.d.Delimiter):
			return 0, false, false
		default:
			p++
		}
	}
}

func (r *Reader) isDelim(buf []byte, p int) bool {
	if buf[p] != r.delim0 || r.d.Delimiter == "" {
		return false
	}
	return !r.multi || bytes.HasPrefix(buf[p:], []byte(r.d.Delimiter))
}

// plain adds an unquoted field.
func (r *Reader) plain(b *Batch, start, end int, escaped bool) {
	if r.d.TrimSpace {
		for start < end && b.buf[start] == ' ' {
			start++
		}
		for start < end && b.buf[end-1] == ' ' {
			end--
		}
	}
	f := Field{uint32(start), uint32(end)}
	switch {
	case escaped && string(b.buf[start:end]) == `\N`:
		// a missing value, whose name is not to be resolved
	case escaped:
		b.fixes = append(b.fixes, fix{field: uint32(len(b.fields)), plain: true})
		f.end |= quotedBit // \\N is text
	case start == end && r.d.EmptyText:
		f.end |= quotedBit
	}
	b.fields = append(b.fields, f)
}

// blanks returns the position of the first byte from p on that is not a space.
func blanks(buf []byte, p int) int {
	for p < len(buf) && buf[p] == ' ' {
		p++
	}
	return p
}
