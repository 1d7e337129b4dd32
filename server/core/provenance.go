package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// identify adds to an estimate the version and the rights of a scan that ran now, and
// what stands for its source.
func (c *Core) identify(ctx context.Context, p *prepared, est *api.Estimate) error {
	version := p.schema.Version
	if asker, ok := p.source.(source.Asker); ok {
		var err error
		if version, err = asker.VersionNow(ctx, p.scan.Relation); err != nil {
			return c.sourceError(ctx, p.table, err)
		}
	}
	if version == "" { // then nothing else shows that columns have changed
		var err error
		if p.schema, err = p.source.Schema(ctx, p.scan.Relation); err != nil {
			return c.sourceError(ctx, p.table, err)
		}
	}
	est.Version, est.Rights = c.versionOf(p, version), c.rightsOf(p)
	if _, ok := p.source.(source.Querier); ok {
		est.Source = c.state.Hash("source", p.Source)
	}
	return nil
}

// versionOf makes a source's version one of the table as it is declared, read by
// this build: an upgrade may read the same file as other types. Nothing can be
// learnt from it but whether two are equal.
func (c *Core) versionOf(p *prepared, version string) string {
	if version == "" {
		return ""
	}
	reading := ""
	if r := p.scan.Relation.Reading; r != nil {
		reading = fmt.Sprintf("%q", []any{r.Delimiter, r.Encoding, r.DateFormat, r.NoHeader, r.Types}) // maps are printed in order
	}
	now := build.Current()
	parts := []string{p.ID, p.Source, p.Relation, reading, now.Version, now.Commit, version}
	return c.state.Hash("version", strings.Join(parts, "\x00"))
}

// rightsOf stands for what the caller may see of the table, its columns with their
// types, and for the rule in force on this request. Under a rule that asks the clock, that is never the same.
func (c *Core) rightsOf(p *prepared) string {
	if predicate.UsesClock(p.scan.Relation.Rule) {
		return ""
	}
	parts := []string{p.ID, p.Source, p.Relation, predicate.Normalize(p.scan.Relation.Rule)}
	for _, col := range p.schema.Columns { // those that exist for the caller
		parts = append(parts, col.Name, col.Type, col.Collation)
	}
	return c.state.Hash("rights", strings.Join(parts, "\x00"))
}

// traced adds their provenance to the schema of a scan's rows, which it takes
// over.
func (c *Core) traced(p *prepared, rows array.RecordReader) (array.RecordReader, error) {
	version := p.schema.Version // heard before the scan began
	if v, ok := rows.(source.Versioned); ok {
		version = v.RowsVersion()
	}
	made := &api.Provenance{Version: c.versionOf(p, version), Rights: c.rightsOf(p), Dialect: string(p.source.Dialect()), Columns: p.named(),
		Whole: slices.Equal(p.scan.Select, columnNames(p.schema.Columns))}
	if engine := source.Printed(p.source); engine != p.source.Dialect() {
		made.Engine = string(engine)
	}
	if p.scan.Where != nil {
		text, err := predicate.Print(p.source.Dialect(), predicate.Canonical(p.scan.Where), predicate.Env{})
		if err != nil {
			return rows, nil //nolint:nilerr // without a provenance it is only not used again
		}
		made.Where = text
	}
	return tracedRows{rows, api.WithProvenance(rows.Schema(), made)}, nil
}

// named are the columns of a provenance, without what is only for people.
func (p *prepared) named() []api.Column {
	columns := []api.Column{}
	for _, name := range slices.Concat(p.scan.Select, predicate.Columns(p.scan.Where)) {
		taken := slices.ContainsFunc(columns, func(c api.Column) bool { return c.Name == name })
		i := slices.IndexFunc(p.schema.Columns, func(c api.Column) bool { return c.Name == name })
		if i >= 0 && !taken {
			columns = append(columns, undescribed(p.schema.Columns[i]))
		}
	}
	return columns
}

func undescribed(c api.Column) api.Column {
	c.Description, c.Fields = "", slices.Clone(c.Fields)
	for i := range c.Fields {
		c.Fields[i] = undescribed(c.Fields[i])
	}
	return c
}

type tracedRows struct {
	array.RecordReader
	schema *arrow.Schema
}

// Schema returns the schema with the provenance.
func (t tracedRows) Schema() *arrow.Schema { return t.schema }
