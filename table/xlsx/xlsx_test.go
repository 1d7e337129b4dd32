package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
)

// text reads a sheet as rows of cells, one line a row.
func text(t testing.TB, data []byte, sheet int) string {
	t.Helper()
	out, err := readAll(data, sheet)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func readAll(data []byte, sheet int) (string, error) {
	w, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	if sheet >= len(w.Sheets) {
		return "", fmt.Errorf("%d sheets", len(w.Sheets))
	}
	s, err := w.Sheet(sheet)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	var row Row
	for {
		err := s.Next(&row)
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%d:", row.Number)
		for _, c := range row.Cells {
			column, err := excelize.ColumnNumberToName(c.Column)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " %s=%s", column, row.Bytes(c))
		}
		b.WriteByte('\n')
	}
}

func TestReadWhatExcelizeWrites(t *testing.T) {
	f := excelize.NewFile()
	date, _ := f.NewStyle(&excelize.Style{NumFmt: 14})
	code := `[$-409]d/mmm/yyyy\ h:mm`
	stamp, _ := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	red := `[Red]0.00;"days"`
	money, _ := f.NewStyle(&excelize.Style{CustomNumFmt: &red})
	set := func(cell string, v any, style int) {
		t.Helper()
		if err := f.SetCellValue("Sheet1", cell, v); err != nil {
			t.Fatal(err)
		}
		if style > 0 {
			if err := f.SetCellStyle("Sheet1", cell, cell, style); err != nil {
				t.Fatal(err)
			}
		}
	}
	set("A1", "na<me> & \"co\"", 0)
	set("B1", "two\nlines", 0)
	set("C1", "00123", 0)
	set("A2", 45000, date)
	set("B2", 45000.75, stamp)
	set("C2", 12.5, money)
	set("D2", true, 0)
	set("E2", 1234567.0, 0)
	set("F2", 0.1+0.2, 0)
	set("G2", 59, date)
	set("H2", 61, date)
	set("I2", 60, date)
	set("A4", "emoji 😀", 0)
	set("C4", 9007199254740993, 0)
	if _, err := f.NewSheet("Other"); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "1: A=na<me> & \"co\" B=two\nlines C=00123\n" +
		"2: A=2023-03-15 B=2023-03-15T18:00:00 C=12.5 D=true E=1234567 F=0.3 G=1900-02-28 H=1900-03-01 I=60\n" +
		"4: A=emoji 😀 C=9007199254740993\n"
	if got := text(t, b.Bytes(), 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := text(t, b.Bytes(), 1); got != "" {
		t.Errorf("an empty sheet has %q", got)
	}
}

// book makes a workbook of the given parts.
func book(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/workbook.xml":            `<?xml version="1.0"?><x:workbook xmlns:x="y"><x:sheets><x:sheet name="A &amp; B" sheetId="1" r:id="r1"/></x:sheets></x:workbook>`,
		"xl/sharedStrings.xml":       `<sst/>`,
	}
	for k, v := range parts {
		all[k] = v
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k, v := range all {
		w, err := z.Create(k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadOddXML(t *testing.T) {
	data := book(t, map[string]string{
		"xl/sharedStrings.xml": `<sst><si><r><t>rich </t></r><r><t xml:space="preserve">text</t></r><rPh><t>no</t></rPh></si><si><t/></si><si><t>a_x000D_b &#x41;&#66;</t></si></sst>`,
		"xl/worksheets/sheet1.xml": `<worksheet><!-- > --><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>` +
			`<row r="3"/><row><c t="b"/><c t="b"><v></v></c><c t="s"><v/></c><c t="d"/><c t="e"/><c t="b"><v>7</v></c></row><row r="7"><c r="C7" t="inlineStr"><is><t><![CDATA[<x>]]></t></is></c><c r="AA7" t="e"><v>#DIV/0!</v></c><c t="str"><f a=">">B1&amp;"x"</f><v>fx</v></c><c t="b"><v>0</v></c><c><v>1E+3</v></c><c t="d"><v>2024-01-02</v></c></row></sheetData><row r="9"/></worksheet>`,
	})
	want := "1: A=rich text B= C=a\rb AB\n3:\n4: F=true\n7: C=<x> AA=#DIV/0! AB=fx AC=false AD=1000 AE=2024-01-02\n"
	if got := text(t, data, 0); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestDeclaredEncodings: a part says in which encoding it is.
func TestDeclaredEncodings(t *testing.T) {
	for head, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?>`:   "1: A=Sa\u00edda\n",
		`<?xml version='1.0' encoding='windows-1252'?>`: "1: A=Sa\u00edda\n",
		`<?xml version="1.0" encoding="UTF-8"?>`:        "", "": "", `<?xml version="1.0" encoding="x-none"?>`: "",
	} {
		got, err := readAll(book(t, map[string]string{"xl/worksheets/sheet1.xml": head + "<worksheet><sheetData><row r=\"1\"><c t=\"inlineStr\"><is><t>Sa\xedda</t></is></c></row></sheetData></worksheet>"}), 0)
		if (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%s: %q, %v", head, got, err)
		}
	}
}

// TestCellsWithTwoContents: a cell's type says which of <v> and <is> is its own.
func TestCellsWithTwoContents(t *testing.T) {
	for cell, want := range map[string]string{
		`<c t="inlineStr"><v>1.0</v><is><t>1.</t></is></c>`: "1.", `<c t="inlineStr"><is><t>2.</t></is><v>2.0</v></c>`: "2.",
		`<c t="n"><v>5</v><is><t>7</t></is></c>`: "5", `<c><is><t>7</t></is><v>5</v></c>`: "5", `<c t="inlineStr"><v>x</v></c>`: "x",
	} {
		got, err := readAll(book(t, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1">` + cell + `</row></sheetData></worksheet>`}), 0)
		if err != nil || got != "1: A="+want+"\n" {
			t.Errorf("%s: %q, %v", cell, got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	sheet := func(s string) map[string]string {
		return map[string]string{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + s + "</sheetData></worksheet>"}
	}
	for name, parts := range map[string]map[string]string{
		"entities of its own": {"xl/worksheets/sheet1.xml": `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet><sheetData/></worksheet>`},
		"bomb in the strings": {"xl/sharedStrings.xml": `<!DOCTYPE x><sst/>`, "xl/worksheets/sheet1.xml": `<worksheet/>`},
		"row too far":         sheet(`<row r="1048577"/>`),
		"row huge":            sheet(`<row r="99999999999999999999"/>`),
		"rows backwards":      sheet(`<row r="5"/><row r="4"/>`),
		"column too far":      sheet(`<row r="1"><c r="XFE1"><v>1</v></c></row>`),
		"columns backwards":   sheet(`<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`),
		"no such string":      sheet(`<row r="1"><c t="s"><v>5</v></c></row>`),
		"cut":                 {"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c><v>1`},
		"cut after a row":     {"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c><v>1</v></c></row>`},
		"endless tag":         {"xl/worksheets/sheet1.xml": `<worksheet a="` + strings.Repeat("x", maxToken+10)},
		"missing sheet":       {"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="no.xml"/></Relationships>`},
	} {
		if out, err := readAll(book(t, parts), 0); err == nil {
			t.Errorf("%s: read as %q", name, out)
		}
	}
}

// TestZipBomb unpacks to far more than it is.
func TestZipBomb(t *testing.T) {
	big := "<sst>" + strings.Repeat("<si><t>"+strings.Repeat("x", 1<<20)+"</t></si>", 10) + "</sst>"
	data := book(t, map[string]string{"xl/sharedStrings.xml": big, "xl/worksheets/sheet1.xml": "<worksheet/>"})
	w, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.part("xl/sharedstrings.xml", 5<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); err != ErrTooBig {
		t.Errorf("got %v, want ErrTooBig", err)
	}
}

func TestStyles(t *testing.T) {
	for code, want := range map[string]style{
		"General": plain, "0.00": plain, "yyyy-mm-dd": dated, "d.m.yy h:mm": dated, "h:mm": clock, "[h]:mm:ss": duration,
		`0 "days"`: plain, `[Red]0.00`: plain, "mmm": dated, "mm:ss": clock, `#,##0\ "Kč"`: plain, "[$-405]d. mmmm yyyy;@": dated, "@": plain,
		`"y"0`: plain, "[mm]:ss": duration, "General;General": plain,
	} {
		if got := styleOf(code); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}

// rows builds one batch with a column of every kind that a cell can hold.
func rows(t testing.TB) array.RecordReader {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "d", Type: &arrow.Decimal128Type{Precision: 18, Scale: 2}},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64}, {Name: "b", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "s <&>", Type: arrow.BinaryTypes.String}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}}, {Name: "t", Type: arrow.FixedWidthTypes.Time64us},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	micros := func(s string) int64 {
		d, err := time.Parse(time.DateTime, s)
		if err != nil {
			t.Fatal(err)
		}
		return d.UnixMicro()
	}
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, -9007199254740993, 0}, []bool{true, true, false})
	b.Field(1).(*array.Decimal128Builder).AppendValues([]decimal128.Num{decimal128.FromI64(110), decimal128.FromI64(-5), decimal128.FromI64(123456789012345678)}, nil)
	b.Field(2).(*array.Float64Builder).AppendValues([]float64{0.1, math.NaN(), 1e300}, nil)
	b.Field(3).(*array.BooleanBuilder).AppendValues([]bool{true, false, true}, nil)
	b.Field(4).(*array.StringBuilder).AppendValues([]string{"=cmd|' /C calc'!A0", "_x0041_ \x01 <&>\n😀", strings.Repeat("é", 40000)}, nil)
	for _, d := range []string{"2024-02-29 00:00:00", "1900-02-28 00:00:00", "1899-01-01 00:00:00"} {
		b.Field(5).(*array.Date32Builder).Append(arrow.Date32(micros(d) / 86400e6))
	}
	for _, d := range []string{"2024-02-29 23:59:59", "1900-03-01 12:00:00", "2024-01-01 00:00:01"} {
		b.Field(6).(*array.TimestampBuilder).Append(arrow.Timestamp(micros(d)))
	}
	for _, v := range []int64{0, 86400e6, 86399_999_999} { // the last one rounds to the next day
		b.Field(7).(*array.Time64Builder).Append(arrow.Time64(v))
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	r, err := array.NewRecordReader(s, []arrow.RecordBatch{rec})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWriteAndReadBack(t *testing.T) {
	var b bytes.Buffer
	done, err := writeBook(&b, api.WithCaveats(rows(t), nil), WriteOptions{Sheet: "a/b's [1]"})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", maxText)
	want := "1: A=i B=d C=f D=b E=s <&> F=day G=at H=t\n" +
		"2: A=1 B=1.1 C=0.1 D=true E==cmd|' /C calc'!A0 F=2024-02-29 G=2024-02-29T23:59:59 H=00:00:00\n" +
		"3: A=-9007199254740993 B=-0.05 C=NaN D=false E=_x0041_ � <&>\n😀 F=1900-02-28 G=1900-03-01T12:00:00 H=24:00:00\n" +
		"4: B=1234567890123456.78 C=1e+300 D=true E=" + long + " F=1899-01-01 G=2024-01-01T00:00:01 H=23:59:59.999\n"
	if got := text(t, b.Bytes(), 0); got != want {
		t.Errorf("got\n%swant\n%s", strings.ReplaceAll(got, long, "LONG"), strings.ReplaceAll(want, long, "LONG"))
	}
	if fmt.Sprint(done.Sheets) != "[a_b's _1_]" || done.Rows != 3 || len(done.Caveats) != 7 || done.Caveats[1].Text != `columns "i" and "d": 2 numbers of more than 15 digits are written as text, since spreadsheets would round them` {
		t.Errorf("%d rows, sheets %q, caveats %v", done.Rows, done.Sheets, done.Caveats)
	}
	if !strings.Contains(fmt.Sprint(done.Caveats), `columns "day" and "t": 2 dates before 1900 or after 9999, or times of 24:00, are written as text`) {
		t.Errorf("caveats %v", done.Caveats)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatalf("another reader fails: %v", err)
	}
	if size, err := f.GetSheetDimension(done.Sheets[0]); err != nil || size != "" {
		t.Errorf("the sheet says that it has the cells %s, %v", size, err)
	}
	defer f.Close()
	got, err := f.GetRows("a_b's _1_")
	if err != nil || len(got) != 4 || got[1][5] != "2024-02-29" || got[1][1] != "1.10" || got[2][0] != "-9007199254740993" {
		t.Errorf("another reader sees %.200q, %v", got, err)
	}
	if v, _ := f.GetPanes("a_b's _1_"); !v.Freeze || v.YSplit != 1 {
		t.Errorf("no frozen header: %+v", v)
	}
	for cell, want := range map[string]string{"A1": "bold", "B2": "0.00", "F2": "yyyy-mm-dd", "G2": "yyyy-mm-dd hh:mm:ss", "H2": "hh:mm:ss", "E2": ""} {
		if look := lookOf(t, f, "a_b's _1_", cell); look != want {
			t.Errorf("another reader sees the style %q of %s, want %q", look, cell, want)
		}
	}
	if tables, err := f.GetTables("a_b's _1_"); err != nil || len(tables) != 1 || tables[0].Range != "A1:H4" {
		t.Errorf("another reader sees the tables %+v, %v", tables, err)
	}
}

// lookOf is what another reader says of the style of a cell.
func lookOf(t *testing.T, f *excelize.File, sheet, cell string) string {
	t.Helper()
	id, err := f.GetCellStyle(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	style, err := f.GetStyle(id)
	switch {
	case err != nil:
		t.Fatal(err)
	case style.Font != nil && style.Font.Bold:
		return "bold"
	case style.CustomNumFmt != nil:
		return *style.CustomNumFmt
	}
	return ""
}

func TestWriteManySheets(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i := range 10 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecordBatch()
	r, _ := array.NewRecordReader(s, []arrow.RecordBatch{rec})
	var out bytes.Buffer
	done, err := writeBook(&out, api.WithCaveats(r, nil), WriteOptions{Sheet: "data", MaxRows: 5})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(done.Sheets) != "[data data (2) data (3)]" || len(done.Caveats) != 1 {
		t.Errorf("%+v", done)
	}
	if got := text(t, out.Bytes(), 2); got != "1: A=n\n2: A=8\n3: A=9\n" {
		t.Errorf("last sheet: %q", got)
	}
	empty, _ := array.NewRecordReader(s, nil)
	out.Reset()
	if _, err := writeBook(&out, api.WithCaveats(empty, nil), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, out.Bytes(), 0); got != "1: A=n\n" {
		t.Errorf("a table without rows: %q", got)
	}
}

func TestSheetNames(t *testing.T) {
	for in, want := range map[string]string{
		"": "Sheet1", "ok": "ok", "a:b": "a_b", "History": "History_", "'x'": "x", strings.Repeat("é", 40): strings.Repeat("é", 31), "'": "Sheet1",
	} {
		if got := sheetName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzSheet(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="s"><v>0</v></c><c t="inlineStr"><is><t>x</t></is></c></row>`, `<sst><si><t>a</t></si></sst>`)
	f.Add(`<row><c s="1"><f>1</f><v>1.5E3</v></c></row>`, `<sst>`)
	f.Fuzz(func(t *testing.T, sheet, shared string) {
		data := book(t, map[string]string{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + sheet, "xl/sharedStrings.xml": shared})
		a, errA := readAll(data, 0)
		b, errB := readAll(data, 0)
		if a != b || (errA == nil) != (errB == nil) {
			t.Errorf("two answers")
		}
	})
}

// TestDurations are written alike on both sides of zero.
func TestDurations(t *testing.T) {
	w := &Workbook{}
	for v, want := range map[float64]string{0.25: "6:00:00", 1.5: "36:00:00", -0.5: "-12:00:00", -62.5: "-1500:00:00", 30.123: "722:57:07.200"} {
		if got, ok := w.appendTime(nil, v, duration); !ok || string(got) != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// writeBook writes a workbook of one result.
func writeBook(w io.Writer, rdr api.Rows, o WriteOptions) (Written, error) {
	book := NewBook(w)
	defer book.Abort()
	done, err := book.Add(context.Background(), rdr, o)
	if err != nil {
		return Written{}, err
	}
	return done, book.Close()
}
