package table

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAQueryOfManyPairs plans what takes the engine minutes as it comes.
func TestAQueryOfManyPairs(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "p.csv", "id,n\n1,2\n2,4\n3,7\n")
	var pairs []string
	for i := range 5000 {
		pairs = append(pairs, fmt.Sprintf("(id = %d AND n = %d)", i, 2*i))
	}
	r, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: "p.csv"}, Timeout: time.Minute,
		Query: "SELECT count(*) FROM data WHERE " + strings.Join(pairs, " OR ")})
	if err != nil || string(r.Rows[0][0]) != "2" {
		t.Errorf("%+v, %v", r, err)
	}
}
