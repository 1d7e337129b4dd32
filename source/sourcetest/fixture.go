package sourcetest

import (
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Kind is a kind of values.
type Kind int

// The kinds, with the Go type of their values in a Table. NULL is nil.
const (
	Bool      Kind = iota // bool
	Int                   // int64
	Float                 // float64; also infinities and NaN
	Decimal               // string of digits; DECIMAL(18,3) or wider
	Text                  // string, without NUL
	Bytes                 // []byte
	Date                  // time.Time at midnight, UTC
	Time                  // time.Duration since midnight, whole microseconds
	Timestamp             // time.Time in UTC standing for a local time, whole microseconds
	Instant               // time.Time, whole microseconds
)

// expressions are the kinds as the WHERE language names them.
var expressions = map[Kind]predicate.Kind{
	Bool: predicate.KindBool, Int: predicate.KindInt, Float: predicate.KindFloat, Decimal: predicate.KindDecimal,
	Text: predicate.KindString, Bytes: predicate.KindBytes, Date: predicate.KindDate, Time: predicate.KindTime,
	Timestamp: predicate.KindDateTime, Instant: predicate.KindTimestamp,
}

// Column is a column of a table to load.
type Column struct {
	Name string
	Kind Kind
	// Required columns are never NULL, and the source should know.
	Required bool
}

// Table is a table to load.
type Table struct {
	Columns []Column
	Rows    [][]any
}

// Fixture is a source to test, and what fills it.
type Fixture struct {
	// Source is closed by the suite.
	Source source.Source
	// Load stores a table and returns the name of its relation.
	Load func(t testing.TB, table Table) string
	// Series stores a table of rows 0 to rows-1 with the columns n (Int), the
	// row's number, and pad (Text), 100 characters that differ from row to row.
	Series func(t testing.TB, rows int64) string
	// Lacks are the kinds that the source cannot hold.
	Lacks []Kind
	// NoRequired says that the source does not know what is never NULL.
	NoRequired bool
}

// supports reports whether the source can hold all kinds.
func (f Fixture) supports(kinds ...Kind) bool {
	return !slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(f.Lacks, k) })
}

// suite is a fixture with the words that its tests are written in.
type suite struct {
	Fixture
	t *testing.T
}

// schema describes a relation that must be there.
func (s suite) schema(rel source.Relation) *source.Schema {
	s.t.Helper()
	schema, err := s.Source.Schema(s.t.Context(), rel)
	if err != nil {
		s.t.Fatalf("schema: %v", err)
	}
	return schema
}

// typed is the schema as predicates see it.
func (s suite) typed(name string) *predicate.Schema {
	s.t.Helper()
	typed, err := predicate.NewSchema(s.Source.Dialect(), s.schema(source.Relation{Name: name}).Columns)
	if err != nil {
		s.t.Fatal(err)
	}
	return typed
}

// where parses a predicate, which must mean the same in every dialect.
func (s suite) where(name, text string) predicate.Expr {
	s.t.Helper()
	if text == "" {
		return nil
	}
	e, err := predicate.Parse(s.Source.Dialect(), text, s.typed(name))
	if err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return e
}

// scan is a request for columns of a relation; order are ORDER BY terms.
func (s suite) scan(name string, columns []string, where string, order ...string) source.Scan {
	s.t.Helper()
	scan := source.Scan{Relation: source.Relation{Name: name}, Select: columns, Where: s.where(name, where)}
	for _, term := range order {
		o, err := predicate.ParseOrder(s.Source.Dialect(), term, s.typed(name))
		if err != nil {
			s.t.Fatalf("%s: %v", term, err)
		}
		scan.OrderBy = append(scan.OrderBy, o)
	}
	return scan
}

func limited(scan source.Scan, n int64) source.Scan {
	scan.Limit = &n
	return scan
}

// rows runs a scan that must succeed; kinds are those of its columns.
func (s suite) rows(scan source.Scan, kinds ...Kind) [][]any {
	s.t.Helper()
	r, err := s.Source.Scan(s.t.Context(), scan)
	if err != nil {
		s.t.Fatalf("scan: %v", err)
	}
	rows, err := drain(r, kinds)
	if err != nil {
		s.t.Fatalf("scan: %v", err)
	}
	return rows
}

// ints are the values of a scan's only column.
func (s suite) ints(scan source.Scan) []int64 {
	s.t.Helper()
	out := []int64{}
	for _, row := range s.rows(scan, Int) {
		n, ok := row[0].(int64)
		if !ok {
			s.t.Fatalf("a value is %v", row[0])
		}
		out = append(out, n)
	}
	return out
}

// wantInts compares the values of a scan's only column; those of a scan
// without order in any order.
func (s suite) wantInts(what string, scan source.Scan, want ...int64) {
	s.t.Helper()
	got := s.ints(scan)
	if len(scan.OrderBy) == 0 {
		slices.Sort(got)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// refused wants an error of a code.
func (s suite) refused(what string, err error, code api.Code) {
	s.t.Helper()
	if !code.Is(err) {
		s.t.Errorf("%s: got %v, want an error of code %s", what, err, code)
	}
}
