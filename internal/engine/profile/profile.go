// Package profile says what the rows of a relation hold, column by column: NULLs,
// different values, ranges, the commonest values, periods of time. Of many rows it looks
// at a sample, which a hash of the row chooses, so that equal rows are in it together or
// not at all. It keeps nothing.
package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile/likely"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// SampleRows is how many rows a sample has at most, about.
const SampleRows = 8 << 10

// Profile describes the rows of a relation.
type Profile struct {
	Rows int64 `json:"rows"`
	// Sampled is the number of rows that everything but the number of rows and of
	// NULLs comes from.
	Sampled int64 `json:"sampled" jsonschema:"rows that all but rows, nulls, min and max come from; fewer than rows: a sample"`
	// Repeated is the share of the sampled rows that are equal to another.
	Repeated float64  `json:"repeated" jsonschema:"share of rows that an equal row precedes"`
	Periods  *Periods `json:"periods,omitempty" jsonschema:"rows by the main time column"`
	Columns  []Column `json:"columns"`
}

// Column describes a column. Values are as in rows of JSON.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nulls    int64  `json:"nulls"`
	Distinct int64  `json:"distinct" jsonschema:"different values; of a sample, at least so many"`
	// Uncounted says that the source does not compare such values, so that Distinct is 0.
	Uncounted bool `json:"uncounted,omitempty" jsonschema:"the different values were not counted"`
	// NotFinite counts NaN and infinite values. Min, Max, Median and Mean leave them out.
	NotFinite int64 `json:"not_finite,omitempty" jsonschema:"values that are NaN or infinite: min, max, median and mean leave them out"`
	// DistinctAtMost bounds the different values of all rows, where only some were
	// looked at: values that occur once in the sample may stand for many.
	DistinctAtMost int64           `json:"distinct_at_most,omitempty" jsonschema:"of a sample: about so many at most"`
	Min            json.RawMessage `json:"min,omitempty"`
	Max            json.RawMessage `json:"max,omitempty"`
	Median         json.RawMessage `json:"median,omitempty"`
	Mean           json.RawMessage `json:"mean,omitempty"`
	Histogram      []Bin           `json:"histogram,omitempty" jsonschema:"of numbers"`
	Top            []Value         `json:"top,omitempty" jsonschema:"the commonest values"`
	Shortest       *int64          `json:"shortest,omitempty" jsonschema:"characters of a text"`
	Longest        *int64          `json:"longest,omitempty"`
	Key            bool            `json:"key,omitempty" jsonschema:"no value occurs twice, and none is NULL"`
	Constant       bool            `json:"constant,omitempty" jsonschema:"one value, and no NULL"`
	Dates          bool            `json:"dates,omitempty" jsonschema:"texts that all are dates"`
	Sentinels      []Value         `json:"sentinels,omitempty" jsonschema:"values that often stand for none, such as -1 and N/A"`
	// Likely is what the column likely holds of people: what to mask where it is granted.
	Likely *likely.People `json:"likely,omitempty" jsonschema:"what of people some of the values likely are"`
	// Bounds part a column of numbers into about ten parts of the same size, from the
	// lowest value on; Up has the number of values up to each.
	Bounds []float64 `json:"bounds,omitempty" jsonschema:"of about ten parts of as many numbers each"`
	Up     []int64   `json:"up,omitempty" jsonschema:"how many numbers are up to each of the bounds"`
	// Besides parts the other numbers, where many are one and the same, as costs that mostly are 0.
	Besides *Besides `json:"besides,omitempty" jsonschema:"the same of all numbers but one that most of them are"`
}

// Besides is Bounds and Up of all numbers but one that many of them are.
type Besides struct {
	Value  float64   `json:"value"`
	N      int64     `json:"n" jsonschema:"how many other numbers there are"`
	Bounds []float64 `json:"bounds"`
	Up     []int64   `json:"up"`
}

// Bin is a range of numbers, its end excluded but for the last.
type Bin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	N    int64   `json:"n"`
}

// most is how many values an exact profile looks at in one scan, so that its memory is
// bounded, and mostRows how many rows it is of at most.
const most, mostRows, mostDistinct = 16 << 20, 1 << 20, 5 << 20

