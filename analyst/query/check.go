package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Checked is the result of the checks of a file.
type Checked struct {
	Failed   int              `json:"failed" jsonschema:"checks of severity error that do not hold, and any that could not be run"`
	Warnings int              `json:"warnings" jsonschema:"checks of severity warn that do not hold"`
	Passed   int              `json:"passed"`
	Checks   []checks.Outcome `json:"checks"`  // never null
	Caveats  []api.Caveat     `json:"caveats"` // of the rows that were read; never null
}

// Keep stores all rows that break a check, of a table's checks the nth from 1; nil
// rows: it holds, and what was kept of it before goes. It sets the outcome's file.
type Keep func(ctx context.Context, o *checks.Outcome, nth int, rows api.Rows) error

// Check runs the checks of a file over snapshots, synced tables, and parts, which are of
// the statement of CheckReads; it takes ownership of them. A check that cannot be run is an
// outcome too. keep, if not nil, is given the rows that break each check.
func Check(ctx context.Context, a *analyst.Analyst, f *checks.File, parts []*Part, brief Brief, keep Keep) (*Checked, error) {
	s, err := openWith(ctx, a, brief, parts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.check(ctx, f, keep)
}

// CheckReads is one statement that needs exactly what the checks of a file need: it is
// planned and priced as any other.
func CheckReads(f *checks.File, now time.Time) (string, error) {
	var reads []string
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		t := f.Tables[name]
		from, items := rowsOfTable(duckdb.Quote(name), t), []string{"count(*)"}
		for _, c := range t.Checks {
			compiled, err := c.Compile(t, now)
			if err != nil {
				return "", err
			}
			items = append(items, measures(compiled)...)
			if compiled.Broken != nil {
				reads = append(reads, compiled.Broken(from))
			}
		}
		reads = append(reads, "(SELECT "+strings.Join(items, ", ")+" FROM "+from+")")
	}
	return "SELECT * FROM " + strings.Join(reads, ", "), nil
}

// rowsOfTable are the rows of a relation that are checked.
func rowsOfTable(from string, t checks.Table) string {
	if t.Where == "" {
		return from
	}
	return fmt.Sprintf("(SELECT * FROM %s WHERE (\n%s\n))", from, t.Where)
}

func (s *Session) check(ctx context.Context, f *checks.File, keep Keep) (*Checked, error) {
	out := &Checked{Checks: []checks.Outcome{}, Caveats: append([]api.Caveat{}, f.Unread...)}
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		outcomes, caveats, err := s.checkTable(ctx, name, f.Tables[name], keep)
		if err != nil {
			return nil, err
		}
		out.Checks = append(out.Checks, outcomes...)
		out.Caveats = append(out.Caveats, caveats...)
	}
	out.Caveats = api.Arranged(out.Caveats)
	for _, o := range out.Checks {
		switch {
		case o.Status == checks.Passed:
			out.Passed++
		case o.Severity == checks.Warn && o.Status == checks.Failed:
			out.Warnings++
		default:
			out.Failed++
		}
	}
	return out, nil
}

// CheckRows runs checks of a snapshot over the rows of a file that are to replace it.
func CheckRows(ctx context.Context, a *analyst.Analyst, name, file string, t checks.Table) ([]checks.Outcome, error) {
	s, err := Open(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.parts = map[string]*Part{name: {TableID: name, path: file}}
	outcomes, _, err := s.checkTable(ctx, name, t, nil)
	return outcomes, err
}

// Refuse returns an error if new rows break a check of the snapshot or table that they
// would replace. Broken checks of severity warn become caveats; if drift is accepted, all do.
func Refuse(outcomes []checks.Outcome, of api.Subject, accept bool) (caveats []api.Caveat, err error) {
	if e := checks.Fails(outcomes, "check"); e != nil && !accept {
		if e.Hint = "The snapshot is unchanged."; of.Table != "" {
			e.Hint = "The table is unchanged."
		}
		e.Next = []api.Step{api.Set(api.OptionAcceptDrift, "have the new rows in spite of it"),
			api.Do(api.ActionLearn, "then expect what they are like", "name", of.Table+of.Snapshot)}
		return nil, e
	}
	for _, o := range outcomes {
		if o.Status != checks.Passed {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatChanged, About: of,
				Text: fmt.Sprintf("check '%s' does not hold: %s", api.Clip(o.Name, 200), o.Message)})
		}
	}
	return caveats, nil
}

// measured are the aggregates of checks over a relation.
type measured struct {
	from   string
	rows   int64
	values map[int][]any // by the check's place; nil: they could not be computed together
}

