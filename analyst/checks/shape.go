package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// NullShare bounds how many values of a column are NULL.
type NullShare struct {
	Column string  `yaml:"column" json:"column"`
	Max    float64 `yaml:"max" json:"max" jsonschema:"as a share of the rows, from 0 to 1"`
}

// Duplicates bounds how many rows repeat another.
type Duplicates struct {
	Columns []string `yaml:"columns" json:"columns" jsonschema:"the columns in which rows are compared"`
	Max     float64  `yaml:"max" json:"max" jsonschema:"as a share of the rows, from 0 to 1"`
}

// Drift bounds how far the values of a column have moved from what they were, by the
// population stability index: the sum of (is - was) * ln(is / was) over shares. By "ks" it is
// the statistic of Kolmogorov and Smirnov at the bounds: the largest difference of the shares
// up to one of them.
type Drift struct {
	Column string    `yaml:"column" json:"column"`
	Values []any     `yaml:"values,omitempty" json:"values,omitempty" jsonschema:"the values that the shares are of; the rest is one more"`
	Bounds []float64 `yaml:"bounds,omitempty" json:"bounds,omitempty" jsonschema:"for numbers, what parts the ranges that the shares are of"`
	// Besides, if not nil, is a number whose rows do not count.
	Besides *float64  `yaml:"besides,omitempty" json:"besides,omitempty" jsonschema:"for numbers, one that does not count: the shares are of the others"`
	Shares  []float64 `yaml:"shares" json:"shares" jsonschema:"of the rows that are not NULL: one for each value and one for the rest, or one for each range"`
	By      string    `yaml:"by,omitempty" json:"by,omitempty" jsonschema:"psi, the population stability index, which is the default, or ks, with bounds: the largest difference of the shares up to one of them"`
	Max     float64   `yaml:"max" json:"max" jsonschema:"of the index: 0.1 is little, 0.25 much; of ks: 0.1 is a tenth of the rows on the other side of a bound"`
}

// Periods says which periods of a time column have rows.
type Periods struct {
	Column  string  `yaml:"column" json:"column"`
	Each    string  `yaml:"each" json:"each" jsonschema:"day, month or year"`
	Through string  `yaml:"through,omitempty" json:"through,omitempty" jsonschema:"a date: its period must be reached"`
	Min     float64 `yaml:"min,omitempty" json:"min,omitempty" jsonschema:"rows of each period between the first and the last, as a share of those of the period in the middle; 0: at least one"`
}

func share(of string) string { return "round(100.0 * " + of + " / greatest(count(*), 1), 1) || ' %'" }

func (n *NullShare) compile(out *Compiled) error {
	out.name("null_share", fmt.Sprintf("%s, max %g", n.Column, n.Max))
	nulls := "(count(*) - count(" + quote(n.Column) + "))" // a parquet file tells both, and no row is read
	out.Whole, out.Seen = fmt.Sprintf("%s <= %g * count(*)", nulls, n.Max), share(nulls)+" || ' are NULL'"
	out.Footer = out.Whole
	return filled(n.Column)
}

func (d *Duplicates) compile(out *Compiled) error {
	out.name("duplicates", fmt.Sprintf("max %g", d.Max))
	list := make([]string, len(d.Columns))
	for i, c := range d.Columns {
		list[i] = quote(c)
	}
	more := "(count(*) - count(DISTINCT hash(" + strings.Join(list, ", ") + ")))"
	out.Whole, out.Seen = fmt.Sprintf("%s <= %g * count(*)", more, d.Max), share(more)+" || ' of the rows repeat another'"
	if len(d.Columns) == 0 {
		return errors.New("no columns are given")
	}
	return filled(d.Columns...)
}

// leastShare replaces a share of zero, which has no logarithm.
const leastShare = 0.0001

func (d *Drift) compile(out *Compiled) error {
	name, others := fmt.Sprintf("%s, max %g", d.Column, d.Max), "count("+quote(d.Column)+")"
	if d.Besides != nil {
		name = fmt.Sprintf("%s besides %g, max %g", d.Column, *d.Besides, d.Max)
		others = fmt.Sprintf("count(*) FILTER (WHERE %s <> %v)", quote(d.Column), *d.Besides)
	}
	if d.By == "ks" {
		name = strings.Replace(name, ", max", ", ks, max", 1)
	}
	out.name("drift", name)
	of, names := d.parts()
	switch {
	case len(d.Values) > 0 == (len(d.Bounds) > 0):
		return errors.New("it takes either values or bounds")
	case len(d.Shares) != len(of):
		return fmt.Errorf("it has %d shares for %d parts", len(d.Shares), len(of))
	case d.Besides != nil && len(d.Values) > 0:
		return errors.New("besides goes with bounds")
	case !slices.IsSorted(d.Bounds):
		return errors.New("the bounds are not in order")
	case d.By == "ks" && len(d.Bounds) > 0:
		d.compileKS(out, of, others)
		return filled(d.Column)
	case d.By != "" && d.By != "psi":
		return errors.New("by is psi, or with bounds ks")
	}
	var counts, parts []string
	for i, condition := range of {
		counts = append(counts, "count(*) FILTER (WHERE "+condition+")")
		parts = append(parts, fmt.Sprintf("{'was': %g, 'of': %s}", d.Shares[i], literal(names[i])))
	}
	// Each count is written once: planning a longer text takes longer than to run it.
	each := fmt.Sprintf("FOR p IN list_zip([%s], [%s])]", strings.Join(counts, ", "), strings.Join(parts, ", "))
	is := "p[1] / " + others
	atLeast := func(x string) string { return fmt.Sprintf("greatest(%s, %g)", x, leastShare) }
	index := fmt.Sprintf("list_sum([(%s - %s) * ln(%s / %s) %s)", atLeast(is), atLeast("p[2].was"), atLeast(is), atLeast("p[2].was"), each)
	out.Whole = fmt.Sprintf("%s = 0 OR %s <= %g", others, index, d.Max)
	out.Seen = fmt.Sprintf("'the index is ' || round(%s, 2) || ': ' || (list_sort([{'by': abs(%s - p[2].was), 'text': p[2].of || ' was ' || round(100 * p[2].was, 1) || ' %% and is ' || round(100 * %s, 1) || ' %%'} %s, 'DESC')[1]).text", index, is, is, each)
	return filled(d.Column)
}

