package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// flatValues are expressions over a hash $, one for each type that is written
// without the engine.
var flatValues = []string{
	"(($ % 200)::INTEGER - 100)::TINYINT", "(($ % 60000)::INTEGER - 30000)::SMALLINT", "(($ % 4000000000)::BIGINT - 2000000000)::INTEGER", "($ % 9000000000000000000)::BIGINT",
	"($ % 256)::UTINYINT", "($ % 65536)::USMALLINT", "($ % 4294967296)::UINTEGER", "$::UBIGINT", "($ % 30)::BIGINT",
	"CASE WHEN $ % 100 = 0 THEN 'nan' ELSE $ % 10000 / 8 END::FLOAT", "CASE WHEN $ % 100 = 0 THEN '-inf' ELSE $ / 8 END::DOUBLE", "$ % 3 = 0",
	"DATE '1970-01-01' + ($ % 100000)::INTEGER", "TIME '00:00:00' + INTERVAL ($ % 86400) SECOND", "make_timestamp(($ % 4000000000000000)::BIGINT)",
	"make_timestamp(($ % 4000000000000000)::BIGINT)::TIMESTAMPTZ", "make_timestamp_ns(($ % 4000000000000000000)::BIGINT)",
	"($ % 1000)::DECIMAL(4,1)", "($ % 100000)::DECIMAL(9,2)", "($ % 10000000)::DECIMAL(15,2)", "$::DECIMAL(38,5)",
	"['', 'a', 'ab', 'řeřicha', 'longer than twelve bytes'][($ % 5 + 1)::INTEGER]", "'text ' || $", "encode('bytes ' || $ % 1000)",
}

// nullsOf are where a column has no value.
var nullsOf = []string{"false", "true", "h % 3 = 0", "h % 1000 = 0", "i % 5000 < 2500", "i <> 7"}

// TestScatteredRowsAreThoseOfTheSelect copies random rows and columns of files of
// all flat types and many patterns of NULLs, from which the engine's threads gather
// rows beside each other: the same rows of the same types are in the copy.
func TestScatteredRowsAreThoseOfTheSelect(t *testing.T) {
	c := connect(t, Options{Threads: 4})
	r := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.parquet"), filepath.Join(dir, "to.parquet")
	for round, rows := range []int{1, 2049, 20_000, 130_000} {
		var columns []string
		for i, typ := range flatValues {
			columns = append(columns, fmt.Sprintf("CASE WHEN NOT (%s) THEN %s END AS c%d", nullsOf[r.IntN(len(nullsOf))], strings.ReplaceAll(typ, "$", fmt.Sprintf("hash(i, %d)", i)), i))
		}
		table := fmt.Sprintf("SELECT i, %s FROM (SELECT range AS i, hash(range) AS h FROM range(%d))", strings.Join(columns, ", "), rows)
		if round%2 == 0 {
			run(t, c, "COPY ("+table+") TO "+Literal(from)+" (FORMAT parquet, ROW_GROUP_SIZE 4096)")
		} else if err := c.CopyParquet(t.Context(), table, from, true); err != nil {
			t.Fatal(err)
		}
		for _, where := range []string{"true", "i % 2 = 0", "i < 100", "c0 > 0", "c21 = 'a'", "c1 IS NULL", "hash(i) % 1000 = 1", "i > 2000 AND c18 < 500", "false"} {
			picked := []string{"i"}
			for _, k := range r.Perm(len(flatValues))[:1+r.IntN(len(flatValues))] {
				picked = append(picked, fmt.Sprintf("c%d", k))
			}
			sql := fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(picked, ", "), Literal(from), where)
			if err := c.CopyParquet(t.Context(), sql, to, false); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			copied := "FROM " + Literal(to)
			if got, want := described(t, c, copied), described(t, c, sql); got != want {
				t.Fatalf("%s: types\n%s in place of\n%s", sql, got, want)
			}
			differ := one(t, c, fmt.Sprintf("SELECT concat_ws(' ', (SELECT count(*) FROM (%s)) - (SELECT count(*) FROM (%s)), (SELECT count(*) FROM (%[1]s EXCEPT ALL %[2]s)))", sql, copied))
			if differ != "0 0" {
				t.Fatalf("%s of %d rows: the copy differs by %s rows", sql, rows, differ)
			}
		}
	}
}

