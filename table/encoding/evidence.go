package encoding

import (
	"bytes"
	"maps"
)

// distinctWords returns the words that have bytes above 0x7f: a repeated word is not new
// evidence. More words of one letter than a language has are a list of characters, and
// are left out.
func distinctWords(lines []byte) map[string]bool {
	words, single := map[string]bool{}, 0
	for _, w := range bytes.FieldsFunc(lines, func(r rune) bool { return r < 0x80 && !isLetter(byte(r)) }) {
		if bytes.IndexFunc(w, func(r rune) bool { return r >= 0x80 }) >= 0 {
			if len(w) == 1 && !words[string(w)] {
				single++
			}
			words[string(w)] = true
		}
	}
	if single > 12 {
		maps.DeleteFunc(words, func(w string, _ bool) bool { return len(w) == 1 })
	}
	return words
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// evidence counts the bytes above 0x7f in distinct words of more than one letter.
func evidence(lines []byte) (n int) {
	for w := range distinctWords(lines) {
		for i := range len(w) {
			if w[i] >= 0x80 && len(w) > 1 {
				n++
			}
		}
	}
	return n
}

// limit limits a confidence by the amount of evidence, in bytes: of three letters no
// detector can be sure.
func limit(conf float64, n int) float64 {
	switch {
	case n < 4:
		return min(conf, 0.5)
	case n < 8:
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
