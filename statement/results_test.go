package statement

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

func TestResultsAreNamedWhereTablesAre(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"SELECT * FROM @r1", `SELECT * FROM "@r1"`},
		{"from @r1", `from "@r1"`},
		{"SELECT * FROM @R12 AS x, @r3 JOIN @r4 ON x.a = @r4.a WHERE @r3.b > 1", `SELECT * FROM "@R12" AS x, "@r3" JOIN "@r4" ON x.a = "@r4".a WHERE "@r3".b > 1`},
		{"SELECT @r1.é, -- @r1 'x\n /* FROM @r1 /* @r1 */ */ 'FROM @r1' FROM (SELECT * FROM @r1)", "SELECT \"@r1\".é, -- @r1 'x\n /* FROM @r1 /* @r1 */ */ 'FROM @r1' FROM (SELECT * FROM \"@r1\")"},
		{"WITH a AS (FROM @r1) SELECT * FROM (a JOIN @r2 USING (k))", `WITH a AS (FROM "@r1") SELECT * FROM (a JOIN "@r2" USING (k))`},
		{"DESCRIBE @r1", `DESCRIBE "@r1"`},
		{"SUMMARIZE @r1", `SUMMARIZE "@r1"`},
		{"SELECT * FROM t WHERE x IN (SELECT k FROM @r1)", `SELECT * FROM t WHERE x IN (SELECT k FROM "@r1")`},
		{"SELECT a FROM t UNION ALL FROM @r1", `SELECT a FROM t UNION ALL FROM "@r1"`},
		// The operator stays what it is.
		{"SELECT @r1, a FROM t", ""},
		{"SELECT a, @r1 FROM t WHERE a = @r1 AND f(a, @r1) ORDER BY @r1, @r2", ""},
		{"SELECT extract(year FROM @r1) FROM t", ""},
		{"SELECT a IS DISTINCT FROM @r1 FROM t", ""},
		{"SELECT * FROM t JOIN u ON abs(t.a) = @r1", ""},
		{"SELECT * FROM range(1, @r1)", ""},
		// No such names.
		{"SELECT * FROM @r0, @r, @x1, @r1x, @r1_, @r1é, @r1234567890", ""},
		{`SELECT * FROM "@r1"`, ""},
		{"SELECT * FROM '@r1', $$ FROM @r1 $$, $q$ FROM @r1 $q$, E' \\' FROM @r1 '", ""},
		// What does not end.
		{"SELECT 'a FROM @r1", ""},
		{"SELECT /* a FROM @r1", ""},
	} {
		want := tt.want
		if want == "" {
			want = tt.sql
		}
		got, added := quoteResults(tt.sql)
		if got != want {
			t.Errorf("%s\n is %s", tt.sql, got)
		}
		for _, at := range added {
			if r := []rune(got); r[at] != '"' {
				t.Errorf("%s: character %d is %q", got, at, r[at])
			}
		}
	}
}

func TestCheckWithResults(t *testing.T) {
	conn := engine(t)
	sel, err := CheckWithResults(t.Context(), conn, " SELECT a FROM @r2 JOIN late USING (k) ;")
	if err != nil || !slices.Equal(sel.Tables, []string{"@r2", "late"}) || sel.SQL != `SELECT a FROM "@r2" JOIN late USING (k)` {
		t.Fatalf("%+v, %v", sel, err)
	}
	sel, err = CheckWithResults(t.Context(), conn, `SELECT a FROM "@r2"`)
	if err != nil || !slices.Equal(sel.Tables, []string{"@r2"}) {
		t.Fatalf("%+v, %v", sel, err)
	}
	// Whoever keeps no results knows no such names.
	if _, err := Check(t.Context(), conn, `SELECT a FROM "@r2"`); !errors.Is(err, &api.Error{Code: api.CodeStatement, Kind: api.KindBadTableName}) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{`"@x"`, `"@r1/../x"`, `"@r01"`} {
		if _, err := CheckWithResults(t.Context(), conn, "SELECT a FROM "+name); !api.CodeStatement.Is(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestPlacesAreThoseOfTheText compares places of faults with those that the
// same text has without results.
func TestPlacesAreThoseOfTheText(t *testing.T) {
	conn := engine(t)
	for _, sql := range []string{
		"SELECT é FROM @r1,\n @r2 WHERE getenv('x') = 1", "SELECT é FROM @r1 WHERE\n ((", "SELECT getenv('a') FROM @r1",
	} {
		_, err := CheckWithResults(t.Context(), conn, sql)
		var got, want *api.Error
		if !errors.As(err, &got) {
			t.Fatalf("%s: %v", sql, err)
		}
		_, err = Check(t.Context(), conn, strings.ReplaceAll(sql, "@", "_"))
		if !errors.As(err, &want) {
			t.Fatalf("%s: %v", sql, err)
		}
		for _, key := range []string{"position", "line", "column"} {
			if got.Details[key] != want.Details[key] {
				t.Errorf("%s: %s is %v, want %v", sql, key, got.Details[key], want.Details[key])
			}
		}
	}
}

// FuzzResultsAreOnlyQuoted takes the quotes away again, which must give the text
// as it was.
func FuzzResultsAreOnlyQuoted(f *testing.F) {
	f.Add("SELECT @r1.a, '@r2' FROM @r1, (SELECT * FROM @r2) -- @r3\n JOIN @r3 /* x */ ON $a$ @r1 $a$ = e'\\'' ORDER BY @r1")
	f.Add("from @R1 \"a\"\"b\" é@r1 $1 /* /* */")
	f.Fuzz(func(t *testing.T, sql string) {
		if !utf8.ValidString(sql) {
			return
		}
		quoted, added := quoteResults(sql)
		runes := []rune(quoted)
		for i := len(added) - 1; i >= 0; i-- {
			if runes[added[i]] != '"' {
				t.Fatalf("%q: character %d of %q", sql, added[i], quoted)
			}
			runes = slices.Delete(runes, added[i], added[i]+1)
		}
		if string(runes) != sql {
			t.Fatalf("%q became %q", sql, quoted)
		}
	})
}
