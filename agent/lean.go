package agent

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/fields"
)

// leaner writes answers of tools as a model is sent them: rows as CSV under names with
// types, and without what the system prompt explains or nobody asked for. The log and
// receipts have the answers whole.
type leaner struct {
	// hinted are the hints of dialects that the model has been sent.
	hinted map[string]bool
	// told are the caveats of the answer so far: those of several statements are often
	// the same.
	told map[string]bool
}

// Members of answers that a model has no use for; those that say something only if
// they are not false or empty; and those that hold data, in which nothing is left out.
var (
	needless = []string{"notice", "request_id", "sha256", "content_hash", "elapsed_ms", "query_elapsed_ms", "format_inferred", "window_rows",
		"window_offset", "source_type", "columns_known"}
	silent   = []string{"truncated", "retryable", "has_more", "caveats", "clustered_by", "partition_by", "where_examples"}
	verbatim = []string{"constant", "rows", "values", "value", "arguments", "params", "details"}
)

// lean returns the answer of a tool as it is sent; what is not an object stays.
func (l *leaner) lean(answer string) string {
	var doc api.Row
	if json.Unmarshal([]byte(answer), &doc) != nil {
		return answer
	}
	l.told = map[string]bool{}
	text, err := plainJSON(l.object(doc))
	if err != nil {
		return answer
	}
	return string(text)
}

func (l *leaner) value(v any) any {
	switch v := v.(type) {
	case api.Row:
		return l.object(v)
	case []any:
		for i := range v {
			v[i] = l.value(v[i])
		}
	}
	return v
}

func (l *leaner) object(r api.Row) api.Row {
	block, isBlock := csvOf(r)
	head, sampled := headOf(r)
	var out api.Row
	for i, name := range r.Columns {
		v := r.Values[i]
		list, isList := v.([]any)
		switch {
		case slices.Contains(needless, name), v == nil, slices.Contains(silent, name) && isNothing(v):
			continue
		case name == "rows_shown" && v == field(r, "rows_total"), name == "total_row_count" && v == field(r, "row_count"):
			continue
		case isBlock && (name == "columns" || name == "column_types"), sampled && name == "columns", name == "query_mode" && v == "remote":
			continue
		case head != "" && name == "columns":
			v = head
		case isBlock && name == "rows":
			v = block
		case name == "where_dialect_hints" && known(l.hinted, v):
			continue
		case name == "caveats" && isList:
			if list = slices.DeleteFunc(list, func(c any) bool { return known(l.told, c) }); len(list) == 0 {
				continue
			}
			v = list
		case !slices.Contains(verbatim, name):
			v = l.value(v)
		}
		out.Columns, out.Values = append(out.Columns, name), append(out.Values, v)
	}
	return out
}

// known remembers a value in met, and reports whether it was there.
func known(met map[string]bool, v any) bool {
	text, err := plainJSON(v)
	if err != nil || met[string(text)] {
		return err == nil
	}
	met[string(text)] = true
	return false
}

func isNothing(v any) bool {
	list, isList := v.([]any)
	return v == false || isList && len(list) == 0
}

// field returns a member of an object; nil if it has none of that name.
func field(r api.Row, name string) any {
	if i := slices.Index(r.Columns, name); i >= 0 {
		return r.Values[i]
	}
	return nil
}

// headOf writes the columns of a table as the first line of a CSV file, if they have
// only names and types. With sample rows beside them it adds the types to the sample
// and reports sampled: the first line of the sample then has the columns.
func headOf(r api.Row) (head string, sampled bool) {
	columns, _ := field(r, "columns").([]any)
	names, types := []any{}, []any{}
	for _, c := range columns {
		column, _ := c.(api.Row)
		if !slices.Equal(column.Columns, []string{"name", "type"}) {
			return "", false
		}
		names, types = append(names, column.Values[0]), append(types, column.Values[1])
	}
	if rows, ok := field(r, "sample").(api.Row); ok && reflect.DeepEqual(field(rows, "columns"), names) {
		rows.Columns, rows.Values = append(rows.Columns, "column_types"), append(rows.Values, types)
		r.Values[slices.Index(r.Columns, "sample")], sampled = rows, true
	}
	head, _ = csvOf(api.Row{Columns: []string{"columns", "column_types", "rows"}, Values: []any{names, types, []any{}}})
	return strings.TrimSuffix(head, "\n"), sampled
}

// csvOf writes the rows of an answer: a first line of name:type, then one for each row.
// NULL is nothing between two commas, an empty text is "". ok is false where the answer
// has no rows with columns and types.
func csvOf(r api.Row) (block string, ok bool) {
	names, _ := field(r, "columns").([]any)
	types, _ := field(r, "column_types").([]any)
	rows, ok := field(r, "rows").([]any)
	if !ok || len(names) == 0 || len(names) != len(types) {
		return "", false
	}
	var b strings.Builder
	head := make([]any, len(names))
	for i := range names {
		name, isText := names[i].(string)
		kind, typed := types[i].(string)
		if !isText || !typed {
			return "", false
		}
		head[i] = name + ":" + kind
	}
	for _, row := range append([]any{head}, rows...) {
		cells, isList := row.([]any)
		if !isList || len(cells) != len(names) {
			return "", false
		}
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte(',')
			}
			text, err := csvCell(cell)
			if err != nil {
				return "", false
			}
			b.Write(text)
		}
		b.WriteByte('\n')
	}
	return b.String(), true
}

// csvCell writes a value: a text as CSV has it, all else as JSON does.
func csvCell(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return fields.AppendCSV(nil, []byte(v), false), nil
	}
	doc, err := plainJSON(v)
	return fields.AppendCSV(nil, doc, false), err
}

// plainJSON writes a value on one line, with < and > as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
