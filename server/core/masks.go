package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/mask"
	"github.com/agnes-data/da/source"
)

// masksOf reads the masks of a grant. It fails if one of them does not fit the table.
func (t *table) masksOf(full *source.Schema, masks api.Masks) (mask.Set, error) {
	if len(masks) == 0 {
		return nil, nil
	}
	typed, err := predicate.NewSchema(t.source.Dialect(), full.Columns)
	if err != nil {
		return nil, err
	}
	set := mask.Set{}
	for column, text := range masks {
		m, err := mask.Parse(text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(full.Columns, func(c api.Column) bool { return c.Name == column })
		if i < 0 {
			return nil, source.UnknownColumn(column)
		}
		if typ := typed.Columns()[i].Type; !m.Fits(typ) {
			return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadMask,
				Message: fmt.Sprintf("the mask '%s' does not fit column '%s' of type %s", api.Clip(text, 80), column, full.Columns[i].Type),
				Hint: "hash and last4 mask texts, whole numbers and dates, date:UNIT masks dates and times, number:STEP masks numbers; " +
					"null and constant mask anything.", Details: map[string]any{"column": column, "mask": text}}
		}
		set[column] = m
	}
	return set, nil
}

// covering returns the grants that a request can use which selects some columns and
// computes with others: those that have all of them, and the latter without a mask. A
// grant is left out if another one shows all of its rows, and masks nothing else.
func (p *permit) covering(selected, tested []string) (covering []rectangle) {
	for _, r := range p.rects {
		if r.holds(selected) && r.holds(tested) && !slices.ContainsFunc(tested, r.hides) {
			covering = append(covering, r)
		}
	}
	if !p.masking() {
		return covering
	}
	for i := 0; i < len(covering); i++ {
		if slices.ContainsFunc(covering, func(other rectangle) bool {
			return other.id != covering[i].id && other.shows(covering[i], selected) &&
				(!covering[i].shows(other, selected) || other.id < covering[i].id)
		}) {
			covering = slices.Delete(covering, i, i+1)
			i--
		}
	}
	return covering
}

// masking reports whether any of the caller's grants masks a column.
func (p *permit) masking() bool {
	return slices.ContainsFunc(p.rects, func(r rectangle) bool { return len(r.masks) > 0 })
}

// hides reports whether the grant masks a column.
func (r rectangle) hides(column string) bool { _, ok := r.masks[column]; return ok }

// shows reports whether the grant shows all rows of another one, and of some columns at
// least as much.
func (r rectangle) shows(other rectangle, columns []string) bool {
	if r.rule != nil && (other.rule == nil || predicate.Normalize(r.rule) != predicate.Normalize(other.rule)) {
		return false
	}
	return !slices.ContainsFunc(columns, func(c string) bool { return r.hides(c) && r.masks[c].Text != other.masks[c].Text })
}

// maskedBy returns the masks of columns that are read through several grants at once.
// Each row may be one of any of them, so no column may show more than each of them shows:
// it is masked if one of them masks it, and null where their masks differ.
func maskedBy(rects []rectangle, columns []string) map[string]string {
	masks := map[string]string{}
	for _, c := range columns {
		for _, r := range rects {
			text := r.masks[c].Text
			if had := masks[c]; had != "" && text != "" && had != text {
				text = mask.Null.Text
			}
			if text != "" {
				masks[c] = text
			}
		}
	}
	if len(masks) == 0 {
		return nil
	}
	return masks
}

// masksOfAll are the masks of all columns, each as it is shown by itself.
func (p *permit) masksOfAll(columns []api.Column) map[string]string {
	if p.all || !p.masking() {
		return nil
	}
	masks := map[string]string{}
	for _, c := range columns {
		one := []string{c.Name}
		for name, text := range maskedBy(p.covering(one, nil), one) {
			masks[name] = text
		}
	}
	return masks
}

