package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as the database describes it now.
type relation struct {
	database, name string
	columns        []column
	table
	at time.Time // when it was described
}

// column is a column and how its values are read.
type column struct {
	api.Column
	codec codec
	bytes int64 // stored, compressed; 0: unknown
}

// table is what the catalog says of a table as a whole.
type table struct {
	Engine, Comment         string
	Rows, Bytes             *int64
	Sorted, Parted, Version string
	Computed                int64 // columns that are computed whenever they are read
}

func literal(s string) string {
	var b strings.Builder
	syntax.WriteBackslashed(&b, s, '\'')
	return b.String()
}

// named splits the name of a relation: a table of the DSN's database, or database.table.
func (c *ClickHouse) named(name string) *relation {
	if database, table, ok := strings.Cut(name, "."); ok {
		return &relation{database: database, name: table}
	}
	return &relation{database: c.database, name: name}
}

// where selects the relation's rows of a table of the catalog.
func (r *relation) where(nameColumn string) string {
	return " WHERE database = " + literal(r.database) + " AND " + nameColumn + " = " + literal(r.name)
}

func (r *relation) String() string { return quote(r.database) + "." + quote(r.name) }

// recent is for how long a relation is what Version found: the estimate and the scan of
// one request come behind it, and need not ask again.
const recent = time.Second

// describe finds a relation and its columns.
func (c *ClickHouse) describe(ctx context.Context, name string) (*relation, error) {
	if r, ok := c.found.Get(name); ok && time.Since(r.at) < c.recent {
		return r, nil
	}
	r, err := c.find(ctx, name)
	if err == nil && r.columns == nil {
		err = c.notShown(ctx, r, name)
	}
	return r, err
}

// find asks for all that the catalog says of a relation at once. It has no columns if
// the catalog does not show it; columns that have no values are left out.
func (c *ClickHouse) find(ctx context.Context, name string) (*relation, error) {
	r := c.named(name)
	const parts = "(SELECT toString(sum(cityHash64(name, hash_of_all_files))) FROM system.parts"
	type described struct {
		table
		Names, Types, Comments []string
		Sizes                  []int64
	}
	ask := func(parts string) ([]described, error) {
		return rows[described](ctx, c, "SELECT t.*, c.* FROM (SELECT engine AS Engine, comment AS Comment, total_rows AS Rows, total_bytes AS Bytes,"+
			" sorting_key AS Sorted, partition_key AS Parted, concat(toString(uuid), ' ', toString(cityHash64(create_table_query)), ' ', "+parts+") AS Version"+
			" FROM system.tables"+r.where("name")+") AS t, (SELECT groupArray(name) AS Names, groupArray(type) AS Types, groupArray(comment) AS Comments,"+
			" groupArray(data_compressed_bytes) AS Sizes, countIf(default_kind = 'ALIAS') AS Computed"+
			" FROM (SELECT * FROM system.columns"+r.where("table")+" AND default_kind != 'EPHEMERAL' ORDER BY position)) AS c")
	}
	at := time.Now()
	list, err := ask(parts + r.where("table") + " AND active)")
	var denied *Exception
	hidden := errors.As(err, &denied) && denied.Code == accessDenied
	if hidden { // the user may not see parts
		list, err = ask("''")
	}
	if err != nil || len(list) == 0 {
		return r, failure(ctx, err, true)
	}
	got := list[0]
	if r.table, r.at = got.table, at; hidden || !merges(r.Engine) || r.Computed > 0 {
		r.Version = ""
	}
	for i, name := range got.Names {
		col := column{Column: api.Column{Name: name, Description: got.Comments[i]}, bytes: got.Sizes[i]}
		col.codec, col.Nullable = codecOf(got.Types[i])
		col.Type = col.codec.name
		r.columns = append(r.columns, col)
	}
	return r, nil
}

// notShown returns the reason why the catalog does not show a relation, as far as the
// engine reveals it. It reads no row.
func (c *ClickHouse) notShown(ctx context.Context, r *relation, name string) error {
	_, err := rows[struct{}](ctx, c, "SELECT 1 AS n FROM "+r.String()+" LIMIT 0")
	return failure(ctx, missing(r, name, err), true)
}

// merges reports whether a table is stored in parts on the server itself. Only its parts
// tell whether it has changed.
func merges(engine string) bool {
	return strings.HasSuffix(engine, "MergeTree") && !strings.HasPrefix(engine, "Shared")
}

// Version implements source.Source; "" for what is not stored in parts.
func (c *ClickHouse) Version(ctx context.Context, rel source.Relation) (string, error) {
	r, err := c.find(ctx, rel.Name)
	if err != nil {
		return "", err
	}
	if r.columns != nil {
		c.found.Put(rel.Name, r, len(r.columns))
	}
	return r.Version, nil
}

// Schema describes a relation from the catalog.
func (c *ClickHouse) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := c.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	out := &source.Schema{Description: r.Comment, RowEstimate: r.Rows, SizeBytes: r.Bytes, Version: r.Version}
	for _, col := range r.columns {
		out.Columns = append(out.Columns, col.Column)
	}
	out.PartitionBy, out.ClusteredBy = r.among(r.Parted), r.among(r.Sorted)
	return out.Of(rel), nil
}

// among returns the columns that a key consists of; nil if there are expressions in it.
func (r *relation) among(key string) (names []string) {
	n, err := parseType("Tuple(" + strings.Trim(key, "()") + ")")
	if err != nil {
		return nil
	}
	for _, a := range n.args {
		if _, err := source.Column(source.Relation{}, r.columns, a.name); err != nil || a.args != nil {
			return nil
		}
		names = append(names, a.name)
	}
	return names
}

// from is a subquery with the named columns, each as predicates take it. keys are the
// columns whose values are ordered otherwise here, with the names of what orders them.
func (r *relation) from(names []string, keys map[string]string) string {
	items := []string{}
	for _, c := range r.columns {
		for _, n := range names {
			if c.Name != n {
				continue
			}
			item := of(c.codec.base, quote(c.Name))
			items = append(items, item+" AS "+quote(c.Name))
			if key := keys[n]; key != "" {
				items = append(items, of(c.codec.key, quote(c.Name))+" AS "+quote(key))
			}
			break
		}
	}
	if len(items) == 0 {
		items = []string{"1"}
	}
	return fmt.Sprintf("(SELECT %s FROM %s)", strings.Join(items, ", "), r)
}

// of writes a form of a column; empty: the column itself.
func of(form, column string) string {
	if form == "" {
		return column
	}
	return fmt.Sprintf(form, column)
}
