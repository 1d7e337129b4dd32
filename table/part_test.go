package table

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/profile"
)

// databases counts the databases that are kept, and what builders left.
func databases(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, pattern := range []string{"*.duckdb", "*.building*"} {
		files, err := filepath.Glob(filepath.Join(dir, "cache", pattern))
		if err != nil {
			t.Fatal(err)
		}
		n += len(files)
	}
	return n
}

// TestTheFirstStatementReadsWhatItNames answers the first statement over a large
// file out of the columns that it names, and makes a database of all columns
// for the second. Both say the same, whatever the statement.
func TestTheFirstStatementReadsWhatItNames(t *testing.T) {
	var csv, json strings.Builder
	csv.WriteString("id;Ünit;amount;day;note;flag\n")
	json.WriteString("[")
	for i := range 3_000 {
		day := fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1)
		fmt.Fprintf(&csv, "%d;u%d;%d,25;%s;%s;%t\n", i, i%7, i%1000, day, strings.Repeat("x", 370), i%2 == 0)
		if i > 0 {
			json.WriteString(",")
		}
		fmt.Fprintf(&json, `{"id":%d,"Ünit":"u%d","amount":%d.25,"day":"%s","note":"%s","flag":%t}`, i, i%7, i%1000, day, strings.Repeat("x", 370), i%2 == 0)
	}
	json.WriteString("]")
	for name, text := range map[string]string{"a.csv": csv.String(), "a.json": json.String()} {
		for sql, inPart := range map[string]bool{
			"SELECT count(*), 'amount' FROM data":                                                                                    true,
			"SELECT sum(AMOUNT) FROM data WHERE id % 3 = 0":                                                                          true,
			`SELECT d."Ünit", min(day) AS m FROM data d GROUP BY ALL ORDER BY 1`:                                                     true,
			"WITH w AS (SELECT flag, amount FROM data) SELECT flag, max(amount) FROM w GROUP BY flag ORDER BY flag":                  true,
			"SELECT count(*) FROM data a JOIN data b USING (id)":                                                                     true,
			"SELECT count(*) FROM data a JOIN data b USING (id) JOIN data c USING (id) JOIN data d USING (id)":                       true,
			"WITH RECURSIVE r AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM r JOIN data ON id = n WHERE n < 5) SELECT max(n) FROM r": true,
			"SELECT sum(amout) FROM data":                                                                                            false,
			"SELECT max(data) FROM data":                                                                                             false,
			"SELECT * FROM data ORDER BY id LIMIT 2":                                                                                 false,
			"SELECT #3 FROM data ORDER BY ALL LIMIT 2":                                                                               false,
			"SELECT COLUMNS('a.*') FROM data ORDER BY id LIMIT 2":                                                                    false,
			"SELECT id, amount, day, note FROM data ORDER BY id LIMIT 2":                                                             false,
		} {
			if name == "a.json" && !inPart {
				continue
			}
			ts, dir := newTables(t)
			write(t, dir, name, text)
			first := answer(t, ts, name, sql)
			if n := databases(t, dir); n != 0 == inPart {
				t.Errorf("%s: %s: %d databases after the first statement", name, sql, n)
			}
			second := answer(t, ts, name, sql)
			if n := databases(t, dir); n != 1 {
				t.Errorf("%s: %s: %d databases after the second", name, sql, n)
			}
			if first != second {
				t.Errorf("%s: %s is first %s, then %s", name, sql, first, second)
			}
			if strings.Contains(sql, "amout") {
				_, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: name}, Query: sql})
				var e *api.Error
				if !errors.As(err, &e) || !strings.Contains(e.Hint, "amount") {
					t.Errorf("%s: %v has no suggestion", sql, err)
				}
			}
		}
	}
}