// maskedColumn is the error for a column whose values the caller sees only masked, and
// computes with; nil if it is something else that keeps them from reading the columns.
func (p *permit) maskedColumn(selected, tested []string, way string) error {
	for i, c := range tested {
		if len(p.covering(selected, tested[:i])) == 0 || len(p.covering(selected, tested[:i+1])) > 0 {
			continue
		}
		if !slices.ContainsFunc(p.rects, func(r rectangle) bool { return r.hides(c) }) {
			// Others before it need a mask lifted by a grant that lacks this one.
			whole := slices.IndexFunc(p.rects, func(r rectangle) bool { return r.holds(selected) && r.holds(tested) })
			if whole < 0 {
				return nil
			}
			c = tested[slices.IndexFunc(tested, p.rects[whole].hides)]
		}
		return &api.Error{Code: api.CodeRejected, Kind: api.KindMaskedColumn, Message: fmt.Sprintf("column '%s' is masked for you: %s", c, way),
			Hint: "You may fetch it as it is shown, and compute with that here.",
			Next: []api.Step{api.Do(api.ActionFetch, "get it as it is shown", "table_id", p.ID), api.Do(api.ActionSchema, "see which columns are masked",
				"table_id", p.ID)},
			Details: map[string]any{"column": c}}
	}
	return nil
}

// alwaysMasked are the columns that all grants which have them mask: no request can compute
// with these, and nothing tells more of them than what is shown.
func (p *permit) alwaysMasked(columns []api.Column) map[string]string {
	masks := p.masksOfAll(columns)
	for name := range masks {
		if _, ok := p.part(nil, []string{name}); ok {
			delete(masks, name)
		}
	}
	return masks
}

// textTypes are what the dialects call text.
var textTypes = map[predicate.Dialect]string{predicate.GoogleSQL: "STRING", predicate.Postgres: "text", predicate.MySQL: "text"}

// marked says of columns that they are masked, and which type is shown then.
func (t *table) marked(columns []api.Column, masks map[string]string) []api.Column {
	if len(masks) == 0 {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		c := &columns[i]
		text, ok := masks[c.Name]
		if !ok {
			continue
		}
		c.Masked, c.Nullable = text, true
		if m, err := mask.Parse(text); err != nil || m.TextOnly() {
			c.Type, c.Fields, c.Collation, c.DateOrder, c.DateGuessed = "VARCHAR", nil, "", "", false
			if name := textTypes[t.source.Dialect()]; name != "" {
				c.Type = name
			}
		}
	}
	return columns
}

// told is a schema as it may be told, also by errors and in the provenance of rows: the real
// type of a masked column can list its values.
func (p *permit) told(sc *source.Schema) *source.Schema {
	masks := p.alwaysMasked(sc.Columns)
	if len(masks) == 0 {
		return sc
	}
	part := *sc
	part.Columns = p.marked(sc.Columns, masks)
	return &part
}

// reading returns the masks of the columns that the caller is to get, and which columns the
// source is to read for them: if masks read nothing of it, one of plain that has no mask
// says how many rows there are.
func reading(rel source.Relation, want []string, plain []api.Column) (mask.Set, []string) {
	set := mask.Set{}
	for _, c := range want {
		if text, ok := rel.Masks[c]; ok {
			m, err := mask.Parse(text)
			if err != nil {
				m = mask.Null // it was read before: this cannot be
			}
			set[c] = m
		}
	}
	if len(set) == 0 {
		return nil, want
	}
	read := set.Read(want)
	if len(read) == 0 {
		read = want[:min(len(want), 1)]
		if i := slices.IndexFunc(plain, func(c api.Column) bool { return rel.Masks[c.Name] == "" && rel.Sees(c.Name) }); i >= 0 {
			read = []string{plain[i].Name}
		}
	}
	return set, read
}

