package lake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
)

// Text files say nothing about their types, so each is read once as a whole to
// find them. Scans then spell out what was found: a value that does not fit is
// an error, never silently another value.

func empty(set *fileSet) error {
	return sourceError(kindFiles, set.files[0].rel+" is empty, so that the table has no columns", nil)
}

func (l *Lake) describeJSON(ctx context.Context, s *session, set *fileSet, k *linked) (*table, error) {
	if set.bytes == 0 {
		return nil, empty(set)
	}
	if err := l.checkNesting(ctx, set); err != nil {
		return nil, err
	}
	files := k.list(set.files)
	options := ", format = 'newline_delimited', dateformat = '%Y-%m-%d'"
	cols, err := described(ctx, s, fmt.Sprintf("read_json(%s%s, sample_size = -1, maximum_sample_files = %d, maximum_depth = %d, map_inference_threshold = -1, hive_partitioning = false)",
		files, options, maxFiles, maxTypeDepth))
	if err != nil {
		return nil, err
	}
	return l.describeText(ctx, s, set, cols, textReader{files: files, head: "read_json(", tail: func(cols []api.Column) string {
		return options + ", columns = " + columnList(cols)
	}})
}

// describeText finishes the description of a text format.
func (l *Lake) describeText(ctx context.Context, s *session, set *fileSet, cols []api.Column, from textReader) (*table, error) {
	if err := correctMoments(ctx, s, cols, from); err != nil {
		return nil, err
	}
	if err := correctFloats(ctx, s, cols, from); err != nil {
		return nil, err
	}
	all, err := described(ctx, s, from.head+from.files+from.tail(cols)+hiveOptions(set, nil)+")")
	if err != nil {
		return nil, err
	}
	t := &table{set: set, head: from.head, tail: from.tail(cols) + hiveOptions(set, all) + ")"}
	t.columns, err = withHive(set, all)
	return t, err
}

// textReader writes the table function that reads the files of a table.
type textReader struct {
	files, head string
	tail        func(cols []api.Column) string // its options, to read these columns
}

// count reads the columns with these indexes to their ends.
func (from textReader) count(ctx context.Context, s *session, cols []api.Column, which []int) error {
	items := make([]string, len(which))
	for n, i := range which {
		items[n] = "count(" + duckdb.Quote(cols[i].Name) + ")"
	}
	return from.query(ctx, s, cols, items, func([]any) error { return nil })
}

func (from textReader) query(ctx context.Context, s *session, cols []api.Column, items []string, each func([]any) error) error {
	return s.rows(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+from.head+from.files+from.tail(cols)+", hive_partitioning = false)", each)
}

// correctMoments makes dates and times texts where what was found with one
// format for each file cannot be read with one for all.
func correctMoments(ctx context.Context, s *session, cols []api.Column, from textReader) error {
	var which []int
	for i, c := range cols {
		if strings.Contains(c.Type, "DATE") || strings.Contains(c.Type, "TIME") {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	err := from.count(ctx, s, cols, which)
	if !misfit(err) {
		return err
	}
	for _, i := range which {
		err := from.count(ctx, s, cols, []int{i})
		if misfit(err) {
			cols[i].Type = textFor(cols[i].Type)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// correctFloats makes floats texts where a whole number of many digits was
// taken for one: as a float it would be another.
func correctFloats(ctx context.Context, s *session, cols []api.Column, from textReader) error {
	texts := slices.Clone(cols)
	var which []int
	var items []string
	for i, c := range cols {
		if c.Type == "DOUBLE" {
			texts[i].Type = "VARCHAR"
			which = append(which, i)
			items = append(items, "coalesce(bool_or(regexp_full_match("+duckdb.Quote(c.Name)+`, '\s*[+-]?[0-9]{16,}\s*')), false)`)
		}
	}
	if len(which) == 0 {
		return nil
	}
	return from.query(ctx, s, texts, items, func(v []any) error {
		for n, i := range which {
			if v[n] == true {
				cols[i].Type = "VARCHAR"
			}
		}
		return nil
	})
}

// misfit reports whether the engine met a value that is not of its column's
// type.
func misfit(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == "Conversion" || e.Type == "Invalid Input" || e.Type == "Out of Range")
}

// textFor is the type that holds a value as it is written.
func textFor(typ string) string {
	if strings.ContainsAny(typ, "([") {
		return "JSON"
	}
	return "VARCHAR"
}

func columnList(cols []api.Column) string {
	list := make([]string, len(cols))
	for i, c := range cols {
		list[i] = duckdb.Literal(c.Name) + ": " + duckdb.Literal(c.Type)
	}
	return "{" + strings.Join(list, ", ") + "}"
}
