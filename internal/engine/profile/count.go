package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile/likely"
)

const (
	mostTop   = 50 // values of a column
	mostBins  = 16
	fewValues = 1000 // of a column with commonest values
)

// Periods are rows by the period of a time column.
type Periods struct {
	Column string   `json:"column"`
	Each   string   `json:"each" jsonschema:"day, month or year"`
	All    []Period `json:"all"`
}

// Period is one that has rows, by its first day.
type Period struct {
	Start string `json:"start"`
	N     int64  `json:"n"`
}

// count computes what needs the first figures: values in ranges, commonest values and
// periods.
func (p *Profile) count(ctx context.Context, conn *duckdb.Conn, from string) error {
	if err := p.likely(ctx, conn, from); err != nil {
		return err
	}
	var items []string
	var takes []func(json.RawMessage) error
	for i := range p.Columns {
		c := &p.Columns[i]
		v, _ := c.value()
		kind := KindOf(c.Type)
		if kind != Other && kind != Moment && c.Distinct > 0 && c.Distinct <= fewValues && c.Distinct < max(p.Sampled, 2) {
			// of many, a map is ordered by value: sorted again by frequency
			items = append(items, fmt.Sprintf("{'once': len(list_filter(map_values(histogram(%s)), lambda x: x = 1)), 'top': list_slice(list_sort([{'k': -CAST(e.value AS BIGINT), 'v': %s} FOR e IN map_entries(histogram(%s))]), 1, %d)}", v, clipped(kind, "e.key"), v, mostTop))
			takes = append(takes, func(text json.RawMessage) error { return c.takeTop(text, p) })
		}
		if kind == Number && c.Distinct > 6 && len(c.Bounds) > 1 {
			bins := Bins(c.Bounds[0], c.Bounds[len(c.Bounds)-1])
			items = append(items, "["+strings.Join(Counts(v, bins), ", ")+"]")
			takes = append(takes, func(text json.RawMessage) error {
				var n []int64
				err := json.Unmarshal(text, &n)
				for i := range n {
					bins[i].N = n[i]
				}
				c.Histogram = bins
				return err
			})
		}
		if c.Bounds != nil {
			var up []string
			for _, b := range c.Bounds {
				up = append(up, fmt.Sprintf("count(*) FILTER (WHERE %s <= %s)", v, number(b)))
			}
			items = append(items, "["+strings.Join(up, ", ")+"]")
			takes = append(takes, func(text json.RawMessage) error { return json.Unmarshal(text, &c.Up) })
		}
		if p.Periods == nil && kind == Moment && 2*c.Nulls < p.Sampled {
			p.Periods = &Periods{Column: c.Name}
			for _, each := range periods {
				items = append(items, fmt.Sprintf("CASE WHEN date_diff('%s', CAST(min(%s) AS DATE), CAST(max(%s) AS DATE)) < 400 THEN [{'start': CAST(CAST(e.key AS DATE) AS VARCHAR), 'n': e.value} FOR e IN map_entries(histogram(date_trunc('%s', CAST(%s AS DATE))))] END",
					each, v, v, each, v))
				takes = append(takes, func(text json.RawMessage) error { return p.Periods.take(each, text) })
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	got, err := Rows(ctx, conn, "SELECT "+strings.Join(items, ", ")+" FROM "+from+" "+duckdb.Row)
	if err != nil {
		return err
	}
	for i, take := range takes {
		if err := take(got[0][i]); err != nil {
			return err
		}
	}
	if p.Periods != nil && p.Periods.All == nil {
		p.Periods = nil // over centuries
	}
	return p.besides(ctx, conn, from)
}

// most sets which number at least four of ten are, by the bounds of tenths.
func (c *Column) most() {
	for i := 4; i < len(c.Bounds); i++ {
		if c.Bounds[i] == c.Bounds[i-4] {
			c.Besides = &Besides{Value: c.Bounds[i]}
		}
	}
}

// besides parts the numbers besides those that many are: first by tenths, then it counts
// those up to each.
func (p *Profile) besides(ctx context.Context, conn *duckdb.Conn, from string) error {
	for _, up := range []bool{false, true} {
		var items []string
		var to []any
		for i := range p.Columns {
			c := &p.Columns[i]
			b := c.Besides
			if b == nil {
				continue
			}
			v, _ := c.value()
			others := fmt.Sprintf(" FILTER (WHERE %s <> %s AND isfinite(CAST(%[1]s AS DOUBLE)))", v, number(b.Value))
			if !up {
				items, to = append(items, "count(*)"+others, "coalesce("+tenths(v)+others+", [])"), append(to, &b.N, &b.Bounds)
				continue
			}
			b.Bounds = slices.Compact(b.Bounds)
			var counts []string
			for _, bound := range b.Bounds {
				counts = append(counts, fmt.Sprintf("count(*) FILTER (WHERE %s <= %s AND %[1]s <> %[3]s)", v, number(bound), number(b.Value)))
			}
			items, to = append(items, "["+strings.Join(counts, ", ")+"]"), append(to, &b.Up)
		}
		if items == nil {
			return nil
		}
		got, err := Rows(ctx, conn, "SELECT "+strings.Join(items, ", ")+" FROM "+from+" "+duckdb.Row)
		if err != nil {
			return err
		}
		for i := range to {
			if err := json.Unmarshal(got[0][i], to[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

var periods = []string{"day", "month", "year"}

// take takes the rows by a period, unless a shorter one is as steady.
func (p *Periods) take(each string, text json.RawMessage) error {
	var all []Period
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if len(all) == 0 || p.All != nil && (p.Steady() > 0 || len(all) < 3) {
		return nil
	}
	p.Each, p.All = each, all
	return nil
}

// enough is how many rows that were looked at a period needs, so that there will be some
// in other rows like them, too.
const enough = 15

// Steady is the number of rows of the least period between the first and the last, as a
// share of the one in the middle; 0 if one of them has no rows, or if they have too few.
func (p *Periods) Steady() float64 {
	if len(p.All) < 4 {
		return 0
	}
	inner := slices.Clone(p.All[1 : len(p.All)-1])
	slices.SortFunc(inner, func(a, b Period) int { return int(a.N - b.N) })
	mid := inner[len(inner)/2].N
	if inner[0].N < enough || p.span() != len(p.All) {
		return 0
	}
	return float64(inner[0].N) / float64(mid)
}

func (c *Column) takeTop(text json.RawMessage, p *Profile) error {
	var found struct {
		Once int64
		Top  []struct {
			K int64
			V json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	for _, e := range found.Top {
		c.Top = append(c.Top, Value{e.V, -e.K})
	}
	if p.Sampled < p.Rows {
		c.DistinctAtMost = c.Distinct + int64(float64(found.Once)*float64(p.Rows)/float64(p.Sampled))
	}
	return nil
}

// Listed reports whether Top has every value.
func (c *Column) Listed() bool { return c.Distinct > 0 && int64(len(c.Top)) == c.Distinct }

// Bins are up to 16 ranges of round width from low to high; nil: there is no width.
func Bins(low, high float64) []Bin {
	raw := (high - low) / (mostBins - 2)
	if !(raw > 0) || math.IsInf(raw, 0) {
		return nil
	}
	size := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * size
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*size >= raw {
			step = m * size
			break
		}
	}
	edge := func(i int) float64 {
		var v float64
		_, _ = fmt.Sscan(fmt.Sprintf("%.12g", (math.Floor(low/step)+float64(i))*step), &v) // without what arithmetic adds
		return v
	}
	var all []Bin
	for i := 0; edge(i) <= high && len(all) <= mostBins; i++ {
		all = append(all, Bin{From: edge(i), To: edge(i + 1)})
	}
	return all
}

// Counts are the items of a SELECT that count the values in bins.
func Counts(v string, bins []Bin) (items []string) {
	for i, b := range bins {
		until := "<"
		if i == len(bins)-1 {
			until = "<="
		}
		items = append(items, fmt.Sprintf("count(*) FILTER (WHERE %s >= %s AND %s %s %s)", v, number(b.From), v, until, number(b.To)))
	}
	return items
}

// span is how many periods there are from the first to the last.
func (p *Periods) span() int {
	first, err1 := time.Parse(time.DateOnly, p.All[0].Start)
	last, err2 := time.Parse(time.DateOnly, p.All[len(p.All)-1].Start)
	if err1 != nil || err2 != nil {
		return 0 // a year of five digits
	}
	years := last.Year() - first.Year()
	switch p.Each {
	case "day":
		return int(last.Sub(first)/(24*time.Hour)) + 1
	case "month":
		return 12*years + int(last.Month()) - int(first.Month()) + 1
	}
	return years + 1
}

func number(f float64) string { return strconv.FormatFloat(f, 'e', -1, 64) + "::DOUBLE" }

// How many values of a column are looked at for what is of people, and how much of each.
const lookedAt, longestLookedAt = 400, 2000

// personal looks at some values of texts and whole numbers: the same ones each time.
func (p *Profile) likely(ctx context.Context, conn *duckdb.Conn, from string) error {
	var items []string
	var of []*Column
	for i := range p.Columns {
		c := &p.Columns[i]
		whole := strings.HasSuffix(c.Type, "INT") || strings.HasSuffix(c.Type, "INTEGER") || strings.HasSuffix(c.Type, ",0)")
		if kind := KindOf(c.Type); c.Distinct > 0 && (kind == Text || kind == Number && whole) {
			v, _ := c.value()
			const few = "arg_min(DISTINCT left(CAST(%s AS VARCHAR), %d), hash(%[1]s), %d) FILTER (WHERE %[1]s IS NOT NULL)"
			items = append(items, fmt.Sprintf(few, v, longestLookedAt, lookedAt))
			of = append(of, c)
		}
	}
	if len(items) == 0 {
		return nil
	}
	got, err := Rows(ctx, conn, fmt.Sprintf("SELECT %s FROM %s %s WHERE hash(%[3]s) & %d = 0", strings.Join(items, ", "), from,
		duckdb.Row, Mask(p.Sampled)))
	if err != nil {
		return err
	}
	for i, c := range of {
		var values []string
		if err := json.Unmarshal(got[0][i], &values); err != nil {
			return err
		}
		c.Likely = likely.Of(c.Name, values)
	}
	return nil
}