// TestAFileThatShrinksWhileItIsQueried is an error, not fewer rows.
func TestAFileThatShrinksWhileItIsQueried(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "a.csv", "id,note\n"+strings.Repeat("1,"+strings.Repeat("x", 98)+"\n", 20_000))
	q, err := ts.prepare(t.Context(), Source{Path: "a.csv"}, nil, "SELECT sum(id) FROM data", limits{threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := os.Truncate(filepath.Join(dir, "a.csv"), 1<<20); err != nil {
		t.Fatal(err)
	}
	_, err = profile.Rows(t.Context(), q.session.conn, q.sel.SQL)
	var e *api.Error
	if err = queryError(t.Context(), q.sel, err); !errors.As(err, &e) || e.Code != api.CodeReadFailed || !strings.Contains(e.Message, "a.csv: the file changed while it was read") {
		t.Errorf("%v", err)
	}
}

// TestFilesOfManyColumnsAreQueried reads of a very wide file what a statement
// names, each time.
func TestFilesOfManyColumnsAreQueried(t *testing.T) {
	const columns = 40_000
	ts, dir := newTables(t)
	var b strings.Builder
	for row := range 4 {
		for i := range columns {
			if i > 0 {
				b.WriteByte(',')
			}
			if row == 0 {
				b.WriteByte('c')
			}
			fmt.Fprint(&b, i*(row+1))
		}
		b.WriteByte('\n')
	}
	write(t, dir, "wide.csv", b.String())
	for range 2 {
		r, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: "wide.csv"}, Timeout: -1, Query: "SELECT sum(c39999), count(*) FROM data"})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(t, r.Rows); got != "[[359991,3]]" {
			t.Fatal(got)
		}
		if n := databases(t, dir); n != 0 {
			t.Fatalf("%d databases", n)
		}
	}
}

// TestWhatNeedsTooManyColumnsIsRefused, and what names a few of them is not.
func TestWhatNeedsTooManyColumnsIsRefused(t *testing.T) {
	const columns = 6000
	ts, dir := newTables(t)
	var names, values []string
	for i := range columns {
		names, values = append(names, fmt.Sprintf("c%d", i)), append(values, fmt.Sprint(i))
	}
	write(t, dir, "wide.csv", strings.Join(names, ",")+"\n"+strings.Join(values, ",")+"\n")
	src, ctx := Source{Path: "wide.csv"}, context.Background()
	ask := func(columns ...string) map[string]error {
		_, stats := ts.Stats(ctx, StatsRequest{Source: src, Columns: columns})
		_, rows := ts.Rows(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 1, Columns: columns})
		picked, pick := ts.Pick(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 1, Columns: columns}, false)
		if pick == nil {
			picked.Close()
		}
		_, query := ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT " + strings.Join(append(columns, "*")[:max(1, len(columns))], ", ") + " FROM data"})
		return map[string]error{"stats": stats, "rows": rows, "pick": pick, "query": query}
	}
	all := ask()
	if all["stats"] != nil || second(ts.Describe(ctx, DescribeRequest{Source: src})) != nil {
		t.Errorf("statistics need no database: %v", all["stats"])
	}
	delete(all, "stats")
	for what, err := range all {
		if e := (*api.Error)(nil); !errors.As(err, &e) || e.Kind != "too_wide" || e.Hint == "" {
			t.Errorf("%s of all columns: %v", what, err)
		}
	}
	for what, err := range ask("c7", "c5999") {
		if err != nil {
			t.Errorf("%s of two columns: %v", what, err)
		}
	}
}

// TestARowOfTooManyFieldsIsRefused: columns for all of them would be too many, and
// leaving some out would lose values.
func TestARowOfTooManyFieldsIsRefused(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "long.csv", "a,b\n1,2\n3"+strings.Repeat(",4", 60_000)+"\n5,6\n")
	_, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: "long.csv"}, Timeout: -1, Query: "SELECT count(*) FROM data"})
	if e := (*api.Error)(nil); !errors.As(err, &e) || e.Kind != "too_wide" || !strings.Contains(e.Message, "line 3 has 60001 fields") {
		t.Errorf("got %v", err)
	}
}
