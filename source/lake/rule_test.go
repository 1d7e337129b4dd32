package lake

import (
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestARuleThatFailsFailsForAll holds that a rule which cannot be evaluated on a
// hidden row fails whatever the caller asks for: if the caller's predicate,
// order or limit decided which rows it meets, they would find the row.
func TestARuleThatFailsFailsForAll(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "p.parquet", "SELECT CASE WHEN i = 4242 THEN 'abc' ELSE '5' END AS code, i AS pay, i % 7 AS k FROM range(200000) t(i)", "ROW_GROUP_SIZE 10000")
	rel := source.Relation{Name: "p.parquet", Columns: []string{"pay", "k"}, Rule: f.where(t, "p.parquet", "CAST(code AS INTEGER) > 0")}
	one := int64(1)
	for _, where := range []string{"", "pay < 4242", "pay < 4243", "pay > 4242", "pay = 4242", "k = 0", "k = 1", "pay + 0 = 1"} {
		for _, order := range [][]predicate.Order{nil, {{Column: "pay"}}, {{Column: "pay", Desc: true}}} {
			for _, limit := range []*int64{nil, &one} {
				if order == nil && limit != nil {
					continue // whichever rows come first: the caller chooses none
				}
				scan := source.Scan{Relation: rel, Select: []string{"pay"}, OrderBy: order, Limit: limit}
				if where != "" {
					scan.Where = f.where(t, rel.Name, where)
				}
				r, err := f.lake.Scan(t.Context(), scan)
				if err == nil {
					_, err = enginetest.Rows(r)
				}
				if !api.CodeQueryFailed.Is(err) {
					t.Errorf("where %q, order %v, limit %t: %v", where, order, limit != nil, err)
				}
			}
		}
	}
}
