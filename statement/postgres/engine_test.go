package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
)

// TestRewrittenStatementsMeanTheSame runs every accepted statement in the
// engine beside what it is rewritten to, where nothing is hidden.
func TestRewrittenStatementsMeanTheSame(t *testing.T) {
	conn := flights(t)
	// In one transaction, the clock stands still.
	if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	whole := map[string]Table{}
	for name, table := range tables {
		table.From = "SELECT * FROM sch." + name
		whole[name] = table
	}
	for _, c := range accepted {
		s, err := Check(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		rewritten, err := s.Rewrite(whole)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		want, err := run(t, conn, "sch", c.sql)
		if err != nil {
			t.Errorf("%s: the engine refuses it: %v", c.sql, err)
			continue
		}
		// What is rewritten needs no path to its tables.
		got, err := run(t, conn, "pg_catalog", rewritten)
		if err != nil || got != want {
			t.Errorf("%s\nrewritten to %s\nyields %s, %v\nnot %s", c.sql, rewritten, got, err, want)
		}
	}
}

// run returns a result as text: the names of its columns and its rows, as
// they come.
func run(t *testing.T, conn *pgx.Conn, path, sql string) (string, error) {
	t.Helper()
	if _, err := conn.PgConn().Exec(t.Context(), "SET search_path = "+path).ReadAll(); err != nil {
		return "", err
	}
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		return "", err
	}
	out := ""
	for _, r := range results {
		for _, f := range r.FieldDescriptions {
			out += f.Name + " "
		}
		out += "\n"
		for _, row := range r.Rows {
			out += fmt.Sprintf("%q\n", row)
		}
	}
	return out, nil
}

// FuzzCheck holds that no text ends the process, and that what passes can be
// written with only the tables in it.
func FuzzCheck(f *testing.F) {
	for _, c := range accepted {
		f.Add(c.sql)
	}
	for _, c := range refused {
		f.Add(c.sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		s, err := Check(sql)
		if err != nil {
			return
		}
		bound := map[string]Table{}
		for _, name := range s.Tables {
			bound[name] = tables["flights"]
		}
		if _, err := s.Rewrite(bound); err != nil && !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	})
}
