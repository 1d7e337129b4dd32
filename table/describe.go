package table

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// DescribeRequest asks about the columns of a file.
type DescribeRequest struct {
	Source
	Timeout time.Duration `json:"-"` // 0: ReadTimeout
}

// Description describes the columns of a file.
type Description struct {
	RowCount    int64               `json:"row_count"`
	ColumnCount int                 `json:"column_count"`
	Columns     []ColumnDescription `json:"columns"`
	Warnings    []api.Note          `json:"warnings"`
}

// ColumnDescription describes one column.
type ColumnDescription struct {
	Name             string `json:"name"`
	Index            int    `json:"index"`
	InferredType     string `json:"inferred_type"`
	Nullable         bool   `json:"nullable"` // there are nulls
	NonNullCount     int64  `json:"non_null_count"`
	NullCount        int64  `json:"null_count"`
	DistinctEstimate int64  `json:"distinct_estimate"` // exact, despite its name
}

// Describe returns type, nulls and number of distinct values of each column.
func (t *Tables) Describe(ctx context.Context, r DescribeRequest) (*Description, error) {
	ctx, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	l, err := t.look(ctx, r.Source)
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	defer l.Close()
	p := l.profile()
	d := &Description{RowCount: p.Rows, ColumnCount: len(p.Columns), Columns: []ColumnDescription{}, Warnings: Warnings(p)}
	distinct, err := t.distinct(ctx, l)
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	for i, c := range p.Columns {
		d.Columns = append(d.Columns, ColumnDescription{
			Name: c.Name, Index: i, InferredType: string(c.Type), Nullable: c.Nulls > 0,
			NonNullCount: c.NonNull, NullCount: c.Nulls, DistinctEstimate: distinct[i],
		})
	}
	return d, nil
}

// distinct counts the distinct values of each column exactly, and caches the
// result.
func (t *Tables) distinct(ctx context.Context, l *looked) ([]int64, error) {
	n := len(l.profile().Columns)
	var counts []int64
	if kept, ok := l.entry.Answers["distinct"]; ok && json.Unmarshal(kept, &counts) == nil && len(counts) == n {
		return counts, nil
	}
	counts = make([]int64, n)
	if n == 0 {
		return counts, nil
	}
	s, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{memory: statsMemory})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	left := counts
	err = s.portions(ctx, l, l.profile().Columns, func(columns []intake.Column, data string) error {
		count := s.distinctEach
		if data == portion {
			count = s.distinctTogether
		}
		err := count(ctx, columns, data, left)
		left = left[len(columns):]
		return err
	})
	if err != nil {
		return nil, queryError(ctx, nil, err)
	}
	t.store.Remember(ctx, l.src, l.entry.Head.Hash, "distinct", counts)
	return counts, nil
}

// distinctEach counts the distinct values of each column into counts, with one
// set per column. Memory grows with the number of distinct values.
func (s *session) distinctEach(ctx context.Context, columns []intake.Column, data string, counts []int64) error {
	const group = 20 // columns a statement, so that sets stay few
	for some := range slices.Chunk(columns, group) {
		parts := make([]string, len(some))
		dest := make([]any, len(some))
		for i, c := range some {
			parts[i], dest[i] = "count(DISTINCT "+duckdb.Quote(c.Name)+")", &counts[i]
		}
		if err := s.conn.QueryRow(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+data, nil, dest...); err != nil {
			return err
		}
		counts = counts[len(some):]
	}
	return nil
}

// distinctTogether does the same for many columns with few rows, where creating
// the sets would dominate: one set has the values of all columns of a type, with
// the column's number.
func (s *session) distinctTogether(ctx context.Context, columns []intake.Column, data string, counts []int64) error {
	byType := map[string][]int{}
	for i, c := range columns {
		key := fmt.Sprint(c.Type, c.Precision, c.Scale, c.SQL)
		byType[key] = append(byType[key], i)
	}
	for _, key := range slices.Sorted(maps.Keys(byType)) {
		numbers, names := []string{}, []string{}
		for _, i := range byType[key] {
			numbers, names = append(numbers, strconv.Itoa(i)), append(names, duckdb.Quote(columns[i].Name))
		}
		rows, err := s.rows(ctx, fmt.Sprintf("SELECT i, count(DISTINCT v) FROM (SELECT unnest([%s]) AS i, unnest([%s]) AS v FROM %s) GROUP BY i",
			strings.Join(numbers, ", "), strings.Join(names, ", "), data))
		if err != nil {
			return err
		}
		for _, r := range rows {
			counts[number(r[0])] = number(r[1])
		}
	}
	return nil
}
