package delimited

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// read collects all records of text, reading in blocks of the given size.
func read(t testing.TB, text string, d Dialect, block int) [][]string {
	t.Helper()
	r := NewReader(iotest.HalfReader(strings.NewReader(text)), d, BlockSize)
	r.block = block
	var out [][]string
	b := &Batch{}
	for {
		err := r.Next(b)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if b.First != int64(len(out)) {
			t.Fatalf("batch starts at %d, want %d", b.First, len(out))
		}
		for i := range b.Len() {
			out = append(out, b.Strings(i))
		}
	}
}

func TestRecords(t *testing.T) {
	comma := Dialect{Delimiter: ",", Quote: '"'}
	two := Dialect{Delimiter: ",", Quote: '"', Columns: 2}
	three := Dialect{Delimiter: ",", Quote: '"', Columns: 3}
	for _, c := range []struct {
		name, text string
		d          Dialect
		want       string
	}{
		{"plain", "a,b\n1,2\n", comma, "[[a b] [1 2]]"},
		{"no final newline", "a,b\n1,2", comma, "[[a b] [1 2]]"},
		{"CR LF and CR and LF", "a,b\r\n1,2\r3,4\n5,6\r", comma, "[[a b] [1 2] [3 4] [5 6]]"},
		{"lone CR inside a field", "a,b\nx\ry,2\n", two, "[[a b] [x\ry 2]]"},
		{"blank lines", "a,b\n\n  \n1,2\n\n", comma, "[[a b] [1 2]]"},
		{"empty fields", ",\n\"\",\n", comma, "[[ ] [ ]]"},
		{"trailing delimiter", "a,b,\n", comma, "[[a b ]]"},
		{"quoted delimiter and newline", "\"a,1\",\"b\nc\"\n", comma, "[[a,1 b\nc]]"},
		{"doubled quote", `"a ""b"" c",d`, comma, `[[a "b" c d]]`},
		{"undoubled quote", `"he said "hi" there",2`, comma, `[[he said "hi" there 2]]`},
		{"text behind a closed quote", "\"abc\"def,2\n3,4\n", comma, "[[abcdef 2] [3 4]]"},
		{"escaped and text behind", "\"a\"\"c\"def,2\n", comma, `[[a"cdef 2]]`},
		{"quote inside plain text", `12" pipe,2`, comma, `[[12" pipe 2]]`},
		{"blanks behind a closing quote", "\"a\" ,b\n", comma, "[[a b]]"},
		{"open quote at the end", "a,b\n\"x,1\ny,2\n", two, "[[a b] [\"x 1] [y 2]]"},
		{"extra closing quote", "a,b,c\n1,\"x\"\",2\n3,\"y\",4\n", three, `[[a b c] [1 x" 2] [3 y 4]]`},
		{"extra opening quote", "a,b,c\n1,\"x,2\n3,\"y\",4\n", three, `[[a b c] [1 "x 2] [3 y 4]]`},
		{"backslash escape", `"a\"b","c\\"`, Dialect{Delimiter: ",", Quote: '"', Escape: '\\'}, `[[a"b c\]]`},
		{"quotes that stand for themselves beside an escape", `a\,""",b`, Dialect{Delimiter: ",", Quote: '"', Escape: '\\'}, `[[a,""" b]]`},
		{"backslash without quotes", `a\,b,\N`, Dialect{Delimiter: ",", Escape: '\\'}, `[[a,b \N]]`},
		{"wide delimiter", "a||b|c||d\n", Dialect{Delimiter: "||"}, "[[a b|c d]]"},
		{"trim", "a , \"b , c\" ,  d \n", Dialect{Delimiter: ",", Quote: '"', TrimSpace: true}, "[[a b , c d]]"},
		{"comment", "# x\na,b\n#y,z\n1,2\n", Dialect{Delimiter: ",", Comment: "#"}, "[[a b] [1 2]]"},
		{"skip", "title\n\na,b\n", Dialect{Delimiter: ",", Skip: 2}, "[[a b]]"},
		{"one column", "a\n\nb\n", Dialect{KeepBlank: true}, "[[a] [] [b]]"},
		{"apostrophes", "'a;1';b\n", Dialect{Delimiter: ";", Quote: '\''}, "[[a;1 b]]"},
	} {
		for _, block := range []int{1, 2, 3, 7, BlockSize} {
			if got := fmt.Sprint(read(t, c.text, c.d, block)); got != c.want {
				t.Errorf("%s, blocks of %d: got %q, want %q", c.name, block, got, c.want)
			}
		}
	}
}

