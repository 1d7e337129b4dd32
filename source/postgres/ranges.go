package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// rangeBlocks is the largest number of blocks in a range, usually of 8 KiB each: so
// many that a statement for each range costs nothing. Towards the end ranges get
// smaller, down to this fraction, so that the connections finish at about the same
// time.
const (
	rangeBlocks   = 1024
	smallestRange = 8
)

// ranges are the parts of a stored table, divided by blocks. Each reader takes one
// range after the other, so a faster connection reads more.
type ranges struct {
	relation *relation
	from     string // the table, without tables that may start to inherit from it
	sql      func(from string) (string, error)
	// exported is the name of the first connection's snapshot; seen identifies its
	// content.
	exported, seen string

	mu     sync.Mutex
	next   int64 // block
	size   int64 // of the largest ranges, in blocks
	blocks int64 // of the table; rows in later blocks are newer than the snapshot, so not visible
}

// split plans to read a relation by ranges. It returns nil if the relation should
// be read as a whole: if it is small, or if the planner would not scan all of it.
func (p *Postgres) split(ctx context.Context, conn *pgx.Conn, r *relation, scan source.Scan) (*ranges, error) {
	if r.blocks < 2*p.rangeBlocks || scan.Ordered() {
		return nil, nil
	}
	rs := &ranges{relation: r, from: "ONLY " + r.from(), size: p.rangeBlocks, blocks: r.blocks,
		sql: func(from string) (string, error) { return r.statement(scan, from) }}
	for _, wanted := range []struct{ from, node string }{
		{r.from(), "Seq Scan"},                        // of one table: tables that inherit from it would appear in the plan
		{rs.part(0, p.rangeBlocks), "Tid Range Scan"}, // not all versions have it, nor do all tables
	} {
		sql, err := rs.sql(wanted.from)
		if err != nil {
			return nil, err
		}
		top, err := explain(ctx, conn, sql)
		if err != nil || top.Type != wanted.node || top.Schema != r.schema || top.Relation != r.name {
			return nil, err
		}
	}
	return rs, nil
}

// agree replaces the transaction in which a scan was planned by one whose snapshot
// other connections can join, and plans the scan again. If that fails, the scan is
// one statement in an ordinary transaction.
func (p *Postgres) agree(ctx context.Context, conn *pgx.Conn, before work, plan func() (work, error)) (work, error) {
	w, err := p.share(ctx, conn, before, plan)
	var e *pgconn.PgError
	if err == nil && w.ranges != nil || err != nil && !errors.As(err, &e) {
		return w, err
	}
	if _, err := conn.PgConn().Exec(ctx, "ROLLBACK; "+p.opening(ctx, eachAnew)).ReadAll(); err != nil {
		return work{}, err
	}
	w, err = plan()
	w.ranges = nil
	return w, err
}

// share locks the table before it takes the snapshot. TRUNCATE and table rewrites
// are not MVCC-safe: an older snapshot sees an empty table. A materialized view
// cannot be locked and need not be, since its refresh is visible to all snapshots.
func (p *Postgres) share(ctx context.Context, conn *pgx.Conn, before work, plan func() (work, error)) (work, error) {
	sql := "ROLLBACK; " + p.opening(ctx, oneState)
	if before.relation.kind == "r" {
		sql += "; LOCK TABLE " + before.ranges.from + " IN ACCESS SHARE MODE"
	}
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return work{}, err
	}
	w, err := plan()
	if err != nil || w.ranges == nil || w.relation.oid != before.relation.oid {
		return work{}, err
	}
	return w, conn.QueryRow(ctx, "SELECT pg_export_snapshot(), pg_current_snapshot()::text").Scan(&w.ranges.exported, &w.ranges.seen)
}

// join makes a connection's transaction use the snapshot. It also locks the table
// before this connection takes a range: the first connection's lock ends with the
// last range, and a lock that is waited for then could come too late. It compares
// the contents of the snapshots, because behind a load balancer another server may
// have a different snapshot with the same name.
func (rs *ranges) join(ctx context.Context, conn *pgx.Conn) error {
	results, err := conn.PgConn().Exec(ctx, "SET TRANSACTION SNAPSHOT '"+rs.exported+"'; SELECT pg_current_snapshot()::text; SELECT FROM "+
		rs.from+" LIMIT 0").ReadAll()
	if err != nil {
		return err
	}
	if seen := string(results[1].Rows[0][0]); seen != rs.seen {
		return fmt.Errorf("the snapshot is %s, not %s", seen, rs.seen)
	}
	return nil
}

// same refuses to continue or to finish if the name means another table by now. A
// lock on a table does not keep its schema from being renamed.
func (rs *ranges) same(ctx context.Context, conn *pgx.Conn) error {
	var same bool
	err := conn.QueryRow(ctx, "SELECT coalesce(to_regclass($1)::oid = $2, false)", rs.relation.from(), rs.relation.oid).Scan(&same)
	if err != nil || same {
		return err
	}
	return sourceError(api.KindNoRelation, "the relation has lost its name while it was read", "Ask again: its schema has been renamed.", nil)
}

// part is the subquery for the blocks from one up to another. The last range has no
// end.
func (rs *ranges) part(from, to int64) string {
	end := ""
	if to < rs.blocks {
		end = fmt.Sprintf(" AND ctid < '(%d,0)'", to)
	}
	return fmt.Sprintf("(SELECT * FROM %s WHERE ctid >= '(%d,0)'%s)", rs.from, from, end)
}

// take returns the statement of the next range, or "" if none is left. A range is at
// most half of what each connection still has to read.
func (rs *ranges) take(ctx context.Context, conn *pgx.Conn) (string, error) {
	if err := rs.same(ctx, conn); err != nil {
		return "", err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.next >= rs.blocks {
		return "", nil
	}
	from := rs.next
	share := (rs.blocks - from) / (2 * maxConnections)
	rs.next += max(1, rs.size/smallestRange, min(rs.size, share))
	return rs.sql(rs.part(from, rs.next))
}
