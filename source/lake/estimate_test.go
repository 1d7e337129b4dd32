package lake

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func (f *folder) estimate(t testing.TB, scan source.Scan) *api.Estimate {
	t.Helper()
	e, err := f.lake.Estimate(t.Context(), scan)
	if err != nil {
		t.Fatalf("estimate: %v", err)
	}
	return e
}

// known shows a figure, "?" if it is not known.
func known(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// TestEstimate runs on 10 row groups of 10,240 rows: id from 0 in order, day
// one a group, name one of 7, half NULL in every other row of every other
// group.
func TestEstimate(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", `SELECT range AS id, DATE '2020-01-01' + (range // 10240)::INTEGER AS day,
		'name' || (range % 7) AS name, CASE WHEN (range // 10240) % 2 = 0 OR range % 2 = 0 THEN range % 100 END AS half,
		(range % 1000) / 10 AS dbl, range % 3 = 0 AS flag, (range / 100)::DECIMAL(10,2) AS dec FROM range(102400)`, "ROW_GROUP_SIZE 10240")
	for where, want := range map[string]string{
		// rows, at most
		"":                                       "102400 102400",
		"id < 10240":                             "10240 10240",
		"id < 15000":                             "? 20480",
		"15000 > id":                             "? 20480",
		"id <= 14999":                            "? 20480",
		"id >= 5000 AND id < 6000":               "? 10240",
		"id BETWEEN 5000 AND 5999":               "? 10240",
		"id NOT BETWEEN 10240 AND 92159":         "20480 20480",
		"id < 0":                                 "0 0",
		"id > 102399":                            "0 0",
		"id = 5":                                 "? 10240",
		"id = -5":                                "0 0",
		"id IN (5, 15000, 15001, 200000)":        "? 20480",
		"id NOT IN (200000)":                     "102400 102400",
		"id = 5 OR id = 6":                       "? 10240",
		"id <> 200000":                           "102400 102400",
		"day = DATE '2020-01-03'":                "10240 10240",
		"day = DATE '2020-01-03' AND id < 25600": "? 10240",
		"day >= DATE '2020-01-09'":               "20480 20480",
		"day >= DATE '2020-01-01' + INTERVAL 9 DAY":     "10240 10240",
		"day < DATE '2020-01-01'":                       "0 0",
		"NOT (day > DATE '2020-01-01')":                 "10240 10240",
		"day IN (DATE '2020-01-01', DATE '2019-01-01')": "10240 10240",
		"name = 'name3'":                                "? 102400",
		"name = 'zzz'":                                  "0 0",
		"name > 'a'":                                    "102400 102400",
		"name IS NULL":                                  "0 0",
		"name IS NOT NULL":                              "102400 102400",
		"half IS NULL":                                  "25600 25600",
		"half IS NOT NULL":                              "76800 76800",
		"half >= 0":                                     "76800 76800",
		"half < 50":                                     "? 76800",
		"half < 50 AND id < 10240":                      "? 10240",
		"flag":                                          "? 102400",
		"flag IS NOT NULL":                              "102400 102400",
		"lower(name) = 'x'":                             "? 102400",
		"lower(name) = 'x' AND id < 10240":              "? 10240",
		"lower(name) = 'x' AND id < 0":                  "0 0",
		"lower(name) = 'x' OR id < 20480":               "? 102400",
		"lower(name) = 'x' OR id >= 0":                  "102400 102400",
		"dec < 102.4":                                   "10240 10240",
		"dec < 51.2":                                    "? 10240",
		"dbl < -1":                                      "0 0",
		"dbl > 1000":                                    "? 102400", // there might be NaN
		"dbl < 1000":                                    "? 102400",
		"id > 5 AND id < 3":                             "0 0",
		"(id < 10240 OR id >= 92160) AND name = 'name1'": "? 20480",
		"id < 10240 IS TRUE":                             "10240 10240",
		"(half < 1000) IS NOT TRUE":                      "25600 25600",
	} {
		e := f.estimate(t, f.scan(t, "e.parquet", where))
		if got := known(e.ResultRows) + " " + known(e.RowsUpperBound); got != want {
			t.Errorf("%s: rows and bound %s, want %s", where, got, want)
		}
		if known(e.TableRows) != "102400" || known(e.BilledBytes) != "0" || e.CostUSD == nil || *e.CostUSD != 0 || e.ScanBytes == nil {
			t.Errorf("%s: %+v", where, e)
		}
	}
}

func TestEstimatedBytes(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", `SELECT range AS id, md5(range::VARCHAR) AS text, 'CZ' AS code, [range] AS list FROM range(100000)`, "ROW_GROUP_SIZE 10000")
	whole := f.estimate(t, f.scan(t, "e.parquet", ""))
	stored := *f.schema(t, "e.parquet").SizeBytes
	if *whole.ScanBytes != stored {
		t.Errorf("all columns: %d bytes of %d", *whole.ScanBytes, stored)
	}
	// A tenth of the rows of one column.
	id := *f.estimate(t, f.scan(t, "e.parquet", "", "id")).ScanBytes
	part := *f.estimate(t, f.scan(t, "e.parquet", "id < 10000", "id")).ScanBytes
	if part*8 > id || part*12 < id || id >= stored {
		t.Errorf("a tenth of %d bytes is %d, of all %d", id, part, stored)
	}
	// The predicate's and the order's columns are read too.
	scan := f.scan(t, "e.parquet", "text > 'a'", "id")
	more := *f.estimate(t, scan).ScanBytes
	scan.OrderBy = f.order(t, "e.parquet", "code")
	most := *f.estimate(t, scan).ScanBytes
	if id >= more || more >= most {
		t.Errorf("bytes %d, with the predicate's column %d, with the order's %d", id, more, most)
	}

	for _, c := range []struct {
		columns   []string
		low, high int64 // of the result
	}{
		{[]string{"id"}, 800_000, 800_000},
		{[]string{"text"}, 3_500_000, 3_700_000}, // 32 characters and an offset
		{[]string{"code"}, 550_000, 650_000},     // 2 and an offset
		{[]string{"id", "code"}, 1_350_000, 1_450_000},
		{[]string{"list"}, 800_000, 1_600_000},
	} {
		e := f.estimate(t, f.scan(t, "e.parquet", "", c.columns...))
		if e.ResultBytes == nil || *e.ResultBytes < c.low || *e.ResultBytes > c.high {
			t.Errorf("%v: %s bytes, want %d to %d", c.columns, known(e.ResultBytes), c.low, c.high)
		}
	}
	if e := f.estimate(t, f.scan(t, "e.parquet", "lower(text) = 'x'", "id")); e.ResultBytes != nil {
		t.Errorf("of an unknown number of rows: %d bytes", *e.ResultBytes)
	}
}

// TestLargeFooters estimates from footers that are too large to remember: only
// the columns that count are read, and the answer is the same.
func TestLargeFooters(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", "SELECT 'x' || range AS s, range AS id, [range] AS l, range % 7 AS r FROM range(20480)", "ROW_GROUP_SIZE 2048")
	scan := f.scan(t, "e.parquet", "id < 2048 AND r = 3", "s")
	first := f.estimate(t, scan)
	if f.lake.footers.Len() == 0 {
		t.Error("nothing is remembered")
	}
	f.lake.footers = lru.New[*footer](4, 4)
	second := f.estimate(t, scan)
	if f.lake.footers.Len() != 0 {
		t.Error("too much is remembered")
	}
	if known(first.ResultRows) != known(second.ResultRows) || *first.ScanBytes != *second.ScanBytes || known(first.RowsUpperBound) != "2048" ||
		known(second.RowsUpperBound) != "2048" || known(first.ResultBytes) != known(second.ResultBytes) {
		t.Errorf("%+v is not %+v", first, second)
	}
	if known(f.estimate(t, f.scan(t, "e.parquet", "", "id")).ResultRows) != "20480" {
		t.Error("rows are missing")
	}
}

func TestEstimatedLimit(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", `SELECT range AS id, 'x' || range AS s FROM range(100000)`, "ROW_GROUP_SIZE 10000")
	all := *f.estimate(t, f.scan(t, "e.parquet", "")).ScanBytes
	for limit, want := range map[int64]string{0: "0 0", 5: "5 5", 15_000: "15000 15000", 1_000_000: "100000 100000"} {
		scan := f.scan(t, "e.parquet", "")
		scan.Limit = &limit
		e := f.estimate(t, scan)
		if got := known(e.ResultRows) + " " + known(e.RowsUpperBound); got != want {
			t.Errorf("limit %d: %s, want %s", limit, got, want)
		}
		if limit == 5 && *e.ScanBytes > all/9 {
			t.Errorf("limit %d reads %d of %d bytes", limit, *e.ScanBytes, all)
		}
		if limit == 5 && (e.ResultBytes == nil || *e.ResultBytes > 500) {
			t.Errorf("limit %d gives %s bytes", limit, known(e.ResultBytes))
		}
		scan.Where = f.where(t, "e.parquet", "lower(s) = 'x'")
		if e := f.estimate(t, scan); limit > 0 && (e.ResultRows != nil || *e.ScanBytes != all) {
			t.Errorf("limit %d of an unknown number: %s rows, %d bytes", limit, known(e.ResultRows), *e.ScanBytes)
		}
	}
}

func TestEstimateOfParts(t *testing.T) {
	f := newFolder(t)
	for _, year := range []int{2001, 2002, 2003} {
		f.copy(t, fmt.Sprintf("h/year=%d/r=__HIVE_DEFAULT_PARTITION__/a.parquet", year), "SELECT range AS v FROM range(1000)")
		f.copy(t, fmt.Sprintf("h/year=%d/r=b/a.parquet", year), "SELECT range AS v FROM range(100)")
		f.copy(t, fmt.Sprintf("c/year=%d/a.csv", year), "SELECT range AS v FROM range(1000)")
	}
	for where, want := range map[string]string{
		"year = 2002":                "1100 1100",
		"year > 2001 AND r = 'b'":    "200 200",
		"r IS NULL":                  "3000 3000",
		"r <> 'b'":                   "0 0",
		"r <> 'b' OR r IS NULL":      "3000 3000",
		"year = 2002 AND v < 50":     "? 1100",
		"year IN (2001, 2003, 1999)": "2200 2200",
		"year = 1999":                "0 0",
	} {
		e := f.estimate(t, f.scan(t, "h/*/*/*.parquet", where, "v", "year"))
		if got := known(e.ResultRows) + " " + known(e.RowsUpperBound); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	size := *f.schema(t, "c/*/*.csv").SizeBytes
	for where, want := range map[string]string{
		"":                          fmt.Sprintf("3000 3000 %d", size),
		"v < 5":                     fmt.Sprintf("? 3000 %d", size),
		"year = 2002":               fmt.Sprintf("1000 1000 %d", size/3),
		"year = 2002 OR v < 5":      fmt.Sprintf("? 3000 %d", size),
		"year = 1999":               "0 0 0",
		"year = 2002 AND v IS NULL": fmt.Sprintf("? 1000 %d", size/3),
	} {
		e := f.estimate(t, f.scan(t, "c/*/*.csv", where))
		if got := known(e.ResultRows) + " " + known(e.RowsUpperBound) + " " + known(e.ScanBytes); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
		if got := known(e.TableRows); got != "3000" {
			t.Errorf("%s: %s rows in the table", where, got)
		}
	}
	scan := f.scan(t, "c/*/*.csv", "")
	limit := int64(7)
	scan.Limit = &limit
	if e := f.estimate(t, scan); known(e.RowsUpperBound) != "7" || known(e.ResultRows) != "7" {
		t.Errorf("limit 7 of CSV: %+v", e)
	}
}

// TestEstimateUnderRule holds that the rule counts, and that how much there is
// beyond it is not told.
func TestEstimateUnderRule(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", "SELECT range AS id, range % 2 AS other FROM range(1000)", "ROW_GROUP_SIZE 2048")
	scan := f.scan(t, "e.parquet", "id < 500", "id")
	scan.Relation.Rule = f.where(t, "e.parquet", "id >= 400")
	e := f.estimate(t, scan)
	if known(e.ResultRows) != "?" || known(e.RowsHigh) != "1000" || e.TableRows != nil {
		t.Errorf("rows %s, at most %s, of a table of %s", known(e.ResultRows), known(e.RowsHigh), known(e.TableRows))
	}
	s, err := f.lake.Schema(t.Context(), scan.Relation)
	if err != nil || s.RowCount != nil || s.SizeBytes != nil {
		t.Errorf("schema under a rule: %+v, %v", s, err)
	}
}

// TestClock holds that an estimate sees the same today as the scan.
func TestClock(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "e.parquet", "SELECT DATE '2020-01-01' + (range // 2048)::INTEGER AS day FROM range(204800)", "ROW_GROUP_SIZE 2048")
	scan := f.scan(t, "e.parquet", "day > CURRENT_DATE - INTERVAL 10 DAY")
	scan.Env = predicate.Env{Now: time.Date(2020, 2, 1, 12, 0, 0, 0, time.UTC)}
	rows := int64(len(f.rows(t, scan)))
	e := f.estimate(t, scan)
	if known(e.ResultRows) != fmt.Sprint(rows) || rows != 78*2048 {
		t.Errorf("%s rows are estimated, %d read", known(e.ResultRows), rows)
	}
}

// garble overwrites the data of a parquet file and leaves its footer.
func (f *folder) garble(t *testing.T, rel string) {
	t.Helper()
	file := filepath.Join(f.dir, rel)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	copy(data[4:footer], bytes.Repeat([]byte{0xEE}, footer))
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNoDataIsOpened has files of which nothing but the footer can be read.
func TestNoDataIsOpened(t *testing.T) {
	f := newFolder(t)
	for i := range 3 {
		rel := fmt.Sprintf("g/k=%d/a.parquet", i)
		f.copy(t, rel, "SELECT range AS id, 'name' || range % 7 AS name, [range] AS l FROM range(10000)", "ROW_GROUP_SIZE 2048")
		f.garble(t, rel)
	}
	const name = "g/*/*.parquet"
	if got := columns(f.schema(t, name)); got != "id BIGINT?, name VARCHAR?, l BIGINT[]?, k BIGINT" {
		t.Errorf("columns: %s", got)
	}
	for _, where := range []string{"", "id < 5000", "name = 'name3' AND k = 1", "lower(name) = 'x' OR l IS NULL", "id + 1 > 5"} {
		scan := f.scan(t, name, where)
		scan.OrderBy = f.order(t, name, "name")
		if e := f.estimate(t, scan); *e.ScanBytes == 0 {
			t.Errorf("%s: %+v", where, e)
		}
	}
	r, err := f.lake.Scan(t.Context(), f.scan(t, name, ""))
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	refused(t, f, err, api.CodeSource, "cannot be read")
	_, err = f.lake.Sample(t.Context(), source.Relation{Name: name}, 5)
	refused(t, f, err, api.CodeSource, "cannot be read")
}

// TestFloatsAreRough compares floats with decimals that they only come near to:
// how the engine rounds then is its own business.
func TestFloatsAreRough(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "f.parquet", "SELECT 0.1::FLOAT AS f, 0.1::DOUBLE AS d, 9007199254740993::BIGINT AS i")
	for _, column := range []string{"f", "d"} {
		for _, value := range []string{"0.1", "0.10000000149", "0.099999999", "CAST(0.1 AS FLOAT)", "CAST(0.1 AS DOUBLE)", "1e-1"} {
			for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
				scan := f.scan(t, "f.parquet", column+" "+op+" "+value, column)
				rows := int64(len(f.rows(t, scan)))
				if e := f.estimate(t, scan); *e.RowsUpperBound < rows || e.ResultRows != nil && *e.ResultRows == 0 && rows > 0 {
					t.Errorf("%s %s %s: %d rows, at most %d", column, op, value, rows, *e.RowsUpperBound)
				}
			}
		}
	}
	for _, test := range []string{
		"= 9007199254740992e0", "<> 9007199254740992e0", "< 9007199254740992e0", "<= 9007199254740992e0", "> 9007199254740992e0", ">= 9007199254740992e0",
		"IN (9007199254740992, 1e0)", "BETWEEN 0e0 AND 9007199254740992", "BETWEEN 9007199254740994 AND 1e18", "NOT IN (9007199254740993, 1e0)",
	} {
		scan := f.scan(t, "f.parquet", "i "+test, "i")
		rows := int64(len(f.rows(t, scan)))
		if e := f.estimate(t, scan); *e.RowsUpperBound < rows {
			t.Errorf("i %s: %d rows, at most %d", test, rows, *e.RowsUpperBound)
		}
	}
}

// TestBoundsHold runs random predicates on random data: rows lie between the
// bounds, and where rows are told they are exactly as many.
func TestBoundsHold(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "r.parquet", `SELECT CASE WHEN hash(range) % 5 <> 0 THEN (hash(range, 1) % 40)::INTEGER - 20 + (range // 2048)::INTEGER * 5 END AS i,
		CASE WHEN range // 2048 <> 3 THEN (hash(range, 2) % 100) / 10.0 END AS d,
		CASE WHEN hash(range, 3) % 50 = 0 THEN 'nan'::FLOAT ELSE (hash(range, 4) % 30)::FLOAT / 7 END AS f,
		chr(97 + (hash(range, 5) % 5)::INTEGER + (range // 2048)::INTEGER) AS s,
		DATE '2020-01-01' + (hash(range, 6) % 30)::INTEGER AS day,
		TIMESTAMP '2020-01-01' + INTERVAL (hash(range, 7) % 100) HOUR AS ts,
		TIMESTAMPTZ '2020-01-01 00:00:00+00' + INTERVAL (hash(range, 8) % 100) HOUR AS tz,
		(hash(range, 9) % 1000)::DECIMAL(9,2) / 8 AS dec,
		range // 2048 % 2 = 0 AS b
		FROM range(20480)`, "ROW_GROUP_SIZE 2048")
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	comparison := func() string {
		return pick("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
	}
	var values = map[string]func() string{
		"i":   func() string { return pick(fmt.Sprint(rng.IntN(80)-30), "5.5", "1e1", "NULL") },
		"d":   func() string { return pick("0.1", "5", "9.9", "10", "-1", "3.3", "NULL") },
		"f":   func() string { return pick("0", "1.5", "4.1428571", "5", "-0.1") },
		"s":   func() string { return "'" + string(rune('a'+rng.IntN(16))) + pick("", "x") + "'" },
		"day": func() string { return fmt.Sprintf("DATE '2020-01-%02d'", 1+rng.IntN(31)) },
		"ts":  func() string { return fmt.Sprintf("TIMESTAMP '2020-01-%02d 12:00:00'", 1+rng.IntN(8)) },
		"tz":  func() string { return fmt.Sprintf("TIMESTAMPTZ '2020-01-%02d 12:00:00+00'", 1+rng.IntN(8)) },
		"dec": func() string { return pick("0", "12.5", "124.875", "125", "60") },
	}
	var term func(depth int) string
	term = func(depth int) string {
		if depth > 0 && rng.IntN(3) > 0 {
			switch rng.IntN(5) {
			case 0:
				return "NOT (" + term(depth-1) + ")"
			case 1:
				return "(" + term(depth-1) + ") IS " + pick("", "NOT ") + pick("TRUE", "FALSE")
			}
			return "(" + term(depth-1) + ") " + pick("AND", "OR") + " (" + term(depth-1) + ")"
		}
		col := pick("i", "d", "f", "s", "day", "ts", "tz", "dec")
		v := values[col]
		switch rng.IntN(8) {
		case 0:
			return col + " IS " + pick("", "NOT ") + "NULL"
		case 1:
			return col + pick("", " NOT") + " IN (" + v() + ", " + v() + ", " + v() + ")"
		case 2:
			return col + pick("", " NOT") + " BETWEEN " + v() + " AND " + v()
		case 3:
			return pick("b", "NOT b", "lower(s) = 'c'", "i + 1 > 3")
		}
		return col + " " + comparison() + " " + v()
	}
	s, err := predicate.NewSchema(predicate.DuckDB, f.schema(t, "r.parquet").Columns)
	if err != nil {
		t.Fatal(err)
	}
	decided, tried, count := 0, 0, 120
	if campaign {
		count = 10_000
	}
	for tried < count {
		text := term(3)
		where, err := predicate.Parse(predicate.DuckDB, text, s)
		if err != nil {
			if strings.Contains(text, "NULL") {
				continue // the language refuses some comparisons with NULL
			}
			t.Fatalf("%s: %v", text, err)
		}
		tried++
		scan := source.Scan{Relation: source.Relation{Name: "r.parquet"}, Select: []string{"i"}, Where: where}
		rows := int64(len(f.rows(t, scan)))
		e := f.estimate(t, scan)
		switch {
		case e.RowsUpperBound == nil || *e.RowsUpperBound < rows:
			t.Errorf("%s: %d rows, at most %s", text, rows, known(e.RowsUpperBound))
		case *e.RowsLow > rows || *e.RowsHigh < rows:
			t.Errorf("%s: %d rows are said to be %d to %d", text, rows, *e.RowsLow, *e.RowsHigh)
		case e.ResultRows != nil && *e.ResultRows != rows:
			t.Errorf("%s: %d rows are told as %d", text, rows, *e.ResultRows)
		case e.ResultRows != nil:
			decided++
		}
	}
	if decided < count/40 || decided > count*3/4 {
		t.Errorf("%d of %d predicates were decided: the test tests little", decided, tried)
	}
}

// TestEstimateOfText tells the rows of text files, which were counted when the
// table was described, where nothing is filtered.
func TestEstimateOfText(t *testing.T) {
	f := newFolder(t)
	f.write(t, "a.csv", "n\n1\n2\n3\n")
	f.write(t, "a.json", `[{"n":1},{"n":2},{"n":3}]`)
	for _, name := range []string{"a.csv", "a.json"} {
		if e := f.estimate(t, f.scan(t, name, "")); e.ResultRows == nil || *e.ResultRows != 3 || e.ResultBytes != nil || *e.ScanBytes != *f.schema(t, name).SizeBytes {
			t.Errorf("%s: %+v", name, e)
		}
		scan := f.scan(t, name, "")
		two := int64(2)
		if scan.Limit = &two; *f.estimate(t, scan).ResultRows != 2 {
			t.Errorf("%s: with a limit", name)
		}
		if e := f.estimate(t, f.scan(t, name, "n > 1")); e.ResultRows != nil {
			t.Errorf("%s: %d rows of a predicate", name, *e.ResultRows)
		}
	}
}
