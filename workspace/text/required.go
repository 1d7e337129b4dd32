package text

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// required is a text that is in every match of an expression. Looking for it first
// passes over most lines in a fraction of the time. The zero value is in all lines.
type required struct {
	text   []byte
	fold   bool   // text is lower case, and lines have either case
	folded []byte // of the last line
}

// requiredBy returns the longest text that an expression requires.
func requiredBy(expr string) required {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return required{}
	}
	return requiredIn(re)
}

func requiredIn(re *syntax.Regexp) required {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return required{text: foldable(re.Rune), fold: true}
		}
		if text := string(re.Rune); !strings.ContainsRune(text, utf8.RuneError) { // which stands for bytes that are not UTF-8, too
			return required{text: []byte(text)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredIn(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredIn(re.Sub[0])
		}
	case syntax.OpConcat:
		var longest required
		for _, sub := range re.Sub {
			if r := requiredIn(sub); len(r.text) > len(longest.text) {
				longest = r
			}
		}
		return longest
	}
	return required{}
}

// foldable returns the longest part of a text of which only ASCII letters are the
// other case: k and s have others, the signs for kelvin and the long s.
func foldable(text []rune) []byte {
	var longest []byte
	lower := bytes.ToLower([]byte(string(text)))
	for _, part := range bytes.FieldsFunc(lower, func(r rune) bool { return r >= utf8.RuneSelf || r == 'k' || r == 's' }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// in reports whether a line has the text.
func (r *required) in(line []byte) bool {
	if !r.fold {
		return bytes.Contains(line, r.text)
	}
	r.folded = append(r.folded[:0], line...)
	for i, c := range r.folded {
		if 'A' <= c && c <= 'Z' {
			r.folded[i] = c + 'a' - 'A'
		}
	}
	return bytes.Contains(r.folded, r.text)
}
