package statement

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Within puts the views that a checked statement reads in front of it, as a WITH
// clause, and proves the whole, so that the limits apply with each name replaced
// by its definition. A statement that reads no views is returned unchanged.
// Positions refer to the original statement.
func (s *Steps) Within(ctx context.Context, conn *duckdb.Conn, sel *Select) (*Select, error) {
	return within(ctx, conn, sel, s.uses(sel.Tables, false))
}

// Opened is Within for steps with stored rows, too: it says what those rows were made of,
// unless a step that they were made of has been replaced since.
func (s *Steps) Opened(ctx context.Context, conn *duckdb.Conn, sel *Select) (*Select, error) {
	return within(ctx, conn, sel, s.uses(sel.Tables, true))
}

func within(ctx context.Context, conn *duckdb.Conn, sel *Select, used []step) (*Select, error) {
	if len(used) == 0 {
		return sel, nil
	}
	var parts []string
	for _, v := range used {
		parts = append(parts, duckdb.Quote(v.name)+" AS ("+v.query.SQL+"\n)")
	}
	before := "WITH " + strings.Join(parts, ", ") + " ("
	if first := (&reader{text: sel.SQL}); first.word() == "WITH" {
		before = strings.TrimSuffix(before, "(") + "FROM (" // the engine's parser takes no WITH right behind another
	}
	whole := before + sel.SQL + "\n)"
	tree, err := serialize(ctx, conn, whole)
	if err != nil {
		return nil, err
	}
	out, err := (&walker{sql: whole, at: -1, results: true}).judge(tree)
	if err != nil {
		return nil, err
	}
	shift := utf8.RuneCountInString(before)
	out.written, out.added = sel.written, nil
	for i := range shift {
		out.added = append(out.added, i)
	}
	for _, at := range sel.added {
		out.added = append(out.added, at+shift)
	}
	out.Kind, out.Ordered = sel.Kind, sel.Ordered
	return out, nil
}

// Readers returns a checked statement and the views that it reads, directly or
// through others: each reads its own tables and columns.
func (s *Steps) Readers(sel *Select) []*Select {
	readers := []*Select{sel}
	for _, v := range s.uses(sel.Tables, false) {
		readers = append(readers, v.query)
	}
	return readers
}

// uses are the views that names lead to, or also the stored steps, in the order of their
// definitions.
func (s *Steps) uses(names []string, stored bool) []step {
	var used []step
	wanted := slices.Clone(names)
	for i := len(s.steps) - 1; i >= 0; i-- { // one reads only those before it
		if v := s.steps[i]; slices.Contains(wanted, v.name) && (stored || !v.stored) {
			wanted = append(wanted, v.query.Tables...)
			used = append(used, v)
		}
	}
	slices.Reverse(used)
	return used
}
