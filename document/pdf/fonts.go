package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// covers refuses a font that lacks characters of the text, and names them.
func covers(font []byte, text string) error {
	if bytes.HasPrefix(font, []byte("OTTO")) {
		return invalid("Give a TrueType font (.ttf).", "the font is one with PostScript outlines, which cannot be embedded")
	}
	lacking, err := missing(font, text)
	if err != nil {
		return invalid("Give a TrueType font (.ttf).", "the font cannot be read: %v", err)
	}
	if lacking != "" {
		return invalid("Give a TrueType font file of the workspace that has them, as style.font.", "the font has no %s", lacking)
	}
	return nil
}

// mostNamed is how many characters an error or a warning names.
const mostNamed = 10

// missing names the characters of a text that a font does not have; "" if it has all.
func missing(font []byte, text string) (string, error) {
	f, err := sfnt.Parse(font)
	if err != nil {
		return "", err
	}
	var b sfnt.Buffer
	seen := map[rune]bool{'\n': true, '\r': true}
	var named []string
	for _, r := range text {
		if seen[r] {
			continue
		}
		seen[r] = true
		if i, err := f.GlyphIndex(&b, r); err != nil || i == 0 {
			named = append(named, fmt.Sprintf("%q (%U)", r, r))
		}
	}
	switch n := len(named); {
	case n == 0:
		return "", nil
	case n == 1:
		return "character " + named[0], nil
	case n > mostNamed:
		return fmt.Sprintf("characters %s and %d more", strings.Join(named[:mostNamed], ", "), n-mostNamed), nil
	}
	return "characters " + strings.Join(named, ", "), nil
}

// unseen names the characters that forms are not drawn with here: the library brings
// fonts for about what ours have.
func unseen(text string) string {
	lacking, _ := missing(goregular.TTF, text) // it can be read
	return lacking
}

// unshaped lists the scripts of a text whose letters change with their neighbours or
// are written from right to left, which nothing here does.
func unshaped(text string) (names []string) {
	for _, script := range []struct {
		name  string
		table *unicode.RangeTable
	}{
		{"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew}, {"Syriac", unicode.Syriac}, {"Devanagari", unicode.Devanagari}, {"Bengali", unicode.Bengali},
		{"Gurmukhi", unicode.Gurmukhi}, {"Gujarati", unicode.Gujarati}, {"Tamil", unicode.Tamil}, {"Telugu", unicode.Telugu}, {"Kannada", unicode.Kannada},
		{"Malayalam", unicode.Malayalam}, {"Sinhala", unicode.Sinhala}, {"Khmer", unicode.Khmer}, {"Myanmar", unicode.Myanmar}, {"Tibetan", unicode.Tibetan},
	} {
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script.table, r) }) {
			names = append(names, script.name)
		}
	}
	return names
}
