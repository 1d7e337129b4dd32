// Package needs finds which columns and rows of each table would be enough to
// answer a statement, by what the engine's optimizer pushes down to the scans of
// empty tables. Whatever it cannot read it leaves out: then more rows are needed
// than would be, never fewer, and the statement filters again when it runs.
package needs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/predicate"
)

// Table is one that is not here.
type Table struct {
	ID      string
	Dialect predicate.Dialect
	// Engine is the language that predicates are printed in for the table's
	// engine, if it is another than Dialect; else empty.
	Engine  predicate.Dialect
	Columns []api.Column
}

// Need is what a statement reads of a table.
type Need struct {
	TableID string
	// Scanned says that the statement reads rows at all: one with conditions that
	// exclude each other does not.
	Scanned bool
	Columns []string // in table order
	Where   string   // in the table's dialect; empty: all rows
	// Local are conditions that only this machine checks, each with the reason.
	Local []string
}

// disabled are optimizers that would read from the emptiness of the tables, or
// hide what is wanted of them.
const disabled = "statistics_propagation,empty_result_pullup,compressed_materialization,late_materialization,join_filter_pushdown,common_subplan,in_clause"

// Make creates the tables, empty, in an engine of its own for this.
func Make(ctx context.Context, conn *duckdb.Conn, tables []Table) error {
	for _, t := range tables {
		typed, err := predicate.NewSchema(t.Dialect, t.Columns)
		if err != nil {
			return err
		}
		var columns []string
		for _, f := range typed.Columns() {
			columns = append(columns, duckdb.Quote(f.Name)+" "+LocalType(f.Type))
		}
		if err := conn.Exec(ctx, "CREATE TABLE "+duckdb.Quote(t.ID)+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return err
		}
	}
	return conn.Exec(ctx, "SET disabled_optimizers = "+duckdb.Literal(disabled))
}

// Find tells what a proven statement needs of the tables, in their order. An error
// of the engine is one of the statement.
func Find(ctx context.Context, conn *duckdb.Conn, sql string, tables []Table) ([]Need, error) {
	roots, err := explain(ctx, conn, sql)
	if err != nil {
		return nil, err
	}
	if err := known(roots, tables); err != nil {
		return nil, err
	}
	needs := make([]Need, len(tables))
	for i, t := range tables {
		c, err := collect(t, roots)
		if err != nil {
			return nil, err
		}
		needs[i] = c.need()
	}
	return needs, nil
}

// explain returns the engine's plan of a statement.
func explain(ctx context.Context, conn *duckdb.Conn, sql string) ([]node, error) {
	var kind, text string
	if err := conn.QueryRow(ctx, "EXPLAIN (FORMAT json) "+sql, nil, &kind, &text); err != nil {
		return nil, err
	}
	var roots []node
	if err := json.Unmarshal([]byte(text), &roots); err != nil {
		return nil, fmt.Errorf("read the engine's plan: %w", err)
	}
	return roots, nil
}

// MostRows is how many rows a proven statement gives at most, whatever the tables
// have; not ok if that cannot be told.
func MostRows(ctx context.Context, conn *duckdb.Conn, sql string) (rows int64, ok bool, err error) {
	roots, err := explain(ctx, conn, sql)
	for err == nil && len(roots) == 1 {
		switch n := roots[0]; n.Name {
		case "PROJECTION", "FILTER", "ORDER_BY": // no more than come in
			roots = n.Children
			continue
		case "UNGROUPED_AGGREGATE":
			return 1, true, nil
		case "TOP_N":
			rows, err = strconv.ParseInt(strings.Join(n.texts("Top"), ""), 10, 64)
			return rows, err == nil, nil
		}
		break
	}
	return 0, false, err
}

// node is one of the engine's plan.
type node struct {
	Name     string                     `json:"name"`
	Children []node                     `json:"children"`
	Info     map[string]json.RawMessage `json:"extra_info"`
}

// texts is a text of a node, or a list of them.
func (n *node) texts(key string) []string {
	var list []string
	if json.Unmarshal(n.Info[key], &list) == nil {
		return list
	}
	var one string
	if json.Unmarshal(n.Info[key], &one) == nil && one != "" {
		return []string{one}
	}
	return nil
}

