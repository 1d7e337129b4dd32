package lake

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

func (f *folder) gzip(t *testing.T, rel, text string) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	f.write(t, rel, b.String())
}

func TestCSV(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct {
		name, text, columns string
		rows                []string
	}{
		{"plain.csv", "id,name,when,amt,ok\n1,\"a \"\"q\"\", b\",2020-01-01,1.5,true\n2,x,2020-01-02,,false\n",
			"id BIGINT?, name VARCHAR?, when DATE?, amt DECIMAL(18,1)?, ok BOOLEAN?", []string{`1|a "q", b|2020-01-01|1.5|true`, "2|x|2020-01-02|(null)|false"}},
		{"semi.csv", "id;name\n1;2,3\n", "id BIGINT?, name DECIMAL(18,1)?", []string{"1|2.3"}},
		{"crlf.csv", "a,b\r\n1,\"x\r\ny\"\r\n", "a BIGINT?, b VARCHAR?", []string{"1|x\r\ny"}},
		{"tab.tsv", "a\tb\n1,2\tx\n", "a DECIMAL(18,1)?, b VARCHAR?", []string{"1.2|x"}},
		{"nohead.csv", "1,x\n2,y\n", "column_1 BIGINT?, column_2 VARCHAR?", []string{"1|x", "2|y"}},
		{"onlyhead.csv", "a,b\n", "a VARCHAR?, b VARCHAR?", nil},
		{"zip.csv", "zip\n00123\n99999\n", "zip VARCHAR?", []string{"00123", "99999"}},
		{"ids.csv", "id,n\n12345678901234567890,1.5\n7,2\n", "id DECIMAL(38,0)?, n DECIMAL(18,1)?", []string{"12345678901234567890|1.5", "7|2"}},
		{"dates.csv", "d,t\n31/12/2020,31/12/2020 10:11:12\n", "d DATE?, t TIMESTAMP?", []string{"2020-12-31|2020-12-31T10:11:12"}},
		{"hash.csv", "a,b\n#1,2\n3,4\n", "a VARCHAR?, b BIGINT?", []string{"#1|2", "3|4"}},
		{"bom.csv", "\ufeffa,b\n1,2\n", "a BIGINT?, b BIGINT?", []string{"1|2"}},
		{"names.csv", "Cost Total $,a b,a b\n1,2,3\n", "Cost Total $ BIGINT?, a b BIGINT?, a b_1 BIGINT?", []string{"1|2|3"}},
	} {
		f.write(t, c.name, c.text)
		f.gzip(t, "gz/"+c.name+".gz", c.text)
		for _, name := range []string{c.name, "gz/" + c.name + ".gz"} {
			s := f.schema(t, name)
			if got := columns(s); got != c.columns {
				t.Errorf("%s: columns %s, want %s", name, got, c.columns)
				continue
			}
			info, err := os.Stat(filepath.Join(f.dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if s.RowCount == nil || *s.RowCount != int64(len(c.rows)) || s.SizeBytes == nil || *s.SizeBytes != info.Size() {
				t.Errorf("%s: rows %v, size %v of %d", name, s.RowCount, s.SizeBytes, info.Size())
			}
			same(t, f.rows(t, f.scan(t, name, "")), c.rows...)
		}
	}
}

// TestLateValue puts what decides a type, or quoting, behind more rows than any
// sample.
func TestLateValue(t *testing.T) {
	f := newFolder(t)
	var b strings.Builder
	b.WriteString("id,n,q\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "%d,%d,x\n", i, i)
	}
	b.WriteString("7,1.5,\"a,b\"\n")
	f.write(t, "late.csv", b.String())
	if got := columns(f.schema(t, "late.csv")); got != "id BIGINT?, n DECIMAL(18,1)?, q VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	same(t, f.rows(t, f.scan(t, "late.csv", "q <> 'x'")), "7|1.5|a,b")
}

// TestTypesStay changes a file after it was described, which is how a bad value gets
// past the first look: it is an error that says where, and never another value.
func TestTypesStay(t *testing.T) {
	f := newFolder(t)
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	write := func(name, text string) {
		f.write(t, name, text)
		if err := os.Chtimes(filepath.Join(f.dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, texts := range map[string][2]string{
		"sub/a.csv":   {"id,v\n1,1\n2,2\n3,9\n", "id,v\n1,1\n2,2\n3,x\n"},
		"sub/a.jsonl": {"{\"v\":1}\n{\"v\":2}\n{\"v\":\"a\"}\n", ""},
	} {
		if strings.HasSuffix(name, "jsonl") {
			texts = [2]string{"{\"v\":1.5}\n{\"v\":2.5}\n{\"v\":3.5}\n", "{\"v\":1.5}\n{\"v\":2.5}\n{\"v\":\"x\"}\n"}
		}
		if len(texts[0]) != len(texts[1]) {
			t.Fatal("the sizes differ")
		}
		write(name, texts[0])
		scan := f.scan(t, name, "", "v")
		f.schema(t, name)
		before, err := f.lake.version(t.Context(), scan.Relation)
		if err != nil {
			t.Fatal(err)
		}
		write(name, texts[1])
		now, err := f.lake.version(t.Context(), scan.Relation)
		if err != nil {
			t.Fatal(err)
		}
		described, ok := f.lake.tables.Get(key(name, before))
		if !ok {
			t.Fatal("the table is not remembered")
		}
		stale := *described // as if it had changed just now
		stale.set = now
		f.lake.tables.Put(key(name, now), &stale, 1)
		r, err := f.lake.Scan(t.Context(), scan)
		if err == nil {
			_, err = enginetest.Rows(r)
		}
		line := map[bool]string{true: "line 4", false: "line 3"}[strings.HasSuffix(name, "csv")]
		refused(t, f, err, api.CodeQueryFailed, name, line)
		// Who may not see everything is not shown the value.
		scan.Relation.Columns = []string{"v"}
		r, err = f.lake.Scan(t.Context(), scan)
		if err == nil {
			_, err = enginetest.Rows(r)
		}
		refused(t, f, err, api.CodeQueryFailed, name, line)
		if strings.Contains(err.Error(), "x") && strings.Contains(err.Error(), `"x"`) {
			t.Errorf("the error shows a value: %v", err)
		}
	}
}

func TestManyCSV(t *testing.T) {
	f := newFolder(t)
	f.write(t, "m/1.csv", "a,b,c,d\n1,x,,2020-01-01\n")
	f.write(t, "m/2.csv", "a,b,c,d\r\n2.5,\"y,z\",,2020-01-02\r\n")
	f.write(t, "m/3.csv", "a,b,c,d\n3,,4,\n")
	f.write(t, "m/4.csv", "")
	f.write(t, "m/5.csv", "a,b,c,d\n")
	if got := columns(f.schema(t, "m/*.csv")); got != "a DECIMAL(18,1)?, b VARCHAR?, c BIGINT?, d DATE?" {
		t.Errorf("columns: %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "m/*.csv", ""))), "1|x|(null)|2020-01-01", "2.5|y,z|(null)|2020-01-02", "3|(null)|4|(null)")

	f.write(t, "text/1.csv", "a\n1\n")
	f.write(t, "text/2.csv", "a\nx\n")
	f.write(t, "text/3.csv", "a\n2020-01-01\n")
	if got := columns(f.schema(t, "text/*.csv")); got != "a VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "text/*.csv", ""))), "1", "2020-01-01", "x")

	f.write(t, "dates/1.csv", "d\n2020-01-02\n")
	f.write(t, "dates/2.csv", "d\n31/12/2020\n")
	if got := columns(f.schema(t, "dates/*.csv")); got != "d VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "dates/*.csv", ""))), "2020-01-02", "31/12/2020")

	f.write(t, "names/1.csv", "a,b\n1,2\n")
	f.write(t, "names/2.csv", "a,c\n1,2\n")
	f.write(t, "swap/1.csv", "a,b\n1,2\n")
	f.write(t, "swap/2.csv", "b,a\n1,2\n")
	f.write(t, "head/1.csv", "a,b\n1,2\n")
	f.write(t, "head/2.csv", "3,4\n")
	f.write(t, "delim/1.csv", "a,b\n1,2\n")
	f.write(t, "delim/2.csv", "a;b\n1;2\n")
	for _, dir := range []string{"names", "swap", "head", "delim"} {
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: dir + "/*.csv"})
		refused(t, f, err, api.CodeSource, dir+"/1.csv", dir+"/2.csv")
	}
}

func TestBadText(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct{ text, says string }{
		"empty.csv":   {"", "empty.csv is empty"},
		"empty.jsonl": {"", "empty.jsonl is empty"},
		"bad.jsonl":   {"{\"a\":1}\n{\"a\":2\n", "bad.jsonl"},
		"half.jsonl":  {"{\"a\":1}\n{\"a\":\"\\ud83d\"}\n", "cannot read half.jsonl as rows: line 2: a text has one half of a pair"},
		"case.json":   {`[{"a":1,"A":2}]`, `cannot read case.json as rows: line 1: the keys "a" and "A" differ only in case`},
		"page.csv":    {"<!doctype html>\n<table></table>", "page.csv is a page in HTML"},
		"words.json":  {"a,b\n1,2\n", "cannot read words.json as rows: line 1: row 1 is a number or a word"},
	} {
		f.write(t, name, c.text)
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: name})
		refused(t, f, err, api.CodeSource, c.says)
	}
	f.write(t, "twice.jsonl", "{\"a\":0}\n{\"a\":1,\"a\":2}\n")
	refused(t, f, f.failed(t, f.scan(t, "twice.jsonl", "")), api.CodeSource, `twice.jsonl as rows: line 2: an object has the key "a" twice`)
	f.write(t, "days/1.jsonl", "{\"a\":1}\n")
	f.write(t, "days/2.jsonl", "{\"b\":1}\n{\"A\":2}\n")
	_, err := f.lake.Schema(t.Context(), source.Relation{Name: "days/*.jsonl"})
	refused(t, f, err, api.CodeSource, `days/2.jsonl as rows: line 2: the key "A" differs from "a" of another file of the table in case only`)
}

// TestDamagedPacked: a damaged compressed file is an error, and one that holds
// nothing is what it was.
func TestDamagedPacked(t *testing.T) {
	f := newFolder(t)
	f.gzip(t, "whole.csv.gz", "a,b\n"+strings.Repeat("1,2\n3,4\n", 100))
	whole, err := os.ReadFile(filepath.Join(f.dir, "whole.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"garbage": "\x1f\x8b\x08\x00garbage",
		"plain":   "a,b\n1,2\n",
		"short":   "\x1f\x8b",
		"cut":     string(whole[:len(whole)-12]),
		"sum":     string(whole[:len(whole)-8]) + "\x00\x00\x00\x00" + string(whole[len(whole)-4:]),
	} {
		for _, ext := range []string{".csv.gz", ".tsv.gz", ".jsonl.gz"} {
			f.write(t, name+ext, text)
			_, err := f.lake.Schema(t.Context(), source.Relation{Name: name + ext})
			if name == "plain" && ext != ".jsonl.gz" { // it is read as what it is
				if err != nil {
					t.Error(err)
				}
				continue
			}
			refused(t, f, err, api.CodeSource, name+ext, "read")
		}
	}
	f.gzip(t, "nothing.csv.gz", "")
	_, err = f.lake.Schema(t.Context(), source.Relation{Name: "nothing.csv.gz"})
	refused(t, f, err, api.CodeSource, "nothing.csv.gz is empty")
}

func TestJSONLines(t *testing.T) {
	f := newFolder(t)
	text := `{"a":1,"b":{"c":[1,2]},"d":"2020-01-01","t":"2020-01-01T10:00:00Z","big":12345678901234567890,"mixed":1}
{"a":2.5,"d":"2020-01-02","t":"2020-01-02T09:00:00Z","mixed":{"x":1},"late":true}
`
	f.write(t, "a.jsonl", text)
	f.write(t, "a.ndjson", text)
	f.gzip(t, "a.jsonl.gz", text)
	for _, name := range []string{"a.jsonl", "a.ndjson", "a.jsonl.gz"} {
		s := f.schema(t, name)
		if got := columns(s); got != "a DECIMAL(18,1)?, b STRUCT(c BIGINT[])?, d DATE?, t TIMESTAMP WITH TIME ZONE?, big DECIMAL(38,0)?, mixed JSON?, late BOOLEAN?" {
			t.Errorf("%s: columns %s", name, got)
		}
		if f := s.Columns[1].Fields; len(f) != 1 || f[0].Name != "c" {
			t.Errorf("%s: fields %v", name, f)
		}
		same(t, f.rows(t, f.scan(t, name, "", "a", "d", "t", "big", "mixed", "late")),
			`1|2020-01-01|2020-01-01T10:00:00Z|12345678901234567890|1|(null)`,
			`2.5|2020-01-02|2020-01-02T09:00:00Z|(null)|{"x":1}|true`)
	}
	f.write(t, "ids.jsonl", "{\"h\":1234567890123456789012345678901234567890,\"d\":1.25}\n{\"h\":1,\"d\":2}\n")
	if got := columns(f.schema(t, "ids.jsonl")); got != "h VARCHAR?, d DECIMAL(18,2)?" {
		t.Errorf("columns: %s", got)
	}
	same(t, f.rows(t, f.scan(t, "ids.jsonl", "")), "1234567890123456789012345678901234567890|1.25", "1|2")
	f.write(t, "m/1.jsonl", "{\"a\":1}\n")
	f.write(t, "m/2.jsonl", "{\"b\":\"x\",\"a\":\"y\"}\n")
	f.write(t, "m/3.jsonl", "")
	if got := columns(f.schema(t, "m/*.jsonl")); got != "a VARCHAR?, b VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	// A date in a form that only one file's own look would have found.
	f.write(t, "e.jsonl", "{\"d\":\"31-12-2020\",\"t\":\"31-12-2020 10:00:00\",\"s\":{\"t\":\"31-12-2020 10:00:00\"}}\n")
	rows := f.rows(t, f.scan(t, "e.jsonl", ""))
	if len(rows) != 1 || !strings.HasPrefix(rows[0], "31-12-2020|") {
		t.Errorf("rows %q of %s", rows, columns(f.schema(t, "e.jsonl")))
	}
}
