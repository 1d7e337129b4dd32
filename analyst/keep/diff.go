package keep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/snapshot"
)

// DiffRequest asks what differs between two snapshots.
type DiffRequest struct {
	Before, After string   // names
	Key           []string // columns that identify a row; empty: compare whole rows
	Examples      int      // maximum number of rows to show of each kind
	Ignore        []string // columns that are neither compared nor named
	// Tolerance is how far numbers of one key may be apart to count as the same; 0:
	// not at all. It needs a key.
	Tolerance float64
}

// Diff is the difference between two snapshots. Duplicate rows count once per
// occurrence.
type Diff struct {
	Before    string       `json:"before"`
	After     string       `json:"after"`
	Columns   []ColumnDiff `json:"columns"` // never null; columns that differ
	Key       []string     `json:"key,omitempty"`
	Ignored   []string     `json:"ignored,omitempty" jsonschema:"columns that are neither compared nor named"`
	Tolerance float64      `json:"tolerance,omitempty" jsonschema:"how far numbers may be apart to count as the same"`

	RowsBefore int64 `json:"rows_before"`
	RowsAfter  int64 `json:"rows_after"`
	Added      int64 `json:"added"`
	Removed    int64 `json:"removed"`
	Changed    int64 `json:"changed"` // only with a key
	Same       int64 `json:"same"`

	ByColumn []ColumnChanges `json:"by_column,omitempty" jsonschema:"with a key: in how many rows the column changed"`
	Examples []RowDiff       `json:"examples"` // never null
	Caveats  []api.Caveat    `json:"caveats"`
}

// ColumnChanges says in how many rows a column changed.
type ColumnChanges struct {
	Column string `json:"column"`
	Rows   int64  `json:"rows"`
}

// RowDiff is a row that differs. A changed row has its key and the values before
// and after of the columns that changed.
type RowDiff struct {
	Change string   `json:"change" jsonschema:"added, removed or changed"`
	Key    *api.Row `json:"key,omitempty"`
	Before *api.Row `json:"before,omitempty"`
	After  *api.Row `json:"after,omitempty"`
}

// Rows is in how many rows the snapshots differ.
func (d *Diff) Rows() int64 { return d.Added + d.Removed + d.Changed }

// Compare compares two snapshots. It lists columns that only one of them has, or
// whose types differ, but does not compare their values.
func Compare(ctx context.Context, a *analyst.Analyst, req DiffRequest) (*Diff, error) {
	links, err := a.Store.Link([]string{req.Before, req.After})
	if err != nil {
		return nil, err
	}
	defer links.Close()
	before, after := links.Metas[0], links.Metas[len(links.Metas)-1]
	d := &Diff{Before: req.Before, After: req.After, Key: req.Key, Ignored: req.Ignore, Tolerance: req.Tolerance, Columns: []ColumnDiff{},
		RowsBefore: before.Rows, RowsAfter: after.Rows, Examples: []RowDiff{}, Caveats: []api.Caveat{}}
	c := &comparison{d: d, examples: req.Examples, a: links.Path(req.Before), b: links.Path(req.After)}
	if err := c.columns(before, after); err != nil {
		return nil, err
	}
	for _, m := range links.Metas {
		d.Caveats = append(d.Caveats, api.CaveatsAbout(slices.Concat(c.key, c.values), RowCaveats(m))...)
	}
	d.Caveats = api.Arranged(d.Caveats)
	if before.ContentHash == after.ContentHash && before.Rows == after.Rows && len(d.Columns) == 0 && len(req.Key) == 0 {
		d.Same = before.Rows // equal hashes: all rows are the same
		return d, nil
	}
	eng, err := a.OpenEngine(false)
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	c.conn = eng.Conn
	if err := c.run(ctx); err != nil {
		return nil, analyst.WriteError("compare the snapshots", err)
	}
	return d, nil
}

// comparison compares two files.
type comparison struct {
	d        *Diff
	conn     *duckdb.Conn
	a, b     string // paths
	key      []string
	values   []string // columns to compare, without the key
	types    map[string]string
	examples int
}

// columns separates the columns into those that differ and those to compare.
func (c *comparison) columns(before, after snapshot.Meta) error {
	if err := unknownIgnored(c.d.Ignored, before, after); err != nil {
		return err
	}
	ignored := func(col snapshot.Column) bool { return slices.Contains(c.d.Ignored, col.Name) }
	columns := slices.DeleteFunc(slices.Clone(before.Schema), ignored)
	var common, differ []string
	c.d.Columns, common = diffColumns(columns, slices.DeleteFunc(slices.Clone(after.Schema), ignored))
	for _, col := range c.d.Columns {
		if col.Before != "" && col.After != "" {
			differ = append(differ, "'"+col.Name+"'")
		}
	}
	c.types = map[string]string{}
	for _, col := range columns {
		c.types[col.Name] = col.Type
	}
	for _, k := range c.d.Key {
		if !slices.Contains(common, k) {
			return notAKey(k, common)
		}
	}
	if len(common) == 0 {
		return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("'%s' and '%s' have no column in common with the same type: their rows cannot be compared", before.Name, after.Name)}
	}
	if len(differ) > 0 {
		c.d.Caveats = append(c.d.Caveats, api.Caveat{Kind: api.CaveatUnread,
			Text: "the types differ, so these columns are not compared: " + api.Clip(strings.Join(differ, ", "), 300)})
	}
	c.key = c.d.Key
	c.values = slices.DeleteFunc(common, func(name string) bool { return slices.Contains(c.key, name) })
	return nil
}

