package postgres

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/growth"
	"github.com/agnes-data/da/statement"
)

// Select is a statement that has been proven to be one SELECT. It is used once.
type Select struct {
	// Tables are the names that the statement reads and does not define itself,
	// each once. All match api.NamePattern.
	Tables []string
	// Reads are the column names, in lower case, that the statement may read of
	// its tables; there may be too many but never too few. Whole says that it may
	// read any column.
	Reads []string
	Whole bool
	// Dotted are the names that follow a dot. If such a name is not a column, the
	// engine calls the function or casts to the type of that name, and anybody may own
	// it. The value says that the engine's own function of that name is allowed.
	// Only the database knows what the name means, so the caller has to ask it.
	Dotted map[string]bool
	// Ordered says that the order of the rows is part of the answer.
	Ordered bool

	tree *pg.ParseResult
	walk *walker

	written string        // by Rewrite
	places  map[int]place // original positions in bytes, by position in the rewritten statement
}

// Check parses a statement and proves it. If that fails, the error is
// CodeStatement with a Kind of package statement.
func Check(sql string) (*Select, error) {
	if err := checkText(sql); err != nil {
		return nil, err
	}
	tree, err := pg.Parse(sql)
	if err != nil {
		return nil, syntax(sql, err)
	}
	switch {
	case len(tree.Stmts) == 0:
		return nil, statement.Refuse(api.KindEmpty, "the statement is empty", "")
	case len(tree.Stmts) > 1:
		return nil, statement.Refuse(api.KindMultiStatement, "there is more than one statement",
			"Send one statement at a time, without a semicolon inside.")
	}
	top := tree.Stmts[0].Stmt.GetSelectStmt()
	if top == nil {
		return nil, statement.Refuse(api.KindNotSelect, "the statement is not a SELECT",
			"Write one statement that begins with SELECT, WITH, VALUES or TABLE.")
	}
	first := top
	for first.Larg != nil { // of UNION and the like
		first = first.Larg
	}
	if len(first.TargetList) == 0 && len(first.ValuesLists) == 0 {
		return nil, statement.Refuse(api.KindUnsupported, "the statement has no columns", "Name some after SELECT.")
	}
	w := &walker{sql: sql, tables: map[string]bool{}, aliases: map[string]bool{}, defined: map[string]bool{}}
	if err := w.message(tree.Stmts[0].ProtoReflect(), nil, 0); err != nil {
		return nil, err
	}
	if w.nullCompared != nil && !w.nullTested {
		return nil, w.nullCompared
	}
	m := &meter{Meter: statement.Meter{SQL: sql, At: -1, Way: "fetch", MaxSteps: maxSteps}}
	if m.query(top, growth.Place{With: map[string]*growth.Relation{}}); m.First != nil {
		return nil, m.First
	}
	s := &Select{Tables: w.order, Reads: w.columns, Whole: w.whole, Dotted: map[string]bool{}, Ordered: len(top.SortClause) > 0 ||
		top.LimitCount != nil || top.LimitOffset != nil, tree: tree, walk: w}
	for _, a := range w.attributes {
		_, called := functions()[a.name]
		s.Dotted[a.name] = called || castTypes.Has(a.name)
		s.Whole = s.Whole || ofRows.Has(a.name) && w.aliases[lower(a.of)]
	}
	for a := range w.aliases {
		// A table name used as a column means the table's whole row.
		s.Whole = s.Whole || w.last[a]
	}
	return s, nil
}

// checkText rejects texts that must not reach the parser.
func checkText(sql string) error {
	switch {
	case len(sql) > MaxBytes:
		return statement.Refuse(api.KindTooLong, "the statement is longer than 128 KiB",
			"Fetch the rows, and put long lists of values into a file to join with.")
	case !utf8.ValidString(sql):
		return statement.Refuse(api.KindBadText, "the statement is not UTF-8", "")
	case strings.IndexByte(sql, 0) >= 0:
		return statement.Refuse(api.KindBadText, "the statement holds a NUL character", "")
	}
	// Count the contents of quotes, too, so that nothing can hide in them.
	signs, names, inside := 0, 0, false
	for i := range len(sql) {
		c := sql[i]
		word := c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if word && !inside && (c < '0' || c > '9') {
			names++
		}
		inside = word
		if !word && !strings.ContainsRune(" \t\r\n\v\f,'\".;", rune(c)) {
			signs++
		}
	}
	if signs > maxSigns || names > maxWords {
		return statement.Refuse(api.KindTooDeep, fmt.Sprintf("the statement has more than %d operators or %d words", maxSigns, maxWords),
			"Fetch the rows, and put long lists of values into a file to join with.")
	}
	return nil
}

func syntax(sql string, err error) error {
	var e *parser.Error
	if !errors.As(err, &e) {
		return statement.Refuse(api.KindTooDeep, "the statement is nested too deeply", "")
	}
	at := -1
	if e.Cursorpos > 0 { // in characters, from 1
		at = offset(sql, e.Cursorpos-1)
	}
	return statement.RefuseAt(sql, at, api.KindSyntaxError, api.Clip(e.Message, 200), "")
}

// offset returns the byte offset of the n-th character.
func offset(sql string, n int) int {
	for i := range sql {
		if n == 0 {
			return i
		}
		n--
	}
	return len(sql)
}
