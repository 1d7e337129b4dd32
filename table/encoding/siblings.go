package encoding

import "unicode"

// sibling returns the encoding of the same alphabet, among those that differ from name
// in few letters, in which the fewest signs are where no language has them.
func sibling(lines []byte, name string) string {
	for _, pair := range [][2]string{{"koi8-r", "koi8-u"}, {"windows-1253", "iso-8859-7"}} {
		switch a, b := strange(lines, pair[0]), strange(lines, pair[1]); {
		case name != pair[0] && name != pair[1]:
		case a < b:
			return pair[0]
		case b < a:
			return pair[1]
		}
	}
	return name
}

// strange counts the signs at the start of a word or inside one, such as lines for
// drawing and closing quotes, and the capitals behind small letters.
func strange(lines []byte, page string) int {
	n := 0
	text := []rune(decodeAll(lines, page))
	for i, r := range text {
		prev, next := at(text, i-1), at(text, i+1)
		switch {
		case r < 0x80:
		case unicode.IsLetter(r):
			if unicode.IsUpper(r) && unicode.IsLower(prev) {
				n++
			}
		case unicode.IsLetter(next) && (unicode.IsSymbol(r) || r == '¶' || r == '’' && !unicode.IsLetter(prev)):
			n++
		}
	}
	return n
}

// arabic reports whether the lines are certainly Arabic in windows-1256: there are ten
// letters or more, all of that script, and some that in the encodings of Cyrillic are
// capitals are behind others.
func arabic(lines []byte) bool {
	letters, inside := 0, 0
	text := []rune(decodeAll(lines, "windows-1256"))
	for i, r := range text {
		switch {
		case r < 0x80:
		case !unicode.Is(unicode.Arabic, r) && r != '،' && r != '؛' && r != '؟':
			return false
		default:
			letters++
			if (r == 'ل' || r == 'م' || r == 'ن' || r == 'و' || r == 'ي') && unicode.Is(unicode.Arabic, at(text, i-1)) {
				inside++
			}
		}
	}
	return letters >= 10 && inside >= 3
}
