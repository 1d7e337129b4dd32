package sourcetest

import (
	"math"
	"slices"
	"testing"
	"time"

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
	Decimal               // string of digits; DECIMAL(18,3)
	Wide                  // string of digits; DECIMAL(38,9)
	Text                  // string, without NUL
	Bytes                 // []byte
	Date                  // time.Time at midnight, UTC
	Time                  // time.Duration since midnight, whole microseconds
	Timestamp             // time.Time in UTC standing for a local time, whole microseconds
	Instant               // time.Time, whole microseconds
	Interval              // Span; may travel as text that CAST(… AS INTERVAL) restores
	UUID                  // string of the form 8-4-4-4-12
	JSON                  // string; compared as values
	Ints                  // []any of int64 and nil
	Texts                 // []any of string and nil
	Record                // []any: a field a of Int and a field b of Text, either may be nil
	kinds
)

// Span is the value of an interval; its parts are kept apart, as engines do.
type Span struct {
	Months, Days int32
	Micros       int64
}

// expressions are the kinds as the WHERE language names them.
var expressions = map[Kind]predicate.Kind{
	Bool: predicate.KindBool, Int: predicate.KindInt, Float: predicate.KindFloat, Decimal: predicate.KindDecimal, Wide: predicate.KindDecimal,
	Text: predicate.KindString, Bytes: predicate.KindBytes, Date: predicate.KindDate, Time: predicate.KindTime,
	Timestamp: predicate.KindDateTime, Instant: predicate.KindTimestamp, Interval: predicate.KindInterval,
	UUID: predicate.KindUUID, JSON: predicate.KindJSON, Ints: predicate.KindList, Texts: predicate.KindList, Record: predicate.KindStruct,
}

var kindNames = [kinds]string{"bool", "int", "float", "decimal", "wide decimal", "text", "bytes", "date", "time", "timestamp", "instant",
	"interval", "uuid", "json", "list of ints", "list of texts", "record"}

func (k Kind) String() string { return kindNames[k] }

// Ability is something that not every source can do, or be tested for.
type Ability string

// The abilities. The last ones need a function of the fixture.
const (
	Nullability Ability = "it tells which columns are never NULL"
	Comments    Ability = "it keeps descriptions of columns"
	Partitions  Ability = "it tells the columns that a table is partitioned by"
	Infinities  Ability = "its floats may be infinite, or not a number"
	Cases       Ability = "its names keep their case"
	Quotes      Ability = "columns of text may have a quote in their name"
	Depth       Ability = "its parser takes deep expressions"
	Counting    Ability = "it knows how many rows a whole table has"
	Asking      Ability = "the engine tells what it is working on" // Running and Slow
	Mortality   Ability = "the engine can die"                     // Kill
	Credentials Ability = "it asks for credentials"                // Denied
	Patience    Ability = "it stops slow statements"               // Impatient and Slow
)

// Column is a column of a table to load.
type Column struct {
	Name string
	Kind Kind
	// Required columns are never NULL, and the source should know.
	Required bool
	// Comment describes the column, in a source that has Comments.
	Comment string
}

// Table is a table to load.
type Table struct {
	Columns []Column
	Rows    [][]any
	// PartitionBy is a column of kind Date, in a source that has Partitions.
	PartitionBy string
}

// Fixture is a source to test, and what fills it.
type Fixture struct {
	// Source is closed by the suite.
	Source source.Source
	// Engine is the dialect that the source prints predicates in, if that is
	// another than they are written in.
	Engine predicate.Dialect
	// Load stores a table and returns the name of its relation.
	Load func(t testing.TB, table Table) string
	// Series stores a table of rows 0 to rows-1 with the columns n (Int), the
	// row's number, and pad (Text), 100 characters that differ from row to row.
	Series func(t testing.TB, rows int64) string
	// Missing is the name of a relation that is not there.
	Missing string
	// Slow returns the name of a relation with a column n (Int) of which the
	// engine finds no row for minutes.
	Slow func(t testing.TB) string
	// Running counts the statements that the engine works on for Source now,
	// and is asked past the source.
	Running func(t testing.TB) int
	// Kill ends the engine at once, as a crash would.
	Kill func(t testing.TB)
	// Restart starts the engine again after Kill, with the same data; nil: it cannot.
	Restart func(t testing.TB)
	// Guarded opens the source so that it reads a relation with credentials of its own; nil: none of its
	// credentials can run out, or it has a test of its own for that.
	Guarded func(t testing.TB, relation string) Guarded
	// Denied opens the source with wrong credentials, which hold the secret.
	Denied func(t testing.TB) (src source.Source, secret string)
	// Impatient opens the source so that its engine stops a statement well
	// within a second.
	Impatient func(t testing.TB) source.Source
	// Sampled says that another fixture's suite runs all predicates on an engine of
	// this kind; here each tenth is run.
	Sampled bool
	// Years are the first and the last year that its dates may have; zero: 1 and 9999.
	Years [2]int
	// Lacks are the kinds that the source cannot hold, Without the abilities
	// that it has not. What is in neither list is tested.
	Lacks   []Kind
	Without []Ability
}

// Guarded is a source whose credentials hold the secret. Expire makes the engine refuse
// them from now on, and ends its sessions; Renew makes it take them again.
type Guarded struct {
	Source        source.Source
	Secret        string
	Expire, Renew func()
}

// supports reports whether the source can hold all kinds.
func (f Fixture) supports(kinds ...Kind) bool {
	return !slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(f.Lacks, k) })
}

// can reports whether the source has the ability.
func (f Fixture) can(a Ability) bool { return !slices.Contains(f.Without, a) }

// engine is the dialect that the source prints predicates in.
func (f Fixture) engine() predicate.Dialect {
	if f.Engine != "" {
		return f.Engine
	}
	return f.Source.Dialect()
}

// held are the kinds that the source can hold.
func (f Fixture) held() []Kind {
	var list []Kind
	for k := range kinds {
		if f.supports(k) {
			list = append(list, k)
		}
	}
	return list
}

// storable are those of a kind's values that the source can hold.
func (f Fixture) storable(kind Kind, values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool {
		switch v := v.(type) {
		case float64:
			return !f.can(Infinities) && (math.IsInf(v, 0) || math.IsNaN(v))
		case time.Time:
			return f.Years != [2]int{} && (v.Year() < f.Years[0] || v.Year() > f.Years[1])
		}
		return false
	})
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

// refused expects an error with a code.
func (s suite) refused(what string, err error, code api.Code) {
	s.t.Helper()
	if !code.Is(err) {
		s.t.Errorf("%s: got %v, want an error of code %s", what, err, code)
	}
}
