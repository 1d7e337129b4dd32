package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
)

// dialect is how a CSV file is written. The line ends are left to the reader:
// told a wrong one, it passes over whole files without a word.
type dialect struct {
	delim, quote, escape string
	header               bool
}

// sniffed is what one CSV file was found to be.
type sniffed struct {
	file file
	dialect
	columns      []api.Column
	date, moment string // formats of dates and timestamps, empty if there are none
	// blank are the columns without any value. Their type is text, for want of
	// another, and any other file's type is as good.
	blank map[string]bool
}

func (l *Lake) describeCSV(ctx context.Context, s *session, set *fileSet, k *linked) (*table, error) {
	var first *sniffed
	for _, f := range set.files {
		found, err := l.sniff(ctx, s, k, f, set.format, first)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		if len(set.files) > 1 {
			if err := l.findBlank(ctx, s, k, found); err != nil {
				return nil, err
			}
		}
		if first == nil {
			first = found
		} else if err := first.merge(found); err != nil {
			return nil, err
		}
	}
	if first == nil {
		return nil, empty(set)
	}
	return l.describeText(ctx, s, set, first.columns, textReader{
		files: k.list(set.files), head: "read_csv(", tail: first.options,
	})
}

// options are those of the table function that reads files as this one is
// written.
func (a *sniffed) options(cols []api.Column) string {
	formats := ""
	if a.date != "" {
		formats += ", dateformat = " + duckdb.Literal(a.date)
	}
	if a.moment != "" {
		formats += ", timestampformat = " + duckdb.Literal(a.moment)
	}
	return fmt.Sprintf(", auto_detect = false, delim = %s, quote = %s, escape = %s, comment = '', skip = 0, header = %t, columns = %s%s",
		duckdb.Literal(a.delim), duckdb.Literal(a.quote), duckdb.Literal(a.escape), a.header, columnList(cols), formats)
}

// findBlank finds the text columns of a file that hold no value.
func (l *Lake) findBlank(ctx context.Context, s *session, k *linked, a *sniffed) error {
	var names, counts []string
	for _, c := range a.columns {
		if c.Type == "VARCHAR" {
			names = append(names, c.Name)
			counts = append(counts, "count("+duckdb.Quote(c.Name)+")")
		}
	}
	if len(names) == 0 {
		return nil
	}
	sql := "SELECT " + strings.Join(counts, ", ") + " FROM read_csv(" + k.literal(a.file) + a.options(a.columns) + ", hive_partitioning = false)"
	return s.rows(ctx, sql, func(v []any) error {
		a.blank = map[string]bool{}
		for i, n := range names {
			a.blank[n] = v[i] == int64(0)
		}
		return nil
	})
}

// sniff finds out how one CSV file is written, reading all of it; nil if it is
// empty. first is the table's first file, if this is another: whether there is
// a header can't always be told from one file alone.
func (l *Lake) sniff(ctx context.Context, s *session, k *linked, f file, format format, first *sniffed) (*sniffed, error) {
	if f.size == 0 {
		return nil, nil
	}
	if err := l.checkPacked(f); err != nil {
		return nil, err
	}
	out := &sniffed{file: f}
	options := ", sample_size = -1, comment = ''"
	switch {
	case first != nil:
		options += fmt.Sprintf(", delim = %s, header = %t", duckdb.Literal(first.delim), first.header)
	case format == tsv:
		options += ", delim = '\t'"
	}
	// The engine writes "(empty)" where an option is off.
	sql := `SELECT Delimiter, replace(Quote, '(empty)', ''), replace("Escape", '(empty)', ''), SkipRows::BIGINT, HasHeader,
			coalesce(DateFormat, ''), coalesce(TimestampFormat, ''), c.name, c.type
		FROM (SELECT *, unnest(Columns) AS c FROM sniff_csv(` + k.literal(f) + options + `))`
	skip := int64(0)
	err := s.rows(ctx, sql, func(v []any) error {
		text := func(i int) string { t, _ := v[i].(string); return t }
		out.dialect = dialect{delim: text(0), quote: text(1), escape: text(2)}
		skip, _ = v[3].(int64)
		out.header, _ = v[4].(bool)
		out.date, out.moment = text(5), text(6)
		out.columns = append(out.columns, api.Column{Name: text(7), Type: text(8), Nullable: true})
		return nil
	})
	if err == nil && skip > 0 {
		e := sourceError(kindFiles, fmt.Sprintf("%s line 1 has other columns than the lines below", f.rel), nil)
		e.Hint = fmt.Sprintf("A CSV file begins with its header or its first row; take the first %d lines away.", skip)
		return nil, e
	}
	return out, err
}

// merge takes in another file of the table: written the same way, the same
// columns. Where the types differ, the wider one holds for all.
func (a *sniffed) merge(b *sniffed) error {
	names := func(s *sniffed) string {
		var n []string
		for _, c := range s.columns {
			n = append(n, fmt.Sprintf("%q", c.Name))
		}
		return api.Clip(strings.Join(n, ", "), 200)
	}
	same := slices.EqualFunc(a.columns, b.columns, func(x, y api.Column) bool { return x.Name == y.Name })
	switch {
	case !same:
		return mixed(a.file.rel, b.file.rel, fmt.Sprintf("have different columns, %s and %s", names(a), names(b)))
	case a.delim != b.delim || a.header != b.header:
		return mixed(a.file.rel, b.file.rel, "are written in different ways")
	case a.quote == "":
		// A file without quotes can be read with any.
		a.quote, a.escape = b.quote, b.escape
	case b.quote != "" && a.quote != b.quote || b.escape != "" && a.escape != "" && a.escape != b.escape:
		return mixed(a.file.rel, b.file.rel, "use different quotes")
	case a.escape == "":
		a.escape = b.escape
	}
	for i := range a.columns {
		name, x, y := a.columns[i].Name, a.columns[i].Type, b.columns[i].Type
		switch {
		case b.blank[name]:
			continue
		case a.blank[name]:
			a.columns[i].Type, a.blank[name] = y, false
			continue
		}
		a.columns[i].Type = wider(x, y)
		// One format of dates holds for all files; where they differ the text
		// itself is what remains.
		if formatsDiffer(x, a.date, b.date, "DATE") || formatsDiffer(x, a.moment, b.moment, "TIMESTAMP") {
			a.columns[i].Type = "VARCHAR"
		}
	}
	if a.date == "" {
		a.date = b.date
	}
	if a.moment == "" {
		a.moment = b.moment
	}
	return nil
}

func formatsDiffer(typ, a, b, of string) bool { return typ == of && a != b && a != "" && b != "" }

// wider returns the type that holds the values of both, as text at the last.
func wider(a, b string) string {
	pair := [2]string{min(a, b), max(a, b)}
	switch {
	case a == b:
		return a
	case pair == [2]string{"BIGINT", "DOUBLE"}:
		return "DOUBLE"
	}
	return "VARCHAR"
}
