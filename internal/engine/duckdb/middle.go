package duckdb

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// betweens matches the aggregates that return a value between two of their column.
var betweens = lazyregexp.New(`(?i)\b(median|mad|quantile_cont|percentile_cont|list_median|list_mad)\b`)

// Middles returns a warning for each aggregate of a SELECT whose result the engine cuts to
// the digits of a DECIMAL: the median of 0.1 and 0.2 is 0.1 to it.
func (c *Conn) Middles(ctx context.Context, sql string) (warnings []string, err error) {
	if !betweens().MatchString(sql) {
		return nil, nil
	}
	var plan string
	if err := c.QueryRow(ctx, "SELECT json_serialize_plan($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR",
		[]any{sql}, &plan); err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal([]byte(plan), &tree); err != nil {
		return nil, err
	}
	walkMiddles(tree, func(name string) {
		if name == "quantile_cont" && !strings.Contains(strings.ToLower(sql), name) {
			name = "percentile_cont" // which is the same to the engine
		}
		if w := name + "() of DECIMAL values is cut to their digits; for all digits, make them DOUBLE within it, as in " +
			"CAST(x AS DOUBLE)"; !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	})
	return warnings, nil
}

// walkMiddles calls found with the name of each such aggregate of a plan.
func walkMiddles(node any, found func(name string)) {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			walkMiddles(v, found)
		}
	case map[string]any:
		if name, _ := n["name"].(string); betweens().MatchString(name) && isDecimal(n["return_type"]) {
			found(name)
		}
		for _, v := range n {
			walkMiddles(v, found)
		}
	}
}

// isDecimal reports whether a type of a plan is DECIMAL, or a list of them.
func isDecimal(typ any) bool {
	of, _ := typ.(map[string]any)
	info, _ := of["type_info"].(map[string]any)
	return of["id"] == "DECIMAL" || of["id"] == "LIST" && isDecimal(info["child_type"])
}
