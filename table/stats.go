package table

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/intake"
)

// StatsRequest asks for statistics of columns.
type StatsRequest struct {
	Source
	Columns []string      `json:"columns,omitempty"` // empty: all
	Timeout time.Duration `json:"-"`                 // 0: ReadTimeout
}

// Stats are statistics of columns.
type Stats struct {
	RowCount int64         `json:"row_count"`
	Columns  []ColumnStats `json:"columns"`
	Caveats  []api.Caveat  `json:"caveats"`
}

// ColumnStats are statistics of one column. Those that do not apply to its type
// are omitted. Values are as in rows.
type ColumnStats struct {
	Name             string `json:"name"`
	Type             string `json:"type"`
	NonNullCount     int64  `json:"non_null_count"`
	NullCount        int64  `json:"null_count"`
	DistinctEstimate int64  `json:"distinct_estimate"` // exact, despite its name

	Min    json.RawMessage `json:"min,omitempty"`
	Max    json.RawMessage `json:"max,omitempty"`
	Mean   json.RawMessage `json:"mean,omitempty"`
	Sum    json.RawMessage `json:"sum,omitempty"`
	Stddev json.RawMessage `json:"stddev,omitempty"` // of the sample
	P25    json.RawMessage `json:"p25,omitempty"`    // quartiles, interpolated
	Median json.RawMessage `json:"median,omitempty"`
	P75    json.RawMessage `json:"p75,omitempty"`

	// Histogram counts values in bins of equal width from Min to Max.
	Histogram []int64 `json:"histogram,omitempty"`

	MinLength  *int64  `json:"min_length,omitempty"` // characters
	MaxLength  *int64  `json:"max_length,omitempty"`
	MostCommon []Value `json:"most_common,omitempty"` // ties by value

	TrueCount  *int64 `json:"true_count,omitempty"`
	FalseCount *int64 `json:"false_count,omitempty"`
}

// Value is a value with how often it occurs.
type Value struct {
	Value json.RawMessage `json:"value"`
	Count int64           `json:"count"`
}

// Stats computes exact statistics of columns. They are cached for the next call.
func (t *Tables) Stats(ctx context.Context, r StatsRequest) (*Stats, error) {
	ctx, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	l, err := t.examine(ctx, r.Source)
	if err != nil {
		return nil, notRead(ctx, err)
	}
	defer l.Close()
	p := l.profile()
	columns, err := chooseColumns(l, r.Columns)
	if err != nil {
		return nil, err
	}
	known, err := t.statsOf(ctx, l, columns)
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	out := &Stats{RowCount: p.Rows, Columns: []ColumnStats{}}
	var names []string
	for _, c := range columns {
		out.Columns, names = append(out.Columns, known[c.Name]), append(names, c.Name)
	}
	out.Caveats = api.CaveatsAbout(names, Caveats(p))
	return out, nil
}

// statsOf returns the statistics of columns by name, and those that are known
// besides. It computes what has not been asked before.
func (t *Tables) statsOf(ctx context.Context, l *looked, columns []intake.Column) (map[string]ColumnStats, error) {
	known := map[string]ColumnStats{}
	if kept, ok := l.entry.Answers["stats"]; ok {
		_ = json.Unmarshal(kept, &known) // damaged: computed again
	}
	var missing []intake.Column
	for _, c := range columns {
		if _, ok := known[c.Name]; !ok {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return known, nil
	}
	scratch, err := t.store.Scratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Close()
	f := &columnFigures{tables: t, l: l, dir: scratch.Path, known: known}
	if err := f.of(ctx, missing); err != nil {
		return nil, err
	}
	t.store.Remember(ctx, l.src, l.entry.Head.Hash, "stats", known)
	return known, nil
}
