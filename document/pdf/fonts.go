package pdf

import (
	"bytes"
	"fmt"
	"slices"
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

// onePerLetter lists the scripts whose letters always have the same shape, and
// follow each other from left to right.
var onePerLetter = []*unicode.RangeTable{
	unicode.Common, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Cherokee,
	unicode.Ethiopic, unicode.Coptic, unicode.Gothic, unicode.Glagolitic, unicode.Runic, unicode.Ogham, unicode.Canadian_Aboriginal,
	unicode.Vai,
	unicode.Deseret, unicode.Braille, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Yi,
	unicode.Lisu,
}

// unshaped lists the other scripts of a text: their letters change with their
// neighbours, carry signs, or are written from right to left, and nothing here does
// any of that.
func unshaped(text string) (names []string) {
	for _, r := range text {
		if r < 0x590 || unicode.In(r, onePerLetter...) { // all characters below U+0590 are of such scripts
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, "_", " ")
	}
	return names
}
