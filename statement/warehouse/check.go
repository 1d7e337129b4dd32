package warehouse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
	"github.com/agnes-data/da/statement"
)

// Caps on a statement.
const (
	MaxBytes = 64 << 10
	maxDepth = 200 // expressions and queries inside one another
)

// Select is a statement that has been proven to be one SELECT.
type Select struct {
	// SQL is the checked text, with spaces in place of comments, and without
	// semicolons and space at its end.
	SQL string
	// Tables are the names that the statement reads and does not define itself,
	// as written, each once.
	Tables []string

	behindDot map[string]bool // names, in lower case
	list      int             // position of the first name in the outermost WITH; 0 if there is no WITH
	recursive bool

	of     *Language
	star   bool
	tokens []syntax.Token
	roles  map[int]role
}

// Check proves a statement of BigQuery. If that fails, the error is CodeStatement with
// a Kind of this package or of package statement.
func Check(sql string) (*Select, error) { return GoogleSQL.Check(sql) }

// Check proves a statement in the language, as the function Check does.
func (l *Language) Check(sql string) (*Select, error) {
	text, tokens, err := l.tokensOf(sql)
	if err != nil {
		return nil, err
	}
	p := &parser{of: l, sql: text, tokens: tokens, behindDot: map[string]bool{}}
	if !l.google {
		p.roles = map[int]role{}
	}
	p.statement()
	tables := p.tables()
	if p.err != nil {
		return nil, p.err
	}
	return &Select{SQL: text, Tables: tables, behindDot: p.behindDot, list: p.list, recursive: p.recursive,
		of: l, star: p.star, tokens: tokens, roles: p.roles}, nil
}

// lexical says how the refusals of the lexer are worded here.
var lexical = map[string]struct{ kind, message, hint string }{
	api.KindMultiStatement: {api.KindMultiStatement, "there is more than one statement",
		"Send one statement at a time, without a semicolon inside."},
	api.KindParameter: {api.KindParameter, "parameters and system variables are not part of a statement",
		"Write the value in its place."},
	api.KindBadLiteral: {kind: api.KindSyntaxError},
}

// tokensOf splits a statement into tokens, and returns it without comments and
// without what follows its end, so that exactly the checked text is run.
func (l *Language) tokensOf(sql string) (string, []syntax.Token, error) {
	switch {
	case len(sql) > MaxBytes:
		return "", nil, statement.Refuse(api.KindTooLong, fmt.Sprintf("the statement is longer than %d KiB", MaxBytes>>10),
			"Fetch the rows, and put long lists of values into a file to join with.")
	case !utf8.ValidString(sql):
		return "", nil, statement.Refuse(api.KindBadText, "the statement is not UTF-8", "")
	case strings.IndexByte(sql, 0) >= 0:
		return "", nil, statement.Refuse(api.KindBadText, "the statement holds a NUL character", "")
	}
	text, err := syntax.Uncommented(l.syntax(), sql)
	var tokens []syntax.Token
	if err == nil {
		text = strings.TrimRight(text, " \t\r\n\f")
		tokens, err = syntax.Tokens(l.syntax(), text)
	}
	var e *api.Error
	if !errors.As(err, &e) {
		return text, tokens, err
	}
	out := *e
	out.Code = api.CodeStatement
	if as, ok := lexical[e.Kind]; ok {
		out.Kind = as.kind
		if as.message != "" {
			out.Message, out.Hint = as.message, as.hint
		}
	}
	return "", nil, &out
}

// Names reports whether the statement writes one of the names, in lower case,
// behind a dot.
func (s *Select) Names(names map[string]bool) bool {
	for name := range s.behindDot {
		if names[name] {
			return true
		}
	}
	return false
}

// Bind defines the statement's tables in front of it. Each table is a query under
// its name, which Bind quotes.
func (s *Select) Bind(tables map[string]string) string {
	var list []string
	for name, as := range tables {
		list = append(list, syntax.GoogleSQL().QuoteIdent(name)+" AS ("+as+")")
	}
	slices.Sort(list)
	if len(list) == 0 {
		return s.SQL
	}
	with := "WITH "
	if s.recursive {
		with += "RECURSIVE "
	}
	if s.list > 0 {
		return with + strings.Join(list, ", ") + ", " + s.SQL[s.list:]
	}
	return with + strings.Join(list, ", ") + " " + s.SQL
}
