package app

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
)

// ShowItems prints a small answer: v itself as JSON, people in formats that are
// read, and in those for programs the records of items, which are what of v is
// a list, or v.
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

// ShowRecord prints one answer in any format but that for terminals, which has
// words of its own for it.
func (a *App) ShowRecord(format output.Format, v any) error {
	list, err := Records(v)
	if err != nil {
		return err
	}
	return a.Show(format, v, list)
}

// Records are items for programs: each is a row, and has the members of its
// JSON as columns, so that nothing is worded, rounded or left out. Items are a
// slice of structs, a struct, or a pointer to one.
//
// The members of an object within are columns of their own, as in
// remaining_quota_bytes; lists stay lists.
func Records(items any) (output.List, error) {
	v := reflect.ValueOf(items)
	if v.Kind() != reflect.Slice {
		one := reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1)
		v = reflect.Append(one, v)
	}
	members := membersOf(v.Type().Elem(), nil)
	var list output.List
	for _, m := range members {
		list.Columns = append(list.Columns, strings.Join(m, "_"))
	}
	for i := range v.Len() {
		text, err := json.Marshal(v.Index(i).Interface())
		if err != nil {
			return list, fmt.Errorf("list the answer: %w", err)
		}
		var item api.Row
		if err := json.Unmarshal(text, &item); err != nil {
			return list, fmt.Errorf("list the answer: %w", err)
		}
		row := make([]any, len(members))
		for j, m := range members {
			row[j] = memberOf(item, m)
		}
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

// membersOf are the paths of the members of a type's JSON.
func membersOf(t reflect.Type, above []string) [][]string {
	var paths [][]string
	for _, f := range reflect.VisibleFields(behind(t)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == "" { // without a name: embedded, its fields follow
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

// memberOf is the value at a path; nil if it is left out.
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