// table is the table that a node scans; empty: none.
func (n *node) table() string {
	name := strings.Join(n.texts("Table"), "")
	if quoted, ok := strings.CutSuffix(name, `"`); ok { // a keyword, say
		return quoted[strings.LastIndexByte(quoted, '"')+1:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// known is an error if a plan reads a table that is not among these: what it needs of it
// must not be taken for nothing.
func known(nodes []node, tables []Table) error {
	for i := range nodes {
		n := &nodes[i]
		if name := n.table(); name != "" && !slices.ContainsFunc(tables, func(t Table) bool { return t.ID == name }) {
			return fmt.Errorf("the engine's plan reads %q", name)
		}
		if err := known(n.Children, tables); err != nil {
			return err
		}
	}
	return nil
}

// collector gathers the scans of one table.
type collector struct {
	Table
	typed   *predicate.Schema // as the local engine sees the columns
	scans   int
	columns map[string]bool
	wheres  []predicate.Expr // of each scan; nil: all rows
	local   []string
}

func collect(t Table, roots []node) (*collector, error) {
	c, err := newCollector(t)
	if err != nil {
		return nil, err
	}
	for i := range roots {
		c.walk(&roots[i], nil)
	}
	return c, nil
}

func newCollector(t Table) (*collector, error) {
	c := &collector{Table: t, columns: map[string]bool{}}
	there, err := predicate.NewSchema(t.Dialect, t.Columns)
	if err != nil {
		return nil, err
	}
	here := make([]api.Column, 0, len(t.Columns))
	for _, f := range there.Columns() {
		here = append(here, api.Column{Name: f.Name, Type: LocalType(f.Type)})
	}
	c.typed, err = predicate.NewSchema(predicate.DuckDB, here)
	return c, err
}

// walk looks for scans; filters are those of the nodes directly above.
func (c *collector) walk(n *node, filters []string) {
	if n.Name == "FILTER" {
		filters = append(slices.Clone(filters), n.texts("Expression")...)
	} else if n.table() != c.ID {
		filters = nil
	}
	if n.table() == c.ID {
		c.scan(n, append(slices.Clone(filters), n.texts("Filters")...))
	}
	for i := range n.Children {
		c.walk(&n.Children[i], filters)
	}
}

// scan notes the columns and conditions of one scan.
func (c *collector) scan(n *node, filters []string) {
	c.scans++
	for _, name := range n.texts("Projections") {
		if hasField(c.typed, name) {
			c.columns[name] = true
		} else { // a part of a column
			c.mention(name)
		}
	}
	var where predicate.Expr
	for _, text := range filters {
		text = withoutHints(text)
		if text == "" {
			continue
		}
		// The statement evaluates it again, so the columns must be here.
		c.mention(text)
		e, why := c.read(text)
		if why != "" {
			c.keep(text, why)
			continue
		}
		where = predicate.And(where, e)
	}
	c.wheres = append(c.wheres, where)
}

func hasField(s *predicate.Schema, name string) bool {
	return slices.ContainsFunc(s.Columns(), func(f predicate.Field) bool { return f.Name == name })
}

// mention adds the columns whose names a text contains: perhaps too many.
func (c *collector) mention(text string) {
	lower := strings.ToLower(text)
	for _, col := range c.Columns {
		if strings.Contains(lower, strings.ToLower(col.Name)) {
			c.columns[col.Name] = true
		}
	}
}

func (c *collector) keep(text, why string) {
	text = api.Clip(text, longestText) + ": " + why
	if !slices.Contains(c.local, text) {
		c.local = append(c.local, text)
	}
}

// longestText is how much of a condition is repeated, in characters.
const longestText = 120

// need puts the scans together: each row that any of them wants.
func (c *collector) need() Need {
	n := Need{TableID: c.ID, Scanned: c.scans > 0, Local: c.local}
	var terms []predicate.Expr
	seen := map[string]bool{}
	for _, w := range c.wheres {
		if w == nil {
			terms = nil
			break
		}
		if key := predicate.Normalize(w); !seen[key] {
			seen[key] = true
			terms = append(terms, w)
		}
	}
	switch len(terms) {
	case 0:
	case 1:
		n.Where = c.print(terms[0])
	default:
		n.Where = c.print(&predicate.Logic{Op: predicate.OpOr, Terms: terms})
	}
	for _, col := range c.Columns {
		if c.columns[col.Name] {
			n.Columns = append(n.Columns, col.Name)
		}
	}
	if len(n.Columns) == 0 && n.Scanned {
		n.Columns = []string{c.narrowest()}
	}
	return n
}

// narrowest is a column for a statement that only counts rows.
func (c *collector) narrowest() string {
	for _, f := range c.typed.Columns() {
		switch f.Type.Kind {
		case predicate.KindBool, predicate.KindInt, predicate.KindDate:
			return f.Name
		}
	}
	return c.Columns[0].Name
}

// print writes a condition that was found to be printable, term by term.
func (c *collector) print(e predicate.Expr) string {
	text, err := predicate.Print(c.Dialect, predicate.Canonical(e), predicate.Env{})
	if err != nil {
		c.keep("a condition", "it cannot be written for the source")
		return ""
	}
	return text
}
