package warehouse

import (
	_ "embed" // the lists of functions
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// Language is the SQL of an engine, as far as its statements are read here.
type Language struct {
	title  string
	syntax func() *syntax.Dialect
	// google says that the grammar has what only BigQuery has. The text of a statement
	// of other engines is not run: it is printed anew, token by token.
	google bool
	exact  bool // names differ by case
	// patterned are functions whose second argument is a regular expression that can take
	// time without end.
	patterned *wordset.Set
	types     *wordset.Set
	typed     *wordset.Set // types before a literal
	clocks    *wordset.Set // functions without parentheses
	// functions are those that can be called, in lower case, and parametric those that
	// have two lists of arguments.
	functions  func() map[string]bool
	parametric *wordset.Set
	text       func(b *strings.Builder, s string) // writes a text between quotes
}

// begins says how a statement begins.
func (l *Language) begins() string {
	if l.google {
		return "Write one statement that begins with SELECT, WITH or FROM."
	}
	return "Write one statement that begins with SELECT or WITH."
}

//go:embed allowed.txt
var allowedText string

//go:embed clickhouse.txt
var clickHouseText string

//go:embed spark.txt
var sparkText string

//go:embed trino.txt
var trinoText string

// The languages.
var (
	GoogleSQL = &Language{title: "BigQuery", google: true, syntax: syntax.GoogleSQL, types: googleTypes, functions: listed(&allowedText),
		typed:  wordset.New("DATE TIME DATETIME TIMESTAMP NUMERIC DECIMAL BIGNUMERIC BIGDECIMAL JSON"),
		clocks: wordset.New(""), parametric: wordset.New("")}
	ClickHouse = &Language{title: "ClickHouse", exact: true, syntax: syntax.ClickHouse, functions: listed(&clickHouseText),
		typed: wordset.New("DATE TIMESTAMP"), clocks: wordset.New(""),
		parametric: wordset.New("quantile quantileexact quantiles quantilesexact quantiletdigest topk grouparray groupuniqarray"),
		types: wordset.New(`INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT32 FLOAT64 DECIMAL BOOL STRING UUID DATE DATE32 DATETIME
			DATETIME64 NULLABLE INTEGER BIGINT SMALLINT DOUBLE FLOAT VARCHAR TEXT BOOLEAN`),
		text: func(b *strings.Builder, s string) { syntax.WriteBackslashed(b, s, '\'') }}
	Spark = &Language{title: "Spark", syntax: syntax.Spark, functions: listed(&sparkText), parametric: wordset.New(""),
		typed: wordset.New("DATE TIMESTAMP TIMESTAMP_NTZ TIMESTAMP_LTZ"), clocks: wordset.New("CURRENT_DATE CURRENT_TIMESTAMP"),
		types: wordset.New(`BOOLEAN TINYINT SMALLINT INT INTEGER BIGINT LONG FLOAT REAL DOUBLE DECIMAL NUMERIC STRING VARCHAR CHAR DATE TIMESTAMP
			TIMESTAMP_NTZ TIMESTAMP_LTZ`),
		patterned: wordset.New("regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr split"),
		text:      syntax.WriteSparkText}
	Trino = &Language{title: "Trino", syntax: syntax.Trino, functions: listed(&trinoText), parametric: wordset.New(""),
		typed: wordset.New("DATE TIME TIMESTAMP DECIMAL UUID"), clocks: wordset.New("CURRENT_DATE CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP"),
		types:     wordset.New("BOOLEAN TINYINT SMALLINT INT INTEGER BIGINT REAL DOUBLE DECIMAL VARCHAR CHAR VARBINARY DATE TIME TIMESTAMP UUID JSON"),
		patterned: wordset.New("regexp_count regexp_extract regexp_extract_all regexp_like regexp_position regexp_replace regexp_split"),
		text:      func(b *strings.Builder, s string) { syntax.WriteDoubled(b, s, '\'') }}
)

// role is what a token is printed as that is more than its own word.
type role struct {
	kind    roleKind
	name    string
	alias   string // the name that its rows have
	aliased bool   // another follows
}

type roleKind uint8

const (
	roleName    roleKind = iota
	roleDefined          // a query that WITH defines
	roleTable
)

func (p *parser) plays(token int, r role) {
	if p.roles != nil {
		p.roles[token] = r
	}
}

// Named returns the names in the statement, in lower case, among them those of all columns
// that it may read; whole says that it may read any. It is for statements that are
// Written.
func (s *Select) Named() (names []string, whole bool) {
	for _, r := range s.roles {
		names = append(names, strings.ToLower(r.name))
	}
	slices.Sort(names)
	return slices.Compact(names), s.star
}

// definedName is in front of the names that WITH defines. An engine that would not find
// such a query does then not take a table of its own for it.
const definedName = "da_with_"

// Written prints the statement anew, with a relation in place of each table. Nothing of
// the text reaches the engine but what the grammar has understood: names come in quotes,
// texts as literals, and words are those of the grammar and of its lists.
func (s *Select) Written(tables map[string]string) string {
	var b strings.Builder
	d := s.of.syntax()
	for i, t := range s.tokens {
		if t.Kind == syntax.TokenEnd {
			break
		}
		if i > 0 && !isSign(t, "(") && !isSign(t, ".") && !isSign(t, ",") && !isSign(s.tokens[i-1], ".") {
			b.WriteByte(' ')
		}
		named, ok := s.roles[i]
		switch {
		case ok && named.kind == roleTable:
			b.WriteString(tables[named.name])
		case ok && named.kind == roleDefined:
			d.Ident(&b, definedName+named.name)
		case ok:
			d.Ident(&b, named.name)
		case t.Kind == syntax.TokenString:
			s.of.text(&b, t.Text)
		default:
			b.WriteString(t.Text)
		}
		if ok && named.kind != roleName && !named.aliased {
			b.WriteString(" AS ")
			d.Ident(&b, named.alias)
		}
	}
	return b.String()
}
