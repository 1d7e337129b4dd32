package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as the database describes it now.
type relation struct {
	database, name string
	comment        string
	rows, bytes    *int64 // approximate, as stored; nil: unknown
	columns        []column
}

// column is a column and how its values are read.
type column struct {
	api.Column
	codec codec
}

const (
	findTable = `SELECT TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES
WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CAST(TABLE_NAME AS BINARY) = CAST(? AS BINARY)`
	findColumns = `SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, coalesce(NUMERIC_PRECISION, 0), coalesce(NUMERIC_SCALE, 0)
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CAST(TABLE_NAME AS BINARY) = CAST(? AS BINARY) ORDER BY ORDINAL_POSITION`
)

// describe finds a relation by its name: a table of the DSN's database, or
// database.table.
func (m *MariaDB) describe(ctx context.Context, name string) (*relation, error) {
	r := &relation{database: m.database, name: name}
	if database, table, ok := strings.Cut(name, "."); ok {
		r.database, r.name = database, table
	}
	var kind string
	var count, size sql.NullInt64
	err := m.db.QueryRowContext(ctx, findTable, r.database, r.name, r.name).Scan(&kind, &r.comment, &count, &size)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, m.notShown(ctx, r, name)
	}
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	if size.Valid && count.Valid && kind == "BASE TABLE" {
		r.rows, r.bytes = &count.Int64, &size.Int64
	}
	if kind == "VIEW" {
		r.comment = "" // for views it is only the word VIEW
	}
	rows, err := m.db.QueryContext(ctx, findColumns, r.database, r.name, r.name)
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		var d declared
		var nullable string
		if err := rows.Scan(&c.Name, &d.name, &d.full, &nullable, &c.Description, &d.precision, &d.scale); err != nil {
			return nil, failure(ctx, err, true)
		}
		c.codec = codecOf(d)
		c.Type, c.Nullable = c.codec.name, nullable == "YES"
		r.columns = append(r.columns, c)
	}
	if err := rows.Err(); err != nil {
		return nil, failure(ctx, err, true)
	}
	if r.columns == nil { // a view of what is no longer there
		return nil, m.notShown(ctx, r, name)
	}
	return r, nil
}

// notShown returns the reason why the information schema does not show a relation,
// as far as the engine reveals it. It reads no row.
func (m *MariaDB) notShown(ctx context.Context, r *relation, name string) error {
	rows, err := m.db.QueryContext(ctx, fmt.Sprintf("SELECT 1 FROM %s.%s LIMIT 0", quote(r.database), quote(r.name)))
	if err == nil {
		err = errors.Join(rows.Err(), rows.Close())
	}
	return failure(ctx, missing(r, name, err), true)
}

// findKeys returns the pairs of columns of foreign keys, those of a key behind each other.
const findKeys = `SELECT CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL
ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION`

func (m *MariaDB) foreignKeys(ctx context.Context, r *relation) (keys []source.ForeignKey, err error) {
	rows, err := m.db.QueryContext(ctx, findKeys, r.database, r.name)
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	defer rows.Close()
	before := ""
	for rows.Next() {
		var k source.ForeignKey
		var pair api.ColumnPair
		var at int
		var constraint, database, name string
		if err := rows.Scan(&constraint, &at, &pair.Column, &database, &name, &pair.ToColumn); err != nil {
			return nil, failure(ctx, err, true)
		}
		if at > 1 {
			// Skip a key whose first column the server does not show.
			if last := len(keys) - 1; last >= 0 && constraint == before {
				keys[last].Pairs = append(keys[last].Pairs, pair)
			}
			continue
		}
		before = constraint
		k.Pairs = []api.ColumnPair{pair}
		if k.To = []string{database + "." + name}; database == m.database {
			k.To = append(k.To, name)
		}
		keys = append(keys, k)
	}
	if err := rows.Err(); err != nil {
		return nil, failure(ctx, err, true)
	}
	return keys, nil
}

// Schema describes a relation from the information schema.
func (m *MariaDB) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := m.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	out := &source.Schema{Description: r.comment, RowEstimate: r.rows, SizeBytes: r.bytes}
	if out.ForeignKeys, err = m.foreignKeys(ctx, r); err != nil {
		return nil, err
	}
	for _, c := range r.columns {
		out.Columns = append(out.Columns, c.Column)
	}
	return out.Of(rel), nil
}

// findIndexes returns the columns of all indexes but the one in whose order rows are stored.
const findIndexes = `SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INDEX_NAME <> 'PRIMARY'`

// unused says that no index over columns is used whose values the caller does not see: rows
// would come in the order of these.
func (m *MariaDB) unused(ctx context.Context, r *relation, rel source.Relation) (string, error) {
	if rel.Columns == nil && len(rel.Masks) == 0 {
		return "", nil
	}
	rows, err := m.db.QueryContext(ctx, findIndexes, r.database, r.name)
	if err != nil {
		return "", failure(ctx, err, true)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var index, column string
		if err := rows.Scan(&index, &column); err != nil {
			return "", failure(ctx, err, true)
		}
		if index = quote(index); !rel.Shows(column) && !slices.Contains(names, index) {
			names = append(names, index)
		}
	}
	if err := rows.Err(); err != nil {
		return "", failure(ctx, err, true)
	}
	if names == nil {
		return "", nil
	}
	return " IGNORE INDEX (" + strings.Join(names, ", ") + ")", nil
}

// from is a subquery with the named columns, each selected as its codec needs it.
func (r *relation) from(names []string, hint string) string {
	var items []string
	for _, c := range r.columns {
		for _, n := range names {
			if c.Name == n {
				items = append(items, fmt.Sprintf(c.codec.expr, quote(c.Name))+" AS "+quote(c.Name))
				break
			}
		}
	}
	if items == nil {
		items = []string{"1"}
	}
	return fmt.Sprintf("(SELECT %s FROM %s.%s%s)", strings.Join(items, ", "), quote(r.database), quote(r.name), hint)
}
