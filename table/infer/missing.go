package infer

import "slices"

// sheetErrors are what spreadsheets show in the place of a value.
var sheetErrors = []string{
	"#N/A", "#NA", "#NULL!", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?", "#SPILL!", "#CALC!",
	"#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#BUSY!",
}

// isMissing recognises the words that people and programs write for a missing
// value. They count only in columns without other text.
func isMissing(b []byte) bool {
	switch b[0] {
	case '+':
		return isNaN(b)
	case '-':
		return len(b) == 1 || string(b) == "--" || string(b) == "---" || isNaN(b)
	case '?', '.', '*':
		return len(b) == 1 || string(b) == "..." || string(b) == ".."
	case '#':
		return slices.ContainsFunc(sheetErrors, func(e string) bool { return equalFold(b, e) })
	case '\\':
		return string(b) == `\N`
	case '<':
		return equalFold(b, "<NA>") || equalFold(b, "<null>")
	case '(':
		return equalFold(b, "(null)") || equalFold(b, "(blank)")
	case 0xe2:
		return string(b) == "–" || string(b) == "—"
	}
	switch b[0] | 0x20 {
	case 'e': // as LibreOffice writes errors: Err:502
		return len(b) == 7 && string(b[:4]) == "Err:" && allDigits(b[4:])
	case 'n':
		return equalFold(b, "NA") || equalFold(b, "N/A") || equalFold(b, "NULL") || equalFold(b, "None") ||
			equalFold(b, "NaN") || equalFold(b, "nil") || equalFold(b, "n.a.") || equalFold(b, "n. a.") || equalFold(b, "n/d")
	case 'k':
		return equalFold(b, "k.A.") || equalFold(b, "k. A.")
	case 'm':
		return equalFold(b, "missing")
	case 'u':
		return equalFold(b, "unknown")
	}
	return false
}

// isFailure recognises what a formula shows that could not be calculated. #N/A is none:
// it is also how people say that there is no value.
func isFailure(b []byte) bool {
	return b[0] == '#' && !equalFold(b, "#N/A") && !equalFold(b, "#NA") || b[0] == 'E'
}

// isNaN recognises the spellings of NaN. Among values of other types it means a
// missing value.
func isNaN(b []byte) bool { return equalFold(unsigned(b), "nan") }

// isInfinite recognises infinity, which only a float can represent.
func isInfinite(b []byte) bool {
	b = unsigned(b)
	return equalFold(b, "inf") || equalFold(b, "infinity")
}

func unsigned(b []byte) []byte {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:]
	}
	return b
}
