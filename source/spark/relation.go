package spark

import (
	"context"
	"encoding/json"
	"fmt"

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
	out := &source.Schema{}
	for _, c := range r.columns {
		out.Columns = append(out.Columns, c.Column)
	}
	return out.Of(rel), nil
}

// warning says what a column loses on its way; empty: nothing.
func (c column) warning() string {
	if c.dataType.arrow != nil {
		return ""
	}
	return fmt.Sprintf("column %s: %s becomes text", quote(c.Name), api.Clip(c.called, 200))
}

func quote(name string) string { return predicate.QuoteIdent(predicate.Spark, name) }
