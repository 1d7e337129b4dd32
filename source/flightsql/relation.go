package flightsql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as the engine describes it now.
type relation struct {
	name    []string // catalog, schema and table, if given
	full    []string // the same, if the engine has them
	columns []column
}

// parts splits the name of a relation at its dots.
func parts(name string) ([]string, error) {
	p := strings.Split(name, ".")
	if len(p) > 3 || strings.ContainsRune(name, 0) || strings.Contains("."+name+".", "..") {
		return nil, missing(name)
	}
	return p, nil
}

// describe finds a relation by its name. Some engines have catalogs without
// schemas; there, a name of two parts is a catalog and a table.
func (f *FlightSQL) describe(ctx context.Context, name string) (*relation, error) {
	p, err := parts(name)
	if err != nil {
		return nil, err
	}
	found, err := f.list(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && len(p) == 2 {
		found, err = f.list(ctx, []string{p[0], "", p[1]})
		if err != nil && !api.CodeQueryFailed.Is(err) && !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation}) {
			return nil, err // the two others mean that there is no such catalog
		}
	}
	switch len(found) {
	case 0:
		return nil, missing(name)
	case 1:
		return f.relation(p, found[0])
	}
	return nil, sourceError(api.KindNoRelation, fmt.Sprintf("the engine has %d relations of the name %s", len(found), api.Clip(name, 200)),
		"The operator must put the schema, and the catalog, before the table's name.", nil)
}

// list asks for the tables with a name. An empty part of the name means that the
// engine does not have that part. The engine treats names as patterns, so it may
// return more tables.
func (f *FlightSQL) list(ctx context.Context, p []string) ([]listed, error) {
	ask := &flightsql.GetTablesOpts{IncludeSchema: true, TableNameFilterPattern: &p[len(p)-1]}
	if len(p) > 1 && p[len(p)-2] != "" {
		ask.DbSchemaFilterPattern = &p[len(p)-2]
	}
	if len(p) > 2 {
		ask.Catalog = &p[0]
	}
	r, err := f.run(ctx, work{tables: ask, seesAll: true})
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var found []listed
	for r.Next() {
		rows, err := tableRows(r.RecordBatch(), p)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, r.Err()
}

// listed is a table as the engine lists it.
type listed struct {
	full   []string
	schema []byte
}

// tableRows returns the tables in a batch that have exactly this name.
func tableRows(b arrow.RecordBatch, p []string) (tables []listed, err error) {
	if b.NumCols() < 5 {
		return nil, unexpected("the list of tables has not the columns that the protocol says")
	}
	name := func(col, row int) string { // of the catalog, the schema or the table
		if s, ok := b.Column(col).(array.StringLike); ok && !s.IsNull(row) {
			return s.Value(row)
		}
		return ""
	}
	for i := range int(b.NumRows()) {
		same := true
		for j, part := range p {
			same = same && name(3-len(p)+j, i) == part
		}
		if !same {
			continue
		}
		s, ok := b.Column(4).(interface{ Value(i int) []byte })
		if !ok || b.Column(4).IsNull(i) {
			return nil, unexpected("the list of tables holds no schemas")
		}
		t := listed{schema: append([]byte(nil), s.Value(i)...)}
		for j := range 3 {
			if part := name(j, i); part != "" {
				t.full = append(t.full, part)
			}
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// relation reads a schema that the engine has serialized.
func (f *FlightSQL) relation(name []string, t listed) (*relation, error) {
	rdr, err := wire.ReadParts(t.schema, func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		return nil, sourceError(api.KindUnexpectedAnswer, "the engine describes the relation in a way that cannot be read", "", err)
	}
	defer rdr.Release()
	out := &relation{name: name, full: t.full}
	for _, field := range rdr.Schema().Fields() {
		c, err := f.column(field)
		if err != nil {
			return nil, err
		}
		out.columns = append(out.columns, c)
	}
	return out, nil
}

// Schema describes a relation. The protocol does not report its size.
func (f *FlightSQL) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := f.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	out := &source.Schema{}
	for _, c := range r.columns {
		out.Columns = append(out.Columns, c.Column)
	}
	return out.Of(rel), nil
}

// from is the relation's name in a statement.
func (r *relation) from(d predicate.Dialect) string { return strings.Join(quoted(d, r.name), ".") }

func quoted(d predicate.Dialect, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = predicate.QuoteIdent(d, name)
	}
	return out
}
