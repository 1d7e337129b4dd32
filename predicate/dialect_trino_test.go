package predicate

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestTrino prints predicates of other dialects for it.
func TestTrino(t *testing.T) {
	types := map[Dialect][3]string{DuckDB: {"VARCHAR", "TIMESTAMP", "DOUBLE"}, GoogleSQL: {"STRING", "DATETIME", "FLOAT64"}}
	for _, c := range []struct {
		d           Dialect
		where, want string
	}{
		{DuckDB, `f > 1.5e0 AND regexp_matches(name, 'a')`, `("f" > 1.5e0 OR is_nan("f")) AND regexp_like("name", 'a')`},
		{GoogleSQL, "`name` LIKE 'a\\\\%' AND DATE_DIFF(d, DATE '2026-01-01', DAY) > 3", `"name" LIKE 'a\%' ESCAPE '\' AND date_diff('day', DATE '2026-01-01', "d") > 3`},
	} {
		of := types[c.d]
		s, err := NewSchema(c.d, []api.Column{{Name: "name", Type: of[0]}, {Name: "ts", Type: of[1]}, {Name: "f", Type: of[2]}, {Name: "d", Type: "date"}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(c.d, c.where, s)
		if err != nil {
			t.Errorf("%s: %s: %v", c.d, c.where, err)
			continue
		}
		if got, err := Print(Trino, e, Env{}); err != nil || got != c.want {
			t.Errorf("%s: %s:\n got %s (%v)\nwant %s", c.d, c.where, got, err, c.want)
		}
	}
}
