package jsonrows

import (
	"bytes"
	"encoding/json"
)

const tooDeep = "values are nested more than 500 levels deep"

// marks are the bytes at which value and text stop; all others are skipped.
var marks, textMarks = setOf("\"[]{},\n\r"), setOf("\"\\\n")

func setOf(chars string) (set [256]bool) {
	for i := range chars {
		set[chars[i]] = true
	}
	return set
}

// value reads one value of any kind and returns its position in buf, without
// surrounding blanks. Line ends in it become blanks.
func (r *Reader) value() (from, until int, err error) {
	if _, err := r.peek(); err != nil {
		return 0, 0, r.unclosed(err, "a value is due")
	}
	depth, i := 0, 0
	for {
		if i, err = r.skip(i, &marks); err != nil {
			if depth == 0 && i > 0 && r.eof {
				return r.take(i) // the text ends with a number
			}
			return 0, 0, r.unclosed(err, "an object or a list is not closed")
		}
		switch c := r.buf[r.pos+i]; c {
		case '"':
			if i, err = r.text(i); err != nil {
				return 0, 0, err
			}
		case '[', '{':
			if depth++; depth > MaxDepth {
				return 0, 0, r.fault(tooDeep)
			}
		case ']', '}', ',':
			if depth == 0 {
				return r.take(i) // this byte belongs to the enclosing value
			}
			if c != ',' {
				depth--
			}
		case '\n':
			r.line++
			r.buf[r.pos+i] = ' '
		case '\r':
			r.buf[r.pos+i] = ' '
		}
		end := r.buf[r.pos+i]
		if i++; depth == 0 && (end == ']' || end == '}' || end == '"') {
			return r.take(i)
		}
	}
}

// text skips a string that starts i bytes after pos, and returns the position of
// its closing quote.
func (r *Reader) text(i int) (int, error) {
	for {
		var err error
		if i, err = r.skip(i+1, &textMarks); err != nil {
			return i, r.unclosed(err, "a text is not closed")
		}
		switch r.buf[r.pos+i] {
		case '"':
			return i, nil
		case '\\':
			i++
		case '\n':
			return i, r.fault("a text is not closed in its line")
		}
	}
}

// skip skips bytes that are not in the set, from i bytes after pos on.
func (r *Reader) skip(i int, set *[256]bool) (int, error) {
	for {
		b := r.buf[r.pos:r.end]
		for ; i < len(b); i++ {
			if set[b[i]] {
				return i, nil
			}
		}
		if len(b) > MaxRow {
			return i, &Error{Line: r.line, Reason: "a row has more than 64 MiB", Jq: listIn(b)}
		}
		if err := r.more(r.pos); err != nil {
			return min(i, len(b)), err
		}
	}
}

// take consumes n bytes, which are one value and possibly blanks.
func (r *Reader) take(n int) (from, until int, err error) {
	from = r.pos
	r.pos += n
	return from, from + len(bytes.TrimRight(r.buf[from:r.pos], blank)), nil
}

// key reads the name of a member and the colon behind it.
func (r *Reader) key() (name string, err error) {
	if _, err := r.expect(`"`); err != nil {
		return "", err
	}
	r.pos--
	from, until, err := r.value()
	if err != nil {
		return "", err
	}
	if json.Unmarshal(r.buf[from:until], &name) != nil {
		return "", r.fault("a name is not a text of JSON")
	}
	_, err = r.expect(":")
	return name, err
}

// listIn returns a jq program for the first list of objects among the members of
// an object, as far as text contains it.
func listIn(text []byte) string {
	r := &Reader{buf: bytes.Clone(text[:min(len(text), 1<<20)]), eof: true, layout: Lines}
	r.end = len(r.buf)
	if _, err := r.expect("{"); err != nil {
		return ""
	}
	for {
		name, err := r.key()
		if err != nil {
			return ""
		}
		c, err := r.peek()
		if err != nil {
			return ""
		}
		if c == '[' {
			if rest := bytes.TrimLeft(r.buf[r.pos+1:r.end], blank); len(rest) > 0 && rest[0] == '{' {
				quoted, _ := json.Marshal(name) // a string always can
				return "." + string(quoted) + "[]"
			}
		}
		if _, _, err := r.value(); err != nil {
			return ""
		}
		if _, err := r.expect(","); err != nil {
			return ""
		}
	}
}
