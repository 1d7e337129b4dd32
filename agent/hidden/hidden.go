// Package hidden keeps the values of data from a model that works with them. The model
// is sent names, types and numbers of rows, and writes a placeholder where a value
// belongs, as in {{r3.1.origin}}; the values are put there after it has written.
package hidden

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Rule tells a model how it works with values that it does not see.
const Rule = `The values of the data are hidden from you. Of rows you are sent the name of the result, as r3, columns with types, and how many rows there are. Where a value belongs into your answer, or into a title, write its placeholder: {{r3.1.origin}} is the value of the column origin in row 1 of r3, {{r3.rows}} the number of its rows. The user reads the values. Let SQL order, compare, round and choose words, and put conditions into SQL. Never guess a value. What cannot be answered so, say so, and why.`

// Values are those of one conversation that a model was not sent. The zero value has
// none. It is not safe for concurrent use.
type Values struct {
	results []result
	// names are those of tables and columns that were sent.
	names wordSet
}

// result is what one statement has given, as far as it was in the answer.
type result struct {
	columns []string
	rows    [][]any
	total   string
}

// mostCounted is the largest number of rows that a model is told exactly: a statement
// can make as many rows as a value says.
const mostCounted = 20

// Withheld is the error for what cannot be done as long as values are hidden.
func Withheld(what string) *api.Error {
	return &api.Error{Code: api.CodeForbidden, Kind: api.KindValuesHidden,
		Message: what + " can have values of the data, which are not sent to the model here (agent.values: hidden)",
		Hint:    "Compute it in SQL and write placeholders. What cannot be answered so, tell the user, and why."}
}

// Hide returns what of the answer of a tool is sent to the model, and keeps the rest.
// The same answers in the same order give the same results.
func (v *Values) Hide(tool, arguments, answer string) string {
	var doc api.Row
	s := shapes()[tool]
	if json.Unmarshal([]byte(answer), &doc) != nil {
		s = nil
	}
	if i := slices.Index(doc.Columns, "error"); s == nil && i >= 0 {
		s, doc = parsed(""), api.Row{Columns: []string{"error"}, Values: doc.Values[i : i+1]}
	}
	var out any
	if s == nil {
		e := Withheld("what '" + api.Clip(tool, 60) + "' answers")
		out = map[string]any{"error": map[string]any{"code": e.Code, "kind": e.Kind, "message": e.Message, "hint": e.Hint}}
	} else {
		out = v.object(s, doc, v.known(arguments))
	}
	text, err := json.Marshal(out)
	if err != nil {
		return `{"error":{"code":"internal"}}` // cannot be: it came as JSON
	}
	return string(text)
}

// object keeps the members of a shape. said are the words of the call.
func (v *Values) object(s *shape, doc api.Row, said wordSet) (out api.Row) {
	for i, name := range doc.Columns {
		within := s.members[name]
		if within == nil {
			within = s.any
		}
		if name == "error" {
			if e, ok := doc.Values[i].(api.Row); ok {
				out = with(out, name, v.failure(e, said))
			}
			continue
		}
		if within == nil || s.rows != noRows && slices.Contains([]string{"columns", "rows"}, name) {
			continue
		}
		if value, ok := v.value(within, doc.Values[i], said); ok {
			if name == "name" || name == "columns" {
				v.learn(value)
			}
			if name == "type" || name == "inferred_type" || name == "columns" {
				value = plainTypes(value)
			}
			out = with(out, name, value)
		}
	}
	if s.rows != noRows {
		out = v.result(out, doc, s.rows, said)
	}
	return out
}

func with(r api.Row, name string, value any) api.Row {
	return api.Row{Columns: append(r.Columns, name), Values: append(r.Values, value)}
}

// value keeps what a shape allows: objects by their members, other values where it
// names none.
func (v *Values) value(s *shape, value any, said wordSet) (any, bool) {
	leaf := len(s.members) == 0 && s.any == nil && s.rows == noRows
	switch value := value.(type) {
	case api.Row:
		return v.object(s, value, said), !leaf
	case []any:
		kept := []any{}
		for _, item := range value {
			if item, ok := v.value(s, item, said); ok {
				kept = append(kept, item)
			}
		}
		return kept, true
	}
	return value, leaf
}

// learn remembers names.
func (v *Values) learn(name any) {
	if v.names == nil {
		v.names = wordSet{}
	}
	v.names.add(name)
}

// plainTypes leaves the values of an enumeration out of types.
func plainTypes(value any) any {
	switch value := value.(type) {
	case string:
		if at := strings.IndexByte(value, '('); at >= 0 && strings.Contains(value[at:], "'") {
			return value[:at]
		}
	case []any:
		for i := range value {
			value[i] = plainTypes(value[i])
		}
	}
	return value
}

