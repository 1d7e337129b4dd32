package trino

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as the cluster describes it now.
type relation struct {
	catalog, schema, name string
	version               string // what is written behind the name; empty: as it is now
	columns               []column
	at                    time.Time // when it was found
}

// recent is how long a described relation is reused: schema, estimate and scan of one request
// follow each other.
const recent = time.Second

// column is a column and how its values are read.
type column struct {
	api.Column
	codec codec
}

func (r *relation) String() string {
	return quote(r.catalog) + "." + quote(r.schema) + "." + quote(r.name) + r.version
}

// named splits the name of a relation: a table of the DSN's schema, schema.table or
// catalog.schema.table. The engine knows all names in lower case.
func (t *Trino) named(name string) (*relation, error) {
	r := &relation{catalog: t.catalog, schema: t.schema}
	switch parts := strings.SplitN(strings.ToLower(name), ".", 3); len(parts) {
	case 3:
		r.catalog, r.schema, r.name = parts[0], parts[1], parts[2]
	case 2:
		r.schema, r.name = parts[0], parts[1]
	default:
		r.name = parts[0]
	}
	if r.catalog == "" || r.schema == "" || r.name == "" {
		return nil, sourceError(api.KindBadPath, fmt.Sprintf("the relation %s does not say its catalog and schema, and neither does the dsn",
			api.Clip(name, 200)), nameHint, nil)
	}
	return r, nil
}

// describe finds a relation and its columns.
func (t *Trino) describe(ctx context.Context, rel source.Relation) (*relation, error) {
	if rel.Place != nil {
		return t.describePlaced(ctx, rel.Place)
	}
	if r, ok := t.found.Get(rel.Name); ok && time.Since(r.at) < t.recent {
		return r, nil
	}
	return t.find(ctx, rel)
}

// find asks for the columns of a relation.
func (t *Trino) find(ctx context.Context, rel source.Relation) (*relation, error) {
	at := time.Now()
	r, err := t.named(rel.Name)
	if err != nil {
		return nil, err
	}
	rows, err := t.table(ctx, "SELECT column_name, data_type, is_nullable, comment FROM "+quote(r.catalog)+".information_schema.columns"+
		" WHERE table_schema = "+literal(r.schema)+" AND table_name = "+literal(r.name)+" ORDER BY ordinal_position")
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	if len(rows) == 0 {
		_, err := t.table(ctx, "SELECT 1 FROM "+r.String()+" LIMIT 0")
		return nil, failure(ctx, missing(r, rel.Name, err), true)
	}
	if err := t.spelt(ctx, r, rows); err != nil {
		return nil, failure(ctx, err, true)
	}
	for _, row := range rows {
		c := column{Column: api.Column{Name: *row[0], Nullable: row[2] == nil || *row[2] != "NO"}, codec: codecOf(*row[1])}
		c.Type, c.Fields = c.codec.name, c.codec.fields
		if row[3] != nil {
			c.Description = *row[3]
		}
		r.columns = append(r.columns, c)
	}
	r.at = at
	t.found.Put(rel.Name, r, len(r.columns))
	return r, nil
}

// spelt gives the types of columns that have fields as results spell them: the
// information schema leaves out the quotes of the fields' names.
func (t *Trino) spelt(ctx context.Context, r *relation, rows [][]*string) error {
	var items []string
	var at []int
	for i, row := range rows {
		if len(row) != 4 || row[0] == nil || row[1] == nil {
			return errJSON
		}
		if strings.Contains(*row[1], "row(") {
			items, at = append(items, quote(*row[0])), append(at, i)
		}
	}
	if items == nil {
		return nil
	}
	c, p, err := t.ask(ctx, "", "SELECT "+strings.Join(items, ", ")+" FROM "+r.String()+" LIMIT 0")
	defer c.stop()
	if err == nil && len(p.columns) != len(items) {
		err = errJSON
	}
	for i, of := range p.columns {
		if err == nil {
			rows[at[i]][1] = &of.typ
		}
	}
	return err
}

// Schema describes a relation from the information schema of its catalog.
func (t *Trino) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	out := &source.Schema{}
	if rel.Place != nil { // its own source knows the rest
		r, err := t.describePlaced(ctx, rel.Place)
		if err != nil {
			return nil, err
		}
		return r.schemaOf(out, rel), nil
	}
	r, err := t.named(rel.Name)
	if err != nil {
		return nil, err
	}
	var wait sync.WaitGroup
	wait.Go(func() { out.RowEstimate = t.count(ctx, r) })
	wait.Go(func() {
		// Some catalogs keep no comments or do not show them: then there is no description.
		rows, err := t.table(ctx, "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = "+literal(r.catalog)+
			" AND schema_name = "+literal(r.schema)+" AND table_name = "+literal(r.name))
		if err == nil && len(rows) == 1 && rows[0][0] != nil {
			out.Description = *rows[0][0]
		}
	})
	found, err := t.find(ctx, rel)
	wait.Wait()
	if err != nil {
		return nil, err
	}
	return found.schemaOf(out, rel), nil
}

// schemaOf adds the columns to what else is known of the relation.
func (r *relation) schemaOf(out *source.Schema, rel source.Relation) *source.Schema {
	for _, c := range r.columns {
		out.Columns = append(out.Columns, c.Column)
	}
	return out.Of(rel)
}

// count is how many rows the statistics of a table say that it has; nil if they say
// nothing.
func (t *Trino) count(ctx context.Context, r *relation) *int64 {
	rows, err := t.table(ctx, "SHOW STATS FOR "+r.String())
	if err != nil || len(rows) == 0 || len(rows[len(rows)-1]) < 5 || rows[len(rows)-1][4] == nil {
		return nil
	}
	n, err := strconv.ParseFloat(*rows[len(rows)-1][4], 64)
	if err != nil || n < 0 || n > math.MaxInt64/2 {
		return nil
	}
	count := int64(n)
	return &count
}

// from is a subquery with the named columns, each as predicates take it.
func (r *relation) from(names []string) string {
	var items []string
	for _, c := range r.columns {
		for _, n := range names {
			if c.Name == n {
				items = append(items, of(c.codec.base, quote(c.Name))+" AS "+quote(c.Name))
				break
			}
		}
	}
	if items == nil {
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

func quote(name string) string { return predicate.QuoteIdent(predicate.Trino, name) }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
