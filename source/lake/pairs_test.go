package lake

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestAStatementOfManyPairs plans what takes the engine minutes as it comes.
func TestAStatementOfManyPairs(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "p.parquet", "SELECT range AS id, 2 * range AS n FROM range(9000)")
	var pairs []string
	for i := range 2000 {
		pairs = append(pairs, fmt.Sprintf("(id = %d AND n = %d)", i, 2*i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := f.lake.Query(ctx, "SELECT count(*) FROM p WHERE "+strings.Join(pairs, " OR "), map[string]source.Relation{"p": {Name: "p.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := enginetest.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	same(t, rows, "2000")
}
