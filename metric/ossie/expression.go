package ossie

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/statement"
)

// aggs are the aggregates of the expression language that are exact, and what a metric
// calls them.
var aggs = map[string]string{"SUM": "sum", "COUNT": "count", "AVG": "average", "MIN": "min", "MAX": "max", "MEDIAN": "median",
	"PERCENTILE_CONT": "percentile", "PERCENTILE_DISC": "percentile", "STDDEV": "stddev_samp", "STDDEV_SAMP": "stddev_samp",
	"STDDEV_POP": "stddev_pop", "VARIANCE": "var_samp", "VAR_SAMP": "var_samp", "VAR_POP": "var_pop"}

// refused is what is no function of one row, or only nearly right.
var refused = strings.Fields("OVER FILTER APPROX_COUNT_DISTINCT APPROX_PERCENTILE ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD FIRST_VALUE LAST_VALUE NTH_VALUE PERCENT_RANK CUME_DIST")

// text is the expression in the dialect that is read: that of every engine.
func (f *field) text() (string, error) {
	var others []string
	for _, d := range f.Expression.Dialects {
		if d.Dialect == "ANSI_SQL" {
			return strings.TrimSpace(d.Expression), nil
		}
		others = append(others, d.Dialect)
	}
	return "", fmt.Errorf("an expression in ANSI_SQL is missing; there is one in: %s", strings.Join(others, ", "))
}

// scanner goes through an expression.
type scanner struct {
	all []statement.Lexeme
	at  int
}

// rewrite replaces the names in an expression, which may have that of a dataset before
// them, and the aggregates.
func rewrite(text string, name func(of, name string) (string, error), agg func(*scanner) (string, error)) (string, error) {
	var out strings.Builder
	for s := (&scanner{all: statement.Lexemes(text)}); s.at < len(s.all); s.at++ {
		l, before, after := s.all[s.at], metric.Beside(s.all, s.at, -1), metric.Beside(s.all, s.at, 1)
		isWord, upper, now, err := l.Kind == statement.Word, strings.ToUpper(l.Text), l.Text, error(nil)
		switch {
		case l.Kind == statement.Comment, l.Kind == statement.Sign && strings.Contains(";${}?", l.Text),
			isWord && (upper == "SELECT" || after.Text == "(" && slices.Contains(refused, upper)):
			return "", fmt.Errorf("%q is not understood", l.Text)
		case isWord && after.Text == "(" && aggs[upper] != "":
			now, err = agg(s)
		case !isWord && l.Kind != statement.Name:
		case after.Text == ".":
			if s.at += 2; s.at >= len(s.all) || metric.Beside(s.all, s.at, 1).Text == "." {
				return "", fmt.Errorf("%q is not the name of a dataset before that of a field", l.Text)
			}
			now, err = name(strings.Trim(l.Text, `"`), strings.Trim(s.all[s.at].Text, `"`))
		case isWord && (after.Text == "(" || before.Text == ":" || metric.IsSQL(l.Text, before, after)):
		default:
			now, err = name("", strings.Trim(l.Text, `"`))
		}
		if err != nil {
			return "", err
		}
		out.WriteString(now)
	}
	return out.String(), nil
}

func noAggregate(s *scanner) (string, error) {
	return "", fmt.Errorf("%q is an aggregate, where the value of one row is needed", s.all[s.at].Text)
}

// value is the expression of a field over the columns of its dataset's source.
func (d *dataset) value(f *field) (string, error) {
	text, err := f.text()
	if err != nil {
		return "", err
	}
	return rewrite(text, func(of, name string) (string, error) {
		if of != "" && !strings.EqualFold(of, d.Name) {
			return "", fmt.Errorf("%q is of another dataset", of)
		}
		for _, o := range d.Fields {
			other, err := o.text()
			if o != f && strings.EqualFold(o.Name, name) && err == nil && !strings.EqualFold(strings.Trim(other, `"`), name) {
				return "", fmt.Errorf("%q may be the column, or the field, which is something else", name)
			}
		}
		return metric.Quote(name), nil
	}, noAggregate)
}

// metric adds a metric. One aggregate is a simple metric, a quotient of two a ratio;
// another expression is derived from the aggregates in it. Each of these is of the rows
// of its own dataset, so that no join repeats any.
func (r *reader) metric(f field) {
	m := api.Metric{Name: f.Name, Description: f.Description, Synonyms: f.synonyms(), Kind: api.MetricDerived}
	var parts []api.Metric
	named := func(i int) string { return fmt.Sprintf("aggregate %d", i+1) }
	text, err := f.text()
	if err == nil {
		m.Expr, err = rewrite(text, func(_, name string) (string, error) {
			return "", fmt.Errorf("%q outside of an aggregate", name)
		}, func(s *scanner) (string, error) {
			part, err := r.aggregate(s)
			parts = append(parts, part)
			return metric.Quote(named(len(parts) - 1)), err
		})
	}
	if err == nil {
		err = r.place(parts)
	}
	switch {
	case err != nil:
		m = api.Metric{Name: f.Name, Description: f.Description, Kind: m.Kind,
			Unclear: fmt.Sprintf("metric %q of semantic model %q in %s: %v", f.Name, r.Name, r.file, err)}
		parts = nil
	case m.Expr == metric.Quote(named(0)):
		parts[0].Name, parts[0].Description, parts[0].Synonyms, parts[0].Inner = m.Name, m.Description, m.Synonyms, false
		m, parts = parts[0], nil
	case strings.ReplaceAll(m.Expr, " ", "") == strings.ReplaceAll(metric.Quote(named(0))+"/"+metric.Quote(named(1)), " ", ""):
		m.Kind, m.Expr = api.MetricRatio, ""
	}
	for i := range parts {
		parts[i].Name = fmt.Sprintf("%s: %s", m.Name, named(i))
		m.Inputs = append(m.Inputs, api.MetricInput{Metric: parts[i].Name, As: named(i)})
	}
	r.out.Metrics = append(append(r.out.Metrics, m), parts...)
}

