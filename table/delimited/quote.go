package delimited

import "bytes"

// quoted reads the field whose opening quote is at p.
func (r *Reader) quoted(b *Batch, p int, st *state) (next int, more, ok bool) {
	buf, quote := b.buf, r.d.Quote
	start := p + 1
	q := start
	escaped := false
	for {
		i := r.nextQuote(buf, q, &escaped)
		if i < 0 {
			switch {
			case len(buf)-p >= r.span:
				r.span = max(minSpan, r.span/4)
			case !r.eof:
				return 0, false, false
			}
			r.addQuoted(b, start, len(buf), escaped, st)
			st.unclosed = true
			return len(buf), false, true
		}
		if i+1 == len(buf) {
			if !r.eof {
				return 0, false, false
			}
			r.addQuoted(b, start, i, escaped, st)
			return len(buf), false, true
		}
		if buf[i+1] == quote {
			escaped = true
			q = i + 2
			continue
		}
		next, more, closes, known := r.closing(buf, i+1)
		if !known {
			return 0, false, false
		}
		if closes {
			r.addQuoted(b, start, i, escaped, st)
			return next, more, true
		}
		st.odd = true
		last, known := r.lastCloseOfLine(buf, i)
		if !known {
			return 0, false, false
		}
		if last > i {
			q = i + 1 // an undoubled quote inside the text
			continue
		}
		return r.tail(b, start, i, escaped, st)
	}
}

// nextQuote finds the next quote that no escape byte precedes, or returns -1.
func (r *Reader) nextQuote(buf []byte, q int, escaped *bool) int {
	if r.d.Escape == 0 || r.d.Escape == r.d.Quote {
		if q > len(buf) {
			return -1
		}
		i := bytes.IndexByte(buf[q:], r.d.Quote)
		if i < 0 {
			return -1
		}
		return q + i
	}
	for ; q < len(buf); q++ {
		switch buf[q] {
		case r.d.Escape:
			*escaped = true
			q++
		case r.d.Quote:
			return q
		}
	}
	return -1
}

// closing examines the text after a quote: blanks followed by a delimiter or the
// line end close the field. known is false if the block ends before that is
// clear.
func (r *Reader) closing(buf []byte, p int) (next int, more, closes, known bool) {
	for p < len(buf) && (buf[p] == ' ' || buf[p] == '\t') && !r.isDelim(buf, p) {
		p++
	}
	if p >= len(buf) {
		return p, false, r.eof, r.eof
	}
	switch {
	case buf[p] == '\n':
		return p + 1, false, true, true
	case buf[p] == '\r':
		if p+1 == len(buf) && !r.eof {
			return p, false, false, false
		}
		if p+1 < len(buf) && buf[p+1] == '\n' {
			p++
		}
		return p + 1, false, true, true
	case r.isDelim(buf, p):
		return p + len(r.d.Delimiter), true, true, true
	case r.multi && !r.eof && len(buf)-p < len(r.d.Delimiter):
		return p, false, false, false
	}
	return p, false, false, true
}

// lastCloseOfLine returns the position of the last quote on the line of p that
// a delimiter or the line's end follows, or -1.
func (r *Reader) lastCloseOfLine(buf []byte, p int) (pos int, known bool) {
	if p < r.lastEOL {
		return r.lastClose, true
	}
	end, _ := eol(buf, p)
	if end == len(buf) && !r.eof && len(buf)-p < r.span {
		return 0, false
	}
	r.lastEOL, r.lastClose = end, -1
	for i := end - 1; i >= p; i-- {
		if buf[i] != r.d.Quote {
			continue
		}
		if r.closesInLine(buf[:end], i+1) {
			r.lastClose = i
			break
		}
	}
	return r.lastClose, true
}

// tail reads `"abc"def` as abcdef: the quote at i closed the quoted part, and
// plain text follows up to the delimiter.
func (r *Reader) tail(b *Batch, start, i int, escaped bool, st *state) (next int, more, ok bool) {
	buf := b.buf
	p := i + 1
	for p < len(buf) && buf[p] != '\n' && buf[p] != '\r' && !r.isDelim(buf, p) {
		p++
	}
	if p >= len(buf) && !r.eof {
		return 0, false, false
	}
	r.addQuoted(b, start, p, escaped, st)
	b.fixes = append(b.fixes, fix{field: uint32(len(b.fields) - 1), at: uint32(i)})
	if escaped { // escapes last: taking a byte out needs its old place
		n := len(b.fixes)
		b.fixes[n-1], b.fixes[n-2] = b.fixes[n-2], b.fixes[n-1]
	}
	next, more, _, _ = r.closing(buf, p)
	return next, more, true
}

func (r *Reader) addQuoted(b *Batch, start, end int, escaped bool, st *state) {
	if escaped {
		b.fixes = append(b.fixes, fix{field: uint32(len(b.fields))})
	}
	b.fields = append(b.fields, Field{uint32(start), uint32(end) | quotedBit})
	st.lines += countLines(b.buf[start:end])
}

// countLines counts line ends: LF, CR LF and lone CR.
func countLines(s []byte) int {
	n := bytes.Count(s, []byte{'\n'})
	for {
		i := bytes.IndexByte(s, '\r')
		if i < 0 {
			return n
		}
		if i+1 >= len(s) || s[i+1] != '\n' {
			n++
		}
		s = s[i+1:]
	}
}