// unknownIgnored rejects a column to ignore that neither snapshot has.
func unknownIgnored(ignore []string, before, after snapshot.Meta) error {
	var names []string
	for _, c := range slices.Concat(before.Schema, after.Schema) {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	for _, name := range ignore {
		if !slices.Contains(names, name) {
			return unknownColumn(name, "is a column of neither snapshot", names)
		}
	}
	return nil
}

func notAKey(name string, columns []string) error {
	return unknownColumn(name, "is not a column that both snapshots have with the same type", columns)
}

// unknownColumn says what is wrong with a column, and which are near it.
func unknownColumn(name, wrong string, columns []string) error {
	e := &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownColumn, Message: fmt.Sprintf("'%s' %s", api.Clip(name, 80), wrong),
		Details: map[string]any{"column": name, "columns": columns}}
	if near := suggest.Near(name, columns); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'?", strings.Join(near, "' or '"))
	}
	return e
}

func (c *comparison) run(ctx context.Context) error {
	if len(c.key) == 0 {
		if err := c.wholeRows(ctx); err != nil {
			return err
		}
	} else if err := c.byKey(ctx); err != nil {
		return err
	}
	c.d.Same = c.d.RowsBefore - c.d.Removed - c.d.Changed
	return nil
}

// wholeRows compares complete rows.
func (c *comparison) wholeRows(ctx context.Context) error {
	s := wholeRowsSQL(c)
	if err := c.conn.QueryRow(ctx, s.counts(), nil, &c.d.Added, &c.d.Removed); err != nil {
		return err
	}
	return c.wholes(ctx, s.rows("n > 0"), s.rows("n < 0"))
}

// byKey compares rows that have the same key.
func (c *comparison) byKey(ctx context.Context) error {
	s := keyedSQL(c)
	for _, side := range []struct{ name, file string }{{c.d.Before, c.a}, {c.d.After, c.b}} {
		name := side.name
		var repeated int64
		if err := c.conn.QueryRow(ctx, s.repeated(side.file), nil, &repeated); err != nil {
			return err
		}
		if repeated > 0 {
			return &api.Error{Code: api.CodeUsage, Kind: api.KindKeyNotUnique,
				Message: fmt.Sprintf("the columns %s do not tell the rows of '%s' apart: %s more than once", strings.Join(c.key, ", "), name,
					humanize.Plural(repeated, "value occurs", "values occur")),
				Hint: "Name more columns, or none to compare whole rows.", Details: map[string]any{"snapshot": name, "repeated": repeated}}
		}
	}
	counts := []any{&c.d.Added, &c.d.Removed, &c.d.Changed}
	c.d.ByColumn = make([]ColumnChanges, len(c.values))
	for i, name := range c.values {
		c.d.ByColumn[i].Column = name
		counts = append(counts, &c.d.ByColumn[i].Rows)
	}
	if err := c.conn.QueryRow(ctx, s.counts(), nil, counts...); err != nil {
		return err
	}
	c.d.ByColumn = slices.DeleteFunc(c.d.ByColumn, func(n ColumnChanges) bool { return n.Rows == 0 })
	if c.d.Changed > 0 && c.examples > 0 {
		if err := c.changed(ctx, s.changed()); err != nil {
			return err
		}
	}
	return c.wholes(ctx, s.only("y"), s.only("x"))
}

// wholes fetches examples of rows that only one side has.
func (c *comparison) wholes(ctx context.Context, added, removed string) error {
	columns := append(slices.Clone(c.key), c.values...)
	if c.d.Added > 0 && c.examples > 0 {
		rows, err := c.rows(ctx, added)
		if err != nil {
			return err
		}
		for _, r := range rows {
			c.d.Examples = append(c.d.Examples, RowDiff{Change: "added", After: &api.Row{Columns: columns, Values: r}})
		}
	}
	if c.d.Removed > 0 && c.examples > 0 {
		rows, err := c.rows(ctx, removed)
		if err != nil {
			return err
		}
		for _, r := range rows {
			c.d.Examples = append(c.d.Examples, RowDiff{Change: "removed", Before: &api.Row{Columns: columns, Values: r}})
		}
	}
	return nil
}

// changed fetches examples of changed rows: the key and, for each column, whether
// it differs, and its values before and after.
func (c *comparison) changed(ctx context.Context, sql string) error {
	rows, err := c.rows(ctx, sql)
	for _, r := range rows {
		n := len(c.key)
		e := RowDiff{Change: "changed", Key: &api.Row{Columns: c.key, Values: r[:n]}, Before: &api.Row{}, After: &api.Row{}}
		for i, name := range c.values {
			at := n + 3*i
			if r[at] != true {
				continue
			}
			e.Before.Columns, e.Before.Values = append(e.Before.Columns, name), append(e.Before.Values, r[at+1])
			e.After.Columns, e.After.Values = append(e.After.Columns, name), append(e.After.Values, r[at+2])
		}
		c.d.Examples = append(c.d.Examples, e)
	}
	return err
}

// rows runs a statement that returns few rows.
func (c *comparison) rows(ctx context.Context, sql string) (rows [][]any, err error) {
	sql, _, err = c.conn.Carry(ctx, sql)
	if err != nil {
		return nil, err
	}
	s, err := c.conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	for s.Next() {
		b := s.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make([]any, b.NumCols())
			for col := range row {
				row[col] = arrowjson.Value(b.Schema().Field(col), b.Column(col), i)
			}
			rows = append(rows, row)
		}
	}
	return rows, s.Err()
}
