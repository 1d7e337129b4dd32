package encoding

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// candidate is an encoding that a text which is not UTF-8 may have.
type candidate struct {
	name   string
	rarity float64 // how rare it is among files, as the logarithm of a share
}

// onePerLetter are the candidates with one byte a letter. Of those that give the same
// text, the first counts.
func onePerLetter() []candidate {
	return []candidate{
		{"windows-1252", 0}, {"iso-8859-15", -2}, {"macintosh", -5}, {"cp850", -4}, {"cp437", -5},
		{"windows-1250", -0.5}, {"iso-8859-2", -1}, {"cp852", -3}, {"x-mac-ce", -5}, {"iso-8859-16", -1.5},
		{"windows-1254", -1}, {"iso-8859-9", -2}, {"cp857", -4}, {"x-mac-turkish", -6},
		{"windows-1257", -1}, {"iso-8859-13", -2}, {"windows-1258", -2},
		{"windows-1251", 0}, {"koi8-r", -1.5}, {"koi8-u", -2}, {"iso-8859-5", -2}, {"cp866", -2}, {"x-mac-cyrillic", -4}, {"cp855", -6},
		{"windows-1253", -2}, {"iso-8859-7", -2.5}, {"cp737", -4}, {"x-mac-greek", -5},
		{"windows-1255", -2}, {"iso-8859-8", -2.5}, {"cp862", -5},
		{"windows-1256", -2}, {"iso-8859-6", -3}, {"windows-874", -2},
	}
}

// upperHalf returns the characters of the bytes from 0x80 in an encoding with one byte a
// letter; utf8.RuneError stands for bytes that it lacks.
func upperHalf(name string) (page [128]rune) {
	e := lookup(name)
	for i := range page {
		s, err := e.NewDecoder().Bytes([]byte{byte(0x80 + i)})
		page[i], _ = utf8.DecodeRune(s)
		if err != nil || unicode.IsControl(page[i]) {
			page[i] = utf8.RuneError
		}
	}
	return page
}

// tabled is an encoding with one byte a letter that golang.org/x/text lacks: the
// characters of the bytes from 0x80.
type tabled [128]rune

// The encodings of MS-DOS in Greece and Turkey, and of the old Macintosh in Central Europe,
// Greece and Turkey.
const (
	cp737      = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0"
	cp857      = "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0"
	macCE      = "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"
	macGreek   = "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩάΝ¬ΟΡ≈Τ«»…\u00a0ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u00ad"
	macTurkish = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\ufffdÒÚÛÙ\ufffdˆ˜¯˘˙˚¸˝˛ˇ"
)

func newTabled(letters string) encoding.Encoding { return tabled([]rune(letters)) }

func (t tabled) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: &tabledDecoder{tabled: t}}
}

func (t tabled) NewEncoder() *encoding.Encoder {
	back := map[rune]byte{}
	for i, r := range t {
		back[r] = byte(0x80 + i)
	}
	delete(back, utf8.RuneError)
	return &encoding.Encoder{Transformer: &tabledEncoder{back: back}}
}

type tabledDecoder struct {
	transform.NopResetter
	tabled
}

func (t *tabledDecoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, c := range src {
		r := rune(c)
		if c >= utf8.RuneSelf {
			r = t.tabled[c-utf8.RuneSelf]
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc++
	}
	return nDst, nSrc, nil
}

type tabledEncoder struct {
	transform.NopResetter
	back map[rune]byte
}

// unsupported is the error of letters that an encoding lacks, the one that
// golang.org/x/text replaces where it is asked to.
func unsupported() error {
	_, err := charmap.ISO8859_5.NewEncoder().String("é")
	return err
}

func (t *tabledEncoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, n := utf8.DecodeRune(src[nSrc:])
		c, ok := t.back[r]
		switch {
		case r < utf8.RuneSelf:
			c = byte(r)
		case !ok:
			return nDst, nSrc, unsupported()
		}
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		dst[nDst] = c
		nDst, nSrc = nDst+1, nSrc+n
	}
	return nDst, nSrc, nil
}
