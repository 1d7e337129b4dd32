package encoding

import (
	"math"
	"sort"
	"strings"
)

// guessed is how well an encoding fits.
type guessed struct {
	name string
	fit  float64
}

// vote determines the encoding of lines that are not UTF-8: the one in which they are
// most likely a language's text.
func vote(lines []byte) Result {
	n := evidence(lines)
	pairs, high := neighboursIn(lines)
	best, margin := ranked(lines, pairs, high)
	conf := limit(1-math.Exp(-margin/4), n)
	steps := 0.0
	for _, p := range pairs {
		steps += p.n
	}
	if MultiByte(best.name) {
		steps = float64(n)
	}
	if best.fit < -5*steps { // no language that is known here
		conf = math.Min(conf, 0.5)
	}
	return Result{Name: westernName(best.name, lines), Confidence: clamp(conf)}
}

// ranked returns the encoding that fits best, and by how much it fits better than those
// that give another text.
func ranked(lines []byte, pairs []neighbour, high used) (best guessed, margin float64) {
	var all []guessed
	text := map[string][128]rune{}
	for _, j := range judges() {
		text[j.name] = high.of(j.page)
		all = append(all, guessed{j.name, j.fits(pairs)})
	}
	for _, a := range asians() {
		all = append(all, guessed{a.name, a.fits(lines) + a.rarity})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].fit > all[j].fit })
	best = all[0]
	for _, c := range onePerLetter() {
		if page, ok := text[best.name]; ok && text[c.name] == page {
			best.name = c.name
			break
		}
	}
	for _, g := range all[1:] {
		if page, ok := text[best.name]; !ok || text[g.name] != page {
			return best, best.fit - g.fit
		}
	}
	return best, 0
}

// westernName returns the usual name where the text is the same in several.
func westernName(name string, lines []byte) string {
	if name != "windows-1252" {
		return name
	}
	for _, c := range lines {
		if c >= 0x80 && c < 0xa0 {
			return name
		}
	}
	return "iso-8859-1"
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
