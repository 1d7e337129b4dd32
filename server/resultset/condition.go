package resultset

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// conditions returns the WHERE of a part, with its arguments.
func (s *Set) conditions(ctx context.Context, c *duckdb.Conn, part api.ResultPart) (string, []any, error) {
	var all []string
	var args []any
	for _, w := range part.Where {
		if w.At < 0 || w.At >= len(s.Columns) {
			return "", nil, noColumn(w.At)
		}
		text, given, err := s.condition(ctx, c, w)
		if err != nil {
			return "", nil, err
		}
		all, args = append(all, text), append(args, given...)
	}
	if words := strings.Fields(strings.ToLower(part.Words)); len(words) > 0 && len(s.Columns) > 0 {
		texts := make([]string, len(s.Columns))
		for i := range s.Columns {
			texts[i] = "CAST(" + column(i) + " AS VARCHAR)"
		}
		row := "lower(concat_ws(chr(9), " + strings.Join(texts, ", ") + "))"
		for _, w := range words {
			all, args = append(all, "contains("+row+", ?)"), append(args, w)
		}
	}
	if len(all) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(all, " AND "), args, nil
}

func (s *Set) condition(ctx context.Context, c *duckdb.Conn, w api.ResultCondition) (string, []any, error) {
	col := column(w.At)
	switch {
	case w.Null:
		return col + " IS NULL", nil, nil
	case w.Has != "":
		return "contains(lower(CAST(" + col + " AS VARCHAR)), ?)", []any{strings.ToLower(w.Has)}, nil
	case w.Is != nil && s.nested(w.At):
		return "CAST(to_json(" + col + ") AS VARCHAR) = ?", []any{*w.Is}, nil
	}
	var all []string
	var args []any
	add := func(operator string, text *string) error {
		if text == nil {
			return nil
		}
		value := "TRY_CAST(? AS " + s.types[w.At] + ")"
		if s.types[w.At] == "BLOB" {
			value = "from_base64(?)"
		}
		bad := false
		if err := c.QueryRow(ctx, "SELECT "+value+" IS NULL", []any{*text}, &bad); err != nil || bad {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Err: err,
				Message: fmt.Sprintf("'%s' is not a value of the column '%s', whose type is %s", api.Clip(*text, 60), api.Clip(s.Columns[w.At].Name, 80), s.Columns[w.At].Type)}
		}
		all, args = append(all, col+" "+operator+" "+value), append(args, *text)
		return nil
	}
	upTo := "<"
	if w.Last {
		upTo = "<="
	}
	for _, b := range []struct {
		operator string
		text     *string
	}{{"=", w.Is}, {">=", w.From}, {upTo, w.To}} {
		if err := add(b.operator, b.text); err != nil {
			return "", nil, err
		}
	}
	if len(all) == 0 {
		return "", nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindIncomplete, Message: "a condition needs null, is, has, from or to"}
	}
	return strings.Join(all, " AND "), args, nil
}

// nested reports whether a column holds lists, maps or structures.
func (s *Set) nested(at int) bool {
	t := s.types[at]
	return strings.HasSuffix(t, "]") || strings.HasPrefix(t, "STRUCT") || strings.HasPrefix(t, "MAP") || strings.HasPrefix(t, "UNION") || t == "JSON" || t == "VARIANT"
}

func noColumn(at int) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Message: fmt.Sprintf("the result has no column at place %d", at)}
}