// place finds the datasets of aggregates that name no field, such as COUNT(*): the only
// one of the metric, or of the model.
func (r *reader) place(parts []api.Metric) error {
	names := map[string]*dataset{}
	for _, d := range r.Datasets {
		if len(r.Datasets) == 1 || slices.ContainsFunc(parts, func(p api.Metric) bool { return p.Table == d.Name }) {
			names[d.Name] = d
		}
	}
	for i := range parts {
		for name := range names {
			if len(names) == 1 {
				parts[i].Table = name
			}
		}
		if parts[i].Table == "" {
			return errors.New("an aggregate that names no field may be of several datasets")
		}
		parts[i].Time = r.times[names[parts[i].Table]]
	}
	if len(parts) == 0 {
		return errors.New("an expression without an aggregate")
	}
	return nil
}

var (
	distinct = lazyregexp.New(`(?is)^\s*DISTINCT\b(.*)$`)
	within   = lazyregexp.New(`(?is)^\s*WITHIN\s+GROUP\s*$`)
	ordered  = lazyregexp.New(`(?is)^\s*ORDER\s+BY\b(.*)$`)
)

// aggregate reads the call of an aggregate, up to its end.
func (r *reader) aggregate(s *scanner) (m api.Metric, err error) {
	word := strings.ToUpper(s.all[s.at].Text)
	m = api.Metric{Kind: api.MetricSimple, Inner: true, Agg: aggs[word], Discrete: word == "PERCENTILE_DISC"}
	_, of, err := s.parentheses()
	if m.Agg == "percentile" && err == nil {
		m.Fraction, err = strconv.ParseFloat(strings.TrimSpace(of), 64)
		between, order, noOrder := s.parentheses()
		by := ordered().FindStringSubmatch(order)
		if err != nil || noOrder != nil || m.Fraction < 0 || m.Fraction > 1 || !within().MatchString(between) || by == nil {
			return m, fmt.Errorf("%s without a share of 0 to 1 and WITHIN GROUP (ORDER BY …)", word)
		}
		of = by[1]
	}
	if err != nil {
		return m, err
	}
	if d := distinct().FindStringSubmatch(of); d != nil {
		if m.Agg != "count" {
			return m, fmt.Errorf("DISTINCT in %s", word)
		}
		m.Agg, of = "count_distinct", d[1]
	}
	if strings.HasPrefix(m.Agg, "count") {
		m.Fill = new(int64) // no rows are 0
	}
	if of = strings.TrimSpace(of); m.Agg == "count" && of == "*" {
		of = "1"
	}
	m.Expr, err = rewrite(of, func(of, name string) (string, error) {
		d, f, err := r.field(of, name)
		if err != nil {
			return "", err
		}
		if m.Table != "" && m.Table != d.Name {
			return "", fmt.Errorf("an aggregate over fields of two datasets, %q and %q", m.Table, d.Name)
		}
		m.Table = d.Name
		expr, err := d.value(f)
		return enclosed(expr), err
	}, noAggregate)
	m.Expr = enclosed(m.Expr)
	return m, err
}

// enclosed keeps an expression together within another.
func enclosed(expr string) string {
	if len(statement.Lexemes(expr)) > 1 {
		return "(" + expr + ")"
	}
	return expr
}

// field finds a field; without the name of its dataset it must be in one only.
func (r *reader) field(of, name string) (in *dataset, found *field, err error) {
	for _, d := range r.Datasets {
		for _, f := range d.Fields {
			if (of == "" || strings.EqualFold(of, d.Name)) && strings.EqualFold(f.Name, name) {
				if found != nil {
					return nil, nil, fmt.Errorf("%q may be of dataset %q or %q", name, in.Name, d.Name)
				}
				in, found = d, f
			}
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("there is no field %q", strings.TrimPrefix(of+"."+name, "."))
	}
	return in, found, nil
}

// parentheses returns what the next parentheses hold and what is before them, and goes to
// their end.
func (s *scanner) parentheses() (before, in string, err error) {
	var out [2]strings.Builder
	for depth := 0; s.at+1 < len(s.all); {
		s.at++
		text := s.all[s.at].Text
		if text == ")" {
			if depth--; depth == 0 {
				return out[0].String(), out[1].String(), nil
			}
		}
		if text != "(" || depth > 0 {
			out[min(depth, 1)].WriteString(text)
		}
		if text == "(" {
			depth++
		}
	}
	return "", "", errors.New("a parenthesis without its end")
}
