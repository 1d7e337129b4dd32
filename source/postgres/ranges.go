package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/source"
)

// rangeBlocks are the blocks of a range, of mostly 8 KiB: so many that a
// statement for each costs nothing, so few that the last one keeps nobody
// waiting.
const rangeBlocks = 4096

// ranges are the parts of a stored table, by the blocks that rows are in. Who
// reads the table takes one after the other; of several connections the quicker
// one reads more.
type ranges struct {
	from string // the table
	sql  func(from string) (string, error)
	// exported is the name of the snapshot that the first connection sees, and
	// seen what is in it.
	exported, seen string

	mu     sync.Mutex
	next   int64 // block
	size   int64 // of a range, in blocks
	blocks int64 // of the table; rows behind them came later, and are seen by nobody
}

// split plans to read a relation by ranges; nil if it is better read as one. It
// is for large tables that the planner would read from beginning to end. The
// connection's transaction must last until the others see what it sees.
func (p *Postgres) split(ctx context.Context, conn *pgx.Conn, r *relation, scan source.Scan) (*ranges, error) {
	if r.blocks < 2*p.rangeBlocks || scan.Ordered() {
		return nil, nil
	}
	rs := &ranges{from: r.from(), size: p.rangeBlocks, blocks: r.blocks,
		sql: func(from string) (string, error) { return r.statement(scan, from) }}
	for _, wanted := range []struct{ from, node string }{
		{rs.from, "Seq Scan"},
		{rs.part(0), "Tid Range Scan"}, // not known to all versions, nor of all tables
	} {
		sql, err := rs.sql(wanted.from)
		if err != nil {
			return nil, err
		}
		top, err := explain(ctx, conn, sql)
		if err != nil || top.Type != wanted.node {
			return nil, err
		}
	}
	return rs, conn.QueryRow(ctx, "SELECT pg_export_snapshot(), pg_current_snapshot()::text").Scan(&rs.exported, &rs.seen)
}

// join makes a connection's transaction see the snapshot. It compares what it
// sees: behind a balancer, another server may have another of the same name.
func (rs *ranges) join(ctx context.Context, conn *pgx.Conn) error {
	results, err := conn.PgConn().Exec(ctx, "SET TRANSACTION SNAPSHOT '"+rs.exported+"'; SELECT pg_current_snapshot()::text").ReadAll()
	if err != nil {
		return err
	}
	if seen := string(results[1].Rows[0][0]); seen != rs.seen {
		return fmt.Errorf("the snapshot is %s, not %s", seen, rs.seen)
	}
	return nil
}

// part is the range that begins at a block, in the place of the table. The last
// one has no end.
func (rs *ranges) part(block int64) string {
	end := ""
	if block+rs.size < rs.blocks {
		end = fmt.Sprintf(" AND ctid < '(%d,0)'", block+rs.size)
	}
	return fmt.Sprintf("(SELECT * FROM %s WHERE ctid >= '(%d,0)'%s)", rs.from, block, end)
}

// take yields the statement of the next range, "" if there is none left.
func (rs *ranges) take() (string, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.next >= rs.blocks {
		return "", nil
	}
	part := rs.part(rs.next)
	rs.next += rs.size
	return rs.sql(part)
}
