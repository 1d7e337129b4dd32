package cli

import (
	"strings"
	"testing"
)

// TestRejectKinds has every reason to refuse a predicate reach the user, in
// process and over HTTP, as exit code 2 with its kind.
func TestRejectKinds(t *testing.T) {
	t.Parallel()
	embedded := newPlace(t)
	served := embedded.served()
	for kind, where := range map[string]string{
		"syntax_error":       "flag = = true",
		"too_long":           "txt = '" + strings.Repeat("x", 64<<10) + "'",
		"too_deep":           strings.Repeat("(", 200) + "flag" + strings.Repeat(")", 200),
		"comment_inject":     "id = 1 -- AND flag",
		"multi_statement":    "id = 1; DROP TABLE types",
		"nested_select":      "id IN (SELECT id FROM types)",
		"ddl_in_predicate":   "id = (CREATE TABLE t (id INT))",
		"trailing_clause":    "id = 1 LIMIT 4",
		"external_query":     "id = EXTERNAL_QUERY('x')",
		"unknown_function":   "obscure_builtin(id) = 1",
		"aggregate":          "sum(id) > 1",
		"window":             "row_number() OVER (ORDER BY id) = 1",
		"wildcard_expansion": "* = 5",
		"cross_table_ref":    "flights.id = 1",
		"unknown_column":     "nothere = 1",
		"unknown_field":      "rec.nothere = 1",
		"bad_subscript":      "list[id] = 1",
		"bytes_literal_raw":  "bin = x'AA'",
		"bad_cast":           "CAST(id AS INTERVAL) = 1",
		"bad_literal":        "day = DATE '2026-02-30'",
		"parameter":          "id = ?",
		"type_mismatch":      "txt = 5",
		"not_boolean":        "id + 1",
		"wrong_arity":        "lower(txt, txt) = 'a'",
	} {
		for mode, p := range map[string]*place{"embedded": embedded, "over HTTP": served} {
			o := p.run("fetch", "types", "--where", where, "--no-estimate", "--json")
			if e := o.lastJSON(t); o.code != 2 || e.Kind != kind || string(e.Code) != "validator_rejected" || e.Details["position"] == nil && kind != "too_long" {
				t.Errorf("%s, %s: exit %d, %s %v", kind, mode, o.code, e.Kind, e.Details)
			}
		}
	}
}