// rows runs a scan, and puts masks in place of values. With firstRows, it is the only place
// where the core gets rows of a relation, so that nothing else can have what is masked;
// TestRowsComeMasked holds that. seen looks at the rows of the source before that.
func (c *Core) rows(ctx context.Context, t *table, scan source.Scan, plain []api.Column,
	seen func(array.RecordReader) (array.RecordReader, error)) (array.RecordReader, error) {
	want := scan.Select
	var masks mask.Set
	masks, scan.Select = reading(scan.Relation, want, plain)
	rows, err := t.source.Scan(ctx, scan)
	if err == nil && seen != nil {
		rows, err = seen(rows)
	}
	if err != nil {
		return nil, err
	}
	return c.masked(masks, rows, scan.Select, want)
}

// masked puts masks in place of values.
func (c *Core) masked(set mask.Set, rows array.RecordReader, read, want []string) (array.RecordReader, error) {
	if len(set) == 0 {
		return rows, nil
	}
	return set.Rows(rows, read, want, func(text string) string { return c.state.Hash("mask", text) })
}

// firstRows returns up to n rows of a relation, masked.
func (c *Core) firstRows(ctx context.Context, t *table, rel source.Relation, n int) (array.RecordReader, error) {
	if len(rel.Masks) == 0 {
		return t.source.Sample(ctx, rel, n)
	}
	sc, err := c.schema(ctx, t, rel)
	if err != nil {
		return nil, err
	}
	want := columnNames(sc.Columns)
	masks, read := reading(rel, want, nil)
	rel.Columns = read
	rows, err := t.source.Sample(ctx, rel, n)
	if err != nil {
		return nil, err
	}
	return c.masked(masks, rows, read, want)
}

// unmaskedOnly fails if a statement's engine would be given what is masked. The relations of
// statements have no such column: this is never the case.
func unmaskedOnly(rel source.Relation) error {
	for c := range rel.Masks {
		if rel.Sees(c) {
			return internalError("bind a statement", errors.New("it would read a masked column"))
		}
	}
	return nil
}

// estimateOf estimates a request. Where values under a mask take space in what is read,
// the bytes are those without any condition, since parts of a table can be as small as one
// row; and of rows only an exact number is given.
func (c *Core) estimateOf(ctx context.Context, p *prepared) (*api.Estimate, error) {
	scan := p.scan
	if len(scan.Relation.Masks) == 0 {
		return c.estimate(ctx, p.table, scan)
	}
	var set mask.Set
	set, scan.Select = reading(scan.Relation, scan.Select, p.schema.Columns)
	masked := func(name string) bool { _, ok := set[name]; return ok }
	bare := scan
	if bare.Select = slices.DeleteFunc(slices.Clone(scan.Select), masked); len(bare.Select) == 0 {
		bare.Select = scan.Select[:1]
	}
	est, err := c.estimate(ctx, p.table, bare)
	if err != nil {
		return nil, err
	}
	apart := p.schema.Format == "" || p.schema.Format == "parquet" // columns lie apart from each other
	if !apart || slices.ContainsFunc(scan.Select, masked) {
		whole := scan
		whole.Where, whole.Limit = nil, nil
		all, err := c.estimate(ctx, p.table, whole)
		if err != nil {
			return nil, err
		}
		est.ScanBytes, est.BilledBytes, est.CostUSD = all.ScanBytes, all.BilledBytes, all.CostUSD
	}
	est.ResultBytes, est.ResultTruncated, est.CutBy = nil, nil, nil
	if est.ResultRows == nil {
		est.RowsLow, est.RowsHigh, est.RowsUpperBound = nil, nil, nil
	}
	c.compareWithCaps(est)
	return est, nil
}

// unmasked is the part of a schema with whose columns the caller can compute.
func unmasked(sc *source.Schema, rel source.Relation) *source.Schema {
	if len(rel.Masks) == 0 {
		return sc
	}
	part := *sc
	part.Columns = slices.DeleteFunc(slices.Clone(sc.Columns), func(c api.Column) bool { _, ok := rel.Masks[c.Name]; return ok })
	return &part
}
