package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/xuri/excelize/v2"
)

// frame is everything in a workbook but its sheets' cells: excelize makes it,
// while the cells are written past it, since they would not fit in memory.
type frame struct {
	file   *excelize.File
	header int
	styles map[string]int
	sheets []string
}

func newFrame() (*frame, error) {
	f := &frame{file: excelize.NewFile(), styles: map[string]int{}}
	var err error
	f.header, err = f.file.NewStyle(&excelize.Style{
		Font:   &excelize.Font{Bold: true},
		Fill:   excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E8EDF3"}},
		Border: []excelize.Border{{Type: "bottom", Color: "8096B0", Style: 1}},
	})
	return f, err
}

// column prepares the style of a column by its type.
func (f *frame) column(field arrow.Field) (column, error) {
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
		return c, nil
	}
	id, ok := f.styles[code]
	if !ok {
		var err error
		if id, err = f.file.NewStyle(&excelize.Style{CustomNumFmt: &code}); err != nil {
			return c, err
		}
		f.styles[code] = id
	}
	c.style = id
	return c, nil
}

// addSheet adds a sheet and returns the name of its part.
func (f *frame) addSheet(name string) (part string, err error) {
	if len(f.sheets) == 0 {
		err = f.file.SetSheetName("Sheet1", name)
	} else {
		_, err = f.file.NewSheet(name)
	}
	if err != nil {
		return "", err
	}
	f.sheets = append(f.sheets, name)
	return fmt.Sprintf("xl/worksheets/sheet%d.xml", len(f.sheets)), nil
}

// filter declares the range of a sheet's filter.
func (f *frame) filter(sheet, lastCol string, rows int) error {
	return f.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm._FilterDatabase", Scope: sheet,
		RefersTo: fmt.Sprintf("'%s'!$A$1:$%s$%d", strings.ReplaceAll(sheet, "'", "''"), lastCol, rows),
	})
}

// write adds every part but the sheets to the archive.
func (f *frame) write(z *zip.Writer) error {
	f.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return parts{z} })
	return f.file.Write(io.Discard)
}

// parts passes on what excelize writes, without its empty sheets.
type parts struct{ z *zip.Writer }

func (p parts) Create(name string) (io.Writer, error) {
	if strings.HasPrefix(name, "xl/worksheets/sheet") {
		return new(bytes.Buffer), nil
	}
	return p.z.Create(name)
}

func (p parts) AddFS(fsys fs.FS) error { return p.z.AddFS(fsys) }

// Close leaves the archive to its owner.
func (p parts) Close() error { return nil }

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
