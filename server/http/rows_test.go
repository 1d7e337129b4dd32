package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestPagesGetTheFirstRowsAsJSON(t *testing.T) {
	s := newStaffServer(t, "{ max_limit: 100 }")
	b, _ := signInTo(t, s.url, s.user("una"))
	read := func(path, body string) (rows api.PageRows, values [][]any) {
		t.Helper()
		if err := json.Unmarshal([]byte(b.want(body, 200, "POST", path, body)), &rows); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(rows.Rows, &values); err != nil || len(values) != rows.Shown {
			t.Fatalf("%d rows, %d shown, %v", len(values), rows.Shown, err)
		}
		return rows, values
	}
	rows, values := read("/api/page/rows", `{"table_id":"open","where":"k = 2"}`)
	if rows.Shown != 1 || rows.More || values[0][1] != "two" || len(rows.Columns) != 2 || !rows.Columns[0].Numeric {
		t.Errorf("a scan: %+v %v", rows, values)
	}
	// More than the server gives at once, and more than a page is shown.
	rows, _ = read("/api/page/query", `{"sql":"SELECT a.k FROM open a, open b, open c, open d, open e, open f, open g"}`)
	if rows.Shown != 100 || !rows.More {
		t.Errorf("more than the server gives: %d, more %v", rows.Shown, rows.More)
	}
	rows, _ = read("/api/page/query", `{"sql":"SELECT k FROM open ORDER BY k","limit":1}`)
	if rows.Shown != 1 || !rows.More {
		t.Errorf("a limit of one's own: %d, more %v", rows.Shown, rows.More)
	}
	rows, values = read("/api/page/query", `{"sql":"SELECT '<script>' || chr(10) AS s, NULL AS n, 9007199254740993 AS big FROM open LIMIT 1"}`)
	if rows.Shown != 1 || values[0][0] != "<script>\n" || values[0][1] != nil || values[0][2] != "9007199254740993" {
		t.Errorf("values: %v", values)
	}
	var price api.QueryPrice
	if text := b.want("a price", 200, "POST", "/api/page/price", `{"sql":"SELECT a.k FROM open a, open b"}`); json.Unmarshal([]byte(text), &price) != nil ||
		len(price.Tables) != 1 || price.Tables[0] != "open" || price.ScanBytes == nil || *price.ScanBytes == 0 || price.CostUSD == nil || *price.CostUSD != 0 {
		t.Errorf("a price: %s", text)
	}
	// Rights are those of every other way.
	b.want("no grant", 403, "POST", "/api/page/price", `{"sql":"SELECT count(*) FROM closed"}`)
	b.want("not a SELECT", 400, "POST", "/api/page/price", `{"sql":"DROP TABLE open"}`)
	for _, sql := range []string{"DROP TABLE open", "SELECT a FROM open WHERE", "SELECT nme FROM open", "SELECT a FROM nowhere", "SELECT count(*) FROM closed"} {
		if text := b.want("what is typed", 200, "POST", "/api/page/price?typing=true", `{"sql":"`+sql+`"}`); !strings.Contains(text, `"mistake":"`) {
			t.Errorf("%s: %s", sql, text)
		}
	}
	b.want("no grant", 403, "POST", "/api/page/rows", `{"table_id":"closed"}`)
	b.want("no grant", 403, "POST", "/api/page/query", `{"sql":"SELECT * FROM closed"}`)
	b.want("not a SELECT", 400, "POST", "/api/page/query", `{"sql":"DROP TABLE open"}`)
}
