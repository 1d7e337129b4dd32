package profiles

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/engine/profile/likely"
	"github.com/agnes-data/da/predicate"
)

const (
	readsOf             = 2  // statements that read each column, at most
	mostAtOnce          = 40 // columns of a statement
	mostValues          = 20 << 20
	mostCounted         = 5 << 20 // rows; beyond that, the number of different values is estimated
	bytesOfMost         = 1 << 28 // what so many rows have at least, where their number is not known
	fewValues           = 1000    // of a column with commonest values
	mostTop, mostMonths = 50, 600
	mostSeen            = 400 // values that are looked at for what is of people
	itemName            = "da_"
)

// source profiles columns of a table by statements that its source runs.
type source struct {
	d       predicate.Dialect
	l       language
	table   string
	columns []predicate.Field
	exact   bool // different values are counted
	data    api.Data
	caveats []api.Caveat
}

// ask runs a statement; cut says that a cap of the server has left out rows.
func (s *source) ask(ctx context.Context, sql string) (all [][]json.RawMessage, told []api.Caveat, cut bool, err error) {
	stream, err := s.data.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return nil, nil, false, err
	}
	defer stream.Close()
	rows := stream.Rows()
	all, err = profile.ReadJSON(rows)
	for _, c := range rows.Caveats() {
		cut = cut || c.Kind == api.CaveatCut
		if c.Kind != api.CaveatNarrowed || !strings.Contains(c.Text, itemName) { // a figure that is text shows itself
			told = append(told, c)
		}
	}
	return all, told, cut, err
}

// atSource makes the profile by two aggregates of some columns at a time: what each column
// has, and then how often each of its values, ranges and months.
func atSource(ctx context.Context, data api.Data, place *values.Place, table string,
	columns []string) (*profile.Profile, []api.Caveat, error) {
	s := source{d: place.Dialect, l: languages[place.Dialect], table: table, data: data}
	schema, err := predicate.NewSchema(predicate.Dialect(place.Schema.SQLFlavor), place.Schema.Columns)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range schema.Columns() {
		if len(columns) == 0 || slices.Contains(columns, f.Name) {
			s.columns = append(s.columns, f)
		}
	}
	if rows := rowsOf(place.Estimate); rows != nil {
		s.exact = *rows <= mostCounted
	} else {
		s.exact = place.Estimate.ScanBytes == nil || *place.Estimate.ScanBytes <= bytesOfMost
	}
	s.exact = s.exact || s.l.few == ""
	all := &profile.Profile{Columns: []profile.Column{}}
	for some := range slices.Chunk(s.columns, s.atOnce(place.Estimate)) {
		p := &profile.Profile{Periods: all.Periods}
		for _, step := range []func(context.Context, []predicate.Field, *profile.Profile) error{s.measure, s.count} {
			if err := step(ctx, some, p); err != nil {
				return nil, nil, err
			}
		}
		p.Columns = append(all.Columns, p.Columns...)
		all = p
	}
	return all, append(s.caveats, s.about(all)...), nil
}

// rowsOf is the most rows that there are; nil: unknown.
func rowsOf(est *api.Estimate) *int64 {
	if est.RowsHigh != nil {
		return est.RowsHigh
	}
	return est.RowsUpperBound
}

// atOnce is of how many columns a statement is: an engine that reads each column by itself
// is asked for few, so that their different values fit into its memory.
func (s *source) atOnce(est *api.Estimate) int {
	rows := rowsOf(est)
	if s.d != predicate.DuckDB || rows == nil {
		return mostAtOnce
	}
	return int(min(mostAtOnce, max(1, mostValues/max(1, min(*rows, mostCounted)))))
}

// about tells which figures are near the right ones.
func (s *source) about(p *profile.Profile) (caveats []api.Caveat) {
	if !s.exact {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatGuessed, Reason: "estimated_distinct", About: api.Subject{Table: s.table},
			Text: fmt.Sprintf("the different values are estimated by the source, within about %.0f %% as a rule", 100*s.l.off)})
	}
	if s.l.off50 && slices.ContainsFunc(p.Columns, func(c profile.Column) bool { return c.Median != nil }) {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatGuessed, Reason: "estimated_median", About: api.Subject{Table: s.table},
			Text: "the middle values are estimated by the source"})
	}
	return caveats
}

// kindOf is what a column's values are to a profile.
func kindOf(t predicate.Type) profile.Kind {
	switch t.Kind {
	case predicate.KindInt, predicate.KindFloat, predicate.KindDecimal:
		return profile.Number
	case predicate.KindString:
		return profile.Text
	case predicate.KindDate, predicate.KindDateTime, predicate.KindTimestamp:
		return profile.Moment
	case predicate.KindBool:
		return profile.Flag
	case predicate.KindTime, predicate.KindUUID:
		return profile.Clock
	}
	return profile.Other
}

// items are those of a SELECT, with what takes the values.
type items struct {
	sql  []string
	into []any
}

func (i *items) add(into any, sql string) { i.sql, i.into = append(i.sql, sql), append(i.into, into) }

