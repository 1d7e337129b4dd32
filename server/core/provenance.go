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
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// identify adds to an estimate the version and the rights that a scan would have
// now, and an id of its source.
func (c *Core) identify(ctx context.Context, p *prepared, est *api.Estimate) error {
	version := p.schema.Version
	if asker, ok := p.source.(source.VersionChecker); ok {
		var err error
		if version, err = asker.VersionNow(ctx, p.scan.Relation); err != nil {
			return c.sourceError(ctx, p.table, err)
		}
	}
	if version == "" { // then nothing else shows that columns have changed
		now, err := p.source.Schema(ctx, p.scan.Relation)
		if err != nil {
			return c.sourceError(ctx, p.table, err)
		}
		p.schema = p.told(now)
	}
	est.Version, est.Rights = c.versionOf(p, version), c.rightsOf(p)
	if _, ok := p.source.(source.Querier); ok {
		est.Source = c.state.Hash("source", p.Source)
	}
	return nil
}

// versionOf hashes a source's version together with the table's declaration and
// this build, because an upgrade may read the same file with other types. It
// reveals only whether two versions are equal.
func (c *Core) versionOf(p *prepared, version string) string {
	if version == "" {
		return ""
	}
	reading := ""
	if r := p.scan.Relation.Reading; r != nil {
		reading = fmt.Sprintf("%q", []any{r.Delimiter, r.Encoding, r.DateFormat, r.NoHeader, r.HeaderLine, r.Types}) // fmt prints maps in order
	}
	now := build.Current()
	parts := []string{p.ID, c.places[p.Source], p.Relation, reading, now.Version, now.Commit, version}
	return c.state.Hash("version", strings.Join(parts, "\x00"))
}

// rightsOf hashes what the caller can see of the table, its columns with their
// types, the row rule for this request and what is masked. It is empty under a rule that uses the
// clock, whose rows can always change.
func (c *Core) rightsOf(p *prepared) string {
	if predicate.UsesClock(p.scan.Relation.Rule) {
		return ""
	}
	parts := []string{p.ID, c.places[p.Source], p.Relation, predicate.Normalize(p.scan.Relation.Rule)}
	if masks := p.scan.Relation.Masks; len(masks) > 0 {
		parts = append(parts, fmt.Sprintf("%q", masks)) // maps are printed in order
	}
	for _, col := range p.schema.Columns { // the columns that the caller can see
		parts = append(parts, col.Name, col.Type, col.Collation)
	}
	return c.state.Hash("rights", strings.Join(parts, "\x00"))
}

// traced adds their provenance to the schema of a scan's rows. It takes ownership
// of rows.
func (c *Core) traced(p *prepared, rows array.RecordReader) (array.RecordReader, error) {
	version := p.schema.Version // determined before the scan started
	if v, ok := rows.(source.Versioned); ok {
		version = v.RowsVersion()
	}
	made := &api.Provenance{Version: c.versionOf(p, version), Rights: c.rightsOf(p), Dialect: string(p.source.Dialect()), Columns: p.named(),
		Whole: slices.Equal(p.scan.Select, columnNames(p.schema.Columns))}
	if engine := source.Printed(p.source); engine != p.source.Dialect() {
		made.Engine = string(engine)
	}
	if p.scan.Where != nil {
		text, err := print.SQL(p.source.Dialect(), predicate.Canonical(p.scan.Where), predicate.Env{})
		if err != nil {
			return rows, nil //nolint:nilerr // without a provenance, the rows just cannot be reused
		}
		made.Where = text
	}
	return tracedRows{rows, api.WithProvenance(rows.Schema(), made)}, nil
}

// named returns the columns for a provenance, without what is only for people.
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
