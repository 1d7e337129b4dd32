package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// relation is a table, view, partitioned or foreign table as the database
// describes it now.
type relation struct {
	oid         uint32
	schema      string
	name        string
	kind        string // of pg_class: r, p, v, m, f
	comment     string
	columns     []column
	partitionBy []string
	clusteredBy []string
	blocks      int64 // of its main storage; 0: it has none, or must not be read by blocks
}

// column is a column and how its values are transferred.
type column struct {
	api.Column
	codec codec
}

// expr is the select item that returns the column's values.
func (c column) expr() string {
	name := quote(c.Name)
	if c.codec.cast == "" {
		return name
	}
	return fmt.Sprintf("CAST(%s AS %s) AS %s", name, c.codec.cast, name)
}

// from is the relation as a statement names it.
func (r *relation) from() string { return quote(r.schema) + "." + quote(r.name) }

func quote(name string) string { return predicate.QuoteIdent(predicate.Postgres, name) }

// findOrders returns whether an index of several columns has one that is not among some.
const findOrders = `
SELECT EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum > 0 AND a.attname::text <> ALL($2::text[])
  WHERE i.indnatts > 1 AND (i.indrelid = $1 OR i.indrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1))
    AND (a.attnum = ANY(i.indkey::int2[]) OR EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum)))`

// asStored keeps rows from coming in the order of columns whose values the caller does not
// see, which is that of an index: by itself, or of equal values of those that they do see.
func (r *relation) asStored(ctx context.Context, conn *pgx.Conn, rel source.Relation) error {
	if rel.Columns == nil && len(rel.Masks) == 0 {
		return nil
	}
	shown := []string{}
	for _, c := range r.columns {
		if rel.Shows(c.Name) {
			shown = append(shown, c.Name)
		}
	}
	var among bool
	if err := conn.QueryRow(ctx, findOrders, r.oid, shown).Scan(&among); err != nil {
		return err
	}
	settings := "SET LOCAL enable_indexonlyscan = off"
	if among {
		settings += "; SET LOCAL enable_indexscan = off"
	}
	_, err := conn.PgConn().Exec(ctx, settings).ReadAll()
	return err
}

// kinds are the relations that rows can be read from.
const kinds = "r p v m f"

const findRelation = `
SELECT c.oid, n.nspname, c.relname, c.relkind::text, coalesce(obj_description(c.oid, 'pg_class'), ''),
  coalesce((SELECT array_agg(a.attname::text ORDER BY k.i) FROM pg_partitioned_table p, unnest(p.partattrs::int2[]) WITH ORDINALITY AS k(attnum, i)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum WHERE p.partrelid = c.oid AND k.attnum > 0), '{}'),
  coalesce((SELECT array_agg(a.attname::text ORDER BY k.i) FROM pg_index x, unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, i)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum WHERE x.indrelid = c.oid AND x.indisclustered AND k.attnum > 0), '{}'),
  CASE WHEN c.relkind IN ('r', 'm') AND has_table_privilege(c.oid, 'SELECT') AND NOT row_security_active(c.oid)
    THEN coalesce(pg_relation_size(c.oid) / current_setting('block_size')::int8, 0) ELSE 0 END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`

