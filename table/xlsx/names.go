package xlsx

import (
	"strings"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow"
)

// formatOf returns the format of a column's numbers; empty: they need none.
func formatOf(field arrow.Field, kind columnKind) string {
	switch t := field.Type.(type) {
	case *arrow.TimestampType:
		return "yyyy-mm-dd hh:mm:ss"
	case *arrow.Time64Type, *arrow.Time32Type:
		return "hh:mm:ss"
	case *arrow.Date32Type:
		return "yyyy-mm-dd"
	case arrow.DecimalType:
		if s := t.GetScale(); s > 0 {
			return "0." + strings.Repeat("0", int(min(s, 30)))
		}
		return "0"
	}
	if kind == kindExact {
		return "0"
	}
	return ""
}

// sheetName makes a name that spreadsheets accept.
func sheetName(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) || r < ' ' {
			return '_'
		}
		return r
	}, s)
	s = strings.Trim(cut16(strings.Trim(s, "' "), 31), "' ")
	if s == "" {
		return "Sheet1"
	}
	if strings.EqualFold(s, "history") {
		return s + "_"
	}
	return s
}

// cut16 cuts s to at most n UTF-16 units.
func cut16(s string, n int) string {
	units := 0
	for i, r := range s {
		if units += utf16.RuneLen(r); units > n {
			return s[:i]
		}
	}
	return s
}
