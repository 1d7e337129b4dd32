package sourcetest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// corpora are the dialects whose predicates the suite runs on every source.
var corpora = predicate.Dialects()

// corpus is what package predicate accepts in one dialect, and the columns that
// it is written against.
type corpus struct {
	where   []string
	columns []api.Column
}

// readCorpus reads the test data of package predicate.
func readCorpus(t testing.TB, d predicate.Dialect) corpus {
	t.Helper()
	var accepted []struct {
		Dialect predicate.Dialect
		Where   string
	}
	var schemas map[predicate.Dialect][]api.Column
	for file, to := range map[string]any{"accepted.json": &accepted, "schemas.json": &schemas} {
		data, err := os.ReadFile(filepath.Join(predicateData(t), file))
		if err == nil {
			err = json.Unmarshal(data, to)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	c := corpus{columns: schemas[d]}
	for _, a := range accepted {
		if a.Dialect == d {
			c.where = append(c.where, a.Where)
		}
	}
	return c
}

// predicateData looks for the folder from the test's own upwards.
func predicateData(t testing.TB) string {
	t.Helper()
	for dir := "."; ; dir = filepath.Join("..", dir) {
		found := filepath.Join(dir, "predicate", "testdata")
		if _, err := os.Stat(found); err == nil {
			return found
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			t.Fatal("the corpus of package predicate is not found")
		}
	}
}

// table fills the columns that the source can hold with values that the
// predicates tell apart. The schema has these columns as the corpus has them.
func (s suite) table(d predicate.Dialect, c corpus) (Table, *predicate.Schema) {
	s.t.Helper()
	all, err := predicate.NewSchema(d, c.columns)
	if err != nil {
		s.t.Fatal(err)
	}
	table := Table{Columns: []Column{{Name: "row_no", Kind: Int}}}
	var columns []api.Column
	var values [][]any
	for i, f := range all.Columns() {
		kind, ok := kindOf(f.Type)
		if !ok || !s.supports(kind) || !s.can(Cases) && f.Name != strings.ToLower(f.Name) ||
			!s.can(Quotes) && strings.Contains(f.Name, "'") {
			continue
		}
		columns = append(columns, c.columns[i])
		table.Columns = append(table.Columns, Column{Name: f.Name, Kind: kind})
		values = append(values, s.storable(kind, telling[kind]))
	}
	for i := range len(telling[Int]) {
		row := []any{int64(i)}
		for at, v := range values {
			// Columns of one kind differ from each other.
			row = append(row, v[(i+at)%len(v)])
		}
		table.Rows = append(table.Rows, row)
	}
	typed, err := predicate.NewSchema(d, columns)
	if err != nil {
		s.t.Fatal(err)
	}
	return table, typed.Named("orders")
}

// kindOf is the kind that holds the values of a type.
func kindOf(t predicate.Type) (Kind, bool) {
	switch {
	case t.Kind == predicate.KindInt && (t.Unsigned || t.Bits > 64):
		return 0, false
	case t.Kind == predicate.KindList && t.Elem.Kind == predicate.KindInt:
		return Ints, true
	case t.Kind == predicate.KindList && t.Elem.Kind == predicate.KindString:
		return Texts, true
	case t.Kind == predicate.KindList, t.Kind == predicate.KindStruct:
		return 0, false
	}
	for k, e := range expressions {
		if e == t.Kind && k != Wide {
			return k, true
		}
	}
	return 0, false
}

// telling are values that the predicates of the corpora tell apart. Each kind
// has as many as Int, or fewer, which are then taken again.
var telling = map[Kind][]any{
	Bool:    {true, false, nil},
	Int:     {int64(1), int64(-2), int64(0), nil, int64(7), int64(10), int64(100), int64(2026), int64(3), int64(-1), int64(5), int64(2)},
	Float:   {1.5, -2.5, 0.0, nil, math.NaN(), math.Inf(1), 1e10, 0.1, 2.5, -1e-5, math.Inf(-1)},
	Decimal: {"1.5", "-2.5", "0", nil, "10.25", "0.1", "100", "2026.001", "3", "-0.5"},
	Text:    {"a", "CZ", "", nil, "abc", `ab\c`, "it's", "Straße", " a ", `a_c%\`, "cz", "A", "a_c", "ž", "2026-01-31", "x", "10"},
	Bytes:   {[]byte{0xAA}, []byte{}, nil, []byte("abc"), []byte{0, 0xFF}, []byte("a"), []byte{0xFF}},
	Date: {utc(2026, 1, 31, 0, 0, 0, 0), utc(2024, 2, 29, 0, 0, 0, 0), utc(1969, 12, 31, 0, 0, 0, 0), nil, utc(2026, 1, 4, 0, 0, 0, 0),
		utc(2026, 6, 15, 0, 0, 0, 0), utc(2025, 12, 29, 0, 0, 0, 0), utc(100, 1, 1, 0, 0, 0, 0), utc(2026, 12, 31, 0, 0, 0, 0), utc(9999, 12, 31, 0, 0, 0, 0)},
	Time: {10*time.Hour + 11*time.Minute + 12*time.Second + 500*time.Millisecond, time.Duration(0), nil, 24*time.Hour - time.Microsecond, 12 * time.Hour},
	Timestamp: {utc(2026, 1, 31, 10, 11, 12, 345678), utc(2024, 2, 29, 0, 0, 0, 0), utc(1969, 12, 31, 23, 59, 59, 500000), nil, utc(2026, 1, 4, 12, 0, 0, 0),
		utc(2026, 6, 15, 6, 30, 0, 1), utc(2025, 12, 29, 23, 59, 59, 999999), utc(100, 1, 1, 0, 0, 0, 0)},
	Instant: {utc(2026, 1, 31, 10, 11, 12, 345678), utc(2024, 2, 29, 0, 0, 0, 0), utc(1969, 12, 31, 23, 59, 59, 0), nil, utc(2026, 10, 25, 0, 30, 0, 0),
		utc(2026, 6, 15, 6, 30, 0, 0), utc(2025, 12, 29, 23, 59, 59, 999999), utc(100, 1, 1, 0, 0, 0, 0)},
	Interval: {Span{Days: 1}, Span{Months: -12}, Span{}, nil, Span{Micros: 90 * 60_000_000}, Span{Months: 1, Days: 2}},
	UUID:     {"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", nil, "ffffffff-ffff-ffff-ffff-ffffffffffff"},
	JSON:     {`{}`, `[1]`, nil, `"a"`, `null`},
	Ints:     {[]any{int64(1), int64(2)}, []any{}, []any{nil}, nil, []any{int64(3), nil, int64(5)}, []any{int64(10)}, []any{int64(100), int64(-100)}},
	Texts:    {[]any{"x", "a"}, []any{}, []any{nil}, nil, []any{"a", "b", nil}, []any{"it's"}, []any{"ž"}, []any{"", "A"}},
}
