package statement

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// ResultPattern matches the names of kept results in a statement.
const ResultPattern = `^@r[1-9][0-9]{0,8}$`

var resultName = lazyregexp.New(ResultPattern)

// IsResult reports whether a name in Select.Tables is that of a kept result.
func IsResult(name string) bool { return resultName().MatchString(name) }

// CheckWithResults is Check for a caller with kept results: a statement can use
// names such as @r1 wherever a table name is allowed, and Tables lists them.
// Their columns can be qualified, as in @r1.delay. For the engine the name is
// "@r1", in quotes, which a statement can also write itself. Elsewhere @ is still
// the operator for absolute values.
//
// Positions in errors refer to sql. For later errors, Select.Locate converts the
// engine's positions.
func CheckWithResults(ctx context.Context, conn *duckdb.Conn, sql string) (*Select, error) {
	if err := checkText(sql); err != nil {
		return nil, err
	}
	quoted, added := quoteResults(trim(sql))
	if added == nil {
		quoted = sql // nothing was changed
	}
	tree, err := serialize(ctx, conn, quoted)
	if err != nil {
		return nil, err
	}
	w := &walker{sql: quoted, at: -1, results: true}
	sel, err := w.judge(tree)
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) {
			relocate(e.Details, trim(sql), added)
		}
		return nil, err
	}
	shift := len(sel.added)
	for i := range added {
		added[i] += shift
	}
	sel.written, sel.added = trim(sql), append(sel.added, added...)
	return sel, nil
}

// Locate adds to the details of an engine's error the position in the checked
// text that corresponds to a byte offset of SQL: position, line and column, all
// from 1. It does nothing if the offset is unknown.
func (s *Select) Locate(details map[string]any, offset int) {
	if offset < 0 || offset > len(s.SQL) {
		return
	}
	Locate(details, s.SQL, offset)
	relocate(details, s.written, s.added)
}

// relocate counts out the characters that were added before a place.
func relocate(details map[string]any, written string, added []int) {
	position, ok := details["position"].(int)
	if !ok || len(added) == 0 {
		return
	}
	before := 0
	for _, at := range added {
		if at < position-1 {
			before++
		}
	}
	Locate(details, written, runeOffset(written, position-1-before))
}

// quoteResults quotes the names of results, and returns where it added
// characters, as the number of characters before each in the new text.
func quoteResults(sql string) (quoted string, added []int) {
	tokens := scan(sql)
	tables := map[string]bool{}
	for _, t := range tokens {
		if t.result && t.table {
			tables[strings.ToLower(t.text)] = true
		}
	}
	if len(tables) == 0 {
		return sql, nil
	}
	var b strings.Builder
	from, runes := 0, 0
	copyTo := func(end int) {
		b.WriteString(sql[from:end])
		runes += utf8.RuneCountInString(sql[from:end])
		from = end
	}
	quote := func() {
		b.WriteByte('"')
		added = append(added, runes)
		runes++
	}
	for _, t := range tokens {
		if !t.result || !t.table && !(t.dotted && tables[strings.ToLower(t.text)]) {
			continue
		}
		copyTo(t.at)
		quote()
		copyTo(t.at + len(t.text))
		quote()
	}
	copyTo(len(sql))
	return b.String(), added
}
