package metric

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/agnes-data/da/api"
)

// branch is a part of the statement that aggregates the rows of one table, under
// the same conditions and for the same times.
type branch struct {
	c          *compiler
	table      *api.SemanticTable
	metric     *api.Metric // simple
	asked      string      // the metric of the request that is made of it
	cumulative *api.Metric // nil: it is not
	use        use
	figures    []figure

	by      []item
	filters []condition
}

// figure is a column of aggregates.
type figure struct {
	agg, expr, column string
	fraction          float64
	discrete          bool
}

// same reports whether two branches have the same rows.
func (b *branch) same(o *branch) bool {
	window := func(b *branch) any {
		if m := b.cumulative; m != nil {
			return []any{m.Window, m.ToDate, m.Pick}
		}
		return nil
	}
	return b.table == o.table && b.metric.Time == o.metric.Time && b.metric.Every == o.metric.Every &&
		reflect.DeepEqual(b.metric.OneOf, o.metric.OneOf) &&
		reflect.DeepEqual(window(b), window(o)) && slices.Equal(b.use.filters, o.use.filters) && reflect.DeepEqual(b.use.back, o.use.back) &&
		b.use.start == o.use.start
}

func (b *branch) reached() []reached { return b.c.from(b.table, b.metric.Time) }

// times are the dimensions of the result that are the metric's time.
func (b *branch) times() []item {
	return slices.DeleteFunc(slices.Clone(b.by), func(it item) bool { return !it.ofMetric })
}

// aggregated groups the rows of the table.
func (b *branch) aggregated() (string, error) {
	rows, err := b.rows(b.items(false), "")
	if err != nil {
		return "", err
	}
	text, filter := nested(rows, "r"), where(b.texts())
	if n := b.metric.OneOf; n != nil {
		if text, err = b.oneTime(n, text+filter); err != nil {
			return "", err
		}
		filter = "\nWHERE \"at\" = \"kept\""
	}
	return b.grouped(namesOf(b.by), text+filter), nil
}

// grouped selects dimensions and aggregates.
func (b *branch) grouped(names []string, from string) string {
	text := "SELECT "
	for _, name := range names {
		text += Quote(name) + ", "
	}
	for i, f := range b.figures {
		if i > 0 {
			text += ", "
		}
		text += as(f.aggregate(), f.column)
	}
	return text + "\nFROM " + from + groupBy(names)
}

// aggregate writes the aggregate over the column of values.
func (f figure) aggregate() string {
	v := Quote("v" + f.column)
	switch f.agg {
	case "count":
		return "CAST(sum(" + v + ") AS BIGINT)"
	case "count_distinct":
		return "count(DISTINCT " + v + ")"
	case "average":
		return "avg(" + v + ")"
	case "median":
		return "percentile_cont(0.5) WITHIN GROUP (ORDER BY " + v + ")"
	case "percentile":
		form := "percentile_cont("
		if f.discrete {
			form = "percentile_disc("
		}
		return form + strconv.FormatFloat(f.fraction, 'g', -1, 64) + ") WITHIN GROUP (ORDER BY " + v + ")"
	case "sum_boolean":
		return "sum(" + v + ")"
	}
	return f.agg + "(" + v + ")"
}

// value writes what is aggregated of one row. A count adds ones, so that no row
// gives NULL and not 0, as for other sums.
func (f figure) value() string {
	switch f.agg {
	case "count":
		if _, err := strconv.ParseFloat(f.expr, 64); err == nil {
			return "1"
		}
		return "CASE WHEN " + f.expr + " IS NOT NULL THEN 1 ELSE 0 END"
	case "sum_boolean":
		return "CASE WHEN " + f.expr + " THEN 1 ELSE 0 END"
	}
	return f.expr
}

// oneTime marks in "kept" the first or last time of each group whose values count.
func (b *branch) oneTime(n *api.OneTime, from string) (string, error) {
	pick, over := "min", []string{}
	if n.Last {
		pick = "max"
	}
	for _, it := range b.times() {
		if n.Time == b.metric.Time {
			over = append(over, it.column)
		}
	}
	for i := range n.By {
		over = append(over, "of "+strconv.Itoa(i))
	}
	partition := ""
	for i, name := range quoteAll(over) {
		if i == 0 {
			partition = "PARTITION BY "
		} else {
			partition += ", "
		}
		partition += name
	}
	return nested("SELECT *, "+pick+`("at") OVER (`+partition+`) AS "kept"`+"\nFROM "+from, "k"), nil
}

// items are the dimensions that rows must have; with without those of the metric's
// time, which come from the spine.
func (b *branch) items(spine bool) []item {
	all := slices.Clone(b.by)
	for _, c := range b.filters {
		all = append(all, c.items...)
	}
	var out []item
	for _, it := range all {
		if !(spine && it.ofMetric) && !slices.Contains(namesOf(out), it.column) {
			out = append(out, it)
		}
	}
	return out
}

func (b *branch) texts() []string {
	var out []string
	for _, c := range b.filters {
		out = append(out, c.text)
	}
	return out
}
