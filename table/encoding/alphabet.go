package encoding

import (
	"strings"
	"unicode"
)

// pages are the Latin pages in question, likeliest first.
func pages() []string {
	return []string{"windows-1252", "windows-1250", "iso-8859-2", "iso-8859-15", "windows-1254",
		"windows-1257", "macintosh", "cp850", "cp852"}
}

// alphabets are the letters beyond a-z of the languages written in Latin
// script, lower case.
func alphabets() []string {
	return []string{
		"äöüß", "éèêëàâçîïôûùœæÿü", "áéíóúñü", "áâãàçéêíóôõú", "àèéìíòóù", // de fr es pt it
		"åäöé", "æøåé", "áðéíóúýþæö", // sv no/da is
		"áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", // cs sk pl hu
		"čćđšž", "ăâîșțşţ", "çğıöşüâîû", "āčēģīķļņšūž", "ąčęėįšųūž", "äõöüšž", // hr ro tr lv lt et
		"àçèéíïóòúü·", "ëéïóöüè", // ca nl
	}
}

// byAlphabet returns the code page in which the text looks most like a language.
func byAlphabet(lines []byte) (name string, score float64) {
	for i, p := range pages() {
		s := alphabetScore(lines, p)
		if i >= 6 {
			s -= 0.1 // the pages of DOS and of the old Mac are rare
		}
		if s > score+0.001 {
			name, score = p, s
		}
	}
	return name, score
}

// alphabetScore returns how well the text, decoded with the page, fits its best
// language: 1 if every character is plausible.
func alphabetScore(lines []byte, page string) float64 {
	text := []rune(decodeAll(lines, page))
	letters, total, bad := map[rune]int{}, 0, 0
	for i, r := range text {
		if r < 0x80 {
			continue
		}
		total++
		prev, next := at(text, i-1), at(text, i+1)
		switch {
		case unicode.IsLetter(r):
			letters[unicode.ToLower(r)]++
			if unicode.IsUpper(r) && unicode.IsLower(prev) {
				bad++
			}
			if unicode.IsUpper(r) && unicode.IsLower(next) && unicode.IsLetter(prev) && unicode.IsUpper(prev) {
				bad++
			}
		case unicode.IsControl(r), r == unicode.ReplacementChar, r >= 0x2500 && r < 0x25a0:
			bad += 3
		case r == '’' || r == '·' || r == '\u00a0' || r == '°' || r == '€' || r == '–' || r == '®' || r == '™' || r == '©':
		case unicode.IsLetter(prev) && unicode.IsLetter(next):
			bad += 2
		case r == '¤' || r == '¦' || r == '¬' || r == '¸' || r == '¨' || r == '¯' || unicode.IsLetter(prev) && unicode.IsSymbol(r):
			bad++
		}
	}
	if total == 0 {
		return 0
	}
	n := 0
	for _, c := range letters {
		n += c
	}
	best := float64(n)
	if n > 0 {
		best = 0
		for _, a := range alphabets() {
			fit := 0.0
			for r, c := range letters {
				if strings.ContainsRune(a, r) {
					fit += float64(c)
				}
			}
			if strings.ContainsRune(a, 'þ') {
				fit *= 0.95 // Icelandic letters are Turkish ones in the other page, and rarer
			}
			best = max(best, fit)
		}
	}
	return max(0, (best+float64(total-n-bad))/float64(total))
}

func at(text []rune, i int) rune {
	if i < 0 || i >= len(text) {
		return ' '
	}
	return text[i]
}
