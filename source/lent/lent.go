// Package lent is a source of tables that the engine of another source reads: the
// source that has them says what they are, in which version, and where they lie; the
// engine runs the scans. It must not import another source.
package lent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say how the engine finds the tables.
type Options struct {
	Engine string // the name of its source, for messages
	// Root is the URL of the tables' root, as the engine has it. Catalog, if it is not
	// empty, is the engine's catalog that has their names, and is used instead.
	Root, Catalog string
}

// Source is a source whose tables an engine of another reads.
type Source struct {
	source.Lender
	engine source.Borrower
	o      Options
}

var _ source.Printer = (*Source)(nil)

// Open joins the tables of a source with the engine of another, which closes itself.
func Open(of source.Source, engine source.Source, o Options) (source.Source, error) {
	has, ok := of.(source.Lender)
	if !ok {
		return nil, &api.Error{Code: api.CodeConfig, Message: "the tables of this source are read by the engine inside da alone",
			Hint: "Remove its key engine. Only tables of Iceberg and Delta have versions, so that two engines read the same rows."}
	}
	runs, ok := engine.(source.Borrower)
	if !ok {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the source %q reads no tables of others", o.Engine),
			Hint: "An engine is a source of type spark, or of type trino for Iceberg: name one, or remove the key engine." +
				" ClickHouse cannot be one: its readers return deleted rows, or fail."}
	}
	s := &Source{Lender: has, engine: runs, o: o}
	if q, ok := engine.(source.Querier); ok {
		return &statements{Source: s, runs: q}, nil
	}
	return s, nil
}

// Printed is the language of the engine.
func (s *Source) Printed() predicate.Dialect { return source.Printed(s.engine) }

// relation is a table at one version.
type relation struct {
	schema *source.Schema   // with the types of the engine
	at     *source.Relation // as the engine reads it; nil: it has no rows
	differ []string         // columns that have another type in the engine
}

// find describes a relation: its columns are those that the engine reads.
func (s *Source) find(ctx context.Context, rel source.Relation) (*relation, error) {
	schema, place, err := s.Lend(ctx, rel)
	if err != nil || place == nil {
		return &relation{schema: schema}, err
	}
	if err := s.engine.Borrows(place.Format, schema); err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the engine %q cannot read the table: %v", s.o.Engine, err),
			Hint: "The operator can offer it from a source without engine."}
	}
	if place.URL = strings.TrimSuffix(s.o.Root, "/") + "/" + place.URL; s.o.Catalog != "" {
		place.URL, place.Name = "", s.o.Catalog+"."+place.Name
	} else {
		place.Name = ""
	}
	r := &relation{at: &rel}
	r.at.Place = place
	found, err := s.engine.Schema(ctx, *r.at)
	if err != nil {
		return nil, err
	}
	own := *schema
	r.schema, own.Columns = &own, slices.Clone(schema.Columns)
	for i, c := range own.Columns {
		at := slices.IndexFunc(found.Columns, func(f api.Column) bool { return f.Name == c.Name })
		if at < 0 || len(found.Columns) != len(own.Columns) {
			return nil, &api.Error{Code: api.CodeSource, Kind: api.KindUnlikeFiles,
				Message: fmt.Sprintf("the engine %q reads other columns of the table than its metadata say", s.o.Engine),
				Hint:    "See that it finds the same table: engine_root is the folder of this source, as the engine has it, and engine_catalog a catalog with the same tables."}
		}
		if f := found.Columns[at]; f.Type != c.Type {
			own.Columns[i].Type, own.Columns[i].Fields = f.Type, f.Fields
			r.differ = append(r.differ, c.Name)
		}
	}
	return r, nil
}

// Schema describes a relation.
func (s *Source) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := s.find(ctx, rel)
	if err != nil {
		return nil, err
	}
	return r.schema, nil
}

// Sample reads the first rows that the engine finds.
func (s *Source) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := s.find(ctx, rel)
	switch {
	case err != nil:
		return nil, err
	case r.at == nil:
		return s.Lender.Sample(ctx, rel, n)
	}
	return versioned(r)(s.engine.Sample(ctx, *r.at, n))
}

// Estimate is from the table's metadata, which know more than an engine tells; what the
// engine cannot do is refused. Only where a condition is about a column that the engine
// reads as another type, the engine estimates.
func (s *Source) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := s.find(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	if _, err := scan.SQL(source.Selecting{Dialect: s.Printed()}); err != nil {
		return nil, err
	}
	asked := append(predicate.Columns(scan.Where), predicate.Columns(scan.Relation.Rule)...)
	if r.at != nil && slices.ContainsFunc(asked, func(c string) bool { return slices.Contains(r.differ, c) }) {
		scan.Relation = *r.at
		return s.engine.Estimate(ctx, scan)
	}
	return s.Lender.Estimate(ctx, scan)
}

// Scan starts reading.
func (s *Source) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := s.find(ctx, scan.Relation)
	switch {
	case err != nil:
		return nil, err
	case r.at == nil:
		return s.Lender.Scan(ctx, scan)
	}
	scan.Relation = *r.at
	return versioned(r)(s.engine.Scan(ctx, scan))
}

// rows are those of a version.
type rows struct {
	array.RecordReader
	version string
}

// RowsVersion implements source.Versioned.
func (r rows) RowsVersion() string { return r.version }

func versioned(r *relation) func(array.RecordReader, error) (array.RecordReader, error) {
	return func(read array.RecordReader, err error) (array.RecordReader, error) {
		if err != nil {
			return nil, err
		}
		return rows{read, r.schema.Version}, nil
	}
}

// statements is a source whose engine runs whole statements.
type statements struct {
	*Source
	runs source.Querier
}

var _ source.Querier = (*statements)(nil)

// Inspect proves a statement as the engine's own source does.
func (s *statements) Inspect(ctx context.Context, sql string) (source.Statement, error) {
	return s.runs.Inspect(ctx, sql)
}

// Query runs a statement over the tables where they lie, each at one version.
func (s *statements) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	placed := map[string]source.Relation{}
	for name, rel := range tables {
		r, err := s.find(ctx, rel)
		switch {
		case err != nil:
			return nil, err
		case r.at == nil:
			return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindNoRemoteQuery,
				Message: fmt.Sprintf("the table '%s' has no rows yet, so that the engine %q finds nothing to read", name, s.o.Engine)}
		}
		placed[name] = *r.at
	}
	return s.runs.Query(ctx, sql, placed)
}