// OfFile describes the rows of a parquet file: all of them up to a million, and a sample
// of more, or of what takes too much memory. Different values are counted in all rows up
// to some millions.
func OfFile(ctx context.Context, conn *duckdb.Conn, path string) (*Profile, error) {
	from := "read_parquet(" + duckdb.PathLiteral(path) + ")"
	columns, err := conn.Describe(ctx, "SELECT * FROM "+from)
	if err != nil {
		return nil, err
	}
	rows, err := conn.ParquetRows(ctx, path)
	if err != nil {
		return nil, err
	}
	if rows <= mostRows {
		p, err := whole(ctx, conn, from, columns, rows)
		if !duckdb.IsOutOfMemory(err) {
			return p, err
		}
	}
	if err := conn.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE da_sample AS SELECT * FROM %s %s WHERE hash(%[2]s) & %d = 0", from,
		duckdb.Row, Mask(rows))); err != nil {
		return nil, err
	}
	p, err := Of(ctx, conn, "da_sample", columns, rows)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(p.Columns, int(max(1, most/rows))) {
		if err := p.overAll(ctx, conn, from, some); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// whole describes all rows, some columns at a time.
func whole(ctx context.Context, conn *duckdb.Conn, from string, columns []duckdb.Column, rows int64) (*Profile, error) {
	all := &Profile{Columns: []Column{}}
	for some := range slices.Chunk(columns, int(max(1, most/max(rows, 1)))) {
		p, err := Of(ctx, conn, from, some, rows)
		if err != nil {
			return nil, err
		}
		p.Columns = append(all.Columns, p.Columns...)
		if all.Periods != nil {
			p.Periods = all.Periods
		}
		all = p
	}
	return all, nil
}

// overAll sets what is counted over all rows where the rest is of a sample, for some
// columns.
func (p *Profile) overAll(ctx context.Context, conn *duckdb.Conn, from string, columns []Column) error {
	var items []string
	for _, c := range columns {
		v, where := c.value()
		item := "{'n': count(" + v + "), 'finite': count(" + v + ")" + where
		if kind := KindOf(c.Type); kind != Other {
			item += fmt.Sprintf(", 'low': %s, 'high': %s", clipped(kind, "min("+v+")"+where), clipped(kind, "max("+v+")"+where))
			if p.Rows <= mostDistinct {
				item += ", 'd': count(DISTINCT " + v + ")"
			}
		}
		items = append(items, item+"}")
	}
	got, err := Rows(ctx, conn, "SELECT "+strings.Join(items, ", ")+" FROM "+from+" "+duckdb.Row)
	if err != nil {
		return err
	}
	for i := range columns {
		var m measured
		if err := json.Unmarshal(got[0][i], &m); err != nil {
			return err
		}
		c := &columns[i]
		c.Nulls, c.NotFinite = p.Rows-m.N, m.N-m.Finite
		if m.D > 0 {
			c.Distinct, c.DistinctAtMost, c.Key = m.D, 0, m.D == p.Rows
		}
		if m.Low != nil && m.N > 0 {
			c.Min, c.Max = m.Low, m.High
		}
	}
	return nil
}

// Mask chooses rows for a sample: those whose hash has zeros in these places.
func Mask(rows int64) int64 {
	mask := int64(0)
	for rows/(mask+1) > SampleRows {
		mask = 2*mask + 1
	}
	return mask
}

// Of describes all rows of a relation that is small enough to be looked at as a whole, or
// of a sample of a larger one: rows are those of the larger one.
func Of(ctx context.Context, conn *duckdb.Conn, from string, columns []duckdb.Column, rows int64) (*Profile, error) {
	p := &Profile{Rows: rows}
	for _, c := range columns {
		p.Columns = append(p.Columns, Column{Name: c.Name, Type: c.Type})
	}
	if err := p.measure(ctx, conn, from); err != nil {
		return nil, err
	}
	return p, p.count(ctx, conn, from)
}

// measure computes what one aggregate tells.
func (p *Profile) measure(ctx context.Context, conn *duckdb.Conn, from string) error {
	items := []string{"count(*)", "count(DISTINCT hash(" + duckdb.Row + "))"}
	for _, c := range p.Columns {
		items = append(items, "{"+strings.Join(c.measures(), ", ")+"}")
	}
	got, err := Rows(ctx, conn, "SELECT "+strings.Join(items, ", ")+" FROM "+from+" "+duckdb.Row)
	if err != nil {
		return err
	}
	var whole [2]int64
	for i := range whole {
		if err := json.Unmarshal(got[0][i], &whole[i]); err != nil {
			return err
		}
	}
	p.Sampled = whole[0]
	if p.Sampled > 0 {
		p.Repeated = float64(p.Sampled-whole[1]) / float64(p.Sampled)
	}
	for i := range p.Columns {
		if err := p.Columns[i].take(got[0][2+i], p); err != nil {
			return err
		}
	}
	return nil
}

// measured is the struct that the engine computes for a column.
type measured struct {
	N, D, Finite       int64
	Low, High, Mid, Av json.RawMessage
	Tenths             []json.Number
	Shortest, Longest  *int64
	Dates              *bool
	Odd                []int64
}

// value is the column as values that have an order.
func (c *Column) value() (v, where string) {
	v = duckdb.Row + "." + duckdb.Quote(c.Name)
	if c.Type == "FLOAT" || c.Type == "DOUBLE" {
		where = " FILTER (WHERE isfinite(" + v + "))"
	}
	return v, where
}

// measures are the members of measured that the column's type has.
func (c *Column) measures() []string {
	v, where := c.value()
	items := []string{"'n': count(" + v + ")", "'finite': count(" + v + ")" + where, "'d': count(DISTINCT " + v + ")"}
	kind := KindOf(c.Type)
	if kind == Other {
		return items
	}
	items = append(items, fmt.Sprintf("'low': %s", clipped(kind, "min("+v+")"+where)),
		fmt.Sprintf("'high': %s", clipped(kind, "max("+v+")"+where)))
	switch kind {
	case Number:
		items = append(items, "'mid': median(CAST("+v+" AS DOUBLE))"+where, "'av': avg(CAST("+v+" AS DOUBLE))"+where,
			"'tenths': "+tenths(v)+where)
	case Text:
		items = append(items, "'shortest': min(length("+v+"))", "'longest': max(length("+v+"))",
			"'dates': bool_and(regexp_matches("+v+", "+duckdb.Literal(DateForm)+"))")
	}
	var odd []string
	for _, s := range Sentinels[kind] {
		odd = append(odd, "count(*) FILTER (WHERE "+s.Holds(v)+")")
	}
	if odd != nil {
		items = append(items, "'odd': ["+strings.Join(odd, ", ")+"]")
	}
	return items
}

func tenths(v string) string {
	return "quantile_disc(CAST(" + v + " AS DOUBLE), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])"
}

// maxText limits the texts in a profile, in characters.
const maxText = 200

func clipped(kind Kind, sql string) string {
	if kind == Text {
		return fmt.Sprintf("left(CAST(%s AS VARCHAR), %d)", sql, maxText)
	}
	return sql
}

// take takes what was measured of a column. NULLs of all rows are set later if the rows
// are a sample.
func (c *Column) take(text json.RawMessage, p *Profile) error {
	var m measured
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	c.Nulls, c.Distinct, c.NotFinite = p.Sampled-m.N, m.D, m.N-m.Finite
	if p.Sampled < p.Rows {
		c.DistinctAtMost = p.Rows
	}
	c.Key = p.Sampled > 1 && m.D == p.Sampled
	c.Constant = p.Sampled > 1 && m.D == 1 && m.N == p.Sampled
	kind := KindOf(c.Type)
	if m.D == 0 || kind == Other {
		return nil
	}
	c.Min, c.Max = m.Low, m.High
	if kind == Number && string(m.Mid) != "null" {
		c.Median, c.Mean = m.Mid, m.Av
		for _, t := range m.Tenths {
			f, err := t.Float64()
			if err != nil {
				return err
			}
			c.Bounds = append(c.Bounds, f)
		}
		c.most()
		c.Bounds = slices.Compact(c.Bounds)
	}
	c.Shortest, c.Longest, c.Dates = m.Shortest, m.Longest, m.Dates != nil && *m.Dates
	for i, n := range m.Odd {
		if n > 0 {
			c.Sentinels = append(c.Sentinels, Value{Sentinels[kind][i].Value, n})
		}
	}
	return nil
}

// Rows reads the few rows of a statement as JSON.
func Rows(ctx context.Context, c *duckdb.Conn, sql string, args ...any) ([][]json.RawMessage, error) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return ReadJSON(rows)
}

// ReadJSON reads few rows as JSON.
func ReadJSON(rows interface {
	Next() bool
	RecordBatch() arrow.RecordBatch
	Err() error
}) (out [][]json.RawMessage, err error) {
	for rows.Next() {
		batch := rows.RecordBatch()
		columns := arrowjson.BindBatch(batch)
		for i := range int(batch.NumRows()) {
			row := make([]json.RawMessage, len(columns))
			for j, col := range columns {
				row[j] = col.AppendJSON(nil, i)
			}
			out = append(out, row)
		}
	}
	return out, rows.Err()
}
