package joins

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/metric"
)

// Statement is what verifies a join: one SELECT of six counts. The key of a row is NULL
// if one of its columns is.
func (j Join) Statement() string {
	var own, other []string
	for _, p := range j.Pairs() {
		own, other = append(own, duckdb.Quote(p.Column)), append(other, duckdb.Quote(p.ToColumn))
	}
	key := func(columns []string) string {
		if len(columns) == 1 {
			return columns[0]
		}
		return "CASE WHEN " + strings.Join(columns, " IS NOT NULL AND ") + " IS NOT NULL THEN row(" + strings.Join(columns, ", ") + ") END"
	}
	x, y, from, to := key(own), key(other), duckdb.Quote(j.Table), duckdb.Quote(j.To)
	return fmt.Sprintf(`SELECT (SELECT count(%[1]s) FROM %[3]s) AS "rows", (SELECT count(DISTINCT %[1]s) FROM %[3]s) AS "values", (SELECT count(*) FROM %[3]s WHERE %[1]s IN (SELECT %[2]s FROM %[4]s)) AS "found", (SELECT count(%[2]s) FROM %[4]s) AS "to_rows", (SELECT count(DISTINCT %[2]s) FROM %[4]s) AS "to_values", (SELECT count(*) - count(%[1]s) FROM %[3]s) AS "without_key"`, x, y, from, to)
}

// Local reports whether Verify reads only what is on this machine.
func (j *Join) Local() bool { return j.local }

// Estimate finds out what Verify would read at the source; it reads no row.
func (j *Join) Estimate(ctx context.Context, a *analyst.Analyst) error {
	if j.local {
		j.ScanBytes = new(int64)
		return nil
	}
	p, err := plan.Make(ctx, a, j.Statement(), false)
	if err == nil {
		j.ScanBytes = p.ScanBytes
	}
	return err
}

// Verify counts what a join finds and how often values occur, and sets its multiplicity
// by that. What is not here is fetched within the limits of o.
func (j *Join) Verify(ctx context.Context, a *analyst.Analyst, o plan.Options) ([]api.Caveat, error) {
	var r *query.Result
	var err error
	if j.local {
		r, err = query.Run(ctx, a, j.Statement(), false, nil)
	} else {
		r, err = plan.Query(ctx, a, j.Statement(), o)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows := r.Rows()
	var n []int64
	for rows.Next() {
		for _, row := range arrowjson.Rows(rows.RecordBatch()) {
			for _, v := range row.Values {
				var count int64
				_, _ = fmt.Sscan(fmt.Sprint(v), &count) // counts are whole numbers
				n = append(n, count)
			}
		}
	}
	if err := rows.Err(); err != nil || len(n) != 6 {
		return nil, err
	}
	v := &Verified{Rows: n[0], Values: n[1], Found: n[2], ToRows: n[3], ToValues: n[4], WithoutKey: n[5]}
	v.Coverage = share(v.Found, v.Rows+v.WithoutKey)
	j.Verified = v
	said := j.Multiplicity
	one, toOne := v.Rows == v.Values, v.ToRows == v.ToValues
	switch {
	case one && toOne:
		j.Multiplicity = api.OneToOne
	case toOne:
		j.Multiplicity = api.ManyToOne
	case one:
		j.Multiplicity = api.OneToMany
	default:
		j.Multiplicity = api.ManyToMany
	}
	caveats := rows.Caveats()
	from, to := j.Ends()
	if said != "" && said != j.Multiplicity {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatMultiplied, About: api.Subject{Table: j.To, Columns: []string{j.ToColumn}},
			Reason: j.KnownFrom,
			Text:   fmt.Sprintf("the %s says that %s and %s are %s, and by their rows they are %s", j.KnownFrom, from, to, said, j.Multiplicity)})
	}
	return caveats, nil
}

// Compose tries a second column that both tables have, where rows of snapshots repeat on both
// sides of a join that names suggest. Both columns are the join if no pair of their values
// repeats on one side, but each column's own values do. Joins must have been verified.
func (f *Found) Compose(ctx context.Context, a *analyst.Analyst) error {
	repeats := func(j Join) bool {
		return j.local && j.KnownFrom == api.JoinFromNames && j.Verified != nil && j.Multiplicity == api.ManyToMany
	}
	for i := 0; i < len(f.Joins); i++ {
		j := f.Joins[i]
		if !repeats(j) || len(j.More) > 0 {
			continue
		}
		shared := metric.Shared(f.tables[j.Table], f.tables[j.To])
		for _, p := range shared[:min(len(shared), maxShared)] {
			alone := Join{Join: j.Join, local: true}
			alone.Column, alone.ToColumn = p.Column, p.ToColumn
			both := Join{Join: j.Join, local: true}
			both.More = []api.ColumnPair{p}
			if p.Column == j.Column || p.ToColumn == j.ToColumn {
				continue
			}
			for _, k := range []*Join{&both, &alone} {
				k.Multiplicity = ""
				if _, err := k.Verify(ctx, a, plan.Options{}); err != nil {
					return err
				}
				if k == &both && (repeats(both) || share(both.Verified.Found, both.Verified.Rows) < leastCoverage) {
					break
				}
			}
			if alone.Verified != nil && repeats(alone) {
				f.Joins[i] = both
				f.Joins = slices.DeleteFunc(f.Joins, func(o Join) bool {
					return repeats(o) && o.Table == j.Table && o.To == j.To && o.Column == p.Column && o.ToColumn == p.ToColumn
				})
				break
			}
		}
	}
	return nil
}

// share returns which share of all n is; 0 if all is 0.
func share(n, all int64) float64 { return float64(n) / float64(max(all, 1)) }

// maxShared is how many columns are tried as the second one of a key; leastCoverage is the
// least share of rows with a key that find one by both.
const (
	maxShared     = 12
	leastCoverage = 0.9
)
