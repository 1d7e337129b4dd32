package encoding

import (
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// Canonical returns the name used for an encoding, for any common spelling of it;
// ok is false if it is unknown.
func Canonical(name string) (string, bool) {
	c := canonical(name)
	return c, c != ""
}

// NewReader returns the text of r as UTF-8 without a byte order mark. In a UTF-8
// file, invalid bytes are decoded as windows-1252, so that the result is always
// UTF-8. The caller still owns r.
func NewReader(r io.Reader, name string) (io.Reader, error) {
	c := canonical(name)
	if c == "" {
		return nil, fmt.Errorf("encoding %q is not known", name)
	}
	if c == "utf-8" {
		return &utf8Reader{src: r}, nil
	}
	return transform.NewReader(r, lookup(c).NewDecoder()), nil
}

// utf8Reader passes UTF-8 through and replaces invalid bytes.
type utf8Reader struct {
	src   io.Reader
	begun bool
	rest  []byte // repaired text that did not fit the caller's buffer
	tail  []byte // an incomplete sequence
	err   error
}

func (u *utf8Reader) Read(p []byte) (int, error) {
	if len(p) < 16 {
		// Leave room for a byte order mark and for repairs of one read.
		if len(u.rest) == 0 {
			buf := make([]byte, 512)
			n, err := u.Read(buf)
			u.rest = append(buf[:n:n], u.rest...)
			if n == 0 {
				return 0, err
			}
		}
	}
	if len(u.rest) > 0 {
		n := copy(p, u.rest)
		u.rest = u.rest[n:]
		return n, nil
	}
	if u.err != nil {
		return 0, u.err
	}
	n := copy(p, u.tail)
	u.tail = u.tail[:0]
	want := n + 1
	if !u.begun {
		want = n + 3
	}
	for n < want && u.err == nil {
		var m int
		m, u.err = u.src.Read(p[n:])
		n += m
	}
	if !u.begun {
		u.begun = true
		if n >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf {
			n = copy(p, p[3:n])
		}
	}
	n = u.mend(p, n)
	if n == 0 && u.err == nil {
		return u.Read(p)
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

// mend makes p[:n] valid UTF-8 and returns how much of it can be read now.
func (u *utf8Reader) mend(p []byte, n int) int {
	cut := n
	if u.err == nil {
		cut = completeEnd(p[:n])
		u.tail = append(u.tail[:0], p[cut:n]...)
	}
	good := validPrefix(p[:cut])
	if good == cut {
		return cut
	}
	var out []byte
	for s := p[good:cut]; len(s) > 0; {
		r, m := utf8.DecodeRune(s)
		if r == utf8.RuneError && m == 1 {
			out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(s[0]))
		} else {
			out = append(out, s[:m]...)
		}
		s = s[m:]
	}
	k := copy(p[good:], out)
	u.rest = append(u.rest[:0], out[k:]...)
	return good + k
}

// completeEnd returns the length of p without an incomplete sequence at its end.
func completeEnd(p []byte) int {
	for i := 1; i <= utf8.UTFMax && i <= len(p); i++ {
		c := p[len(p)-i]
		if c < utf8.RuneSelf {
			return len(p)
		}
		if utf8.RuneStart(c) {
			if utf8.FullRune(p[len(p)-i:]) {
				return len(p)
			}
			return len(p) - i
		}
	}
	return len(p)
}

// validPrefix returns how much of p is well-formed.
func validPrefix(p []byte) int {
	if utf8.Valid(p) {
		return len(p)
	}
	i := 0
	for i < len(p) {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}

// Lookup returns the encoding of a name as Canonical gives it, or nil.
func Lookup(name string) encoding.Encoding { return lookup(name) }

// MultiByte reports whether an encoding is for Chinese, Japanese or Korean, with two
// or more bytes for most letters.
func MultiByte(name string) bool {
	switch name {
	case "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "gb18030", "gbk", "big5", "hz-gb-2312":
		return true
	}
	return false
}
