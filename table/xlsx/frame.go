package xlsx

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow"
)

// frame is everything in a workbook but the cells of its sheets, which would not
// fit in memory.
type frame struct {
	formats []string // of numbers; the style of formats[i] is firstFormat+i
	sheets  []framed
}

// framed is a sheet of a frame: its name, and the range of its filter, empty
// without one.
type framed struct{ name, filter string }

// Styles of cells, by their place in cellXfs. 0 is a cell without any.
const (
	headerStyle = 1
	firstFormat = 2
)

// column prepares the style of a column by its type.
func (f *frame) column(field arrow.Field) column {
	c := column{kind: kindOf(field)}
	code := ""
	switch t := field.Type.(type) {
	case *arrow.TimestampType:
		c.unit, c.zoned = t.Unit, t.TimeZone != ""
		code = "yyyy-mm-dd hh:mm:ss"
	case *arrow.Time64Type:
		c.unit = t.Unit
		code = "hh:mm:ss"
	case *arrow.Time32Type:
		c.unit = t.Unit
		code = "hh:mm:ss"
	case *arrow.Date32Type:
		code = "yyyy-mm-dd"
	case arrow.DecimalType:
		code = "0"
		if s := t.GetScale(); s > 0 {
			code = "0." + strings.Repeat("0", int(min(s, 30)))
		}
	default:
		if c.kind == kindExact {
			code = "0"
		}
	}
	if code == "" {
		return c
	}
	i := slices.Index(f.formats, code)
	if i < 0 {
		i = len(f.formats)
		f.formats = append(f.formats, code)
	}
	c.style = firstFormat + i
	return c
}

// addSheet adds a sheet and returns the name of its part.
func (f *frame) addSheet(name string) (part string) {
	f.sheets = append(f.sheets, framed{name: name})
	return "xl/" + sheetPart(len(f.sheets))
}

// sheetPart is the path of sheet n, from 1, inside the workbook.
func sheetPart(n int) string { return fmt.Sprintf("worksheets/sheet%d.xml", n) }

// filter declares the range of the last sheet's filter.
func (f *frame) filter(lastCol string, rows int) {
	sheet := &f.sheets[len(f.sheets)-1]
	sheet.filter = fmt.Sprintf("'%s'!$A$1:$%s$%d", strings.ReplaceAll(sheet.name, "'", "''"), lastCol, rows)
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

// columnLetters names a column, from 1.
func columnLetters(n int) []byte {
	var b []byte
	for ; n > 0; n = (n - 1) / 26 {
		b = append([]byte{byte('A' + (n-1)%26)}, b...)
	}
	return b
}
