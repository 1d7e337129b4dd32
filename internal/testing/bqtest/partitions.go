package bqtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cloudspannerecosystem/memefish/ast"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// maxRanges is how many ranges an INT64 column can be partitioned by.
const maxRanges = 1000

// partition is what INFORMATION_SCHEMA.PARTITIONS tells of a partition.
type partition struct {
	hash     string // of its rows
	rows     int64
	modified time.Time
}

// Change runs a statement of DuckDB's in which the table is called %s. Partitions
// with other rows than before are modified.
func (s *Server) Change(t testing.TB, name, sql string) {
	t.Helper()
	s.mu.Lock()
	old := s.tables[Project+"."+Dataset+"."+name]
	s.mu.Unlock()
	st := *old
	st.modified = time.Now()
	err := s.with(context.Background(), func(c *duckdb.Conn) error {
		if err := c.Exec(context.Background(), strings.ReplaceAll(sql, "%s", quote(st.engineName))); err != nil {
			return err
		}
		return c.QueryRow(context.Background(), "SELECT count(*) FROM "+quote(st.engineName), nil, &st.rows)
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	s.changed(t, &st)
}

// changed puts a table in its place, and lists its partitions.
func (s *Server) changed(t testing.TB, st *stored) {
	t.Helper()
	if err := s.listPartitions(st); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.before = s.tables[st.id()]
	s.tables[st.id()] = st
}

// partitionID is the expression for the id of a row's partition.
func (t *stored) partitionID() string {
	by := quote(t.def.PartitionBy)
	if w := t.def.PartitionWidth; w > 0 {
		return fmt.Sprintf("CASE WHEN %[1]s IS NULL THEN '__NULL__' WHEN %[1]s < 0 OR %[1]s >= %[3]d THEN '__UNPARTITIONED__' ELSE CAST(%[1]s - %[1]s %% %[2]d AS VARCHAR) END", by, w, w*maxRanges)
	}
	form := map[string]string{"": "%Y%m%d", "DAY": "%Y%m%d", "HOUR": "%Y%m%d%H", "MONTH": "%Y%m", "YEAR": "%Y"}[t.def.PartitionStep]
	return fmt.Sprintf("coalesce(strftime(%s, '%s'), '__NULL__')", by, form)
}

// listed is the view of the partitions of a dataset.
const listed = "INFORMATION_SCHEMA.PARTITIONS"

// listPartitions compares a table's partitions with those of before, and lists them.
func (s *Server) listPartitions(st *stored) error {
	if st.def.PartitionBy == "" || st.def.View != "" || strings.HasPrefix(st.name, "slow") {
		return nil
	}
	ctx := context.Background()
	return s.with(ctx, func(c *duckdb.Conn) error {
		rows, err := c.Query(ctx, "SELECT "+st.partitionID()+" AS id, count(*), CAST(sum(hash(t)) AS VARCHAR) FROM "+quote(st.engineName)+" AS t GROUP BY 1")
		if err != nil {
			return err
		}
		before := st.parts
		st.parts = map[string]partition{}
		values := []string{}
		for rows.Next() {
			b := rows.RecordBatch()
			for i := range int(b.NumRows()) {
				var n int64
				id := b.Column(0).ValueStr(i)
				if _, err := fmt.Sscan(b.Column(1).ValueStr(i), &n); err != nil {
					return err
				}
				p := partition{hash: b.Column(2).ValueStr(i), rows: n, modified: st.modified}
				if was, ok := before[id]; ok && was.hash == p.hash && was.rows == p.rows {
					p = was
				}
				st.parts[id] = p
				values = append(values, fmt.Sprintf("(%s, %s, make_timestamptz(%d), %d, %d)", duckdb.Literal(st.name), duckdb.Literal(id), p.modified.UnixMicro(), p.rows, p.rows*8))
			}
		}
		err = rows.Err()
		rows.Release()
		if err != nil {
			return err
		}
		list := s.listing(st)
		table := quote(list.engineName)
		change := []string{"CREATE TABLE IF NOT EXISTS " + table + " (table_name VARCHAR, partition_id VARCHAR, last_modified_time TIMESTAMPTZ, total_rows BIGINT, total_logical_bytes BIGINT)",
			"DELETE FROM " + table + " WHERE table_name = " + duckdb.Literal(st.name)}
		if len(values) > 0 {
			change = append(change, "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
		}
		for _, sql := range change {
			if err := c.Exec(ctx, sql); err != nil {
				return err
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tables[list.id()] = list
		return nil
	})
}

// listing is the view that lists the partitions of a table.
func (s *Server) listing(st *stored) *stored {
	out := &stored{project: st.project, dataset: st.dataset, name: listed, engineName: "partitions_" + st.dataset}
	for _, c := range [][2]string{{"table_name", "STRING"}, {"partition_id", "STRING"}, {"last_modified_time", "TIMESTAMP"}, {"total_rows", "INT64"}, {"total_logical_bytes", "INT64"}} {
		out.def.Columns = append(out.def.Columns, Column{Name: c[0], Type: c[1]})
		out.types = append(out.types, scalar(c[1]))
	}
	return out
}

// prune notes which partitions a WHERE chooses, if it is over one table: those of
// its terms that read the partition column alone.
func (x *translator) prune(where ast.Expr) error {
	if len(x.scope.from) != 1 || x.scope.from[0].table == nil {
		return nil
	}
	t := x.scope.from[0].table
	by := t.def.PartitionBy
	if by == "" || by == PartitionTime {
		return nil
	}
	var terms []string
	for _, e := range conjuncts(where) {
		if !readsOnly(e, by) {
			continue
		}
		v, err := x.condition(e)
		if err != nil {
			return err
		}
		terms = append(terms, v)
	}
	if len(terms) > 0 {
		x.plan.pruned[t] = " AS " + quote(x.itemName(x.scope.from[0])) + " WHERE " + strings.Join(terms, " AND ")
	}
	return nil
}

func conjuncts(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return conjuncts(e.Expr)
	case *ast.BinaryExpr:
		if e.Op == ast.OpAnd {
			return append(conjuncts(e.Left), conjuncts(e.Right)...)
		}
	}
	return []ast.Expr{e}
}

// readsOnly reports whether an expression reads one column and calls nothing.
func readsOnly(e ast.Expr, column string) bool {
	only := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			only = false
		case *ast.Path:
			only = only && names(n, column)
			return false
		case *ast.Ident:
			only = only && names(n, column)
		}
		return only
	})
	return only
}
