package duckdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Carry returns a statement with the same result as sql, which must be one
// SELECT, but with casts for columns that would not pass through Arrow and
// parquet unchanged, and warnings about them and of Middles. It returns sql itself if no
// column needs a cast. Duplicate names stay unchanged.
func (c *Conn) Carry(ctx context.Context, sql string) (carried string, warnings []string, err error) {
	return c.carry(ctx, sql, func(string) bool { return true })
}

// illegible matches types whose values Arrow lacks (VARIANT) or has only as bytes
// that nobody can read (GEOMETRY).
var illegible = lazyregexp.New(`\b(VARIANT|GEOMETRY)\b`)

// Legible is Carry for rows that are read at once: it casts just the columns that
// could not be shown.
func (c *Conn) Legible(ctx context.Context, sql string) (legible string, warnings []string, err error) {
	return c.carry(ctx, sql, illegible().MatchString)
}

// carry casts the columns whose types are chosen.
func (c *Conn) carry(ctx context.Context, sql string, chosen func(typ string) bool) (carried string, warnings []string, err error) {
	cols, err := c.Describe(ctx, sql)
	if err != nil {
		return "", nil, err
	}
	numbered := make([]Column, len(cols))
	aliases := namesOf(cols)
	for i, col := range cols {
		if tooDeep(col.Type) {
			return "", nil, &Error{Type: "Invalid Input", Position: -1,
				Message: fmt.Sprintf("the values of column %d are nested too deeply: a result may have %d levels", i+1, maxLevels)}
		}
		numbered[i] = Column{Name: aliases[i], Type: col.Type}
	}
	projected, err := Project(numbered)
	if err != nil {
		return "", nil, err
	}
	if warnings, err = c.Middles(ctx, sql); err != nil {
		return "", nil, err
	}
	items := make([]string, len(cols))
	changed := false
	for i, p := range projected {
		items[i] = Quote(aliases[i])
		if !chosen(cols[i].Type) {
			p = Projected{Type: cols[i].Type}
		}
		if p.Type != cols[i].Type {
			changed = true
			items[i] = fmt.Sprintf("CAST(%s AS %s)", items[i], p.Type)
		}
		items[i] += " AS " + Quote(cols[i].Name)
		if p.Warning != "" {
			warnings = append(warnings, strings.Replace(p.Warning, Quote(aliases[i]), Quote(cols[i].Name), 1))
		}
	}
	if !changed {
		return sql, warnings, nil
	}
	return fmt.Sprintf("SELECT %s FROM (%s) AS result(%s)", strings.Join(items, ", "), sql, quotedList(aliases)), warnings, nil
}

// namesOf are names by which columns can be told apart: their own, which errors of the
// engine then say, or others if those are not unique.
func namesOf(cols []Column) []string {
	names, seen := make([]string, len(cols)), map[string]bool{}
	for i, col := range cols {
		names[i] = col.Name
		seen[strings.ToLower(col.Name)] = true
	}
	if len(seen) < len(cols) || seen[""] {
		for i := range names {
			names[i] = fmt.Sprintf("c%d", i)
		}
	}
	return names
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return strings.Join(quoted, ", ")
}

// maxLevels limits the nesting of columns in a result. Arrow's readers and
// writers have a limit of 64.
const maxLevels = 60

// tooDeep reports whether values of a type are nested beyond maxLevels.
func tooDeep(text string) bool {
	t, err := parseType(text)
	if err != nil { // it may even be too deep to be parsed
		return strings.Count(text, "[") > maxTypeDepth || strings.Count(text, "(") > maxTypeDepth
	}
	return t.levels() > maxLevels
}

// levels counts the types inside one another.
func (t typeName) levels() int {
	most := 0
	for _, f := range t.fields {
		most = max(most, f.typ.levels())
	}
	return most + 1
}
