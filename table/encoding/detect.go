package encoding

import (
	"bytes"
)

// LowConfidence is the confidence below which a reader should be warned.
const LowConfidence = 0.8

// Result is the detected encoding of a file.
type Result struct {
	// Name is the encoding, as Decoder takes it: "utf-8", "windows-1250", ….
	Name string
	// Confidence is between 0 and 1.
	Confidence float64
	// BOM says that the file starts with a byte order mark.
	BOM bool
	// Damaged counts bytes that are invalid in the encoding; each is decoded as
	// windows-1252.
	Damaged int64
	// Binary says that the file does not look like text.
	Binary bool
}

// Detect evaluates the survey.
func (s *Survey) Detect() Result {
	s.finish()
	if r, ok := byMark(s.head); ok {
		if r.Name == "utf-8" && s.invalid > 0 {
			r.Damaged = s.invalid
			r.Confidence = 0.9
		}
		return r
	}
	if s.invalid > 0 && noText(s.head) && byEscapes(s.telling) == "" {
		if r, ok := byZeros(s.head); ok && s.nul > 0 {
			return r
		}
		return Result{Name: "utf-8", Binary: true}
	}
	nul := s.nul
	if s.ending < s.size && s.ending <= headSize {
		nul -= s.ending
	}
	if nul > 0 && !asciiText(s.head) {
		if r, ok := byZeros(s.head); ok {
			return r
		}
		if nul > 1 && nul*20 > s.size && (s.invalid > 0 || nul*3 > s.size || s.controls()) {
			return Result{Name: "utf-8", Binary: true}
		}
	}
	switch {
	case s.invalid == 0 && s.esc && s.high == 0:
		if name := byEscapes(s.telling); name != "" {
			return Result{Name: name, Confidence: 0.95}
		}
		return Result{Name: "utf-8", Confidence: 1}
	case s.invalid == 0 && s.high == 0 && hz(s.head):
		return Result{Name: "hz-gb-2312", Confidence: 0.95}
	case s.invalid == 0:
		return Result{Name: "utf-8", Confidence: 1}
	case s.valid >= 20 && s.valid >= 4*s.invalid || s.valid >= 3 && s.valid >= 8*s.invalid:
		// Text in an 8-bit encoding is hardly ever valid UTF-8 by chance, so
		// these are a few foreign bytes in a UTF-8 file.
		return Result{Name: "utf-8", Confidence: 0.85, Damaged: s.invalid}
	}
	return vote(s.telling)
}

// byMark reads a byte order mark.
func byMark(head []byte) (Result, bool) {
	for _, m := range []struct{ mark, name string }{
		{"\xef\xbb\xbf", "utf-8"},
		{"\xff\xfe\x00\x00", "utf-32le"},
		{"\x00\x00\xfe\xff", "utf-32be"},
		{"\xff\xfe", "utf-16le"},
		{"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return Result{Name: m.name, Confidence: 1, BOM: true}, true
		}
	}
	return Result{}, false
}

// byZeros recognises UTF-16 and UTF-32 without a byte order mark by the positions
// of zero bytes, which delimiters, digits and line ends have in any language.
func byZeros(head []byte) (Result, bool) {
	var at [4]int
	for i, c := range head {
		if c == 0 {
			at[i%4]++
		}
	}
	if !marksPaired(head) {
		return Result{}, false
	}
	n := len(head) / 4
	even, odd := at[0]+at[2], at[1]+at[3]
	switch {
	case n > 0 && at[0] == 0 && 10*at[2] >= 9*n && 10*at[3] >= 9*n:
		return Result{Name: "utf-32le", Confidence: 0.95}, true
	case n > 0 && at[3] == 0 && 10*at[0] >= 9*n && 10*at[1] >= 9*n:
		return Result{Name: "utf-32be", Confidence: 0.95}, true
	case odd > 1 && even*20 <= odd && plausible16(head, 0):
		return Result{Name: "utf-16le", Confidence: 0.95}, true
	case even > 1 && odd*20 <= even && plausible16(head, 1):
		return Result{Name: "utf-16be", Confidence: 0.95}, true
	}
	return Result{}, false
}

// marksPaired reports whether a good part of the line ends and delimiters have a zero
// byte beside them, as in UTF-16. Chinese letters can have the same bytes.
func marksPaired(head []byte) bool {
	all, paired := 0, 0
	for i, c := range head {
		switch c {
		case '\n', '\r', ',', ';', '\t', '|':
			all++
			if i > 0 && head[i-1] == 0 || i+1 < len(head) && head[i+1] == 0 {
				paired++
			}
		}
	}
	return paired*3 >= all
}

// plausible16 reports whether head, as 16-bit units with the low byte at offset
// low, has line ends or delimiters, no broken surrogates, and few units of two letters
// or digits, which every eighth Chinese one has by chance.
func plausible16(head []byte, low int) bool {
	marks, broken, single, pending := 0, 0, 0, false
	for i := 0; i+1 < len(head); i += 2 {
		u := uint16(head[i+low]) | uint16(head[i+1-low])<<8
		if h := byte(u >> 8); h != '0' && isAlphanumeric(h) && isAlphanumeric(byte(u)) { // '0' begins kana
			single++
		}
		switch {
		case u == '\n' || u == '\r' || u == ',' || u == ';' || u == '\t' || u == '|':
			marks++
		case u >= 0xd800 && u < 0xdc00:
			if pending {
				broken++
			}
			pending = true
			continue
		case u >= 0xdc00 && u < 0xe000:
			if !pending {
				broken++
			}
			pending = false
			continue
		case u == 0 || u == 0xffff:
			broken++
		}
		if pending {
			broken++
		}
		pending = false
	}
	return marks > 0 && broken*50 <= len(head)/2 && single*8 <= len(head)
}

func isAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// byEscapes recognises seven-bit encodings with escape sequences.
func byEscapes(text []byte) string {
	for _, e := range []struct{ seq, name string }{
		{"\x1b$B", "iso-2022-jp"}, {"\x1b$@", "iso-2022-jp"}, {"\x1b(J", "iso-2022-jp"},
	} {
		if bytes.Contains(text, []byte(e.seq)) {
			return e.name
		}
	}
	return ""
}

// hz reports whether the start of a file has Chinese in seven bits: pairs of printable
// characters between ~{ and ~}, most of them common ideographs.
func hz(head []byte) bool {
	ideographs, other := 0, 0
	for _, rest := range bytes.Split(head, []byte("~{"))[1:] {
		inside, _, closed := bytes.Cut(rest, []byte("~}"))
		if !closed || len(inside)%2 != 0 || bytes.IndexByte(inside, '\n') >= 0 {
			other++
			continue
		}
		for i := 0; i < len(inside); i += 2 {
			if inside[i] >= 0x30 && inside[i] <= 0x57 && inside[i+1] > ' ' {
				ideographs++
			} else {
				other++
			}
		}
	}
	return ideographs > 3*other
}
