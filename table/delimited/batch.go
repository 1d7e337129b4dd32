package delimited

// quotedBit marks in Field.end that the field was quoted.
const quotedBit = 1 << 31

// Field locates one field inside its batch.
type Field struct {
	start, end uint32
}

// Quoted reports whether the field was in quotes, which distinguishes an empty
// string from a missing value.
func (f Field) Quoted() bool { return f.end&quotedBit != 0 }

// Empty reports whether the field has no bytes.
func (f Field) Empty() bool { return f.start == f.end&^quotedBit }

// row is one record of a batch.
type row struct {
	first, end uint32 // fields[first:end]
	line       uint32 // physical line, counted from the batch's base
	mended     bool
	apart      bool // a blank or drawn line comes before it
}

// Batch is a run of consecutive records. It owns its bytes: they stay valid
// until the batch is given to Reader.Next again.
type Batch struct {
	// First is the index of the batch's first record in the file, from 0.
	First int64
	// Repeats are the lines that repeated the header and were left out.
	Repeats []int64

	buf    []byte
	fields []Field
	rows   []row
	base   int64 // physical line that row.line counts from
	fixes  []fix
}

// Len returns the number of records.
func (b *Batch) Len() int { return len(b.rows) }

// Record returns the fields of record i; the slice belongs to the batch.
func (b *Batch) Record(i int) []Field {
	r := b.rows[i]
	return b.fields[r.first:r.end:r.end]
}

// Bytes returns the text of a field; the slice belongs to the batch.
func (b *Batch) Bytes(f Field) []byte {
	e := f.end &^ quotedBit
	return b.buf[f.start:e:e]
}

// Line returns the physical line, from 1, on which record i starts.
func (b *Batch) Line(i int) int64 { return b.base + int64(b.rows[i].line) }

// Mended reports whether broken quoting was mended in record i.
func (b *Batch) Mended(i int) bool { return b.rows[i].mended }

// Apart reports whether a blank or drawn line comes before record i.
func (b *Batch) Apart(i int) bool { return b.rows[i].apart }

// Strings copies record i out of the batch.
func (b *Batch) Strings(i int) []string {
	rec := b.Record(i)
	out := make([]string, len(rec))
	for j, f := range rec {
		out[j] = string(b.Bytes(f))
	}
	return out
}

func (b *Batch) reset(first, line int64) {
	b.First, b.base = first, line
	b.fields, b.rows, b.fixes, b.Repeats = b.fields[:0], b.rows[:0], b.fixes[:0], b.Repeats[:0]
}

// fix is an edit to apply once a record is known to be complete, because an
// incomplete record is read again from its first byte.
type fix struct {
	field uint32
	at    uint32 // the byte to remove; 0 for all escapes of the field
	plain bool   // the field is not within quotes: those in it stand for themselves
}

// apply applies the edits of one record in place: every edit shortens a field.
func (b *Batch) apply(quote, escape byte) {
	for _, x := range b.fixes {
		f := &b.fields[x.field]
		if x.at != 0 {
			copy(b.buf[f.start+1:x.at+1], b.buf[f.start:x.at])
			f.start++
			continue
		}
		mark := f.end & quotedBit
		n := unescape(b.buf[f.start:f.end&^quotedBit], quote, escape, !x.plain)
		f.end = (f.start + uint32(n)) | mark
	}
	b.fixes = b.fixes[:0]
}

// control returns the character for a letter after a backslash.
func control(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	}
	return c
}

// isWordByte reports whether a byte is part of a letter or a digit: before those,
// outside of dumps, a backslash is text.
func isWordByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9 || c >= 0x80 }

// unescape rewrites s in place and returns its new length.
func unescape(s []byte, quote, escape byte, quoted bool) int {
	w := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case escape != 0 && c == escape && i+1 < len(s) && (quote == 0 || !isWordByte(s[i+1])):
			i++
			c = s[i]
			if quote == 0 {
				c = control(c)
			}
		case quoted && quote != 0 && c == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		}
		s[w] = c
		w++
	}
	return w
}

// Reset empties the batch for a caller that fills it itself, such as readers of
// other formats; first is the index of its first record.
func (b *Batch) Reset(first int64) {
	b.buf = b.buf[:0]
	b.reset(first, 0)
}

// ResetAt is Reset for a batch whose lines are counted from line.
func (b *Batch) ResetAt(first, line int64) {
	b.buf = b.buf[:0]
	b.reset(first, line)
}

// Append adds a field to the record under construction.
func (b *Batch) Append(text []byte, quoted bool) {
	start := uint32(len(b.buf))
	b.buf = append(b.buf, text...)
	f := Field{start, uint32(len(b.buf))}
	if quoted {
		f.end |= quotedBit
	}
	b.fields = append(b.fields, f)
}

// EndRecord closes the record under construction, which starts on the given
// line.
func (b *Batch) EndRecord(line int64) {
	first := uint32(0)
	if n := len(b.rows); n > 0 {
		first = b.rows[n-1].end
	}
	b.rows = append(b.rows, row{first: first, end: uint32(len(b.fields)), line: uint32(line - b.base)})
}

// Size returns the bytes of text in the batch.
func (b *Batch) Size() int { return len(b.buf) }

// Fields returns the number of fields in the batch.
func (b *Batch) Fields() int { return len(b.fields) }

// Undo drops the fields of the record under construction.
func (b *Batch) Undo() {
	n := uint32(0)
	if k := len(b.rows); k > 0 {
		n = b.rows[k-1].end
	}
	b.fields = b.fields[:n]
}