// compileKS compares the shares up to each bound.
func (d *Drift) compileKS(out *Compiled, of []string, others string) {
	var differences []string
	was := 0.0
	for i := range d.Bounds {
		was += d.Shares[i]
		differences = append(differences, fmt.Sprintf("abs(count(*) FILTER (WHERE (%s)) / %s - %g)", strings.Join(of[:i+1], ") OR ("), others, was))
	}
	most := "greatest(" + strings.Join(differences, ", ") + ")"
	out.Whole = fmt.Sprintf("%s = 0 OR %s <= %g", others, most, d.Max)
	out.Seen = "'the shares up to a bound differ by ' || round(" + most + ", 3)"
}

// parts are the conditions that the shares are of, and what they are called.
func (d *Drift) parts() (conditions, names []string) {
	column := quote(d.Column)
	var list []string
	for _, v := range d.Values {
		conditions, names = append(conditions, column+" = "+literal(v)), append(names, fmt.Sprint(v))
		list = append(list, literal(v))
	}
	if len(list) > 0 {
		return append(conditions, column+" NOT IN ("+strings.Join(list, ", ")+")"), append(names, "any other")
	}
	for i, b := range d.Bounds {
		below, name := fmt.Sprintf("%s <= %v", column, b), fmt.Sprintf("up to %g", b)
		if i > 0 {
			below, name = fmt.Sprintf("%s > %v AND %s", column, d.Bounds[i-1], below), fmt.Sprintf("over %g, up to %g", d.Bounds[i-1], b)
		}
		conditions, names = append(conditions, below), append(names, name)
	}
	if n := len(d.Bounds); n > 0 {
		conditions, names = append(conditions, fmt.Sprintf("%s > %v", column, d.Bounds[n-1])),
			append(names, fmt.Sprintf("over %g", d.Bounds[n-1]))
	}
	for i := range conditions {
		if d.Besides != nil {
			conditions[i] += fmt.Sprintf(" AND %s <> %v", column, *d.Besides)
		}
	}
	return conditions, names
}

func (p *Periods) compile(out *Compiled) error {
	out.name("periods", p.Column+", each "+p.Each)
	if !slices.Contains([]string{"day", "month", "year"}, p.Each) {
		return errors.New("each is day, month or year")
	}
	day := "CAST(" + quote(p.Column) + " AS DATE)"
	rows := fmt.Sprintf("map_values(histogram(date_trunc('%s', %s)))", p.Each, day)
	there := fmt.Sprintf("(date_diff('%s', min(%s), max(%s)) + 1)", p.Each, day, day)
	inner := rows + "[2:-2]"
	tests := []string{"len(" + rows + ") = " + there, fmt.Sprintf("coalesce(list_min(%s) >= %g * list_median(%s), true)", inner, p.Min, inner)}
	seen := fmt.Sprintf("'from ' || coalesce(CAST(min(%s) AS VARCHAR), 'NULL') || ' to ' || coalesce(CAST(max(%s) AS VARCHAR), 'NULL') || ' are ' || len(%s) || ' of ' || %s || ' %ss, the least with ' || coalesce(list_min(%s), 0) || ' rows'", day, day, rows, there, p.Each, rows)
	if p.Through != "" {
		reached := fmt.Sprintf("date_trunc('%s', max(%s)) >= date_trunc('%s', DATE %s)", p.Each, day, p.Each, literal(p.Through))
		tests = append(tests, reached)
		seen += fmt.Sprintf(" || CASE WHEN %s THEN '' ELSE %s END", reached, literal(", and none is as late as the "+p.Each+" of "+p.Through))
	}
	out.Whole, out.Seen = strings.Join(tests, " AND "), seen
	out.Alone = func(from string) string { // a histogram of many days takes longer than groups, and to truncate each row longer than each day
		inner := " FILTER (WHERE p > (SELECT min(p) FROM periods) AND p < (SELECT max(p) FROM periods))"
		last := ""
		if p.Through != "" {
			last = fmt.Sprintf(" AND max(p) >= date_trunc('%s', DATE %s)", p.Each, literal(p.Through))
		}
		return fmt.Sprintf("WITH days AS (SELECT %[2]s AS d, count(*) AS n FROM %[3]s GROUP BY 1 HAVING d IS NOT NULL), "+
			"periods AS (SELECT date_trunc('%[1]s', d) AS p, sum(n)::BIGINT AS n FROM days GROUP BY 1) "+
			"SELECT (count(*) = date_diff('%[1]s', min(p), max(p)) + 1 AND coalesce(min(n)%[4]s >= %[5]g * median(n)%[4]s, true)%[6]s) IS TRUE FROM periods",
			p.Each, day, from, inner, p.Min, last)
	}
	return filled(p.Column)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal writes a value of YAML as SQL. Text takes the type of what it is compared with.
func literal(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case bool, int64, uint64, int, float64, json.Number:
		return fmt.Sprint(v)
	}
	return "'" + strings.ReplaceAll(fmt.Sprint(value), "'", "''") + "'"
}
