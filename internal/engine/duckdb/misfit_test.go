package duckdb

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCasts holds that a call with arguments that do not fit leads to a cast, and
// that the cast makes it run.
func TestCasts(t *testing.T) {
	c := connect(t, Options{})
	must(t, c, "CREATE TABLE t (x VARCHAR, j JSON, n INTEGER, d DATE, day VARCHAR); INSERT INTO t VALUES ('1.5', '2', 3, '2001-01-02', '2001-01-02')")
	for sql, leads := range map[string]string{
		"SELECT sum(x) FROM t":                   "sum(x::DECIMAL(38,10))",
		"SELECT avg(x) FROM t":                   "avg(x::DECIMAL(38,10))",
		"SELECT sum(day) FROM t":                 "sum(epoch(x::INTERVAL))",
		"SELECT sum(to_hours(n)) FROM t":         "sum(epoch(x))",
		"SELECT abs(x) FROM t":                   "abs(x::DECIMAL(38,10))",
		"SELECT stddev(x) FROM t":                "stddev(x::DOUBLE)",
		"SELECT x + 1 FROM t":                    "x::DECIMAL(38,10)",
		"SELECT n * x FROM t":                    "x::DECIMAL(38,10)",
		"SELECT -x FROM t":                       "x::DECIMAL(38,10)",
		"SELECT round(x, 1) FROM t":              "x::DECIMAL(38,10)",
		"SELECT sum(j) FROM t":                   "sum(x::DECIMAL(38,10))",
		"SELECT date_trunc('month', day) FROM t": "x::TIMESTAMP",
		"SELECT upper(n) FROM t":                 "upper(x::VARCHAR)",
		"SELECT sqrt(d) FROM t":                  "CAST(x AS …)",
	} {
		err := c.Exec(t.Context(), sql)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		said := e.Casts()
		if !strings.Contains(said, leads) || len(e.Candidates) > 0 || strings.Count(e.Message, "\n") > mostForms+2 {
			t.Errorf("%s: %s\n%s", sql, said, e.Message)
		}
	}
	for sql, cast := range map[string]string{
		"SELECT sum(%s) FROM t": "x::DECIMAL(38,10)", "SELECT stddev(%s) FROM t": "x::DOUBLE", "SELECT %s + 1 FROM t": "x::DECIMAL(38,10)",
		"SELECT date_trunc('month', %s) FROM t": "day::TIMESTAMP", "SELECT upper(%s) FROM t": "n::VARCHAR", "SELECT sum(%s) FROM t ": "j::DECIMAL(38,10)",
	} {
		if err := c.Exec(t.Context(), fmt.Sprintf(sql, cast)); err != nil {
			t.Errorf("%s: %v", fmt.Sprintf(sql, cast), err)
		}
	}
	var e *Error
	if err := c.Exec(t.Context(), "SELECT nope FROM t"); !errors.As(err, &e) || e.Casts() != "" {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestTooManyDigits names the column of the statement, and a way out.
func TestTooManyDigits(t *testing.T) {
	c := connect(t, Options{})
	for sql, want := range map[string]string{
		`SELECT 1 AS a, 170141183460469231731687303715884105727::HUGEINT AS "my total"`: `"my total"::VARCHAR, or "my total"::DOUBLE. A fetch`,
		"SELECT 1 AS a, -170141183460469231731687303715884105727::HUGEINT AS a":         "::VARCHAR",
		"SELECT 123456789012345678901234567890123456789012::DECIMAL(38,0)":              "in quotes",
		"SELECT 'x'::DECIMAL": "TRY_CAST",
	} {
		carried, _, err := c.Carry(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if err := c.Exec(t.Context(), carried); !errors.As(err, &e) || !strings.Contains(e.Casts(), want) {
			t.Errorf("%s: %v, %s", sql, err, e.Casts())
		}
	}
}

// TestValuesAsTheyAreWritten holds that a value that a cast does not take leads to
// what reads it.
func TestValuesAsTheyAreWritten(t *testing.T) {
	c := connect(t, Options{})
	for cast, leads := range map[string]string{
		"CAST('31.12.2024' AS DATE)":              "strptime(x, '%d.%m.%Y')::DATE",
		"'31.12.24'::DATE":                        "strptime(x, '%d.%m.%y')::DATE",
		"'31/12/2024 10:00'::TIMESTAMP":           "strptime(x, '%d/%m/%Y')",
		"'20241231'::DATE":                        "strptime(x, '%Y%m%d')",
		"'5 %'::DOUBLE":                           "rtrim(x, ' %'), ',', '.')::DOUBLE",
		"'1.234,5'::DECIMAL(18, 2)":               "replace(replace(x, '.', ''), ',', '.')",
		"'foo'::DATE":                             "TRY_CAST",
		"9223372036854775807::BIGINT + 1::BIGINT": "x::HUGEINT",
		"sum(9999999999999999999999999999.9999999999::DECIMAL(38,10)) FROM range(100)": "x::DOUBLE",
	} {
		var e *Error
		if err := c.Exec(t.Context(), "SELECT "+cast); !errors.As(err, &e) || !strings.Contains(e.Casts(), leads) {
			t.Errorf("%s: %v", cast, err)
		}
	}
}
