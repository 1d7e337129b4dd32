package lake

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/table/jsonrows"
)

// TestListsWithinLists: the engine takes twice the time for each, so what lies
// deeper is JSON, and parquet that has more is refused at once.
func TestListsWithinLists(t *testing.T) {
	f := newFolder(t)
	f.write(t, "deep.jsonl", `{"a":`+strings.Repeat("[", 400)+"1"+strings.Repeat("]", 400)+"}\n")
	if got := strings.Join(f.rows(t, f.scan(t, "deep.jsonl", "")), "\n"); !strings.Contains(got, strings.Repeat("[", 300)) {
		t.Errorf("rows %s", got)
	}
	f.copy(t, "deep.parquet", "SELECT "+strings.Repeat("[", 50)+"1"+strings.Repeat("]", 50)+" AS a")
	_, err := f.lake.Schema(t.Context(), source.Relation{Name: "deep.parquet"})
	refused(t, f, err, api.CodeSource, "deep.parquet cannot be read", `column "a" has more than 16 lists`)
}

// TestUnions: parquet has no such type, and the engine writes a struct whose first field has
// no name. It reads such fields of JSON as well, and cannot name their type.
func TestUnions(t *testing.T) {
	f := newFolder(t)
	for name, value := range map[string]string{"plain": "union_value(a := 1)", "list": "[union_value(a := 1)]", "inside": "{'x': union_value(a := 1)}"} {
		f.copy(t, name+".parquet", "SELECT 1 AS k, "+value+" AS u")
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: name + ".parquet"})
		refused(t, f, err, api.CodeSource, name+".parquet cannot be read", `column "u" has a field without a name`, "UNION", "as JSON")
	}
	for name, text := range map[string]string{"first": `{"a":{"":1,"b":2}}`, "last": `{"a":[{"b":2,"":1}]}`} {
		f.write(t, name+".jsonl", "{}\n"+text+"\n")
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: name + ".jsonl"})
		refused(t, f, err, api.CodeSource, name+".jsonl", "line 2", "an object has an empty key")
	}
}

// TestDeepLines: what is nested so deeply that the engine would end the process
// is refused, and what only looks so is not.
func TestDeepLines(t *testing.T) {
	f := newFolder(t)
	for name, text := range map[string]string{
		"arrays":  "{\"a\":1}\n{\"a\":" + strings.Repeat("[", 200_000) + "\n",
		"closed":  "{\"a\":1}\n{\"a\":" + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}",
		"objects": "{\"a\":1}\n" + strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000) + "\n",
		"quoted":  "{\"a\":\"]\"}\n{\"a\":\"\\\\\",\"b\":" + strings.Repeat("[", jsonrows.MaxDepth) + strings.Repeat("]", jsonrows.MaxDepth) + "}\n",
	} {
		f.write(t, name+".jsonl", text)
		f.gzip(t, name+".jsonl.gz", text)
		for _, rel := range []string{name + ".jsonl", name + ".jsonl.gz"} {
			_, err := f.lake.Schema(t.Context(), source.Relation{Name: rel})
			refused(t, f, err, api.CodeSource, rel, "line 2: values are nested more than 500 levels deep")
		}
	}
	for name, c := range map[string]struct{ text, columns string }{
		"strings.jsonl": {`{"a":"` + strings.Repeat("[", 2000) + `\"` + strings.Repeat("{", 2000) + "\"}\n", "a VARCHAR?"},
		"flat.jsonl":    {strings.Repeat("{\"a\":[[1],[2]]}\n", 2000), "a BIGINT[][]?"},
	} {
		f.write(t, name, c.text)
		if got := columns(f.schema(t, name)); got != c.columns {
			t.Errorf("%s: columns %s", name, got)
		}
	}
	depth := jsonrows.MaxDepth - 1
	f.write(t, "limit.jsonl", `{"a":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+"}\n")
	f.schema(t, "limit.jsonl")
	// A line of the engine's ends where one of ours does.
	f.write(t, "lines.jsonl", strings.Repeat("[\n", 200_000)+strings.Repeat("]\n", 200_000))
	_, err := f.lake.Schema(t.Context(), source.Relation{Name: "lines.jsonl"})
	refused(t, f, err, api.CodeSource, "lines.jsonl")
}
