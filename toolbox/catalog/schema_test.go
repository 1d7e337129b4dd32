package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

// TestAWideSchemaFits asks for a schema of more columns than an answer holds.
func TestAWideSchemaFits(t *testing.T) {
	s := &api.TableSchema{TableID: "wide", PartitionBy: []string{}, ClusteredBy: []string{}}
	for i := range 5000 {
		s.Columns = append(s.Columns, api.Column{Name: fmt.Sprintf("c%d", i), Type: "VARCHAR", Description: strings.Repeat("é", 500)})
	}
	for _, tokens := range []int{0, 300, 100_000} {
		out, err := Describe(s, nil, tokens)
		if err != nil {
			t.Fatal(err)
		}
		budget, err := tool.BudgetOf(tokens)
		if err != nil {
			t.Fatal(err)
		}
		size, err := tool.SizeOf(out)
		if err != nil || size > budget || !out.Truncated || out.ColumnsTotal != 5000 || len(out.Columns) == 0 {
			t.Errorf("%d tokens: %d bytes, %d columns, truncated %v, %v", tokens, size, len(out.Columns), out.Truncated, err)
		}
	}
	if out, err := Describe(s, []string{"C4999"}, 0); err != nil || len(out.Columns) != 1 || out.Columns[0].Name != "c4999" || out.Truncated {
		t.Errorf("by a word: %v %v", out, err)
	}
	if _, err := Describe(s, nil, 10); !api.CodeUsage.Is(err) {
		t.Errorf("too small a budget: %v", err)
	}
}
