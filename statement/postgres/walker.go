package postgres

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/statement"
)

// walker walks a tree. It renames what a statement defines with WITH to names
// that no table has, so that a reference to one cannot be mistaken for a table.
type walker struct {
	sql  string
	at   int // the last known position, in bytes
	ctes int

	tables  map[string]bool
	order   []string
	nodes   []tableNode
	columns []string
	last    map[string]bool // the last parts of columns' names
	aliases map[string]bool // names and aliases of tables and joins
	whole   bool
	// attributes are the names after a dot: if such a name is not a column, the
	// engine takes it for a function. defined are the names that the statement
	// defines.
	attributes []attribute
	defined    map[string]bool
	// nullCompared and nullTested are those of a statement for the engine here.
	nullCompared error
	nullTested   bool
}

var comparisons = wordset.New("= <> != < <= > >=")

func isNull(n *pg.Node) bool { return n.GetAConst().GetIsnull() }

// tableNode is a place where a table is named.
type tableNode struct {
	node *pg.Node
	name string
}

type attribute struct {
	of   string // the qualifier before the dot; empty for a value in parentheses
	name string
	at   int
}

// scope has the definitions of WITH by name.
type scope struct {
	outer *scope
	names map[string]string
}

func (s *scope) find(name string) (string, bool) {
	for ; s != nil; s = s.outer {
		if to, ok := s.names[name]; ok {
			return to, true
		}
	}
	return "", false
}

func (w *walker) refuse(kind, message, hint string, next ...api.Step) error {
	return statement.RefuseAt(w.sql, w.at, kind, message, hint, next...)
}

// listTables is the step after a name that no table has.
var listTables = api.Do(api.ActionCatalog, "see the tables")

func (w *walker) unsupported(name string) error {
	if known, ok := what[name]; ok {
		name = known
	}
	return w.refuse(api.KindUnsupported, name+" is not supported", "")
}

// field refuses a field that is set.
func (w *walker) field(node, field string) error {
	if node == "RangeVar" {
		return w.refuse(api.KindQualifiedName, "a table is named with its schema or database", "A table is named by its id alone.", listTables)
	}
	return w.unsupported(field)
}

// Limits on a statement. They apply before the parser, which is recursive: a
// stack overflow in it crashes the process. Each level takes one or two
// operators, or two words.
const (
	MaxBytes = 128 << 10
	maxSigns = 4000
	maxWords = 8000
	maxDepth = 1000 // of nodes; two or three of them are one level
)
