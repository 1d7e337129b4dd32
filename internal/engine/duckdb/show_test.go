package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// shown makes rows readable as the view v, which later statements of the test
// scan; opened counts the scans, and open the readers that are not released.
func shown(t *testing.T, c *Conn, open func() *rows) (opened, left func() int32) {
	t.Helper()
	var n atomic.Int32
	var mu sync.Mutex
	var all []*rows
	err := c.Show(t.Context(), "v", rowsSchema, func(context.Context) (array.RecordReader, error) {
		n.Add(1)
		r := open()
		if r == nil {
			return nil, errors.New("the file is gone")
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r)
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n.Load, func() (sum int32) {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range all {
			sum += r.refs.Load()
		}
		return sum
	}
}

// TestShownRowsAreReadAnew: every scan has all rows, whatever others have read,
// and also beside another; the engine filters and projects itself, in an instance
// that is locked down.
func TestShownRowsAreReadAnew(t *testing.T) {
	for _, threads := range []int{1, 3} {
		c := connect(t, Options{Threads: threads, PreserveOrder: true})
		opened, left := shown(t, c, func() *rows { return rowsOf(30) })
		if err := c.Lockdown(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			sql, answer string
			scans       int32
		}{
			{"SELECT count(*), sum(a)::BIGINT FROM v", "[[30000 449985000]]", 1},
			{"SELECT c, a FROM v WHERE b = '77'", "[[38.5 77]]", 1},
			{"SELECT b FROM v LIMIT 2", "[[0] [1]]", 1},
			{"SELECT b FROM v LIMIT 2 OFFSET 29999", "[[29999]]", 1},
			{"SELECT count(*), max(w.b) FROM v JOIN v w USING (a)", "[[30000 9999]]", 2},
			{"SELECT count(*) FROM (FROM v UNION ALL FROM v UNION ALL FROM (FROM v LIMIT 7))", "[[60007]]", 3},
			{"SELECT a FROM v WHERE a > (SELECT max(a) - 2 FROM v)", "[[29998] [29999]]", 2},
			{"WITH RECURSIVE r AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM r JOIN v ON a = n WHERE n < 5) SELECT max(n) FROM r", "[[5]]", -1},
			{"SELECT count(*) FROM v WHERE false", "[[0]]", 0},
			{`WITH w AS (FROM v) SELECT count(*) FROM w x JOIN w y USING (a) WHERE x.b <> '"name": "ARROW_SCAN'`, "[[30000]]", 1},
		} {
			before := opened()
			n, known, err := c.Scans(t.Context(), want.sql)
			if err != nil || known != (want.scans >= 0) || known && n != int(want.scans) {
				t.Errorf("%d threads, %s: %d scans are seen ahead, known %t, %v", threads, want.sql, n, known, err)
			}
			if got := fmt.Sprint(texts(t, query(t, c, want.sql))); got != want.answer {
				t.Errorf("%d threads, %s: %s, not %s", threads, want.sql, got, want.answer)
			}
			if n := opened() - before; n != want.scans && want.scans >= 0 {
				t.Errorf("%d threads, %s: %d scans, not %d", threads, want.sql, n, want.scans)
			}
			if n := left(); n != 0 {
				t.Errorf("%d threads, %s: %d readers are left open", threads, want.sql, n)
			}
		}
	}
}

// TestShownRowsThatFail make the statement fail with the reader's error, and no
// later one.
func TestShownRowsThatFail(t *testing.T) {
	cut := errors.New("the file is cut")
	c := connect(t, Options{Threads: 1})
	var r *rows
	_, left := shown(t, c, func() *rows { return r })
	for _, tc := range []struct {
		r    *rows
		want string
	}{
		{nil, "the file is gone"},
		{&rows{batches: 3, panicAt: -1, fail: cut}, "the file is cut"},
		{&rows{batches: 300, panicAt: 200}, "a bug in the reader"},
	} {
		if r = tc.r; r != nil {
			r.refs.Store(1)
		}
		s, err := c.Query(t.Context(), "SELECT a FROM v WHERE a >= 0")
		if err == nil {
			for s.Next() {
			}
			err = s.Err()
			s.Release()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) || tc.want == cut.Error() && !errors.Is(err, cut) {
			t.Errorf("%v, not %q", err, tc.want)
		}
		if n := left(); n != 0 {
			t.Errorf("%q: %d readers are left open", tc.want, n)
		}
		var said *Error
		if err := c.Exec(t.Context(), "SELECT error('boom')"); !errors.As(err, &said) {
			t.Errorf("a later statement: %v", err)
		}
	}
}

// TestShownRowsAndImports go together on one connection.
func TestShownRowsAndImports(t *testing.T) {
	c := connect(t, Options{})
	shown(t, c, func() *rows { return rowsOf(2) })
	for range 2 {
		if err := c.Import(t.Context(), "w", rowsOf(1), "CREATE OR REPLACE TABLE t AS SELECT * FROM w WHERE a < 10"); err != nil {
			t.Fatal(err)
		}
		if got := one(t, c, "SELECT count(*) FROM v JOIN t USING (a) WHERE t.a > 0"); got != "9" {
			t.Errorf("%s rows", got)
		}
	}
}