func run(t *testing.T, c *Conn, sql string) {
	t.Helper()
	if err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func described(t *testing.T, c *Conn, sql string) string {
	t.Helper()
	cols, err := c.Describe(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(cols)
}

// scattered counts rows; take may fail.
func scattered(ctx context.Context, c *Conn, sql string, take func() error) (int64, error) {
	counts := []*int64{}
	err := c.scatter(ctx, sql, func(*arrow.Schema) error { return nil }, func() taker {
		n := new(int64)
		counts = append(counts, n)
		return func(rows arrow.RecordBatch) error {
			*n += rows.NumRows()
			return take()
		}
	})
	sum := int64(0)
	for _, n := range counts {
		sum += *n
	}
	return sum, err
}

// TestScatterEndsWithItsErrors: an error ends the statement, is the one that is
// told, and leaves a connection that works.
func TestScatterEndsWithItsErrors(t *testing.T) {
	c := connect(t, Options{Threads: 2})
	ctx, cancel := context.WithCancelCause(t.Context())
	for sql, take := range map[string]func() error{
		"SELECT range FROM range(10000000)":                                                 func() error { return errUser },
		"SELECT range FROM range(10)":                                                       func() error { return errUser }, // when all rows are gathered
		"SELECT range AS r FROM range(10000000)":                                            func() error { panic("a bug in a taker") },
		"SELECT CASE WHEN range = 9000000 THEN error('no') ELSE '' END FROM range(9000001)": func() error { return nil },
		"SELECT a.range FROM range(10000000) a, range(10000000) b":                          func() error { cancel(errUser); return nil },
	} {
		_, err := scattered(ctx, c, sql, take)
		if err == nil || !errors.Is(err, errUser) && !strings.Contains(err.Error(), "a bug in a taker") && !strings.Contains(err.Error(), "no") {
			t.Errorf("%s: %v", sql, err)
		}
		if ctx.Err() != nil {
			ctx, cancel = context.WithCancelCause(t.Context())
		}
		if n, err := scattered(t.Context(), c, "SELECT 1 AS i FROM range(70000)", func() error { return nil }); n != 70000 || err != nil {
			t.Fatalf("after %s: %d rows, %v", sql, n, err)
		}
	}
	cancel(nil)
	if _, err := scattered(t.Context(), c, "SELECT [1]", func() error { return nil }); !errors.Is(err, errNotFlat) {
		t.Errorf("a list: %v", err)
	}
}

// TestASinkIsForOneStatement checks that the function cannot be called once its
// statement has ended, although it still has a name.
func TestASinkIsForOneStatement(t *testing.T) {
	c := connect(t, Options{})
	if _, err := scattered(t.Context(), c, "SELECT 1", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), "SELECT da_put_1(range) FROM range(10)"); err == nil || !strings.Contains(err.Error(), "not wanted") {
		t.Errorf("a second statement puts rows into a sink: %v", err)
	}
}

// TestAFullDiskEndsACopy writes to a device that has no room.
func TestAFullDiskEndsACopy(t *testing.T) {
	c := connect(t, Options{Threads: 2})
	for _, n := range []int{10, 10_000_000} {
		var full *fs.PathError
		if err := c.CopyParquet(t.Context(), fmt.Sprintf("SELECT range AS i, hash(range) AS h FROM range(%d)", n), "/dev/full", false); !errors.As(err, &full) || !IsDiskFull(err) {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}

// TestTap has a statement pass on those rows for which it calls the function.
func TestTap(t *testing.T) {
	c := connect(t, Options{Threads: 2})
	var sum, seen, rows int64
	tap := func(columns string) (bool, error) {
		return c.Tap(t.Context(), "SELECT range AS a, "+columns+" FROM range(100000)", func(put, columns string) string {
			return "SELECT sum(CASE WHEN c0 % 1000 = 7 THEN " + put + "(" + columns + ") END)::BIGINT, sum(c0)::BIGINT FROM (SELECT range, 'x' || range FROM range(100000)) t(" + columns + ")"
		}, func(batch arrow.RecordBatch) error {
			for i, v := range batch.Column(0).(*array.Int64).Values() {
				if text := batch.Column(1).(*array.String).Value(i); text != fmt.Sprint("x", v) {
					t.Errorf("%d is beside %s", v, text)
				}
				seen, rows = seen+v, rows+1
			}
			return nil
		}, &sum)
	}
	if flat, err := tap("'x' || range"); !flat || err != nil || sum != 4999950000 || rows != 100 || seen != 100*7+1000*4950 {
		t.Errorf("%v %v: the sum is %d, and of %d rows %d", flat, err, sum, rows, seen)
	}
	if flat, err := tap("[range]"); flat || err == nil || rows != 100 {
		t.Errorf("a list: %v %v", flat, err)
	}
}