// TestAgainstEncodingCSV compares well-formed random files with the standard
// library's reader.
func TestAgainstEncodingCSV(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	parts := []string{"a", "b c", ",", "\"", "\n", "", "é", "1.5", " "}
	for range 300 {
		cols := 2 + rnd.Intn(4)
		var text strings.Builder
		w := csv.NewWriter(&text)
		for range 1 + rnd.Intn(20) {
			rec := make([]string, cols)
			for j := range rec {
				for range rnd.Intn(4) {
					rec[j] += parts[rnd.Intn(len(parts))]
				}
			}
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		want, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		d := Dialect{Delimiter: ",", Quote: '"', Columns: cols}
		for _, block := range []int{5, 64, BlockSize} {
			if got := read(t, text.String(), d, block); !reflect.DeepEqual(got, want) {
				t.Fatalf("blocks of %d: %q\n got %q\nwant %q", block, text.String(), got, want)
			}
		}
	}
}

func TestLinesAndMarks(t *testing.T) {
	text := "a,b\n\n\"x\ny\",2\n\"z\"w,3\n4,5\n"
	r := NewReader(strings.NewReader(text), Dialect{Delimiter: ",", Quote: '"', Columns: 2}, BlockSize)
	b := &Batch{}
	if err := r.Next(b); err != nil {
		t.Fatal(err)
	}
	var lines []int64
	var mended []bool
	for i := range b.Len() {
		lines = append(lines, b.Line(i))
		mended = append(mended, b.Mended(i))
	}
	if fmt.Sprint(lines) != "[1 3 5 6]" || fmt.Sprint(mended) != "[false false true false]" {
		t.Errorf("lines %v, mended %v", lines, mended)
	}
	if f := b.Record(1)[0]; !f.Quoted() || f.Empty() {
		t.Errorf("quoted %v, empty %v", f.Quoted(), f.Empty())
	}
}

func TestLongRecordWithoutEnd(t *testing.T) {
	r := NewReader(io.LimitReader(zeros{}, 100<<20), Dialect{Delimiter: ","}, BlockSize)
	if err := r.Next(&Batch{}); err != ErrTooLong {
		t.Errorf("got %v, want ErrTooLong", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestRunawayRecords reads a file in which every line could go on in the next one, since
// its last quote opens a field that a quote of the next line seems to close. It must
// stay linear, keep every line, and not depend on the blocks.
func TestRunawayRecords(t *testing.T) {
	const lines = 50_000 // minutes, if each of them is read to the end of the file
	text := strings.Repeat("\"x\"y\",\"\n", lines)
	for _, block := range []int{BlockSize, 64 << 10} {
		got := read(t, text, Dialect{Delimiter: ",", Quote: '"', Columns: 2}, block)
		if len(got) != lines {
			t.Fatalf("%d records in blocks of %d", len(got), block)
		}
		for i, rec := range got {
			if strings.Join(rec, "|") != `x"y|"` {
				t.Fatalf("record %d in blocks of %d: %q", i, block, rec)
			}
		}
	}
}

// TestRunawayQuotes reads a file in which every line opens a quote that never
// closes: it must stay linear and keep every line.
func TestRunawayQuotes(t *testing.T) {
	text := strings.Repeat("\"abc,defghi,klmnop\n", 100_000)
	if got := read(t, text, Dialect{Delimiter: ",", Quote: '"', Columns: 3}, BlockSize); len(got) != 100_000 || got[5][0] != `"abc` {
		t.Errorf("%d records, first %q", len(got), got[0])
	}
}

func FuzzReader(f *testing.F) {
	f.Add("a,b\n\"x\"y,\"\"\"\n\r\"", uint8(3), uint8(0))
	f.Add("a||b\\\"|\n#c", uint8(1), uint8(7))
	f.Fuzz(func(t *testing.T, text string, block, mode uint8) {
		d := Dialect{Delimiter: ",", Quote: '"', Columns: int(mode >> 4)}
		if mode&1 != 0 {
			d.Delimiter = "||"
		}
		if mode&2 != 0 {
			d.Escape = '\\'
		}
		if mode&4 != 0 {
			d.Comment, d.TrimSpace = "#", true
		}
		whole := read(t, text, d, BlockSize)
		parts := read(t, text, d, int(block)+1)
		if !reflect.DeepEqual(whole, parts) {
			t.Errorf("block size changes the records\n%q\n%q", whole, parts)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := strings.Repeat("123456,2024-01-02,some text here,12.50,true,\"quoted, text\",7,8,9,abcdef\n", 20_000)
	d := Dialect{Delimiter: ",", Quote: '"', Columns: 10}
	b.SetBytes(int64(len(text)))
	batch := &Batch{}
	for b.Loop() {
		r := NewReader(strings.NewReader(text), d, BlockSize)
		for r.Next(batch) == nil {
		}
	}
}
