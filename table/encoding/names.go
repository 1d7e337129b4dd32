package encoding

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// canonical returns the display name for any spelling of an encoding, or "" if it
// is unknown.
func canonical(name string) string {
	n := lower(name)
	switch n {
	case "":
		return ""
	case "utf8", "utf-8", "utf-8-sig", "ascii", "us-ascii":
		return "utf-8"
	case "utf16", "utf-16":
		return "utf-16le"
	case "utf-16-le", "utf16le":
		return "utf-16le"
	case "utf-16-be", "utf16be":
		return "utf-16be"
	case "latin1", "latin-1", "iso8859-1", "iso_8859-1", "l1", "iso-8859-1":
		return "iso-8859-1"
	case "latin2", "latin-2", "iso8859-2":
		return "iso-8859-2"
	case "gb2312", "gb-2312", "gb-18030", "gb_18030", "gb18030":
		return "gb18030"
	case "cp932", "ms932", "sjis", "shift-jis", "shift_jis", "windows-31j":
		return "shift_jis"
	case "cp949", "euc_kr", "ks_c_5601-1987", "uhc", "euc-kr":
		return "euc-kr"
	case "tis-620", "tis620", "iso-8859-11":
		return "windows-874"
	case "maccyrillic":
		return "x-mac-cyrillic"
	case "macroman", "mac-roman":
		return "macintosh"
	case "maclatin2", "mac-latin2", "mac-latin-2", "mac_latin2", "macce", "mac-ce":
		return "x-mac-ce"
	case "macgreek", "mac-greek":
		return "x-mac-greek"
	case "macturkish", "mac-turkish":
		return "x-mac-turkish"
	case "hz":
		return "hz-gb-2312"
	case "iso-8859-8-i":
		return "iso-8859-8"
	case "big5-hkscs":
		return "big5"
	}
	if d, ok := strings.CutPrefix(n, "ibm"); ok {
		n = "cp" + strings.TrimPrefix(d, "-")
	}
	if d, ok := strings.CutPrefix(n, "cp125"); ok {
		n = "windows-125" + d
	}
	if lookup(n) == nil {
		return ""
	}
	return n
}

// lookup returns the encoding of a canonical name, or nil.
func lookup(name string) encoding.Encoding {
	switch name {
	case "utf-8":
		return unicode.UTF8
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "iso-8859-1", "windows-1252":
		// The control characters of ISO 8859-1 in this range are not used in
		// practice.
		return charmap.Windows1252
	case "shift_jis":
		return japanese.ShiftJIS
	case "euc-kr":
		return korean.EUCKR
	case "gb18030":
		return simplifiedchinese.GB18030
	case "big5":
		return traditionalchinese.Big5
	case "windows-874":
		return charmap.Windows874
	case "macintosh":
		return charmap.Macintosh
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	case "x-mac-ce":
		return newTabled(macCE)
	case "x-mac-greek":
		return newTabled(macGreek)
	case "x-mac-turkish":
		return newTabled(macTurkish)
	case "cp737":
		return newTabled(cp737)
	case "cp857":
		return newTabled(cp857)
	case "cp437":
		return charmap.CodePage437
	case "cp850":
		return charmap.CodePage850
	case "cp852":
		return charmap.CodePage852
	case "cp855":
		return charmap.CodePage855
	case "cp858":
		return charmap.CodePage858
	case "cp862":
		return charmap.CodePage862
	case "cp866":
		return charmap.CodePage866
	}
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil {
		return nil
	}
	return e
}
