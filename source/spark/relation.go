package spark

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as the server describes it now.
type relation struct {
	read    []byte // the relation of a plan
	columns []column
}

// describe finds a relation by its name, or its place.
func (s *Spark) describe(ctx context.Context, rel source.Relation) (*relation, error) {
	read, err := reading(rel)
	if err != nil {
		return nil, err
	}
	r := &relation{read: read}
	answer, err := s.schemaOf(ctx, read)
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	if err := s.heeded(ctx, rel); err != nil {
		return nil, err
	}
	const schema, dataType, structure = 2, 1, 21
	fields, err := at(answer, schema, dataType, structure)
	if err != nil {
		return nil, err
	}
	if r.columns, err = readFields(fields); err == nil && len(r.columns) == 0 {
		err = unexpected("the relation has no columns")
	}
	return r, err
}

// schemaOf asks for the columns of a relation.
func (s *Spark) schemaOf(ctx context.Context, read []byte) ([]byte, error) {
	return s.analyze(ctx, func(*session) []byte { return within(4, within(1, within(1, read))) })
}

// comment is the comment in the metadata of a field.
func comment(metadata []byte) string {
	var m struct{ Comment string }
	_ = json.Unmarshal(metadata, &m)
	return m.Comment
}

// Schema implements source.Source.
func (s *Spark) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := s.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	return shown(r.columns, rel), nil
}

// shown is what of a relation's columns the caller sees.
func shown(columns []column, rel source.Relation) *source.Schema {
	out := &source.Schema{}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Column)
	}
	return out.Of(rel)
}

// arrowOf is the schema of rows with some columns, and what these lose on their way.
func arrowOf(columns []column) *arrow.Schema {
	var of []arrow.Field
	var warnings []string
	for _, c := range columns {
		dt := c.dataType.arrow
		if dt == nil {
			dt = arrow.BinaryTypes.String
			warnings = append(warnings, fmt.Sprintf("column %s: %s becomes text", quote(c.Name), api.Clip(c.called, 200)))
		}
		of = append(of, arrow.Field{Name: c.Name, Type: dt, Nullable: true})
	}
	return api.SchemaWith(of, api.CaveatsOf(api.CaveatNarrowed, warnings...))
}

func quote(name string) string { return predicate.QuoteIdent(predicate.Spark, name) }
