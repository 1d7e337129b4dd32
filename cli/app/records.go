package app

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
)

// ShowItems prints a small answer: v as JSON, people in formats for reading, and
// the records of items in formats for programs. items is the list in v, or v
// itself.
func (a *App) ShowItems(format output.Format, v any, people output.List, items any) error {
	if format == output.JSON || ForPeople(format) {
		return a.Show(format, v, people)
	}
	list, err := Records(items)
	if err != nil {
		return err
	}
	return a.Show(format, v, list)
}

// ShowRecord prints one answer in any format except the terminal's, which each
// command words itself.
func (a *App) ShowRecord(format output.Format, v any) error {
	list, err := Records(v)
	if err != nil {
		return err
	}
	return a.Show(format, v, list)
}

// Records returns items as rows for programs. The columns are the members of
// their JSON, so that nothing is reworded, rounded or left out. Items are a slice
// of structs, a struct, or a pointer to one.
//
// Members of nested objects become columns of their own, such as
// remaining_quota_bytes; lists stay lists.
func Records(items any) (output.List, error) {
	v := reflect.ValueOf(items)
	if v.Kind() != reflect.Slice {
		one := reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1)
		v = reflect.Append(one, v)
	}
	columns, rowOf := recordsOf(v.Type().Elem())
	list := output.List{Columns: columns}
	for i := range v.Len() {
		row, err := rowOf(v.Index(i).Interface())
		if err != nil {
			return list, err
		}
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

// RecordsOf is Records for items that come one by one.
func RecordsOf[T any](items iter.Seq2[T, error]) output.List {
	columns, rowOf := recordsOf(reflect.TypeFor[T]())
	return output.List{Columns: columns, Each: func(yield func([]any, error) bool) {
		for item, err := range items {
			var row []any
			if err == nil {
				row, err = rowOf(item)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}}
}

// recordsOf returns the columns of records of a type, and what makes rows of them.
func recordsOf(t reflect.Type) (columns []string, rowOf func(item any) ([]any, error)) {
	members := membersOf(t, nil)
	for _, m := range members {
		columns = append(columns, strings.Join(m, "_"))
	}
	return columns, func(v any) ([]any, error) {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("list the answer: %w", err)
		}
		var item api.Row
		if err := json.Unmarshal(text, &item); err != nil {
			return nil, fmt.Errorf("list the answer: %w", err)
		}
		row := make([]any, len(members))
		for j, m := range members {
			row[j] = memberOf(item, m)
		}
		return row, nil
	}
}

// membersOf returns the paths of the members of a type's JSON.
func membersOf(t reflect.Type, above []string) [][]string {
	var paths [][]string
	for _, f := range reflect.VisibleFields(behind(t)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == "" { // embedded, without a name of its own: its fields are added below
			continue
		}
		path := append(above[:len(above):len(above)], name)
		if within := behind(f.Type); within.Kind() == reflect.Struct && !within.Implements(reflect.TypeFor[json.Marshaler]()) {
			paths = append(paths, membersOf(within, path)...)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

func behind(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// memberOf returns the value at a path; nil if it is absent.
func memberOf(item api.Row, path []string) any {
	for i, c := range item.Columns {
		if c != path[0] {
			continue
		}
		switch v := item.Values[i].(type) {
		case api.Row:
			if len(path) > 1 {
				return memberOf(v, path[1:])
			}
			return v
		case json.Number:
			if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
				return n
			}
			return v
		default:
			return v
		}
	}
	return nil
}
