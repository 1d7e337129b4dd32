package bigquery

import (
	"cmp"
	"strconv"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// parting says how a table is partitioned by the values of a column.
type parting struct {
	column string
	typ    bigquery.FieldType            // of the column
	by     bigquery.TimePartitioningType // for times
	width  int64                         // of each partition, for numbers
	// expires is the age at which partitions are removed; 0: never.
	expires time.Duration
}

// partition contains the rows whose value is in [from, to), or is NULL. Values are
// numbers, days since 1970 for a DATE, or microseconds for other times.
type partition struct {
	null     bool
	from, to int64
	identity string // changes when the rows change
}

func (p partition) contains(v int64) bool { return !p.null && p.from <= v && v < p.to }

// compare orders partitions by their values; that of NULL comes first.
func (p partition) compare(q partition) int {
	switch {
	case p.null == q.null:
		return cmp.Compare(p.from, q.from)
	case p.null:
		return -1
	}
	return 1
}

// partingBy returns the partitioning by a column; nil if the table has no such
// column.
func (t *table) partingBy(column string) *parting {
	c, ok := t.column(column)
	if !ok {
		return nil
	}
	return &parting{column: c.Name, typ: c.field.Type}
}

// nullPartition is BigQuery's id of the partition of NULL.
const nullPartition = "__NULL__"

// layouts are the formats of the ids of partitions by time.
var layouts = map[bigquery.TimePartitioningType]string{
	"": "20060102", bigquery.DayPartitioningType: "20060102", bigquery.HourPartitioningType: "2006010215",
	bigquery.MonthPartitioningType: "200601", bigquery.YearPartitioningType: "2006",
}

// read returns the partition that has an id of BigQuery's. It returns false for
// ids of partitions whose values are not known.
func (p *parting) read(id string) (partition, bool) {
	if id == nullPartition {
		return partition{null: true}, true
	}
	if p.typ == bigquery.IntegerFieldType {
		from, err := strconv.ParseInt(id, 10, 64)
		return partition{from: from, to: from + p.width}, err == nil && from+p.width > from
	}
	layout := layouts[p.by]
	from, err := time.Parse(layout, id)
	if err != nil || layout == "" {
		return partition{}, false
	}
	to := from.AddDate(0, 0, 1)
	switch p.by {
	case bigquery.HourPartitioningType:
		to = from.Add(time.Hour)
	case bigquery.MonthPartitioningType:
		to = from.AddDate(0, 1, 0)
	case bigquery.YearPartitioningType:
		to = from.AddDate(1, 0, 0)
	}
	return partition{from: p.number(from), to: p.number(to)}, true
}

const secondsOfDay = 24 * 60 * 60

func (p *parting) number(at time.Time) int64 {
	if p.typ == bigquery.DateFieldType {
		return at.Unix() / secondsOfDay // midnight
	}
	return at.UnixMicro()
}

func (p *parting) time(v int64) time.Time {
	if p.typ == bigquery.DateFieldType {
		return time.Unix(v*secondsOfDay, 0).UTC()
	}
	return time.UnixMicro(v).UTC()
}

// gone reports whether BigQuery may have removed a partition because of its age.
func (p *parting) gone(one partition, now time.Time) bool {
	return p.expires > 0 && !one.null && !p.time(one.from).Add(p.expires).After(now)
}

// kinds are the types of columns by which tables are partitioned; text is the form
// of their values in api.ValueRange.
var (
	kinds = map[bigquery.FieldType]predicate.Kind{bigquery.IntegerFieldType: predicate.KindInt, bigquery.DateFieldType: predicate.KindDate,
		bigquery.DateTimeFieldType: predicate.KindDateTime, bigquery.TimestampFieldType: predicate.KindTimestamp}
	forms = map[bigquery.FieldType]string{bigquery.DateFieldType: "2006-01-02", bigquery.DateTimeFieldType: "2006-01-02 15:04:05",
		bigquery.TimestampFieldType: "2006-01-02 15:04:05+00"}
)

// bounded reports whether a value can be written: years have four digits.
func (p *parting) bounded(v int64) bool {
	return p.typ == bigquery.IntegerFieldType || p.time(v).Year() <= 9999
}

// values describes the rows of a partition to the caller of a scan.
func (p *parting) values(one partition) *api.ValueRange {
	out := &api.ValueRange{Column: p.column}
	if one.null {
		return out
	}
	text := func(v int64) string {
		if p.typ == bigquery.IntegerFieldType {
			return strconv.FormatInt(v, 10)
		}
		return p.time(v).Format(forms[p.typ])
	}
	out.From = text(one.from)
	if p.bounded(one.to) {
		out.To = text(one.to)
	}
	return out
}

// within is the condition for the rows of some partitions, which are in order. An
// empty list selects no partition.
func (p *parting) within(parts []partition) predicate.Expr {
	column := &predicate.Column{Name: p.column, T: predicate.Type{Kind: kinds[p.typ]}}
	compare := func(op predicate.CompareOp, v int64) predicate.Expr {
		l := &predicate.Literal{T: column.T, Value: v}
		if p.typ != bigquery.IntegerFieldType {
			l.Value = p.time(v)
		}
		return &predicate.Compare{Op: op, Left: column, Right: l}
	}
	var ranges []partition
	for _, one := range parts {
		if n := len(ranges); n > 0 && !one.null && !ranges[n-1].null && ranges[n-1].to == one.from {
			ranges[n-1].to = one.to
		} else {
			ranges = append(ranges, one)
		}
	}
	if len(ranges) == 0 {
		ranges = []partition{{}}
	}
	var terms []predicate.Expr
	for _, r := range ranges {
		switch {
		case r.null:
			terms = append(terms, &predicate.IsNull{X: column})
		case !p.bounded(r.to):
			terms = append(terms, compare(predicate.Ge, r.from))
		default:
			terms = append(terms, predicate.And(compare(predicate.Ge, r.from), compare(predicate.Lt, r.to)))
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return &predicate.Logic{Op: predicate.OpOr, Terms: terms}
}