// measure asks what one aggregate tells of each column.
func (s *source) measure(ctx context.Context, columns []predicate.Field, p *profile.Profile) error {
	var all items
	all.add(&p.Rows, "count(*)")
	p.Columns = make([]profile.Column, len(columns))
	present, dates, odd := make([]int64, len(columns)), make([]int64, len(columns)), make([][]int64, len(columns))
	for i, f := range columns {
		c, v, kind := &p.Columns[i], s.value(f), kindOf(f.Type)
		c.Name, c.Type = f.Name, f.Type.Name
		all.add(&present[i], "count("+predicate.QuoteIdent(s.d, f.Name)+")")
		if c.Uncounted = kind == profile.Other; c.Uncounted {
			continue
		}
		if f.Type.Kind == predicate.KindFloat {
			all.add(&c.NotFinite, "count("+predicate.QuoteIdent(s.d, f.Name)+") - count("+v+")")
		}
		distinct := "count(DISTINCT " + v + ")"
		if !s.exact {
			distinct = fmt.Sprintf(s.l.few, v)
		}
		all.add(&c.Distinct, distinct)
		if kind == profile.Number || kind == profile.Moment || f.Type.Kind == predicate.KindTime {
			all.add(&c.Min, s.typed("min("+v+")", f.Type))
			all.add(&c.Max, s.typed("max("+v+")", f.Type))
		}
		switch kind {
		case profile.Number:
			double := fmt.Sprintf(s.l.double, v)
			all.add(&c.Median, fmt.Sprintf(s.l.median, double))
			all.add(&c.Mean, "avg("+double+")")
		case profile.Text:
			all.add(&c.Min, s.clipped("min("+v+")"))
			all.add(&c.Max, s.clipped("max("+v+")"))
			all.add(&c.Shortest, "min("+s.l.length+"("+v+"))")
			all.add(&c.Longest, "max("+s.l.length+"("+v+"))")
			all.add(&dates[i], "count(CASE WHEN "+fmt.Sprintf(s.l.form, v, profile.DateForm)+" THEN 1 END)")
		}
		odd[i] = make([]int64, len(profile.Sentinels[kind]))
		for j, x := range profile.Sentinels[kind] {
			if kind != profile.Moment || !s.l.until2300 {
				all.add(&odd[i][j], "count(CASE WHEN "+x.Holds(v)+" THEN 1 END)")
			}
		}
	}
	got, told, _, err := s.ask(ctx, "SELECT "+strings.Join(all.named(), ", ")+" FROM "+predicate.QuoteIdent(s.d, s.table))
	if err != nil {
		return err
	}
	s.caveats = append(s.caveats, told...)
	for i, into := range all.into {
		if err = json.Unmarshal(got[0][i], into); err != nil {
			return err
		}
	}
	p.Sampled = p.Rows
	for i := range p.Columns {
		c, kind := &p.Columns[i], kindOf(columns[i].Type)
		c.Nulls = p.Rows - present[i]
		for _, v := range []*json.RawMessage{&c.Min, &c.Max, &c.Median, &c.Mean} {
			if string(*v) == "null" || present[i] == 0 { // some engines have a zero where there is nothing
				*v = nil
			}
		}
		c.Dates = present[i] > 0 && dates[i] == present[i]
		c.Constant = p.Rows > 1 && c.Distinct == 1 && c.Nulls == 0
		if s.exact {
			c.Key = p.Rows > 1 && c.Distinct == p.Rows
		} else {
			c.DistinctAtMost = min(present[i], c.Distinct+int64(2*s.l.off*float64(c.Distinct)))
		}
		for j, n := range odd[i] {
			if n > 0 {
				c.Sentinels = append(c.Sentinels, profile.Value{Value: profile.Sentinels[kind][j].Value, N: n})
			}
		}
	}
	return nil
}

// named are the items with names that differ, which some engines want.
func (i *items) named() (all []string) {
	for n, sql := range i.sql {
		all = append(all, fmt.Sprintf("%s AS "+itemName+"%d", sql, n))
	}
	return all
}

// typed is an aggregate with the type of its column, which PostgreSQL does not keep.
func (s *source) typed(sql string, t predicate.Type) string {
	if s.d == predicate.Postgres && t.Kind == predicate.KindDecimal && t.Precision > 0 {
		return fmt.Sprintf("CAST(%s AS numeric(%d,%d))", sql, t.Precision, t.Scale)
	}
	return sql
}

func (s *source) clipped(sql string) string { return fmt.Sprintf(s.l.clip, sql) }

// group is a part of the statement of count: values with their rows, or some of them.
type group struct {
	value, order string
	where        string
	most         int
	single       bool // not counted
	take         func(value string, n int64) error
}

