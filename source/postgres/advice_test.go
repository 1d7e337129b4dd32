package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestRefusedStatementsLeadOn holds that what the engine has against a statement
// comes with its place in the text as it was written, and with what to do.
func TestRefusedStatementsLeadOn(t *testing.T) {
	d, tables := staff(t)
	whole := map[string]source.Relation{"staff": {Name: "public.staff"}, "teams": {Name: "teams"}}
	for _, c := range []struct {
		sql, at, says, hint string // at is what stands at the place; empty: the engine tells none
	}{
		{"SELECT id,\n  naame FROM staff", "naame", `"naame"`, "Did you mean name?"},
		{"SELECT s.naame FROM staff s", "s.naame", `"naame"`, "Did you mean name?"},
		{"SELECT x.zzzzzz FROM teams x", "x.zzzzzz", `"zzzzzz"`, "teams has the columns team, boss."},
		{"SELECT zzzzzz FROM teams", "zzzzzz", `"zzzzzz"`, "teams has the columns team, boss."},
		{"SELECT lower(id) FROM staff", "lower(", "does not exist", "CAST(x AS text)"},
		{"SELECT id FROM staff WHERE name = id", "= id", "does not exist", "CAST(x AS text)"},
		{"SELECT id FROM staff WHERE id", "id", "boolean", "comparison"},
		{"SELECT CASE WHEN id > 1 THEN id ELSE name END FROM staff", "id ELSE", "types", "CAST(x AS text)"},
		{"SELECT team, id FROM staff GROUP BY team", "id FROM", "GROUP BY", "max("},
		{"SELECT team FROM staff, teams", "team FROM", "ambiguous", "before it"},
		{"SELECT id::date FROM staff", "::date", "cannot cast", "text"},
		{"SELECT id FROM staff WHERE id = 'x1'", "'x1'", "integer", "TRY_CAST"},
		{"SELECT nosuch.id FROM staff", "nosuch", "FROM-clause", "alias"},
		{"SELECT id / 0 FROM staff", "", "division by zero", "NULLIF(b, 0)"},
		{"SELECT 1 / (id - 2) FROM staff", "", "division by zero", "NULLIF(b, 0)"},
		{"SELECT CAST(name AS int) FROM staff", "", "zoe", "TRY_CAST"},
		{"SELECT id FROM staff WHERE id = (SELECT id FROM staff)", "", "more than one row", "max("},
		{"SELECT 2147483647 + id FROM staff", "", "out of range", "wider"},
		{"SELECT to_date(name, 'YYYY-MM-DD') FROM staff", "", "", "DD.MM.YYYY"},
	} {
		for _, sees := range []map[string]source.Relation{whole, tables} {
			bound := map[string]source.Relation{}
			s, err := d.source.Inspect(t.Context(), c.sql)
			if err != nil {
				t.Fatalf("%s: %v", c.sql, err)
			}
			seesAll := true
			for _, name := range s.Tables {
				bound[name] = sees[name]
				seesAll = seesAll && sees[name].Whole()
			}
			_, err = enginetest.Text(d.source.Query(t.Context(), c.sql, bound))
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeQueryFailed {
				if seesAll { // others do not see the rows that make it fail
					t.Errorf("%s: %v", c.sql, err)
				}
				continue
			}
			position, _ := e.Details["position"].(int)
			if (c.at == "") != (position == 0) || position > 0 && !strings.HasPrefix(c.sql[position-1:], c.at) {
				t.Errorf("%s: the place is %v", c.sql, e.Details)
			}
			if line := e.Details["line"]; position > 0 && line != strings.Count(c.sql[:position], "\n")+1 {
				t.Errorf("%s: the line is %v", c.sql, line)
			}
			if seesAll && (!strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint)) {
				t.Errorf("%s: %s", c.sql, show(err))
			}
			if e.Hint == "" {
				t.Errorf("%s, seeing all %t: no hint: %s", c.sql, seesAll, show(err))
			}
			for _, hidden := range []string{"pay", "zoe", "bob"} {
				if near, _ := e.Details["suggestions"].([]string); !seesAll && (strings.Contains(show(err), hidden) || slices.Contains(near, hidden)) {
					t.Errorf("%s: it tells %s: %s %v", c.sql, hidden, show(err), e.Details)
				}
			}
		}
	}
}

// TestSuggestionsAreOfWhatIsSeen holds that a name that is hidden is not
// suggested.
func TestSuggestionsAreOfWhatIsSeen(t *testing.T) {
	d, tables := staff(t)
	for _, sql := range []string{"SELECT paay FROM staff", "SELECT s.paay FROM staff s"} {
		for _, rel := range []source.Relation{{Name: "staff"}, tables["staff"]} {
			_, err := d.source.Query(t.Context(), sql, map[string]source.Relation{"staff": rel})
			var e *api.Error
			if !errors.As(err, &e) || rel.Whole() != strings.Contains(e.Hint, "pay") {
				t.Errorf("%s, seeing all %t: %s", sql, rel.Whole(), show(err))
			}
		}
	}
}
