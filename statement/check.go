package statement

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Limits on a statement. They apply before and after the parser, whose memory
// grows with its input, and before the engine's planner, which can be neither
// interrupted nor limited in memory: its time grows with the cube of the depth
// and doubles with each nested subquery.
const (
	MaxBytes      = 1 << 20  // of the text
	maxTree       = 16 << 20 // bytes of the parsed tree as JSON
	maxDepth      = 250      // nested nodes
	maxSubqueries = 16       // subqueries in expressions inside one another
	maxRelations  = 2000     // queries and tables in all
)

// Kind says what a checked statement returns.
type Kind string

// The kinds of statement.
const (
	KindSelect    Kind = "select"
	KindDescribe  Kind = "describe"  // the columns of a table or query
	KindSummarize Kind = "summarize" // statistics of each column
)

// Select is a statement that has been proven to be one SELECT.
type Select struct {
	// SQL is the statement to run: the checked text, without semicolons and space
	// at its ends. It is a SELECT; a DESCRIBE or SUMMARIZE becomes a subquery of
	// one.
	SQL string
	// Tables are the names that the statement reads and does not define itself,
	// in lower case, without duplicates, in order of first mention. All match
	// api.NamePattern, or ResultPattern if that was allowed. The caller must
	// provide them or reject the statement.
	Tables []string
	// Columns are the names of columns and fields as written, without qualifiers
	// and duplicates. Star says that the statement also selects all columns of
	// something. They are hints for what to fetch and prove nothing.
	Columns []string
	Star    bool
	Kind    Kind
	// Reads are the column names, in lower case, that the statement may read of
	// its tables: every part of every column reference, so there may be too many
	// but never too few. Whole says that it may read any column.
	Reads []string
	Whole bool
	// Calls are the functions called in expressions, in lower case.
	Calls []string
	// Backtracks says that a text is matched with a pattern, as by LIKE, in a way
	// that may take unlimited time and cannot be interrupted.
	Backtracks bool
	// Grows is the error for a statement that builds texts or lists without a
	// small upper bound; nil if it does not. The engine's memory limit does not
	// cover them.
	Grows error
	// Settings must be set in the engine before it plans the statement; usually
	// empty.
	Settings map[string]string
	// Ordered says that the order of the rows is part of the answer: the
	// statement ends in ORDER BY or LIMIT.
	Ordered bool

	written string // the checked text, and where SQL has additional characters
	added   []int
}

// Engine is where a text is parsed: a *duckdb.Conn, or for the texts of others a
// worker.Parser.
type Engine interface {
	// QueryRow runs a query of one row, as a *duckdb.Conn does.
	QueryRow(ctx context.Context, sql string, args []any, dest ...any) error
}

// Check parses sql on an engine and proves it. If that fails, the error is
// CodeStatement; its Kind is one of the constants below, and its Details have the
// position (position, line, column; all from 1, in characters). Any other error
// is the engine's or the context's.
func Check(ctx context.Context, engine Engine, sql string) (*Select, error) {
	if err := checkText(sql); err != nil {
		return nil, err
	}
	tree, err := serialize(ctx, engine, sql)
	if err != nil {
		return nil, err
	}
	return judge(sql, tree)
}

// checkText rejects texts that must not reach the parser.
func checkText(sql string) error {
	switch {
	case len(sql) > MaxBytes:
		return Refuse(api.KindTooLong, "the statement is longer than 1 MiB",
			"Put long lists of values into a file and join with it.")
	case !utf8.ValidString(sql):
		return Refuse(api.KindBadText, "the statement is not UTF-8", "")
	case strings.IndexByte(sql, 0) >= 0:
		// The engine would stop reading here, and run less than was checked.
		return Refuse(api.KindBadText, "the statement holds a NUL character", "")
	}
	if err := checkSigns(sql); err != nil {
		return err
	}
	return checkLinks(sql)
}

// maxLinks is how many words of a text can join conditions or queries.
const maxLinks = 2 * maxChain

var link = lazyregexp.New(`(?i)\b(?:and|or|union)\b`)

// checkLinks rejects texts of chains that are far too long: the parser's time grows
// with the square of a chain's length, two seconds for maxLinks and half a minute for
// those that a statement has room for. Words in quotes count, too: prose has fewer.
func checkLinks(sql string) error {
	if len(sql) < len(" or")*maxLinks {
		return nil
	}
	if found := link().FindAllStringIndex(sql, maxLinks+1); len(found) > maxLinks {
		return RefuseAt(sql, found[maxLinks][0], api.KindTooLong, fmt.Sprintf("more than %d conditions or queries are joined here", maxLinks),
			chainHint)
	}
	return nil
}

// maxSignSteps bounds what the signs of a statement cost the engine's lexer: half
// a second, or so.
const maxSignSteps = 100_000_000

// checkSigns rejects texts whose lexing takes time out of proportion to their
// length, in which it cannot be interrupted. At each sign, lexers like
// PostgreSQL's read all the signs that follow one another, also where a comment
// begins, and for + they go through them once more for each. It looks at texts in
// quotes, too, so that nothing depends on where these begin and end.
func checkSigns(sql string) error {
	steps, begin := 0, 0
	for i := 0; i <= len(sql); i++ {
		if i < len(sql) && strings.IndexByte("~!@#^&|`?+-*/%<>=", sql[i]) >= 0 {
			continue
		}
		run := sql[begin:i]
		if steps += len(run) * (strings.Count(run, "/*") + strings.Count(run, "+")*len(run)); steps > maxSignSteps {
			return RefuseAt(sql, begin, api.KindTooLong, "too many signs follow one another here",
				"Put spaces between them, and write one comment in place of many.")
		}
		begin = i + 1
	}
	return nil
}

// Refuse returns the error for a rejected statement. kind is one of the constants
// above.
func Refuse(kind, message, hint string, next ...api.Step) *api.Error {
	return &api.Error{Code: api.CodeStatement, Kind: kind, Message: message, Hint: hint, Next: next, Details: map[string]any{}}
}

// RefuseAt is Refuse with the place in the statement.
func RefuseAt(sql string, offset int, kind, message, hint string, next ...api.Step) *api.Error {
	e := Refuse(kind, message, hint, next...)
	Locate(e.Details, sql, offset)
	return e
}

// Locate adds the position of a byte offset in sql to the details of an error
// (position, line, column; all from 1, in characters). It does nothing if the
// offset is unknown.
func Locate(details map[string]any, sql string, offset int) {
	if offset < 0 || offset > len(sql) {
		return
	}
	details["position"] = utf8.RuneCountInString(sql[:offset]) + 1
	details["line"], details["column"] = lineColumn(sql, offset)
}