// count asks for the commonest values, the ranges and the months, and for some values to
// look at.
func (s *source) count(ctx context.Context, columns []predicate.Field, p *profile.Profile) error {
	var groups []group
	seen := make([][]string, len(columns))
	for i, f := range columns {
		c, v, kind := &p.Columns[i], s.value(f), kindOf(f.Type)
		text := v
		if kind != profile.Text {
			text = fmt.Sprintf(s.l.text, v)
		}
		see := func(value string, _ int64) error {
			seen[i] = append(seen[i], value)
			return nil
		}
		if kind == profile.Text || kind == profile.Number && f.Type.Scale == 0 && f.Type.Kind != predicate.KindFloat {
			groups = append(groups, group{value: s.clipped(text), where: v + " IS NOT NULL", most: mostSeen, single: true,
				take: see})
		}
		if kind != profile.Other && kind != profile.Moment && c.Distinct > 0 && c.Distinct <= fewValues && c.Distinct < max(p.Rows, 2) {
			groups = append(groups, group{value: s.clipped(text), where: v + " IS NOT NULL", order: v, most: mostTop,
				take: func(value string, n int64) error {
					c.Top = append(c.Top, profile.Value{Value: jsonOf(kind, value), N: n})
					return nil
				}})
		}
		if kind == profile.Number && c.Distinct > 6 && c.Min != nil {
			groups = append(groups, s.ranges(c, v))
		}
		if kind == profile.Moment && p.Periods == nil && 2*c.Nulls < p.Rows {
			p.Periods = &profile.Periods{Column: c.Name, Each: "month", All: []profile.Period{}}
			periods := p.Periods
			groups = append(groups, group{value: fmt.Sprintf(s.l.month, v), where: v + " IS NOT NULL", order: "", most: mostMonths + 1,
				take: func(value string, n int64) error {
					periods.All = append(periods.All, profile.Period{Start: value, N: n})
					return nil
				}})
		}
	}
	if err := s.run(ctx, groups); err != nil {
		return err
	}
	for i := range columns {
		slices.Sort(seen[i])
		p.Columns[i].Likely = likely.Of(columns[i].Name, slices.Compact(seen[i]))
	}
	if p.Periods != nil {
		slices.SortFunc(p.Periods.All, func(a, b profile.Period) int { return strings.Compare(a.Start, b.Start) })
		if len(p.Periods.All) > mostMonths {
			p.Periods = nil // over centuries
		}
	}
	return nil
}

// ranges counts numbers in ranges.
func (s *source) ranges(c *profile.Column, v string) group {
	low, err := strconv.ParseFloat(profile.TextOf(c.Min), 64)
	high, err2 := strconv.ParseFloat(profile.TextOf(c.Max), 64)
	var bins []profile.Bin
	if err == nil && err2 == nil {
		bins = profile.Bins(low, high)
	}
	which := "CASE"
	for i := range len(bins) - 1 {
		which += fmt.Sprintf(" WHEN %s < %s THEN %d", fmt.Sprintf(s.l.double, v), strconv.FormatFloat(bins[i].To, 'f', -1, 64), i)
	}
	which += fmt.Sprintf(" ELSE %d END", len(bins)-1)
	if len(bins) < 2 {
		which = "0"
	}
	return group{value: fmt.Sprintf(s.l.text, which), where: v + " IS NOT NULL", most: len(bins) + 1, take: func(value string, n int64) error {
		i, err := strconv.Atoi(value)
		if err == nil && i >= 0 && i < len(bins) {
			bins[i].N = n
			c.Histogram = bins
		}
		return err
	}}
}

// run asks for all groups in one statement, and in more where a cap of the server would cut
// the rows of all.
func (s *source) run(ctx context.Context, groups []group) error {
	if len(groups) == 0 {
		return nil
	}
	var parts []string
	for i, g := range groups {
		count, tail := "count(*)", ""
		if g.single {
			if count = "1"; s.d == predicate.Spark {
				count = "CAST(1 AS BIGINT)" // the parts of a union have one type there
			}
		} else {
			by := g.value
			if g.order != "" {
				by = g.order
			}
			tail = fmt.Sprintf(" GROUP BY %s ORDER BY count(*) DESC, %[1]s", by)
		}
		parts = append(parts, fmt.Sprintf("(SELECT %d AS da_of, %s AS da_value, %s AS da_n FROM %s WHERE %s%s LIMIT %d)", i, g.value, count,
			predicate.QuoteIdent(s.d, s.table), g.where, tail, g.most))
	}
	got, told, cut, err := s.ask(ctx, strings.Join(parts, " UNION ALL "))
	if err != nil {
		return err
	}
	if half := len(groups) / 2; cut && half > 0 {
		return cmp.Or(s.run(ctx, groups[:half]), s.run(ctx, groups[half:]))
	}
	s.caveats = append(s.caveats, told...)
	for _, row := range got {
		of, n := 0, int64(0)
		if err := json.Unmarshal(row[0], &of); err != nil {
			return err
		}
		if err := json.Unmarshal(row[2], &n); err != nil {
			return err
		}
		if err := groups[of].take(profile.TextOf(row[1]), n); err != nil {
			return err
		}
	}
	return nil
}

// jsonOf is a value that has come as text, as it is in rows of JSON.
func jsonOf(kind profile.Kind, text string) json.RawMessage {
	if (kind == profile.Number && len(text) < 16 || kind == profile.Flag) && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // cannot fail
	}
	return quoted
}
