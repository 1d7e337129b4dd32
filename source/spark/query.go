package spark

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

var _ source.Querier = (*Spark)(nil)

// Inspect proves a statement by its text; see Query.
func (s *Spark) Inspect(_ context.Context, sql string) (source.Statement, error) {
	proven, err := warehouse.Spark.Check(sql)
	if err != nil {
		return source.Statement{}, err
	}
	columns, whole := proven.Named()
	return source.Statement{Tables: proven.Tables, Columns: columns, Whole: whole}, nil
}

// Query runs a statement. It is printed anew from what was understood of it, and each of
// its tables is a name for a typed relation of what the caller can see. So a hidden
// column does not exist, and no name reaches the catalog.
func (s *Spark) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	proven, err := warehouse.Spark.Check(sql)
	if err != nil {
		return nil, err
	}
	seesAll, shown, names := true, source.Shown{}, map[string]string{}
	var references [][]byte
	for name, rel := range tables {
		r, err := s.describe(ctx, rel)
		if err != nil {
			return nil, err
		}
		var visible []byte
		if visible, shown[name], err = r.visible(rel); err != nil {
			return nil, err
		}
		names[name] = fmt.Sprintf("da_table_%d", len(references)+1)
		references = append(references, within(2, within(1, number(2, len(references)+1)),
			within(16, within(1, visible), text(2, names[name]))))
		seesAll = seesAll && rel.Whole()
	}
	// In parentheses the parser refuses all that is no query.
	root := within(10, text(1, "SELECT * FROM (\n"+proven.Written(names)+"\n)"))
	out, err := s.query(ctx, within(41, append([][]byte{within(1, root)}, references...)...), seesAll)
	var e *api.Error
	if !seesAll && errors.As(err, &e) && e.Code == api.CodeQueryFailed {
		return nil, shown.Misnamed(e.Kind, err)
	}
	return out, err
}

// visible is a relation of what exists for the caller, with its types in Spark.
func (r *relation) visible(rel source.Relation) (made []byte, names []string, err error) {
	var items, inner [][]byte
	for _, c := range r.columns {
		if rel.Sees(c.Name) {
			of := fmt.Sprintf("da_%d", len(names))
			names = append(names, c.Name)
			inner, items = append(inner, alias(attribute(c.Name), of)), append(items, alias(attribute(of), c.Name))
		}
	}
	if len(items) == 0 { // the statement only counts rows
		inner, items = append(inner, alias(literalText(""), "da_0")), append(items, attribute("da_0"))
	}
	if rel.Rule == nil {
		return project(project(r.read, inner...), items...), names, nil
	}
	for _, name := range predicate.Columns(rel.Rule) {
		c, err := source.Column(source.Relation{}, r.columns, name)
		if err != nil {
			return nil, nil, err
		}
		inner = append(inner, alias(c.compared(), name))
	}
	condition, err := expression(rel.Rule, predicate.Env{})
	if err != nil {
		return nil, nil, err
	}
	// Where an engine computes a part of the statement before it has asked the rule, hidden
	// rows have no values: else an error would tell of one.
	for i, c := range names {
		items[i] = alias(function("when", condition, attribute(fmt.Sprintf("da_%d", i))), c)
	}
	return project(filter(project(r.read, inner...), condition), items...), names, nil
}

// query asks which columns a statement has, and runs it.
func (s *Spark) query(ctx context.Context, root []byte, seesAll bool) (array.RecordReader, error) {
	answer, err := s.schemaOf(ctx, root)
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	const schema, dataType, structure = 2, 1, 21
	fields, err := at(answer, schema, dataType, structure)
	if err != nil {
		return nil, err
	}
	columns, err := readFields(fields)
	if err != nil {
		return nil, err
	}
	w := work{seesAll: seesAll}
	named := [][]byte{within(1, root)}
	var items [][]byte
	for i, c := range columns {
		own := fmt.Sprintf("da_%d", i)
		item := attribute(own)
		if c.dataType.arrow == nil {
			item = alias(cast(item, "STRING"), own)
		}
		named, items = append(named, text(2, own)), append(items, item)
	}
	w.schema = arrowOf(columns)
	w.root = project(within(18, named...), items...)
	return s.run(ctx, w)
}
