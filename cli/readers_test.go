package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// readable are the columns that readers of other makers get, as expressions of a row
// number, and the texts that they make of their values.
var readable = []struct{ name, value, text string }{
	{"b", "h % 3 = 0", "b::VARCHAR"},
	{"i8", "(h % 256 - 128)::TINYINT", "i8::VARCHAR"},
	{"i32", "(h % 4294967296 - 2147483648)::INTEGER", "i32::VARCHAR"}, // jumps by more than 32 bits
	{"i64", "(h - 9223372036854775808)::BIGINT", "i64::VARCHAR"},
	{"u32", "(h % 4294967296)::UINTEGER", "u32::VARCHAR"},
	{"u64", "h::UBIGINT", "u64::VARCHAR"},
	{"d18", "(((h % 1999999999999999)::BIGINT - 999999999999999)::DECIMAL(18,3) * 0.001)::DECIMAL(18,3)", "d18::VARCHAR"},
	{"d38", "(h * 3 - 9223372036854775808)::DECIMAL(38,10)", "d38::VARCHAR"},
	{"f", "CASE h % 9 WHEN 0 THEN '-0.0' WHEN 1 THEN '0.0' WHEN 2 THEN 'inf' WHEN 3 THEN '1e-310' ELSE (h / 1e7)::VARCHAR END::DOUBLE", "f::VARCHAR"},
	{"s", "CASE h % 4 WHEN 0 THEN '' WHEN 1 THEN 'a \"b\", c' || chr(10) || 'd' ELSE chr((200 + h % 20000)::INTEGER) || h::VARCHAR END", "s"},
	{"dt", "DATE '1900-03-01' + (h % 200000)::INTEGER", "dt::VARCHAR"},
	{"ts", "TIMESTAMP '1900-03-01' + to_microseconds((h % 6311433600000000)::BIGINT)", "epoch_us(ts)::VARCHAR"},
	{"tz", "(TIMESTAMP '1960-01-01' + to_microseconds((h % 3155716800000000)::BIGINT))::TIMESTAMPTZ", "epoch_us(tz)::VARCHAR"},
	{"bl", "unhex(hex(h))", "hex(bl)"},
}

// nestable are those for files of the engine's writer, which takes all types.
var nestable = []struct{ name, value, text string }{
	{"l", "[(h % 1000)::INTEGER, NULL, (i % 7)::INTEGER]", "to_json(l)::VARCHAR"},
	{"st", "{'a': (h % 99)::INTEGER, 'b': 'x' || (i % 5)}", "to_json(st)::VARCHAR"},
	{"u", "md5(h::VARCHAR)::UUID", "u::VARCHAR"},
}

// TestOtherReaders holds that current pyarrow, pandas, polars, DuckDB and openpyxl read what
// da writes, cell by cell.
func TestOtherReaders(t *testing.T) {
	t.Parallel()
	python, err := filepath.Abs("../.cache/readers/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, python, "a Python with pyarrow, pandas, polars, duckdb and openpyxl", "make needs")
	p := newPlace(t)
	const rows = " FROM (SELECT i, hash(i * 7919)::HUGEINT AS h FROM range(1000) t(i)) ORDER BY i"
	plain, all := "SELECT i::INTEGER AS i", "i::INTEGER AS i"
	texts := map[string]string{"i": "i::VARCHAR"}
	for _, c := range append(slices.Clone(readable), nestable...) {
		value := fmt.Sprintf("CASE WHEN h %% 11 = 5 THEN NULL ELSE %s END AS %s", c.value, c.name)
		all += ", " + value
		texts[c.name] = c.text
	}
	for _, c := range readable {
		plain += fmt.Sprintf(", CASE WHEN h %% 11 = 5 THEN NULL ELSE %s END AS %s", c.value, c.name)
	}
	sheet := "SELECT i::INTEGER AS i, h % 3 = 0 AS b, (h % 2000 - 1000)::SMALLINT AS i8, (h % 1000000)::DOUBLE / 8 + 0.5 AS f, 'é\"' || h::VARCHAR AS s, DATE '1990-01-01' + (h % 9999)::INTEGER AS dt" + rows
	files := map[string]string{
		"flat.parquet": plain + rows, "nested.parquet": "SELECT " + all + rows, "flat.arrow": plain + rows, "nested.arrow": "SELECT " + all + rows,
		"nested.arrows": "SELECT " + all + rows, "sheet.xlsx": sheet, "sheet.ndjson": sheet,
	}
	args := []string{"testdata/readers/read.py"}
	want := map[string][]map[string]*string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sql, path := files[name], filepath.Join(p.dir, name)
		p.ok("query", sql, "--out", path)
		args = append(args, path)
		var items []string
		for column, text := range texts {
			if strings.Contains(sql, " AS "+column+",") || strings.Contains(sql, " AS "+column+" ") {
				items = append(items, text+" AS "+column)
			}
		}
		slices.Sort(items)
		want[path] = decoded(t, p.ok("query", "SELECT "+strings.Join(items, ", ")+" FROM ("+sql+")", "-o", "ndjson"))
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), python, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, append(os.Environ(), "TZ=UTC")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<28)
	read := 0
	for lines.Scan() {
		var said struct {
			File, Reader, Error string
			Rows                []map[string]*string
		}
		if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
			t.Fatal(err)
		}
		read++
		name := filepath.Base(said.File) + " by " + said.Reader
		if said.Error != "" || len(said.Rows) != len(want[said.File]) {
			t.Errorf("%s: %d rows, %s", name, len(said.Rows), said.Error)
			continue
		}
		sameCells(t, name, said.Rows, want[said.File])
	}
	if read != 19 {
		t.Errorf("%d readings are there: %s", read, errs.String())
	}
}

// decoded are rows of texts.
func decoded(t *testing.T, text string) (rows []map[string]*string) {
	t.Helper()
	for line := range strings.Lines(text) {
		row := map[string]*string{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// sameCells reports the first cell of each column that is another one.
func sameCells(t *testing.T, name string, got, want []map[string]*string) {
	t.Helper()
	show := func(s *string) string {
		if s == nil {
			return "NULL"
		}
		return *s
	}
	for column := range want[0] {
		for i := range want {
			a, b := show(got[i][column]), show(want[i][column])
			if column == "f" {
				a, b = number(a), number(b)
			}
			if a != b {
				t.Errorf("%s: row %d of %s is %.80q, want %.80q", name, i, column, a, b)
				break
			}
		}
	}
}

// number writes a float in one way.
func number(text string) string {
	var f float64
	if _, err := fmt.Sscan(text, &f); err != nil {
		return text
	}
	return fmt.Sprint(f)
}
