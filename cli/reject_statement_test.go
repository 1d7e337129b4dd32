package cli

import "testing"

// TestStatementKinds has the reasons to refuse a statement at its source reach
// the user, in process and over HTTP, as exit code 2 with their kind.
func TestStatementKinds(t *testing.T) {
	t.Parallel()
	embedded := newPlace(t)
	served := embedded.served()
	for kind, sql := range map[string]string{
		"empty":              " ",
		"syntax_error":       "SELECT FROM WHERE",
		"not_select":         "DROP TABLE types",
		"multi_statement":    "SELECT id FROM types WHERE name <> '#'; SELECT id FROM types", // dialects differ in what # begins, so it is not taken apart
		"parameter":          "SELECT id FROM types WHERE id = ?",
		"qualified_name":     "SELECT id FROM main.types",
		"file_access":        "SELECT * FROM '/etc/passwd'",
		"bad_table_name":     `SELECT * FROM "no table"`,
		"forbidden_function": "SELECT * FROM query('SELECT 1'), types",
		"unknown_function":   "SELECT obscure_builtin(id) FROM types",
		"no_table":           "SELECT 1",
		"unsupported":        "SELECT id::VARIANT FROM types",
	} {
		for mode, p := range map[string]*place{"embedded": embedded, "over HTTP": served} {
			o := p.run("query", "--remote", sql, "--json")
			if e := o.lastJSON(t); o.code != 2 || e.Kind != kind || string(e.Code) != "statement_rejected" {
				t.Errorf("%s, %s: exit %d, %s %s: %s", kind, mode, o.code, e.Code, e.Kind, e.Message)
			}
		}
	}
	for mode, p := range map[string]*place{"embedded": embedded, "over HTTP": served} {
		if o := p.run("query", "--remote", "SELECT * FROM types, nothere", "--json"); o.code != 2 || string(o.lastJSON(t).Code) != "unknown_table" {
			t.Errorf("%s, an unknown table: exit %d, %s", mode, o.code, o.stderr)
		}
	}
}
