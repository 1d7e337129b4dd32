package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

var _ source.Querier = (*Trino)(nil)

// Inspect proves a statement by its text; see Query.
func (t *Trino) Inspect(_ context.Context, sql string) (source.Statement, error) {
	s, err := warehouse.Trino.Check(sql)
	if err != nil {
		return source.Statement{}, err
	}
	columns, whole := s.Named()
	return source.Statement{Tables: s.Tables, Columns: columns, Whole: whole}, nil
}

// Query runs a statement. It is printed anew from what was understood of it, with a
// query of what the caller can see in place of each table. Before it runs, the engine
// says which tables it would read.
func (t *Trino) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	s, err := warehouse.Trino.Check(sql)
	if err != nil {
		return nil, err
	}
	seesAll, shown, relations, named := true, source.Shown{}, map[string]string{}, map[string]bool{}
	for name, rel := range tables {
		r, err := t.describe(ctx, rel)
		if err != nil {
			return nil, err
		}
		seesAll, named[strings.ToLower(r.catalog+"."+r.schema+"."+r.name)] = seesAll && rel.Whole(), true
		if relations[name], shown[name], err = r.visible(rel); err != nil {
			return nil, err
		}
	}
	out, err := t.query(ctx, s.Written(relations), named, seesAll)
	var e *api.Error
	if !seesAll && errors.As(err, &e) && e.Code == api.CodeQueryFailed {
		return nil, shown.Misnamed(e.Kind, err)
	}
	return out, err
}

// visible is a query of what exists for the caller, with the values as they are in the
// engine, and its columns.
func (r *relation) visible(rel source.Relation) (sql string, names []string, err error) {
	var plain, items, inner []string
	for i, c := range r.columns {
		if rel.Sees(c.Name) {
			own := quote("da_" + strconv.Itoa(i))
			names, plain = append(names, c.Name), append(plain, quote(c.Name))
			items, inner = append(items, own+" AS "+quote(c.Name)), append(inner, quote(c.Name)+" AS "+own)
		}
	}
	if len(names) == 0 { // the statement only counts rows
		plain, items, inner = []string{"1 AS da_0"}, []string{"da_0"}, []string{"1 AS da_0"}
	}
	if rel.Rule == nil {
		return fmt.Sprintf("(SELECT %s FROM %s)", strings.Join(plain, ", "), r), names, nil
	}
	for _, name := range predicate.Columns(rel.Rule) {
		c, err := source.Column(source.Relation{}, r.columns, name)
		if err != nil {
			return "", nil, err
		}
		inner = append(inner, of(c.codec.base, quote(name))+" AS "+quote(name))
	}
	text, err := print.SQL(predicate.Trino, rel.Rule, predicate.Env{})
	return fmt.Sprintf("(SELECT %s FROM (SELECT %s FROM %s) AS src WHERE %s%s)",
		strings.Join(items, ", "), strings.Join(inner, ", "), r, text, barrier), names, err
}

// query asks which columns a statement has and which tables it reads, and runs it.
func (t *Trino) query(ctx context.Context, sql string, named map[string]bool, seesAll bool) (array.RecordReader, error) {
	c, p, err := t.ask(ctx, "", "SELECT * FROM ("+sql+") LIMIT 0")
	defer func() { c.stop() }()
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	if err := t.reads(ctx, p.id, named); err != nil {
		return nil, err
	}
	var columns []column
	var items, names, more []string
	for i, got := range p.columns {
		col := column{Column: api.Column{Name: got.name}, codec: codecOf(got.typ)}
		if col.codec.refused != "" {
			return nil, refusedColumn(col)
		}
		own := "da_" + strconv.Itoa(i)
		names, items = append(names, own), append(items, of(col.codec.cast, of(col.codec.base, own))+" AS "+own)
		columns = append(columns, col)
		if col.codec.base+col.codec.cast != "" {
			more = []string{"skip_redundant_sort=false"} // else the order of a query inside of another is lost
		}
	}
	if more != nil {
		sql = fmt.Sprintf("SELECT %s FROM (%s) AS src (%s)", strings.Join(items, ", "), sql, strings.Join(names, ", "))
	}
	c.stop()
	if c, p, err = t.ask(ctx, t.encoding, sql, more...); err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	out, err := newReader(ctx, c, p, columns, seesAll)
	if err == nil {
		c = &conversation{} // the reader stops it
	}
	return out, err
}

// maxInfo limits what the engine says of a statement.
const maxInfo = 64 << 20

// reads holds that a statement reads none but the named tables, as the engine itself says.
func (t *Trino) reads(ctx context.Context, id string, named map[string]bool) error {
	resp, err := t.send(ctx, http.MethodGet, "/v1/query/"+url.PathEscape(id), "", nil)
	if err != nil {
		return failure(ctx, err, true)
	}
	defer resp.Body.Close()
	var info struct {
		ReferencedTables *[]struct {
			Catalog, Schema, Table string
			DirectlyReferenced     *bool // what lies below a view is read with the rights of its owner
		}
	}
	told := json.NewDecoder(io.LimitReader(resp.Body, maxInfo))
	if resp.StatusCode != http.StatusOK || told.Decode(&info) != nil || info.ReferencedTables == nil {
		return sourceError(api.KindUnsupportedServer, "the cluster does not tell which tables the statement reads, so that it is not run",
			"Fetch what it needs of each table. The operator can let the user of the source's dsn see its own statements.", nil)
	}
	for _, r := range *info.ReferencedTables {
		if (r.DirectlyReferenced == nil || *r.DirectlyReferenced) && !named[strings.ToLower(r.Catalog+"."+r.Schema+"."+r.Table)] {
			return &api.Error{Code: api.CodeStatement, Kind: api.KindOtherTable, Message: "the statement reads a table that is not in the catalog"}
		}
	}
	return nil
}
