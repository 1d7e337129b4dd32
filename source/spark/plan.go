package spark

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// The relations of a plan.

func project(input []byte, items ...[]byte) []byte {
	return within(3, append([][]byte{within(1, input)}, fields(3, items)...)...)
}

func filter(input, condition []byte) []byte {
	return within(4, within(1, input), within(2, condition))
}

func limit(input []byte, n int32) []byte { return within(8, within(1, input), number(2, n)) }

func sort(input []byte, order []predicate.Order) []byte {
	terms := [][]byte{within(1, input)}
	for _, o := range order {
		direction, nulls := 1, 2 // ascending, NULL last
		if o.Desc {
			direction = 2
		}
		if o.NullsFirst {
			nulls = 1
		}
		terms = append(terms, within(2, within(1, attribute(o.Column)), number(2, direction), number(3, nulls)))
	}
	return within(7, append(terms, number(3, 1))...) // of all partitions
}

// work is a plan to run.
type work struct {
	root    []byte
	schema  *arrow.Schema // of the rows
	seesAll bool
}

// plan makes the plan of a scan. Its names are those of columns that the caller sees.
func (r *relation) plan(scan source.Scan) (w work, err error) {
	w.seesAll = scan.Relation.Whole()
	columns, err := selected(scan, r.columns)
	if err != nil {
		return w, err
	}
	var items [][]byte
	for _, c := range columns {
		items = append(items, attribute(c.Name))
	}
	w.schema = arrowOf(columns)
	w.root = r.from(scan.Reads())
	if w.root, err = admitted(w.root, scan); err != nil {
		return w, err
	}
	if len(scan.OrderBy) > 0 {
		w.root = sort(w.root, scan.OrderBy)
	}
	w.root = project(w.root, items...)
	if n := scan.Limit; n != nil {
		w.root = limit(w.root, int32(max(*n, 0)))
	}
	return w, nil
}

// selected finds the columns of a scan.
func selected(scan source.Scan, all []column) ([]column, error) {
	if n := scan.Limit; n != nil && *n > math.MaxInt32 {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindLimit, Message: fmt.Sprintf("Spark limits no result to %d rows", *n),
			Hint: fmt.Sprintf("Give a limit of at most %d, or none.", math.MaxInt32)}
	}
	return source.Selected(scan, all)
}

// from is the relation with the named columns, made such that they compare as their
// types say here: texts by their bytes, and what has no type as text.
func (r *relation) from(names []string) []byte {
	var items [][]byte
	change := false
	for _, c := range r.columns {
		if !slices.Contains(names, c.Name) {
			continue
		}
		change = change || c.dataType.arrow == nil || !c.binary && c.Type == "VARCHAR"
		items = append(items, alias(c.compared(), c.Name))
	}
	if !change {
		return r.read
	}
	return project(r.read, items...)
}

// compared is a column made such that it compares as its type says.
func (c column) compared() []byte {
	item := attribute(c.Name)
	switch {
	case c.dataType.arrow == nil:
		return cast(item, "STRING")
	case !c.binary && c.Type == "VARCHAR":
		return function("collate", item, literalText("UTF8_BINARY"))
	}
	return item
}

// conditions are the rule and the predicate of a scan, as filters one over the other. What
// of the predicate can fail is asked only of rows that the rule admits: else an error would
// tell of a hidden row.
func conditions(scan source.Scan) (list []predicate.Expr) {
	rule, where := scan.Relation.Rule, scan.Where
	if rule == nil && where != nil {
		return []predicate.Expr{where}
	}
	if rule == nil {
		return nil
	}
	safe, rest := source.Apart(where)
	if !source.CannotFail(rule) {
		safe, rest = nil, where
	}
	list = append(list, predicate.And(rule, safe))
	if rest != nil {
		list = append(list, &predicate.Case{Arms: []predicate.Arm{{When: rule, Then: rest}}, T: predicate.Type{Kind: predicate.KindBool}})
	}
	return list
}

// admitted adds the conditions of a scan.
func admitted(from []byte, scan source.Scan) ([]byte, error) {
	for _, e := range conditions(scan) {
		condition, err := expression(e, scan.Env)
		if err != nil {
			return nil, err
		}
		from = filter(from, condition)
	}
	return from, nil
}

// Scan implements source.Source.
func (s *Spark) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := s.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	w, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	return s.run(ctx, w)
}

// Sample reads the first rows that the server finds.
func (s *Spark) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := s.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	w, err := r.plan(source.FirstRows(rel, r.columns, n))
	if err != nil {
		return nil, err
	}
	return s.run(ctx, w)
}
