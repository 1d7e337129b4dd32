package statement

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// parseSQL makes the engine parse a text, which is bound as a parameter, and
// return its tree as JSON without empty and default values. For a tree that is
// too large it returns NULL.
var parseSQL = fmt.Sprintf(`SELECT CASE WHEN strlen(tree) <= %d THEN tree END
FROM (SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR AS tree)`,
	maxTree)

// serialize returns the engine's JSON of sql.
func serialize(ctx context.Context, engine Engine, sql string) ([]byte, error) {
	var tree any
	if err := engine.QueryRow(ctx, parseSQL, []any{sql}, &tree); err != nil {
		var known *api.Error
		switch {
		case duckdb.IsOutOfMemory(err), errors.Is(err, &api.Error{Code: api.CodeBudget, Kind: api.KindMemory}):
			return nil, tooCostly("memory")
		case errors.As(err, &known):
			return nil, err
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return nil, tooCostly("time")
		}
		return nil, fmt.Errorf("parse the statement: %w", err)
	}
	text, ok := tree.(string)
	if !ok {
		return nil, Refuse(api.KindTooLong, "the statement has too many terms",
			"Put long lists of values into a file and join with it.")
	}
	return []byte(text), nil
}

// tooCostly is the error for a text that the parser gives up.
func tooCostly(what string) error {
	return Refuse(api.KindTooLong, "the statement takes too much "+what+" to parse",
		"Write fewer columns, conditions or groups; or put long lists of values into a file and join with it.")
}

// infinite are floats that the engine writes though JSON has none of them. No text
// has such a part, as a quote inside a text is escaped.
var infinite = lazyregexp.New(`([^\\]":)(-?Infinity|-?inf|-?nan|NaN)\b`)

// answer is the engine's result for a text: statements, or an error.
type answer struct {
	Failed     bool   `json:"error"`
	Type       string `json:"error_type"`
	Message    string `json:"error_message"`
	Position   string `json:"position"` // characters before the fault
	Statements []any  `json:"statements"`
}

// judge proves the tree that the engine returned for sql.
func judge(sql string, tree []byte) (*Select, error) {
	return (&walker{sql: sql, at: -1}).judge(tree)
}

func (w *walker) judge(tree []byte) (*Select, error) {
	sql := w.sql
	var a answer
	if err := json.Unmarshal(infinite().ReplaceAll(tree, []byte(`$1"$2"`)), &a); err != nil {
		// The engine's output is JSON. If it cannot be decoded, it is nested
		// beyond the limit of the JSON decoder.
		return nil, Refuse(api.KindTooDeep, "the statement is nested too deeply", "")
	}
	switch {
	case a.Failed && a.Type == "parser":
		return nil, a.syntaxError(sql)
	case a.Failed && a.Type == "out of memory":
		return nil, tooCostly("memory")
	case a.Failed:
		// The parser understood the text, but it is not a SELECT.
		return nil, refuseOther(sql)
	case len(a.Statements) == 0:
		return nil, Refuse(api.KindEmpty, "there is no statement", "Write one SELECT.")
	case len(a.Statements) > 1:
		return nil, refuseOther(sql)
	}
	if err := w.visit(statement, a.Statements[0]); err != nil {
		return nil, err
	}
	if w.nullCompared != nil && !w.nullTested {
		return nil, w.nullCompared
	}
	m := &meter{Meter{SQL: sql, At: -1, Way: "keep", MaxSteps: maxSteps}}
	if m.query(child(child(a.Statements[0], "node"), ""), exprScope{}); m.TooLarge != nil {
		return nil, m.TooLarge
	}
	kind, ordered := outcome(a.Statements[0])
	reads, whole := named(a.Statements[0])
	text, added := runnable(kind, trim(sql))
	return &Select{
		SQL: text, written: trim(sql), added: added, Tables: w.names(), Columns: w.columns.list, Star: w.star, Kind: kind, Ordered: ordered,
		Reads: reads, Whole: whole, Calls: w.calls, Backtracks: w.backtracks, Grows: m.Grows, Settings: w.settings,
	}, nil
}

// runnable returns a statement of any kind as a SELECT, which can be used as a
// subquery, and where characters were added.
func runnable(kind Kind, sql string) (text string, added []int) {
	if kind == KindSelect {
		return sql, nil
	}
	const before = "FROM ("
	for i := range len(before) {
		added = append(added, i)
	}
	return before + sql + "\n)", added // a comment may end the text
}

// syntaxError returns the error of the engine's parser, with its position.
func (a answer) syntaxError(sql string) error {
	offset := -1
	if n, err := strconv.Atoi(a.Position); err == nil {
		offset = runeOffset(sql, n)
	}
	message := api.Clip(a.Message, 300)
	if strings.Contains(message, "NOT IMPLEMENTED") { // a function of the parser, as for LIMIT 5, 10
		message = "syntax error"
	}
	return RefuseAt(sql, offset, api.KindSyntaxError, message, syntaxHint(sql, offset))
}

// runeOffset turns a number of characters into a number of bytes.
func runeOffset(sql string, runes int) int {
	n := 0
	for offset := range sql {
		if n == runes {
			return offset
		}
		n++
	}
	return len(sql)
}

// outcome reads the kind and order of the answer off the outermost node.
func outcome(statement any) (kind Kind, ordered bool) {
	top := child(child(statement, "node"), "")
	for _, m := range list(top["modifiers"]) {
		switch name(child(m, ""), "type") {
		case "ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER":
			ordered = true
		}
	}
	from := child(top, "from_table")
	if name(from, "type") == "SHOW_REF" {
		return showKinds[name(from, "show_type")], true
	}
	return KindSelect, ordered
}