// checkTable runs the checks of one table: those on single rows and on aggregates in one
// scan.
func (s *Session) checkTable(ctx context.Context, name string, t checks.Table,
	keep Keep) (outcomes []checks.Outcome, caveats []api.Caveat, err error) {
	var compiled []*checks.Compiled
	for _, c := range t.Checks {
		one, err := c.Compile(t, s.a.Now())
		if err != nil {
			return nil, nil, err
		}
		compiled = append(compiled, one)
	}
	in, caveats, err := s.measure(ctx, name, t, compiled)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range compiled {
		o := checks.Outcome{Name: c.Name, Of: name, Status: checks.Passed, Severity: c.Severity, Rows: in.rows,
			Sum: t.Checks[i].Sum(name, t), Counts: t.Checks[i].Rows != nil}
		values, err := in.values[i], error(nil)
		if in.values == nil { // to tell which of them cannot be run
			var told []api.Caveat
			if values, told, err = s.scan(ctx, append(measures(c), "count(*)"), in.from); err == nil {
				o.Rows = number(values[len(values)-1])
				caveats = append(caveats, told...)
			}
		}
		if err == nil {
			var broken string
			if broken, err = s.judge(ctx, c, in.from, values, &o); err == nil && keep != nil {
				err = s.keep(ctx, broken, &o, i+1, keep)
			}
		}
		if err != nil {
			if !reportable(ctx, err) {
				return nil, nil, err
			}
			o.Status, o.Message = checks.Errored, err.Error()
			_ = errors.As(err, &o.Err) // a reportable error is one
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, caveats, nil
}

// measure computes the aggregates of checks, in one scan.
func (s *Session) measure(ctx context.Context, name string, t checks.Table,
	compiled []*checks.Compiled) (m measured, caveats []api.Caveat, err error) {
	m.from = rowsOfTable(s.arrived(name), t)
	items := []string{"count(*)"}
	for _, c := range compiled {
		items = append(items, measures(c)...)
	}
	found, caveats, err := s.scan(ctx, items, m.from)
	if err != nil {
		if reportable(ctx, err) {
			err = nil
		}
		return m, nil, err
	}
	m.rows, m.values, found = number(found[0]), map[int][]any{}, found[1:]
	for i, c := range compiled {
		n := len(measures(c))
		m.values[i], found = found[:n], found[n:]
	}
	return m, caveats, nil
}

// measures are the aggregates that decide a check in the common scan.
func measures(c *checks.Compiled) []string {
	switch {
	case c.NotNull != nil: // a parquet file tells how many values it has, and no row is read
		return []string{"(" + c.Footer + ")"}
	case c.Condition != "":
		return []string{fmt.Sprintf("count(*) FILTER (WHERE (\n%s\n) IS NOT TRUE)", c.Condition)}
	case c.Whole != "":
		return []string{"(" + c.Whole + ") IS TRUE", c.Seen}
	}
	return nil
}

// judge decides a check by what the common scan has found, or by a statement of its own.
// broken is the relation of what breaks it; "" if nothing does, or no row can.
func (s *Session) judge(ctx context.Context, c *checks.Compiled, from string, values []any, o *checks.Outcome) (broken string, err error) {
	switch {
	case c.Schema != nil:
		names, types, err := s.columns(ctx, o.Of)
		if o.Message = c.Schema.Differs(names, types); o.Message != "" {
			o.Status = checks.Failed
		}
		return "", err
	case c.Whole != "":
		if values[0] != true {
			o.Status, o.Message = checks.Failed, fmt.Sprint(values[1])
		}
		return "", nil
	case c.NotNull != nil && values[0] == true:
	case c.Condition != "":
		o.Broken = number(values[0])
		broken = fmt.Sprintf("%s WHERE (\n%s\n) IS NOT TRUE", from, c.Condition)
		if c.NotNull != nil {
			if o.Broken, err = s.count(ctx, "SELECT count(*) FROM "+broken); err != nil {
				return "", err
			}
		}
		o.Message = checks.Broke(o.Broken, o.Rows)
	default:
		broken = c.Broken(from)
		if o.Broken, err = s.count(ctx, "SELECT count(*) FROM "+broken); err != nil {
			return "", err
		}
		o.Message = humanize.Plural(o.Broken, "value breaks it", "values break it")
		if c.Free {
			o.Message = "it has " + humanize.Plural(o.Broken, "row", "rows")
		}
	}
	if o.Broken == 0 {
		o.Message = ""
		return "", nil
	}
	o.Status = checks.Failed
	o.Examples, err = s.few(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT %d", broken, checks.MaxExamples))
	return broken, err
}

// columns are those of a relation, and their types.
func (s *Session) columns(ctx context.Context, name string) (names, types []string, err error) {
	r, err := s.Query(ctx, "SELECT typeof(any_value(COLUMNS(*))) FROM (SELECT * FROM "+duckdb.Quote(name)+" LIMIT 1)", true)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for _, field := range r.batches.Schema().Fields() {
		names = append(names, field.Name)
	}
	rows, err := rowsOf(r)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range rows[0].Values {
		types = append(types, fmt.Sprint(v))
	}
	return names, types, nil
}

// keep gives the rows of a relation to be kept; "" has none.
func (s *Session) keep(ctx context.Context, broken string, o *checks.Outcome, nth int, keep Keep) error {
	if broken == "" {
		return keep(ctx, o, nth, nil)
	}
	r, err := s.Query(ctx, "SELECT * FROM "+broken, true)
	if err != nil {
		return err
	}
	defer r.Close()
	return keep(ctx, o, nth, r.Rows())
}

// scan computes aggregates over the rows of a relation.
func (s *Session) scan(ctx context.Context, items []string, from string) (values []any, caveats []api.Caveat, err error) {
	r, err := s.Query(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+from, true)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	rows, err := rowsOf(r)
	if err != nil {
		return nil, nil, err
	}
	return rows[0].Values, r.Known, nil
}

// number reads a count.
func number(v any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(v), &n) // counts are whole numbers
	return n
}

// reportable reports whether an error is of a check alone, and others can go on.
func reportable(ctx context.Context, err error) bool {
	var e *api.Error
	return ctx.Err() == nil && errors.As(err, &e) && e.Code != api.CodeInterrupted && e.Code != api.CodeDiskFull
}
