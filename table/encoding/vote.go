package encoding

import (
	"sort"
	"strings"
	"unicode/utf8"

	gogs "github.com/gogs/chardet"
	wlynxg "github.com/wlynxg/chardet"
)

// vote determines the encoding of lines that are not UTF-8. One of the two
// detectors is better for non-Latin scripts, the other for Latin code pages.
// Between Latin pages, the alphabets of languages decide.
func vote(lines []byte) Result {
	n, run := evidence(lines)
	r := guess(lines, run)
	r.Name = sibling(lines, r.Name)
	r.Confidence = clamp(limit(r.Confidence, n, scriptOf(r.Name)))
	return r
}

// guess is vote regardless of the amount of evidence; run is the length of the
// longest run of non-ASCII bytes.
func guess(lines []byte, run int) Result {
	if beyondDoubt(lines) {
		return Result{Name: "shift_jis", Confidence: 0.85}
	}
	if arabic(lines) {
		return Result{Name: "windows-1256", Confidence: 0.85}
	}
	w := wlynxg.Detect(lines)
	wName := canonical(w.Charset)
	if wName == "" {
		wName = canonical(w.Encoding)
	}
	latin, lScore := byAlphabet(lines)
	if script := scriptOf(wName); script != latinScript && wName != "" {
		// Words that mix high bytes with ASCII letters are Latin words, except
		// where a character has two bytes.
		stray := run < 3 && script == otherScript // words of other scripts are longer
		if !stray && (script == multiByte || mixedWords(lines) < 0.4 || lScore < 0.7) {
			g := bestOf(lines, func(name string) bool { return scriptOf(name) != latinScript })
			conf := w.Confidence
			if g == wName {
				conf = max(conf, 0.9)
			}
			return Result{Name: wName, Confidence: conf}
		}
	}
	g := bestOf(lines, func(name string) bool { return scriptOf(name) == latinScript })
	return choose(lines, g, wName, latin, lScore)
}

// beyondDoubt reports whether the lines are certainly Shift JIS, for which the
// detectors need more text than a short table has: all characters have two bytes,
// and some are kana, which other code pages hardly ever produce.
func beyondDoubt(lines []byte) bool {
	kana, other := 0, 0
	for _, r := range decodeAll(lines, "shift_jis") {
		switch {
		case r < 0x80:
		case r >= 0x3040 && r < 0x3100:
			kana++
		case r == utf8.RuneError, r >= 0xff61 && r < 0xffa0: // kana of one byte
			return false
		default:
			other++
		}
	}
	return kana >= 3 && kana*8 >= other
}

// choose decides on a Latin page: gogs is one detector's result, w the other's,
// latin that of the alphabets.
func choose(lines []byte, gogs, w, latin string, score float64) Result {
	if gogs == "" {
		gogs = "windows-1252"
	}
	gScore := alphabetScore(lines, gogs)
	name := gogs
	if score > gScore+0.02 {
		name = latin
	}
	conf := 0.55 + 0.35*alphabetScore(lines, name)
	if name == gogs && name == w {
		conf += 0.1
	}
	if len(lines) < 200 {
		conf -= 0.15
	}
	// If all candidate pages give the same text, there is no doubt.
	if sameText(lines, name, "windows-1252") {
		if !hasC1(lines) {
			name = "iso-8859-1"
		} else {
			name = "windows-1252"
		}
		conf = max(conf, 0.85)
	}
	return Result{Name: name, Confidence: conf}
}

// bestOf returns the first name of gogs' detector that keep accepts. It breaks
// ties by name, because the detector has no fixed order.
func bestOf(lines []byte, keep func(string) bool) string {
	all, err := gogs.NewTextDetector().DetectAll(lines)
	if err != nil {
		return ""
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Confidence != all[j].Confidence {
			return all[i].Confidence > all[j].Confidence
		}
		return all[i].Charset < all[j].Charset
	})
	for _, r := range all {
		if name := canonical(r.Charset); name != "" && keep(name) {
			return name
		}
	}
	return ""
}

// mixedWords returns the share of high bytes that touch an ASCII letter.
func mixedWords(lines []byte) float64 {
	high, mixed := 0, 0
	for i, c := range lines {
		if c < 0x80 {
			continue
		}
		high++
		if i > 0 && isLetter(lines[i-1]) || i+1 < len(lines) && isLetter(lines[i+1]) {
			mixed++
		}
	}
	if high == 0 {
		return 0
	}
	return float64(mixed) / float64(high)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func hasC1(lines []byte) bool {
	for _, c := range lines {
		if c >= 0x80 && c < 0xa0 {
			return true
		}
	}
	return false
}

func sameText(lines []byte, a, b string) bool {
	return a == b || decodeAll(lines, a) == decodeAll(lines, b)
}

func decodeAll(lines []byte, name string) string {
	e := lookup(name)
	if e == nil {
		return ""
	}
	out, err := e.NewDecoder().Bytes(lines)
	if err != nil {
		return ""
	}
	return string(out)
}

func clamp(c float64) float64 {
	c = min(max(c, 0.1), 0.99)
	return float64(int(c*100+0.5)) / 100
}

func lower(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
