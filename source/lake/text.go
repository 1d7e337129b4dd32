package lake

import (
	"context"
	"errors"
	"fmt"
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

func (l *Lake) describeJSON(ctx context.Context, s *session, set *fileSet) (*table, error) {
	if set.bytes == 0 {
		return nil, empty(set)
	}
	options := ", format = 'newline_delimited', dateformat = '%Y-%m-%d'"
	cols, err := described(ctx, s, fmt.Sprintf("read_json(%s%s, sample_size = -1, maximum_sample_files = %d, map_inference_threshold = -1, hive_partitioning = false)",
		l.list(set.files), options, maxFiles))
	if err != nil {
		return nil, err
	}
	return l.describeText(ctx, s, set, cols, func(cols []api.Column) string {
		return fmt.Sprintf("read_json(%s%s, columns = %s", l.list(set.files), options, columnList(cols))
	})
}

// describeText finishes the description of a text format. from writes the
// beginning of its table function for some columns.
func (l *Lake) describeText(ctx context.Context, s *session, set *fileSet, cols []api.Column, from func([]api.Column) string) (*table, error) {
	for i := range cols {
		// What was found with one format per file is read with one for all.
		if !strings.Contains(cols[i].Type, "DATE") && !strings.Contains(cols[i].Type, "TIME") {
			continue
		}
		sql := "SELECT count(" + duckdb.Quote(cols[i].Name) + ") FROM " + from(cols) + ", hive_partitioning = false)"
		err := s.rows(ctx, sql, func([]any) error { return nil })
		if misfit(err) {
			cols[i].Type, err = textFor(cols[i].Type), nil
		}
		if err != nil {
			return nil, err
		}
	}
	all, err := described(ctx, s, from(cols)+hiveOptions(set, nil)+")")
	if err != nil {
		return nil, err
	}
	t := &table{set: set, from: from(cols) + hiveOptions(set, all) + ")"}
	t.columns, err = withHive(set, all)
	return t, err
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
