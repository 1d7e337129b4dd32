package dialect

import (
	"bytes"
	"errors"
)

// Escapes finds out whether a text with tabs uses backslashes as database dumps
// do: each is followed by a letter with a special meaning, and they are not just
// parts of paths. Write all of the text to it, in pieces of any size.
type Escapes struct {
	nulls bool // \N occurs as a field
	some  bool
	plain bool // one is followed by something else
	paths bool // some follow a colon
	twice bool // some are doubled
	after string
	last  byte // the byte before; 0 at the start
}

var errPlain = errors.New("backslashes are text")

// Write takes the next bytes. It fails as soon as the answer is no.
func (e *Escapes) Write(p []byte) (int, error) {
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch e.after {
		case `\`:
			e.escape(c)
			continue
		case `\N`:
			e.after, e.plain = "", e.plain || !endsField(c)
		}
		if e.plain {
			return i, errPlain
		}
		if c != '\\' {
			n := bytes.IndexByte(p[i:], '\\')
			if n < 0 {
				e.last = p[len(p)-1]
				break
			}
			i += n
			e.last = p[i-1]
		}
		e.after, e.some, e.paths = `\`, true, e.paths || e.last == ':'
	}
	return len(p), nil
}

// escape takes the byte behind a backslash.
func (e *Escapes) escape(c byte) {
	e.after = ""
	switch c {
	case 't', 'n', 'r':
	case '\\':
		e.twice = true
	case 'N':
		e.after, e.nulls = `\N`, true
		e.plain = e.last != 0 && !endsField(e.last)
	default:
		e.plain = true
	}
	e.last = c
}

// Plain reports whether some backslash is text, so that all are.
func (e *Escapes) Plain() bool { return e.plain }

func endsField(c byte) bool { return c == '\t' || c == '\r' || c == '\n' }

// sure gives the answer.
func (e *Escapes) sure() bool {
	return e.some && !e.plain && e.after != `\` && (e.twice || e.nulls || !e.paths)
}

// escapes are those of the whole text if they are known, else of the sample.
func (o Options) escapes(sample []byte) *Escapes {
	if o.Escapes != nil {
		return o.Escapes
	}
	e := &Escapes{}
	_, _ = e.Write(sample) // fails only if the answer is no
	return e
}
