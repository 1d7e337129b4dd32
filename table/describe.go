package table

import (
	"context"
	"time"

	"github.com/agnes-data/da/api"
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
	Caveats     []api.Caveat        `json:"caveats"`
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
	l, err := t.examine(ctx, r.Source)
	if err != nil {
		return nil, notRead(ctx, err)
	}
	defer l.Close()
	p := l.profile()
	d := &Description{RowCount: p.Rows, ColumnCount: len(p.Columns), Columns: []ColumnDescription{}, Caveats: Caveats(p)}
	stats, err := t.statsOf(ctx, l, p.Columns)
	if err != nil {
		return nil, notRead(ctx, err)
	}
	for i, c := range p.Columns {
		d.Columns = append(d.Columns, ColumnDescription{
			Name: c.Name, Index: i, InferredType: string(c.Type), Nullable: c.Nulls > 0,
			NonNullCount: c.NonNull, NullCount: c.Nulls, DistinctEstimate: stats[c.Name].DistinctEstimate,
		})
	}
	return d, nil
}