// The collation is returned if it treats different texts as equal. Older servers
// have no such collations, and no such column in the catalog.
const findColumns = `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, coalesce(col_description(a.attrelid, a.attnum), ''),
  coalesce((SELECT l.collname::text FROM pg_collation l WHERE l.oid = a.attcollation AND to_jsonb(l) ->> 'collisdeterministic' = 'false'), ''),
  a.atttypid, a.atttypmod, a.attndims
FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

// describe finds a relation by its name as SQL writes it.
func describe(ctx context.Context, conn *pgx.Conn, name string) (*relation, error) {
	oid, err := locate(ctx, conn, name)
	if err != nil {
		return nil, err
	}
	r := &relation{oid: oid}
	err = conn.QueryRow(ctx, findRelation, oid).Scan(&r.oid, &r.schema, &r.name, &r.kind, &r.comment, &r.partitionBy, &r.clusteredBy,
		&r.blocks)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, missing(name)
	case err != nil:
		return nil, err
	case !strings.Contains(kinds, r.kind):
		return nil, missing(name)
	}
	rows, err := conn.Query(ctx, findColumns, r.oid)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []declared
	for rows.Next() {
		var c column
		var d declared
		if err := rows.Scan(&c.Name, &c.Type, &c.Nullable, &c.Description, &c.Collation, &d.oid, &d.mod, &d.dims); err != nil {
			return nil, err
		}
		r.columns, found = append(r.columns, c), append(found, d)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	types, err := readTypes(ctx, conn, found)
	if err != nil {
		return nil, err
	}
	for i := range r.columns {
		c := &r.columns[i]
		base := types.base(found[i])
		if base.oid != found[i].oid { // a domain
			c.Type = types[base.oid].format(base.mod)
		}
		c.codec = types.codec(base, 0)
		c.Fields = types.fields(base, 0)
	}
	return r, nil
}

// measure returns the stored size of a relation or of its partitions, and an
// estimate of its rows: the density of rows that ANALYZE found last, times the
// current size. There is no estimate if the role may see only some rows, or if
// other tables inherit from the relation.
const measure = `
SELECT sum(pg_table_size(t.oid))::bigint,
  CASE WHEN bool_and((t.reltuples >= 0 AND t.relpages > 0 OR pg_relation_size(t.oid) = 0) AND NOT row_security_active(t.oid) AND (t.relkind = 'p' OR NOT t.relhassubclass))
    THEN sum(CASE WHEN t.relpages > 0 THEN t.reltuples::float8 / t.relpages * (pg_relation_size(t.oid) / current_setting('block_size')::int8) ELSE 0 END)::bigint END
FROM pg_class t WHERE t.oid = $1 OR t.oid IN (SELECT relid FROM pg_partition_tree($1))`

// findKeys returns the foreign keys.
const findKeys = `
SELECT t.oid, n.nspname, t.relname, array_agg(a.attname::text ORDER BY c.at), array_agg(b.attname::text ORDER BY c.at) FROM pg_constraint k
JOIN pg_class t ON t.oid = k.confrelid JOIN pg_namespace n ON n.oid = t.relnamespace
CROSS JOIN unnest(k.conkey, k.confkey) WITH ORDINALITY AS c (own, other, at)
JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.own JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum = c.other
WHERE k.conrelid = $1 AND k.contype = 'f' GROUP BY k.oid, k.conkey, t.oid, n.nspname, t.relname ORDER BY k.conkey, n.nspname, t.relname`

func foreignKeys(ctx context.Context, conn *pgx.Conn, oid uint32) ([]source.ForeignKey, error) {
	rows, err := conn.Query(ctx, findKeys, oid)
	if err != nil {
		return nil, err
	}
	type target struct {
		oid  uint32
		name string
	}
	var targets []target
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k source.ForeignKey, err error) {
		var to target
		var schema string
		var own, other []string
		err = row.Scan(&to.oid, &schema, &to.name, &own, &other)
		for i := range own {
			k.Pairs = append(k.Pairs, api.ColumnPair{Column: own[i], ToColumn: other[i]})
		}
		k.To, targets = []string{schema + "." + to.name}, append(targets, to)
		return k, err
	})
	if err != nil {
		return nil, err
	}
	for i, to := range targets {
		switch found, err := locate(ctx, conn, quote(to.name)); {
		case err == nil && found == to.oid:
			keys[i].To = append(keys[i].To, to.name)
		case err != nil && !api.CodeSource.Is(err):
			return nil, err
		}
	}
	return keys, nil
}

// Schema describes a relation from the catalogs.
func (p *Postgres) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	out := &source.Schema{}
	err := p.within(ctx, rel, func(conn *pgx.Conn, r *relation) (err error) {
		if out.ForeignKeys, err = foreignKeys(ctx, conn, r.oid); err != nil {
			return err
		}
		for _, c := range r.columns {
			out.Columns = append(out.Columns, c.Column)
		}
		out.Description, out.PartitionBy, out.ClusteredBy = r.comment, r.partitionBy, r.clusteredBy
		if rel.Rule != nil || strings.Contains("vf", r.kind) {
			return nil
		}
		return conn.QueryRow(ctx, measure, r.oid).Scan(&out.SizeBytes, &out.RowEstimate)
	})
	if err != nil {
		return nil, err
	}
	return out.Of(rel), nil
}
