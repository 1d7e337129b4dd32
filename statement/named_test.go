package statement

import (
	"slices"
	"testing"
)

// TestReads wants every column that a statement may read of its tables to be
// among its names, or all of them.
func TestReads(t *testing.T) {
	conn := engine(t)
	for sql, want := range map[string]struct {
		reads []string
		whole bool
	}{
		"SELECT a, T.B FROM t":   {[]string{"a", "t", "b"}, false},
		"SELECT count(*) FROM t": {nil, false},
		"SELECT rec.leaf FROM t": {[]string{"rec", "leaf"}, false},
		"SELECT 1 FROM t WHERE a > 1 GROUP BY b HAVING max(c) > 1 ORDER BY d": {[]string{"a", "b", "c", "d"}, false},
		"SELECT 1 FROM t JOIN u USING (k)":                                    {[]string{"k"}, false},
		"SELECT sum(a) FILTER (b) OVER (PARTITION BY c ORDER BY d) FROM t":    {[]string{"a", "b", "c", "d"}, false},
		"SELECT (SELECT max(x) FROM u) FROM t":                                {[]string{"x"}, false},
		"WITH c AS (SELECT a FROM t) SELECT * FROM c":                         {[]string{"a"}, true},
		"SELECT * FROM t":                     {nil, true},
		"FROM t":                              {nil, true},
		"SELECT t.* FROM t":                   {nil, true},
		"SELECT COLUMNS('a') FROM t":          {nil, true},
		"SELECT t FROM t":                     {[]string{"t"}, true},
		"SELECT s FROM t AS s":                {[]string{"s"}, true},
		"SELECT S FROM t AS s":                {[]string{"s"}, true},
		"SELECT #2 FROM t":                    {nil, true},
		"SELECT x FROM t AS t(x)":             {[]string{"x"}, true},
		"SELECT 1 FROM t NATURAL JOIN u":      {nil, true},
		"SELECT 1 FROM (DESCRIBE t)":          {nil, true},
		"SELECT 1 FROM (SUMMARIZE t)":         {nil, true},
		"PIVOT t ON a IN (1, 2) USING sum(b)": {nil, true},
		"UNPIVOT t ON a INTO NAME n VALUE v":  {nil, true},
	} {
		sel, err := Check(t.Context(), conn, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		for _, name := range want.reads {
			if !slices.Contains(sel.Reads, name) {
				t.Errorf("%s: %q is not among %v", sql, name, sel.Reads)
			}
		}
		if sel.Whole != want.whole || !want.whole && len(sel.Reads) != len(want.reads) {
			t.Errorf("%s: reads %v, whole %v", sql, sel.Reads, sel.Whole)
		}
	}
}
