// Package needs determines which columns and rows of each table are enough to
// answer a statement. It uses what the engine's optimizer pushes down to scans of
// empty tables. It drops any condition that it cannot read. Then more rows are
// fetched than necessary, but never too few, and the statement filters again when
// it runs.
package needs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// Table is a table that is not here.
type Table struct {
	ID      string
	Dialect predicate.Dialect
	// Engine is the dialect that predicates are printed in for the table's
	// engine, if it differs from Dialect; otherwise empty.
	Engine  predicate.Dialect
	Columns []api.Column
}

// Need is what a statement reads of a table.
type Need struct {
	TableID string
	// Scanned says that the statement reads rows at all. A statement with
	// contradictory conditions does not.
	Scanned bool
	Columns []string // in table order
	Where   string   // in the table's dialect; empty: all rows
	// Local lists the conditions that only this machine can check, each with the
	// reason.
	Local []string
}

// disabled lists optimizers that would exploit that the tables are empty, hide what
// a statement needs of them, or take long and not matter: the order of joins does
// not change what is pushed down.
const disabled = "statistics_propagation,empty_result_pullup,compressed_materialization,late_materialization,join_filter_pushdown,common_subplan,in_clause,join_order"

// Make creates the empty tables in an engine used for nothing else.
func Make(ctx context.Context, conn *duckdb.Conn, tables []Table) error {
	for _, t := range tables {
		typed, err := predicate.NewSchema(t.Dialect, t.Columns)
		if err != nil {
			return err
		}
		var names, columns []string
		for _, f := range typed.Columns() {
			names = append(names, f.Name)
			columns = append(columns, duckdb.Quote(f.Name)+" "+LocalType(f.Type))
		}
		if err := duckdb.CheckNames(names); err != nil {
			return err
		}
		if err := conn.Exec(ctx, "CREATE TABLE "+duckdb.Quote(t.ID)+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}

// Configure prepares an engine for Find and MostRows of a statement that needs some
// settings. These must not enable the optimizers again that Find cannot use.
func Configure(ctx context.Context, conn *duckdb.Conn, settings map[string]string) error {
	all := map[string]string{}
	maps.Copy(all, settings)
	all["disabled_optimizers"] = strings.TrimSuffix(disabled+","+settings["disabled_optimizers"], ",")
	return conn.Configure(ctx, all)
}

// Find returns what a proven statement needs of each table, in their order. An
// engine's error is about the statement.
func Find(ctx context.Context, conn *duckdb.Conn, sql string, tables []Table) ([]Need, error) {
	roots, err := explain(ctx, conn, sql)
	if err != nil {
		return nil, err
	}
	if err := checkListed(roots, tables); err != nil {
		return nil, err
	}
	given, err := renamedIn(ctx, conn, sql)
	if err != nil {
		return nil, err
	}
	needs := make([]Need, len(tables))
	for i, t := range tables {
		c, err := collect(t, roots, given)
		if err != nil {
			return nil, err
		}
		if err := misfits(ctx, conn, sql, c.filters); err != nil {
			return nil, err
		}
		needs[i] = c.need()
	}
	return needs, nil
}

// constantCast is a cast of a constant that is left in the engine's plan.
var constantCast = lazyregexp.New(`\bCAST\(('(?:[^']|'')*') AS [A-Z][A-Z_ 0-9]*(\(\d+(, ?\d+)?\))?\)`)

// misfits finds a constant of conditions that has not the type that it is compared
// with: the statement would fail at the first row, after all were fetched.
func misfits(ctx context.Context, conn *duckdb.Conn, sql string, conditions []string) error {
	for _, text := range conditions {
		if strings.Contains(text, "CASE") || strings.Contains(text, "COALESCE") { // perhaps never cast
			continue
		}
		for _, m := range constantCast().FindAllStringSubmatch(text, -1) {
			err := conn.Exec(ctx, "SELECT "+m[0])
			var said *duckdb.Error
			if errors.As(err, &said) {
				at := *said
				at.Position = strings.Index(sql, m[1])
				return &at
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// explain returns the engine's plan of a statement.
func explain(ctx context.Context, conn *duckdb.Conn, sql string) ([]node, error) {
	var kind, text, off string
	if strings.Contains(strings.ToUpper(sql), "ASOF") { // without join_order, the engine crashes when it plans ASOF as a loop
		if err := conn.QueryRow(ctx, "SELECT current_setting('disabled_optimizers')", nil, &off); err != nil {
			return nil, err
		}
		names := slices.DeleteFunc(strings.Split(off, ","), func(name string) bool { return name == "join_order" })
		if err := conn.Configure(ctx, map[string]string{"disabled_optimizers": strings.Join(names, ",")}); err != nil {
			return nil, err
		}
	}
	asked := "EXPLAIN (FORMAT json) " + sql
	if err := conn.QueryRow(ctx, asked, nil, &kind, &text); err != nil {
		return nil, duckdb.Within(asked, sql, err)
	}
	var roots []node
	if err := json.Unmarshal([]byte(text), &roots); err != nil {
		return nil, fmt.Errorf("read the engine's plan: %w", err)
	}
	return roots, nil
}

// MostRows returns an upper bound on the rows of a statement's result, whatever
// the tables contain; ok is false if there is no bound.
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

// node is a node of the engine's plan.
type node struct {
	Name     string                     `json:"name"`
	Children []node                     `json:"children"`
	Info     map[string]json.RawMessage `json:"extra_info"`
}

// texts returns an entry of a node that is a string or a list of strings.
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

// table returns the table that a node scans, or "".
func (n *node) table() string {
	name := strings.Join(n.texts("Table"), "")
	if quoted, ok := strings.CutSuffix(name, `"`); ok { // a keyword, say
		return quoted[strings.LastIndexByte(quoted, '"')+1:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// checkListed fails if a plan reads a table that is not in the list. Otherwise a table
// could be taken as not needed at all.
func checkListed(nodes []node, tables []Table) error {
	for i := range nodes {
		n := &nodes[i]
		if name := n.table(); name != "" && !slices.ContainsFunc(tables, func(t Table) bool { return t.ID == name }) {
			return fmt.Errorf("the engine's plan reads %q", name)
		}
		if err := checkListed(n.Children, tables); err != nil {
			return err
		}
	}
	return nil
}

// collector gathers the scans of one table.
type collector struct {
	Table
	typed   *predicate.Schema // with the types of the local engine
	scans   int
	columns map[string]bool
	wheres  []predicate.Expr // of each scan; nil: all rows
	local   []string
	filters []string // conditions
	given   renamed
}

func collect(t Table, roots []node, given renamed) (*collector, error) {
	c, err := newCollector(t)
	if err != nil {
		return nil, err
	}
	c.given = given
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

// walk searches for scans; filters are those of the nodes directly above.
func (c *collector) walk(n *node, filters []string) {
	if n.Name == "FILTER" {
		filters = append(slices.Clone(filters), n.texts("Expression")...)
	} else if n.table() != c.ID {
		filters = nil
	}
	if n.table() == c.ID {
		c.scan(n, filters, n.texts("Filters"))
	}
	for i := range n.Children {
		c.walk(&n.Children[i], filters)
	}
}

// scan records the columns and conditions of one scan: those above it, and its own, which
// have the table's names.
func (c *collector) scan(n *node, above, own []string) {
	c.scans++
	read, given := n.texts("Projections"), c.given
	for _, name := range read {
		if hasField(c.typed, name) {
			c.columns[name] = true
		} else { // a field of a column, which conditions above call by its own name
			given.all = true
			c.mention(name)
		}
	}
	var where predicate.Expr
	for i, text := range slices.Concat(above, own) {
		text = withoutHints(text)
		if text == "" {
			continue
		}
		// The statement evaluates the condition again, so its columns must be
		// here.
		c.mention(text)
		c.filters = append(c.filters, text)
		e, why := c.read(text)
		if why == "" && i < len(above) && given.of(e, read) {
			why = "a name in it may be of another column"
		}
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

// mention adds the columns whose names occur in a text as whole words; it may add
// too many.
func (c *collector) mention(text string) {
	lower := strings.ToLower(text)
	for _, col := range c.Columns {
		if shown(lower, strings.ToLower(col.Name)) {
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

// longestText is the length at which a quoted condition is cut, in characters.
const longestText = 120

// need combines the scans: every row that any of them needs.
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

// narrowest returns a column to fetch for a statement that only counts rows.
func (c *collector) narrowest() string {
	for _, f := range c.typed.Columns() {
		switch f.Type.Kind {
		case predicate.KindBool, predicate.KindInt, predicate.KindDate:
			return f.Name
		}
	}
	return c.Columns[0].Name
}

// print writes a condition that is known to be printable, term by term.
func (c *collector) print(e predicate.Expr) string {
	text, err := print.SQL(c.Dialect, predicate.Canonical(e), predicate.Env{})
	if err != nil {
		c.keep("a condition", "it cannot be written for the source")
		return ""
	}
	return text
}
