package joins

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// Statement is what verifies a join: one SELECT of five counts.
func (j Join) Statement() string {
	x, y, from, to := duckdb.Quote(j.Column), duckdb.Quote(j.ToColumn), duckdb.Quote(j.Table), duckdb.Quote(j.To)
	return fmt.Sprintf(`SELECT (SELECT count(%[1]s) FROM %[3]s) AS "rows", (SELECT count(DISTINCT %[1]s) FROM %[3]s) AS "values", (SELECT count(*) FROM %[3]s WHERE %[1]s IN (SELECT %[2]s FROM %[4]s)) AS "found", (SELECT count(%[2]s) FROM %[4]s) AS "to_rows", (SELECT count(DISTINCT %[2]s) FROM %[4]s) AS "to_values"`, x, y, from, to)
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
	if err := rows.Err(); err != nil || len(n) != 5 {
		return nil, err
	}
	v := &Verified{Rows: n[0], Values: n[1], Found: n[2], ToRows: n[3], ToValues: n[4]}
	if v.Rows > 0 {
		v.Coverage = float64(v.Found) / float64(v.Rows)
	}
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
	if said != "" && said != j.Multiplicity {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatMultiplied, About: api.Subject{Table: j.To, Columns: []string{j.ToColumn}},
			Reason: j.KnownFrom,
			Text: fmt.Sprintf("the model says that %s.%s and %s.%s are %s, and by their rows they are %s", j.Table, j.Column, j.To, j.ToColumn,
				said, j.Multiplicity)})
	}
	return caveats, nil
}
