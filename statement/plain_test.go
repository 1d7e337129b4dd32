package statement

import "testing"

func TestPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT * FROM late": true, "FROM late": true, "select a, b + 1 AS c from late order by a DESC, b -- limit\n": true, `SELECT "where" FROM late`: true,
		"SELECT count(*) FROM late": false, "SELECT a FROM late WHERE a > 1": false, "FROM late LIMIT 3": false, "FROM a, b": false, "FROM a JOIN b USING x": false,
		"SELECT 1": false, "SELECT DISTINCT a FROM late": false, "FROM a UNION ALL FROM b": false, "SELECT unnest(x) FROM late": false, "DESCRIBE late": false, "": false,
	} {
		if Plain(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