// result keeps the rows of an answer, and adds what the model is sent of them.
func (v *Values) result(out, doc api.Row, kind rowsOf, said wordSet) api.Row {
	names, _ := field(doc, "columns").([]any)
	types, _ := field(doc, "column_types").([]any)
	rows, _ := field(doc, "rows").([]any)
	if field(doc, "rows") == nil {
		return out
	}
	constant, _ := field(doc, "constant").(api.Row)
	r, told := result{}, []any{}
	for i, name := range slices.Concat(texts(names), constant.Columns) {
		if kind == ofStatement && name != "count_star()" && !said.has(name) || strings.ContainsAny(name, "{}") {
			name = fmt.Sprintf("column%d", i+1)
		}
		v.learn(name)
		r.columns = append(r.columns, name)
		if i < len(types) {
			name = fmt.Sprintf("%s:%v", name, types[i])
		}
		told = append(told, plainTypes(name))
	}
	for _, row := range rows {
		cells, _ := row.([]any)
		r.rows = append(r.rows, slices.Concat(cells, constant.Values))
	}
	r.total = fmt.Sprint(total(doc, len(rows)))
	v.results = append(v.results, r)
	out = with(out, "result", fmt.Sprintf("r%d", len(v.results)))
	out = with(out, "columns", told)
	count := any(json.Number(r.total))
	if n, err := json.Number(r.total).Int64(); err != nil || n > mostCounted {
		count = fmt.Sprintf("more than %d", mostCounted)
	}
	out = with(out, "rows", count)
	return with(out, "rows_with_placeholders", min(len(rows), mostCounted))
}

// total is the number of rows that an answer says its result has.
func total(doc api.Row, shown int) any {
	for _, name := range []string{"rows_total", "total_row_count", "total_rows"} {
		if n, ok := field(doc, name).(json.Number); ok {
			return n
		}
	}
	return shown
}

func field(r api.Row, name string) any {
	if i := slices.Index(r.Columns, name); i >= 0 {
		return r.Values[i]
	}
	return nil
}

func texts(list []any) (out []string) {
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	return out
}

// word matches the words of a text.
var word = lazyregexp.New(`[\pL\pN_]+`)

// wordSet is the words of some texts, in lower case.
type wordSet map[string]bool

func (s wordSet) add(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			s.add(name)
			s.add(v)
		}
	case []any:
		for _, item := range value {
			s.add(item)
		}
	case nil:
	default:
		for _, w := range word().FindAllString(strings.ToLower(fmt.Sprint(value)), -1) {
			s[w] = true
		}
	}
}

// has reports whether it has all words of a text.
func (s wordSet) has(text string) bool {
	return !slices.ContainsFunc(word().FindAllString(strings.ToLower(text), -1), func(w string) bool { return !s[w] })
}

// known are the words of a call, and of the names that were sent.
func (v *Values) known(arguments string) wordSet {
	known := wordSet{}
	maps.Copy(known, v.names)
	var doc any
	dec := json.NewDecoder(strings.NewReader(arguments))
	dec.UseNumber()
	if dec.Decode(&doc) == nil {
		known.add(doc)
	}
	return known
}

// Codes of errors that are made before a value is read, and the kinds of those that can
// also be made by one.
var (
	early = []api.Code{
		api.CodeUsage, api.CodeInvalidName, api.CodeRejected, api.CodeStatement, api.CodeUnknownTable, api.CodeUnknownColumn,
		api.CodeUnknownSnapshot, api.CodeUnknownFile,
		api.CodeNotLocal, api.CodeQuota, api.CodeBudget, api.CodeTimeout, api.CodeInterrupted, api.CodeUnauthorized, api.CodeForbidden,
		api.CodeSandbox, api.CodeSnapshotExists, api.CodeTruncated,
	}
	earlyKinds = []string{"binder", "parser", "syntax", "syntax_error", "catalog", "unknown_table", "unknown_column", "forbidden_function",
		"not_select", "multi_statement"}
)

// quoted matches what an error can quote of data, and marks around it.
var quoted = lazyregexp.New(`</?data-[0-9a-f]{12}>|'[^']*'|"[^"]*"|` + "`[^`]*`" + `|[0-9][0-9.,:-]*`)

// failure keeps of an error what was known before a value was read. What it quotes
// stays if the call has it, too.
func (v *Values) failure(e api.Row, said wordSet) api.Row {
	code, _ := field(e, "code").(string)
	kind, _ := field(e, "kind").(string)
	out := api.Row{Columns: []string{"code", "kind"}, Values: []any{code, kind}}
	if !slices.Contains(early, api.Code(code)) && !slices.Contains(earlyKinds, kind) {
		return with(out, "message", "the call has failed; the reason can quote values of the data, so it is not told")
	}
	own := kind == api.KindValuesHidden || kind == api.KindArguments // they quote the call and its schema
	for _, name := range []string{"message", "hint"} {
		if text, ok := field(e, name).(string); ok {
			out = with(out, name, quoted().ReplaceAllStringFunc(text, func(part string) string {
				switch {
				case strings.HasPrefix(part, "<"):
					return ""
				case own || said.has(part):
					return part
				}
				return "…"
			}))
		}
	}
	details, _ := field(e, "details").(api.Row)
	for _, name := range []string{"line", "column", "statement"} {
		if n, ok := field(details, name).(json.Number); ok {
			out = with(out, name, n)
		}
	}
	return out
}
