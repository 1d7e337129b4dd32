package duckdb

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func TestQueryRowScalars(t *testing.T) {
	c := connect(t, Options{})
	big1, _ := new(big.Int).SetString("-170141183460469231731687303715884105728", 10)
	big2, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
	for sql, want := range map[string]any{
		"NULL": nil, "true": true, "(-128)::TINYINT": int64(-128), "(-32768)::SMALLINT": int64(-32768), "7": int64(7), "9223372036854775807": int64(math.MaxInt64),
		"255::UTINYINT": int64(255), "65535::USMALLINT": int64(65535), "4294967295::UINTEGER": int64(math.MaxUint32), "18446744073709551615::UBIGINT": uint64(math.MaxUint64),
		"(-170141183460469231731687303715884105728)::HUGEINT": big1, "340282366920938463463374607431768211455::UHUGEINT": big2,
		"1.5::FLOAT": 1.5, "1e300::DOUBLE": 1e300, "(-12.30)::DECIMAL(9,2)": "-12.30", "'é' || chr(0)": "é\x00", "'\\x00\\xFF'::BLOB": []byte{0, 255},
		"DATE '2024-02-29'":                      time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		"TIMESTAMP '2024-02-29 12:34:56.789012'": time.Date(2024, 2, 29, 12, 34, 56, 789012000, time.UTC),
		"TIMESTAMPTZ '2024-02-29 12:00:00+02'":   time.Date(2024, 2, 29, 10, 0, 0, 0, time.UTC),
		"sum(range) FROM range(10)":              big.NewInt(45),
	} {
		var got any
		if err := c.QueryRow(t.Context(), "SELECT "+sql, nil, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %T %v, %v", sql, got, got, err)
		}
	}
}

func TestQueryRowDestinations(t *testing.T) {
	c := connect(t, Options{})
	var s, huge string
	var i, sum int64
	var f float64
	var b bool
	err := c.QueryRow(t.Context(), "SELECT 'a', 170141183460469231731687303715884105727::HUGEINT, 5, (SELECT sum(range) FROM range(10)), 2.5::DOUBLE, true",
		nil, &s, &huge, &i, &sum, &f, &b)
	if got := fmt.Sprintln(s, huge, i, sum, f, b, err); got != "a 170141183460469231731687303715884105727 5 45 2.5 true <nil>\n" {
		t.Error(got)
	}
	for sql, dest := range map[string]any{
		"SELECT NULL": &i, "SELECT NULL::VARCHAR": &s, "SELECT 'a'": &i, "SELECT 18446744073709551615::UBIGINT": &i,
		"SELECT 170141183460469231731687303715884105727::HUGEINT": &i, "SELECT 1": &s, "SELECT 2": &b, "SELECT [1]": new(any),
	} {
		if err := c.QueryRow(t.Context(), sql, nil, dest); err == nil {
			t.Errorf("%s into %T was accepted", sql, dest)
		}
	}
	if err := c.QueryRow(t.Context(), "SELECT 1 WHERE false", nil, &i); !errors.Is(err, ErrNoRow) {
		t.Errorf("no row: %v", err)
	}
	for _, sql := range []string{"SELECT 1, 2", "SELECT * FROM range(2)", "SELECT * FROM range(1000000)"} {
		if err := c.QueryRow(t.Context(), sql, nil, &i); err == nil {
			t.Errorf("%s: more than one value was accepted", sql)
		}
	}
	if err := c.QueryRow(t.Context(), "SELECT repeat('a row fills a batch ', 1000000) FROM range(2)", nil, &s); err == nil {
		t.Error("more than one batch was accepted")
	}
	must(t, c, "SELECT 1") // no stream is left
}

func TestParameters(t *testing.T) {
	c := connect(t, Options{})
	at := time.Date(2024, 2, 29, 12, 34, 56, 789012345, time.FixedZone("", 7200))
	for _, tc := range []struct {
		arg  any
		want string
	}{
		{nil, `"NULL" NULL`}, {true, "BOOLEAN true"}, {7, "BIGINT 7"}, {int64(math.MinInt64), "BIGINT -9223372036854775808"}, {math.Pi, "DOUBLE 3.141592653589793"},
		{"'; DROP TABLE t; --\x00é", "VARCHAR '; DROP TABLE t; --\x00é"}, {"", "VARCHAR "}, {[]byte{0, 'a', 255}, `BLOB \x00a\xFF`}, {[]byte{}, "BLOB "},
		{at, "TIMESTAMP WITH TIME ZONE 2024-02-29 10:34:56.789012+00"},
	} {
		// Two statements: the engine breaks over both in one.
		var typ, text string
		err := c.QueryRow(t.Context(), "SELECT typeof($1)", []any{tc.arg}, &typ)
		if err == nil {
			err = c.QueryRow(t.Context(), "SELECT coalesce($1::VARCHAR, 'NULL')", []any{tc.arg}, &text)
		}
		if got := typ + " " + text; err != nil || got != tc.want {
			t.Errorf("%v: %q, %v", tc.arg, got, err)
		}
	}
	var n int64
	if err := c.QueryRow(t.Context(), "SELECT $2 - $1", []any{3, 10}, &n); err != nil || n != 7 {
		t.Errorf("two parameters: %d, %v", n, err)
	}
	for _, args := range [][]any{{}, {1}, {1, 2, 3}, {1, struct{}{}}, {1, uint64(2)}} {
		if err := c.QueryRow(t.Context(), "SELECT $2 - $1", args, &n); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

func TestQuoting(t *testing.T) {
	c := connect(t, Options{})
	for _, s := range []string{"", "a", "it's", `"quoted"`, "current_date", "select", "é😀", "a\nb", `back\slash`, "$1", "--", "''", `a"; DROP TABLE t; --`} {
		if got := one(t, c, "SELECT "+Literal(s)); got != s {
			t.Errorf("Literal(%q) is %q", s, got)
		}
		if s == "" {
			continue // the engine has no empty identifier
		}
		r := query(t, c, "SELECT 1 AS "+Quote(s))
		if got := r.Schema().Field(0).Name; got != s {
			t.Errorf("Quote(%q) is %q", s, got)
		}
		texts(t, r)
	}
}

// TestPathLiteral: whatever a path holds, only its own file is read.
func TestPathLiteral(t *testing.T) {
	c := connect(t, Options{})
	dir := t.TempDir()
	names := []string{"a", "b", "c", "*", "**", "?", "[a-c]", "[", "]", "[[]", "[!a]", "{a,b}", `\`, `a\b`, `a\`, "it's", "é", " "}
	for _, name := range names {
		writeFile(t, filepath.Join(dir, name), name)
	}
	for _, name := range names {
		rows := texts(t, query(t, c, "SELECT content FROM read_text("+PathLiteral(filepath.Join(dir, name))+")"))
		if len(rows) != 1 || rows[0][0] != name {
			t.Errorf("%s is read as %v", name, rows)
		}
	}
}
