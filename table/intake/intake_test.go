package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read profiles and loads a file; the table is shown one row a line.
func read(t testing.TB, path string, o Options) (*Profile, string) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := f.Profile(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p, show(t, f, p)
}

func show(t testing.TB, f *File, p *Profile) string {
	t.Helper()
	var b strings.Builder
	for i, c := range p.Columns {
		if i > 0 {
			b.WriteByte('|')
		}
		fmt.Fprintf(&b, "%s:%s", c.Name, c.Type)
	}
	b.WriteByte('\n')
	r, err := f.Load(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		cols := arrowjson.BindBatch(r.RecordBatch())
		for i := range int(r.RecordBatch().NumRows()) {
			for j, c := range cols {
				if j > 0 {
					b.WriteByte('|')
				}
				text, kind := c.AppendText(nil, i)
				if kind == arrowjson.Null {
					text = []byte("∅")
				}
				b.Write(text)
			}
			b.WriteByte('\n')
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"plain", "id,name\n1,a\n2,\n", Options{}, "id:integer|name:string\n1|a\n2|∅\n"},
		{"empty string", "id,name\n1,\"\"\n2,b\n", Options{}, "id:integer|name:string\n1|\n2|b\n"},
		{"ragged", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,1,1\n", Options{}, "a:integer|b:integer|c:integer|column_4:integer\n1|2|3|∅\n4|5|∅|∅\n6|7|8|9\n1|1|1|∅\n"},
		{"trailing delimiters", "a,b,\n1,2,\n3,4,\n", Options{}, "a:integer|b:integer\n1|2\n3|4\n"},
		{"names", "a,A,,a\n1,2,3,4\n5,6,7,8\n", Options{}, "a:integer|A_1:integer|column_3:integer|a_2:integer\n1|2|3|4\n5|6|7|8\n"},
		{"footer", "id,v,w\n1,2,3\n4,5,6\n\n2 rows in all\n", Options{}, "id:integer|v:integer|w:integer\n1|2|3\n4|5|6\n"},
		{"cut", "id,v,w\n1,2,3\n4,5,6\n7\n", Options{}, "id:integer|v:integer|w:integer\n1|2|3\n4|5|6\n7|∅|∅\n"},
		{"types", "id,v\n1,2\n3,4\n", Options{Types: map[string]string{"V": "decimal(9,1)", "id": "text"}}, "id:string|v:decimal\n1|2.0\n3|4.0\n"},
		{"forced and unfit", "id,v\n1,2\n3,x\n", Options{Types: map[string]string{"v": "integer"}}, "id:integer|v:integer\n1|2\n3|∅\n"},
		{"no header", "a,b\n1,2\n", Options{NoHeader: true}, "column_1:string|column_2:string\na|b\n1|2\n"},
		{"date format", "d\n01/02/2024\n03/04/2024\n", Options{DateFormat: "%m/%d/%Y"}, "d:date\n2024-01-02\n2024-03-04\n"},
		{"date format beside other dates", "iso,ts,d\n2024-02-01,2024-04-03 10:00:00,01/02/2024\n2024-02-02,2024-04-04 10:00:00,03/02/2024\n", Options{DateFormat: "D/M/Y"}, "iso:date|ts:timestamp|d:date\n2024-02-01|2024-04-03T10:00:00|2024-02-01\n2024-02-02|2024-04-04T10:00:00|2024-02-03\n"},
		{"date format and types", "iso,d\n2024-02-01,01/02/2024\n2024-02-02,03/02/2024\n", Options{DateFormat: "M/D/Y", Types: map[string]string{"iso": "timestamp", "d": "date"}}, "iso:timestamp|d:date\n2024-02-01T00:00:00|2024-01-02\n2024-02-02T00:00:00|2024-03-02\n"},
		{"infinity", "id,x\n1,1.5\n2,inf\n3,-Infinity\n4,NaN\n5,2.5\n", Options{}, "id:integer|x:float\n1|1.5\n2|Infinity\n3|-Infinity\n4|NaN\n5|2.5\n"},
		{"compact dates", "d,v\n20240102,1\n20240103,2\n", Options{DateFormat: "YYYYMMDD", Types: map[string]string{"d": "date"}}, "d:date|v:integer\n2024-01-02|1\n2024-01-03|2\n"},
		{"empty", "", Options{}, "\n"},
		{"header only", "a,b\n", Options{}, "a:string|b:string\n"},
		{"huge", "n,m\n170141183460469231731687303715884105,1\n5,2\n", Options{}, "n:integer|m:integer\n170141183460469231731687303715884105|1\n5|2\n"},
		{"money", "a;b\n1.234,50;2024-01-01\n-2,00;2024-01-02\n", Options{}, "a:decimal|b:date\n1234.50|2024-01-01\n-2.00|2024-01-02\n"},
	} {
		_, got := read(t, write(t, "x.csv", []byte(c.text)), c.o)
		if got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestReports(t *testing.T) {
	text := "Export of today\n\nid,v,w,w\n1,2,3,x\n4,5\n6,7,8,y,extra\n1,\"a\"b,1,z\n1,1,1,q\n\nend of the list\n"
	p, _ := read(t, write(t, "x.txt", []byte(text)), Options{})
	if fmt.Sprintf("%q %q", p.Preamble, p.Footer) != `["Export of today"] ["end of the list"]` {
		t.Errorf("preamble %q, footer %q", p.Preamble, p.Footer)
	}
	if p.Problems.Short != 1 || p.Problems.Long != 1 || p.Problems.Mended != 1 || p.Rows != 5 {
		t.Errorf("%+v, %d rows", p.Problems, p.Rows)
	}
	if len(p.Renamed) != 1 || p.Renamed[0].To != "w_1" || !p.Inferred {
		t.Errorf("renamed %+v, inferred %v", p.Renamed, p.Inferred)
	}
	for _, at := range p.Problems.Places {
		if at.Line == 0 || at.Reason == "" {
			t.Errorf("%+v", at)
		}
	}
}

func TestCompressed(t *testing.T) {
	text := []byte("id,name\n1,é\n2,b\n")
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(text)
	w.Close()
	enc, _ := zstd.NewWriter(nil)
	for name, data := range map[string][]byte{"x.csv.gz": gz.Bytes(), "x.csv.zst": enc.EncodeAll(text, nil)} {
		p, got := read(t, write(t, name, data), Options{})
		if got != "id:integer|name:string\n1|é\n2|b\n" || p.Format != "csv" || p.Compression == "" {
			t.Errorf("%s: %+v\n%s", name, p, got)
		}
	}
}

func TestWorkbook(t *testing.T) {
	f := excelize.NewFile()
	date, _ := f.NewStyle(&excelize.Style{NumFmt: 14})
	for cell, v := range map[string]any{
		"B1": "Sales of the year", "B3": "id", "C3": "name", "D3": "amount", "E3": "day",
		"B4": 1, "C4": "00012", "D4": 12.5, "E4": 45000, "B5": 2, "D5": 3, "E5": 45001, "B7": "as of today",
	} {
		if err := f.SetCellValue("Sheet1", cell, v); err != nil {
			t.Fatal(err)
		}
	}
	f.SetCellStyle("Sheet1", "E4", "E5", date)
	f.NewSheet("Second")
	f.SetCellValue("Second", "A1", "x")
	f.SetCellValue("Second", "A2", 7)
	path := filepath.Join(t.TempDir(), "b.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	p, got := read(t, path, Options{})
	if want := "id:integer|name:string|amount:decimal|day:date\n1|00012|12.5|2023-03-15\n2|∅|3.0|2023-03-16\n"; got != want {
		t.Errorf("got\n%swant\n%s%+v", got, want, p)
	}
	if fmt.Sprintf("%q %q", p.Preamble, p.Footer) != `["Sales of the year"] ["as of today"]` || p.Problems.Count() != 0 {
		t.Errorf("preamble %q, footer %q, %+v", p.Preamble, p.Footer, p.Problems)
	}
	if _, got := read(t, path, Options{Sheet: "2"}); got != "x:integer\n7\n" {
		t.Errorf("second sheet: %q", got)
	}
	if _, got := read(t, path, Options{Range: "C3:D5"}); got != "name:string|amount:decimal\n00012|12.5\n∅|3.0\n" {
		t.Errorf("range: %q", got)
	}
	if _, got := read(t, path, Options{HeaderLine: 4}); got != "1:integer|00012:string|12.5:integer|2023-03-15:date\n2|∅|3|2023-03-16\n" {
		t.Errorf("header line: %q", got)
	}
	if _, got := read(t, path, Options{Range: "B4:C", NoHeader: true}); got != "column_1:string|column_2:string\n1|00012\n2|∅\nas of today|∅\n" {
		t.Errorf("open range: %q", got)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		path string
		o    Options
		code api.Code
	}{
		{filepath.Join(t.TempDir(), "missing.csv"), Options{}, api.CodeReadFailed},
		{t.TempDir(), Options{}, api.CodeReadFailed},
		{write(t, "x.csv", bytes.Repeat([]byte{0, 1, 2, 3, 0, 0, 0}, 100)), Options{}, api.CodeReadFailed},
		{write(t, "x.xls", []byte("\xd0\xcf\x11\xe0 and more")), Options{}, api.CodeReadFailed},
		{write(t, "x.xlsx", []byte("PK\x03\x04 broken")), Options{}, api.CodeReadFailed},
		{write(t, "x.gz", []byte("\x1f\x8b broken")), Options{}, api.CodeReadFailed},
		{write(t, "x.csv", []byte("a\n1\n")), Options{Encoding: "klingon"}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{Types: map[string]string{"b": "integer"}}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{Types: map[string]string{"a": "klingon"}}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{DateFormat: "soon"}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{HeaderLine: 3}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{HeaderLine: -1}, api.CodeValidation},
		{write(t, "x.csv", []byte("a\n1\n")), Options{HeaderLine: 1, NoHeader: true}, api.CodeValidation},
	} {
		f, err := Open(c.path)
		if err == nil {
			_, err = f.Profile(context.Background(), c.o)
			f.Close()
		}
		var e *api.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s %+v: %v", c.path, c.o, err)
		}
	}
}

// TestAPipeIsRefusedAtOnce: nobody writes to it, so opening it would wait.
func TestAPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := Open(path)
		refused <- err
	}()
	select {
	case err := <-refused:
		if !api.CodeReadFailed.Is(err) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("still waiting")
	}
}
