package delimited

import "bytes"

// maxLiteral bounds the fields that are tried without their quotes.
const maxLiteral = 64

// tryLine parses the record at pos again as one physical line, in case a quote
// spans the line end only because it is broken. It keeps the new result if it has
// the right number of fields, or if the old one found no end at all.
func (r *Reader) tryLine(b *Batch, pos, first int, st state) (next int, fits bool) {
	end, next := eol(b.buf, pos)
	was := append([]Field(nil), b.fields[first:]...)
	fixes := append([]fix(nil), b.fixes...)
	read := func(eager bool, literal int) bool {
		b.fields, b.fixes = b.fields[:first], b.fixes[:0]
		r.splitLine(b, pos, end, eager, literal)
		return len(b.fields)-first == r.d.Columns
	}
	if read(false, -1) || read(true, -1) {
		return next, true
	}
	for i := range min(r.d.Columns, maxLiteral) {
		if read(false, i) {
			return next, true
		}
	}
	if st.unclosed {
		read(false, -1)
		return next, true
	}
	b.fields = append(b.fields[:first], was...)
	b.fixes = fixes
	return 0, false
}

// splitLine splits buf[p:end], one line, into fields. eager says that a quote
// closes its field if a delimiter follows, even if the quote is one of a pair. In
// field number literal, quotes are literal.
func (r *Reader) splitLine(b *Batch, p, end int, eager bool, literal int) {
	line := b.buf[:end]
	for n := 0; ; n++ {
		from := p
		for r.d.TrimSpace && p < end && line[p] == ' ' {
			p++
		}
		if p < end && line[p] == r.d.Quote && n != literal {
			if i, escaped := r.closeInLine(line, p+1, eager); i >= 0 {
				if escaped {
					b.fixes = append(b.fixes, fix{field: uint32(len(b.fields))})
				}
				b.fields = append(b.fields, Field{uint32(p + 1), uint32(i) | quotedBit})
				p = i + 1
				for p < end && !r.isDelim(line, p) {
					p++ // blanks, as closeInLine saw
				}
				if p >= end {
					return
				}
				p += len(r.d.Delimiter)
				continue
			}
		}
		p = from
		i := -1
		if r.d.Delimiter != "" {
			i = bytes.Index(line[p:], []byte(r.d.Delimiter))
		}
		if i < 0 {
			r.plain(b, p, end, false)
			return
		}
		r.plain(b, p, p+i, false)
		p += i + len(r.d.Delimiter)
	}
}

// closeInLine finds the quote that closes the field at p: the first unpaired
// quote before a delimiter or the line end, otherwise the first paired one. It
// returns -1 if there is none.
func (r *Reader) closeInLine(line []byte, p int, eager bool) (at int, escaped bool) {
	fallback := -1
	for q := p; q < len(line); q++ {
		if line[q] != r.d.Quote {
			continue
		}
		closes := r.closesInLine(line, q+1)
		if closes && fallback < 0 {
			fallback = q
		}
		if q+1 < len(line) && line[q+1] == r.d.Quote {
			escaped = true
			if r.closesInLine(line, q+2) && fallback < 0 {
				fallback = q + 1
				if eager {
					break
				}
			}
			q++
			continue
		}
		if closes {
			return q, escaped
		}
	}
	return fallback, escaped
}

func (r *Reader) closesInLine(line []byte, p int) bool {
	for p < len(line) && (line[p] == ' ' || line[p] == '\t') && !r.isDelim(line, p) {
		p++
	}
	return p >= len(line) || r.isDelim(line, p)
}

// resplit splits a record with a single field by another common delimiter, if
// that gives exactly the expected number of fields. Concatenated files have such
// records.
func (r *Reader) resplit(b *Batch, first int) bool {
	f := b.fields[first]
	if f.Quoted() || len(b.fixes) > 0 {
		return false
	}
	text := b.Bytes(f)
	for _, d := range []byte(",;\t|") {
		if bytes.Count(text, []byte{d}) != r.d.Columns-1 {
			continue
		}
		b.fields = b.fields[:first]
		p := f.start
		for {
			i := bytes.IndexByte(b.buf[p:f.end], d)
			if i < 0 {
				r.plain(b, int(p), int(f.end), false)
				return true
			}
			r.plain(b, int(p), int(p)+i, false)
			p += uint32(i) + 1
		}
	}
	return false
}
