package fanout

import (
	"fmt"
	"strings"
	"testing"
)

// TestLargeTablesAreLookedAtInParts: the answers are those of all rows; figures of a part
// say so.
func TestLargeTablesAreLookedAtInParts(t *testing.T) {
	const n = 300_000
	conn := engine(t,
		fmt.Sprintf("CREATE TABLE near AS SELECT i AS id, 1 AS v FROM range(%d) t(i)", n),
		fmt.Sprintf("CREATE TABLE far AS SELECT i * 1000003 AS id, 'k' || i AS k, 1 AS v FROM range(%d) t(i)", n),
		fmt.Sprintf("CREATE TABLE late AS FROM near UNION ALL SELECT %d, 2 UNION ALL SELECT NULL, 3 FROM range(2)", n-1),
		fmt.Sprintf("CREATE TABLE again AS FROM far UNION ALL SELECT id, k, 2 FROM far WHERE k = 'k%d'", n-1),
		"CREATE TABLE lines AS SELECT i AS line, i // 3 AS id, (i // 3) * 1000003 AS far, 'k' || (i // 3) AS k, 1 AS q FROM range(900000) t(i)")
	for sql, want := range map[string]string{
		"SELECT sum(q) FROM lines JOIN near USING (id)":                    "",
		"SELECT sum(q) FROM lines JOIN far ON far.id = lines.far":          "",
		"SELECT sum(q) FROM lines JOIN far USING (k)":                      "",
		"SELECT sum(q) FROM lines JOIN late USING (id)":                    "each row of 'lines' appears up to 2 times in sum(q): 'late' has several rows for one id",
		"SELECT sum(q) FROM lines JOIN late USING (id) WHERE late.v <> 2":  "",
		"SELECT sum(q) FROM lines JOIN again ON again.id = lines.far":      "each row of 'lines' appears up to 2 times in sum(q): 'again' has several rows for one id",
		"SELECT sum(q) FROM lines JOIN again USING (k)":                    "each row of 'lines' appears up to 2 times in sum(q): 'again' has several rows for one k",
		"SELECT sum(q) FROM lines JOIN again USING (k) WHERE again.v <> 2": "",
		"SELECT sum(v) FROM lines JOIN near USING (id)":                    "each row of 'near' appears about 3 times in sum(v): 'lines' has several rows for one id",
		"SELECT sum(v) FROM lines JOIN far USING (k)":                      "each row of 'far' appears about 3 times in sum(v): 'lines' has several rows for one k",
		"SELECT line, sum(v) FROM lines JOIN near USING (id) GROUP BY ALL": "",
		"SELECT sum(DISTINCT near.id) FROM lines JOIN near USING (id)":     "",
		"SELECT sum(q) FROM lines JOIN near ON hash(near.id) = lines.far":  "",
	} {
		if said, _ := find(t, conn, sql); strings.Join(said, "; ") != want {
			t.Errorf("%s\ngot  %q\nwant %q", sql, said, want)
		}
	}
}
