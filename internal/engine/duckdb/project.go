package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type string // as the engine prints it
}

// Describe returns the columns of a SELECT without running it.
func (c *Conn) Describe(ctx context.Context, sql string) ([]Column, error) {
	asked := "DESCRIBE " + sql
	s, err := c.Query(ctx, asked)
	if err != nil {
		return nil, Within(asked, sql, err)
	}
	defer s.Release()
	if s.Schema().Field(0).Name != "column_name" { // of nothing, the engine describes the tables
		return nil, &Error{Type: "Parser", Message: "a SELECT is expected", Position: -1}
	}
	var cols []Column
	for s.Next() {
		b := s.RecordBatch()
		for i := range int(b.NumRows()) {
			cols = append(cols, Column{Name: b.Column(0).ValueStr(i), Type: b.Column(1).ValueStr(i)})
		}
	}
	return cols, s.Err()
}

// Projected says how a column is selected so that its values pass through Arrow
// and parquet unchanged. docs/types.md lists all types.
type Projected struct {
	// Expr is the select item: the column, or a cast of it under its name.
	Expr string
	// Type is the type that the column then has, also when queried again.
	Type string
	// Warning says what the cast loses, as a sentence without a full stop; empty
	// if nothing is lost.
	Warning string
}

// Project returns the select items that transport cols without loss, one for
// each. A type that parquet does not have becomes another that can represent all
// its values, or the engine's text of them. If a value still does not fit, the
// engine fails the cast when the statement runs.
func Project(cols []Column) ([]Projected, error) {
	out := make([]Projected, len(cols))
	for i, col := range cols {
		t, err := parseType(col.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", Quote(col.Name), err)
		}
		var c carrier
		name := Quote(col.Name)
		out[i] = Projected{Expr: name, Type: col.Type}
		if to := c.carryAll(t); c.cast {
			out[i].Type = to
			out[i].Expr = fmt.Sprintf("CAST(%s AS %s) AS %s", name, to, name)
			if t.name == "VARIANT" { // its cast would turn NULL into the null of JSON
				out[i].Expr = fmt.Sprintf("CASE WHEN %[1]s IS NOT NULL THEN CAST(%[1]s AS %[2]s) END AS %[1]s", name, to)
			}
		}
		if len(c.warnings) > 0 {
			out[i].Warning = fmt.Sprintf("column %s: %s", name, strings.Join(c.warnings, "; "))
		}
	}
	return out, nil
}

// carrier collects what happens to one column.
type carrier struct {
	cast     bool
	warnings []string
}

func (c *carrier) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(c.warnings, w) {
		c.warnings = append(c.warnings, w)
	}
}

// exactTypes come back as they were.
var exactTypes = map[string]bool{
	"BOOLEAN": true, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true,
	"UTINYINT": true, "USMALLINT": true, "UINTEGER": true, "UBIGINT": true,
	"FLOAT": true, "DOUBLE": true, "DECIMAL": true, "VARCHAR": true, "BLOB": true, "JSON": true, "UUID": true,
	"DATE": true, "TIME": true, "TIMESTAMP": true, "TIMESTAMP_NS": true, "TIMESTAMP WITH TIME ZONE": true,
}

// castTypes can represent all values of another type, or fail for values that
// they cannot.
var castTypes = map[string]string{
	"HUGEINT": "DECIMAL(38,0)", "UHUGEINT": "DECIMAL(38,0)",
	"TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP",
	"NULL": "INTEGER", // the engine's own choice for tables
}

// textTypes do not exist in Arrow or parquet, or would be changed by them.
var textTypes = map[string]string{
	"INTERVAL":            "parquet cuts it to milliseconds and has no negative ones",
	"TIME WITH TIME ZONE": "parquet drops the zone",
	"TIME_NS":             "the engine writes no such parquet type",
	"BIT":                 "parquet has no such type",
	"BIGNUM":              "parquet has no such type",
	"ENUM":                "the order and the list of its values are lost",
	"GEOMETRY":            "it is WKT, and its coordinate system is lost",
}

// carryAll returns the type that carries a column.
func (c *carrier) carryAll(t typeName) string {
	if t.lists() <= MaxLists {
		return c.carry(t)
	}
	c.cast = true
	c.warn("it becomes JSON: it has more than %d lists within one another", MaxLists)
	return "JSON"
}

// carry returns the type that carries t.
func (c *carrier) carry(t typeName) string {
	switch t.name {
	case "LIST":
		return c.carry(t.fields[0].typ) + "[]"
	case "ARRAY":
		c.cast = true
		c.warn("%s becomes a list: its fixed length is lost", t.text)
		return c.carry(t.fields[0].typ) + "[]"
	case "STRUCT":
		return c.carryStruct(t)
	case "MAP":
		return fmt.Sprintf("MAP(%s, %s)", c.carry(t.fields[0].typ), c.carry(t.fields[1].typ))
	case "UNION":
		c.cast = true
		c.warn("UNION becomes JSON: parquet has no such type")
		return "JSON"
	case "VARIANT":
		c.cast = true
		c.warn("VARIANT becomes JSON: the types of its values are lost, and NULL and the null of JSON are one")
		return "JSON"
	}
	if exactTypes[t.name] {
		return t.text
	}
	c.cast = true
	if to, ok := castTypes[t.name]; ok {
		return to
	}
	why, ok := textTypes[t.name]
	if !ok {
		why = "nothing is known of the type"
	}
	c.warn("%s becomes text: %s", t.name, why)
	return "VARCHAR"
}

func (c *carrier) carryStruct(t typeName) string {
	members := make([]string, len(t.fields))
	for i, f := range t.fields {
		if f.name == "" {
			c.cast = true
			c.warn("a STRUCT without names becomes text")
			return "VARCHAR"
		}
		members[i] = f.name + " " + c.carry(f.typ)
	}
	return "STRUCT(" + strings.Join(members, ", ") + ")"
}
