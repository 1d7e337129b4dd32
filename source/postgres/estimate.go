package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// plan is a node of the output of EXPLAIN.
type plan struct {
	Type     string `json:"Node Type"`
	Schema   string `json:"Schema"`
	Relation string `json:"Relation Name"`
	Rows     int64  `json:"Plan Rows"`
	Width    int64  `json:"Plan Width"`
	Filter   string `json:"Filter"`
	Plans    []plan `json:"Plans"`
}

// Estimate asks the engine's planner what would be read. It reports the number of
// rows only if the engine has counted them and nothing has changed since. The
// planner only guesses how many rows match a predicate, so that number is not
// reported.
func (p *Postgres) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	out := &api.Estimate{BilledBytes: new(int64), CostUSD: new(float64)} // PostgreSQL bills nothing
	err := p.within(ctx, scan.Relation, func(conn *pgx.Conn, r *relation) error {
		sql, err := r.statement(scan, r.from())
		if err != nil {
			return err
		}
		return estimate(ctx, conn, sql, scan.Limit, out)
	})
	if err != nil {
		return nil, err
	}
	if scan.Limit != nil {
		limit := max(*scan.Limit, 0)
		out.RowsUpperBound = &limit
	}
	return out, nil
}

// countedRows adds up the rows and bytes of tables. The number of rows is null
// unless ANALYZE has read every page of every table (it reads 300 pages per unit
// of the statistics target) and no row has changed since.
const countedRows = `SELECT CASE WHEN coalesce(bool_and(c.reltuples >= 0 AND c.relpages <= 300 * current_setting('default_statistics_target')::int
		AND u.n_mod_since_analyze = 0 AND coalesce(u.last_analyze, u.last_autoanalyze) IS NOT NULL), true)
		THEN coalesce(sum(c.reltuples), 0)::bigint END, coalesce(sum(pg_relation_size(c.oid)), 0)::bigint
	FROM unnest($1::text[], $2::text[]) AS t(schema, name) JOIN pg_namespace n ON n.nspname = t.schema
	JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.name LEFT JOIN pg_stat_all_tables u ON u.relid = c.oid`

// estimate reports what is known about a statement on one relation.
func estimate(ctx context.Context, conn *pgx.Conn, sql string, limit *int64, out *api.Estimate) error {
	top, err := explain(ctx, conn, sql)
	if err != nil {
		return err
	}
	var leaves leaves
	leaves.gather(top)
	if leaves.guessed {
		return nil
	}
	var rows *int64
	var bytes int64
	if err := conn.QueryRow(ctx, countedRows, leaves.schemas, leaves.names).Scan(&rows, &bytes); err != nil {
		return err
	}
	if leaves.whole {
		out.ScanBytes = &bytes
	}
	if rows == nil || leaves.filtered {
		return nil
	}
	if limit != nil {
		*rows = min(*rows, max(*limit, 0))
	}
	width := *rows * top.Width
	out.ResultRows, out.RowsLow, out.RowsHigh, out.ResultBytes = rows, rows, rows, &width
	return nil
}

// explain plans a statement without running it.
func explain(ctx context.Context, conn *pgx.Conn, sql string) (plan, error) {
	var text []byte
	if err := conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON, VERBOSE) "+sql).Scan(&text); err != nil {
		return plan{}, err
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
		return plan{}, sourceError(api.KindConnectionLost, "the database's plan cannot be read", "", err)
	}
	return plans[0].Plan, nil
}

// leaves are the relations at the ends of a plan.
type leaves struct {
	schemas, names []string
	guessed        bool // rows come from where the planner can only guess
	whole          bool // each relation is read once, from its beginning to its end
	filtered       bool // some of the rows read may not be in the result
}

// passes are the nodes that return every row they read, except for a limit.
var passes = map[string]bool{"Seq Scan": true, "Append": true, "Sort": true, "Limit": true, "Gather": true, "Gather Merge": true}

func (l *leaves) gather(top plan) {
	l.whole = true
	l.walk(top)
}

func (l *leaves) walk(p plan) {
	switch {
	case p.Relation != "":
		l.schemas, l.names = append(l.schemas, p.Schema), append(l.names, p.Relation)
		l.whole = l.whole && p.Type == "Seq Scan"
	case len(p.Plans) == 0 && p.Type != "Result":
		l.guessed = true // a function, or values
	case p.Type == "Limit" || p.Type == "Nested Loop" || p.Type == "Merge Join":
		l.whole = false // it may stop early or read again
	}
	l.guessed = l.guessed || p.Type == "Foreign Scan"
	l.filtered = l.filtered || p.Filter != "" || !passes[p.Type]
	for _, child := range p.Plans {
		l.walk(child)
	}
}
