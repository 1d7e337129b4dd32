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

// foldable returns the longest part of a text that differs by case in ASCII letters
// only, in lower case. K and S are not among them: the kelvin sign and the long s are
// other cases of theirs. The text is split before it is folded, because Unicode folds
// some other letters to ASCII, such as İ to i.
func foldable(text []rune) []byte {
	var longest []byte
	for _, part := range strings.FieldsFunc(string(text), func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("KkSs", r) }) {
		if len(part) > len(longest) {
			longest = []byte(strings.ToLower(part))
		}
	}
	return longest
}

// matches reports whether a line has the text.
func (r *required) matches(line []byte) bool {
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
