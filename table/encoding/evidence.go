package encoding

import "bytes"

// evidence counts the bytes above 0x7f in distinct words, and their longest run:
// a repeated word is not new evidence.
func evidence(lines []byte) (n, run int) {
	seen := map[string]bool{}
	for _, w := range bytes.FieldsFunc(lines, func(r rune) bool { return r < 0x80 && !isLetter(byte(r)) }) {
		if seen[string(w)] {
			continue
		}
		here := 0
		for _, c := range w {
			if c < 0x80 {
				here = 0
				continue
			}
			seen[string(w)] = true
			n++
			here++
			run = max(run, here)
		}
	}
	return n, run
}

// limit limits a confidence by the amount of evidence: n bytes, with one or two
// per letter. With fewer than 12 letters no detector can be sure.
func limit(conf float64, n int, s script) float64 {
	if s == multiByte {
		n /= 2
	}
	switch {
	case n < 4:
		return min(conf, 0.5)
	case n < 8:
		return min(conf, 0.65)
	case n < 12:
		return min(conf, 0.75)
	}
	return conf
}

// noText reports whether the start of a file that is not UTF-8 has control
// characters that occur in random bytes but not in text.
func noText(head []byte) bool {
	kinds, all := [' ']bool{}, 0
	for _, c := range head {
		if c >= ' ' && c != 0x7f || c >= '\t' && c <= '\r' || c >= 0x1a && c != 0x7f {
			continue
		}
		if c < ' ' {
			kinds[c] = true
		}
		all++
	}
	different := 0
	for _, k := range kinds {
		if k {
			different++
		}
	}
	return different >= 4 && all*50 > len(head)
}

// asciiText reports whether the start of a file is plain text apart from zero
// bytes, which are too few for UTF-16.
func asciiText(head []byte) bool {
	zeros := 0
	for _, c := range head {
		switch {
		case c == 0:
			zeros++
		case c >= 0x7f, c < ' ' && (c < '\t' || c > '\r'):
			return false
		}
	}
	return zeros*4 < len(head)
}
