package fetch

import (
	"cmp"
	"context"
	"strings"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/snapshot"
)

// look has a sample of the new rows looked at while they are described.
func (r *refreshing) look() {
	if r.checks == nil || r.checks.Where != "" {
		return
	}
	r.screen = checks.NewScreen(*r.checks)
	r.job.sample = &keep.Sample{Rows: r.before.Rows, Columns: r.screen.Columns(), Take: r.screen.Take}
}

// quick returns which of the checks hold by the sample, and by the footer and the
// dictionaries of the file. The others may hold or not.
func (r *refreshing) quick(ctx context.Context, after snapshot.Meta) []bool {
	holds := make([]bool, len(r.checks.Checks))
	if r.screen == nil {
		return holds
	}
	file, types := "read_parquet("+duckdb.PathLiteral(r.claim.Temp())+")", map[string]string{}
	for _, c := range after.Schema {
		types[c.Name] = c.Type
	}
	footer, err := parquetfile.ReadFooter(r.claim.Temp())
	told := err == nil && footer.Rows == after.Rows
	var aggregates, lists statement
	for i, c := range r.checks.Checks {
		holds[i] = r.job.sample.Taken && r.screen.Holds(c, after.Columns()) || told && c.HoldsBy(footer, types)
		if one, err := c.Compile(*r.checks, r.job.a.Now()); err != nil || holds[i] {
			continue
		} else if one.Alone != nil {
			r.ask(ctx, one.Alone(file), 1, func(int) { holds[i] = true })
		} else if of := cmp.Or(one.Footer, one.Whole); of != "" {
			aggregates.add("("+of+") IS TRUE", i)
		} else if one.Breaks != "" {
			lists.add(one.Breaks, i)
		}
	}
	r.ask(ctx, "SELECT "+strings.Join(aggregates.sql, ", ")+" FROM "+file, len(aggregates.of), func(n int) { holds[aggregates.of[n]] = true })
	r.ask(ctx, "SELECT count(*) = 0 FROM "+file+" WHERE "+strings.Join(lists.sql, " OR "), min(1, len(lists.of)), func(int) {
		for _, i := range lists.of {
			holds[i] = true
		}
	})
	return holds
}

// ask runs a statement of one row, and calls held with the places of the values that are
// true; with none if it cannot be run.
func (r *refreshing) ask(ctx context.Context, sql string, values int, held func(n int)) {
	conn, err := r.job.engine.Get()
	if err != nil || values == 0 {
		return
	}
	are, dest := make([]bool, values), make([]any, values)
	for i := range are {
		dest[i] = &are[i]
	}
	if conn.QueryRow(ctx, sql, nil, dest...) != nil {
		return
	}
	for i, is := range are {
		if is {
			held(i)
		}
	}
}

// statement is made of the parts of checks, whose places it has.
type statement struct {
	sql []string
	of  []int
}

func (s *statement) add(sql string, check int) {
	s.sql, s.of = append(s.sql, sql), append(s.of, check)
}

// check refuses rows that break the checks of the snapshot. Those of severity warn, and
// all if drift is accepted, are told.
func (r *refreshing) check(ctx context.Context, after snapshot.Meta) (caveats []api.Caveat, err error) {
	if r.checks == nil {
		return nil, nil
	}
	name := r.before.Name
	left, outcomes := *r.checks, []checks.Outcome{}
	left.Checks = nil
	for i, holds := range r.quick(ctx, after) {
		if holds {
			outcomes = append(outcomes, checks.Outcome{Status: checks.Passed})
		} else {
			left.Checks = append(left.Checks, r.checks.Checks[i])
		}
	}
	if left.Checks != nil {
		judged, err := query.CheckRows(ctx, r.job.a, name, r.claim.Temp(), left)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, judged...)
	}
	return query.Refuse(outcomes, api.Subject{Snapshot: name}, r.AcceptDrift)
}
