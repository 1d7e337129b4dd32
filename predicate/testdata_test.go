package predicate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// CorpusSchema reads the columns of testdata/schemas.json.
func CorpusSchema(t testing.TB, d Dialect) *Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "schemas.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[Dialect][]api.Column
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	s, err := NewSchema(d, all[d])
	if err != nil {
		t.Fatal(err)
	}
	return s.Named("orders")
}

// Corpus reads the accepted predicates of a dialect.
func Corpus(t testing.TB, d Dialect) []string {
	t.Helper()
	return CorpusOf(t, "accepted.json", d)
}

func CorpusOf(t testing.TB, file string, d Dialect) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Dialect Dialect
		Where   string
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range all {
		if a.Dialect == d {
			out = append(out, a.Where)
		}
	}
	return out
}

// CommonSchemas are the columns that the test tables of DuckDB and PostgreSQL
// share, in both dialects.
func CommonSchemas(t testing.TB) (duck, pg *Schema) {
	t.Helper()
	d, p := CorpusSchema(t, DuckDB), CorpusSchema(t, Postgres)
	duck, pg = &Schema{d: DuckDB.Traits()}, &Schema{d: Postgres.Traits()}
	for _, c := range d.Columns() {
		other := p.lookup(c.Name, true)
		if other != nil && other.T.Kind == c.Type.Kind && other.T.Bits == c.Type.Bits && c.Type.Kind != KindUnknown {
			duck.columns = append(duck.columns, c)
			pg.columns = append(pg.columns, Field{Name: other.Name, Type: other.T})
		}
	}
	duck.index()
	pg.index()
	if len(duck.columns) < 15 {
		t.Fatalf("the tables share only %d columns", len(duck.columns))
	}
	return duck, pg
}

// KnownKinds are the kinds of refusals.
var KnownKinds = wordset.New(strings.Join([]string{api.KindSyntaxError, api.KindTooLong, api.KindTooDeep, api.KindCommentInject, api.KindMultiStatement, api.KindNestedSelect,
	api.KindDDLInPredicate, api.KindTrailingClause, api.KindExternalQuery, api.KindUnknownFunction, api.KindAggregate, api.KindWindow, api.KindWildcardExpansion,
	api.KindCrossTableRef, api.KindUnknownColumn, api.KindUnknownField, api.KindBadSubscript, api.KindBytesLiteralRaw, api.KindBadCast, api.KindBadLiteral,
	api.KindParameter, api.KindTypeMismatch, api.KindNotBoolean, api.KindWrongArity, api.KindNotPortable}, " "))

// valueOf parses an expression of any type, as a predicate's parts are.
func valueOf(d Dialect, text string, s *Schema) (Expr, error) {
	var e Expr
	err := syntax.Parse(d.Traits().Dialect, text, d.Traits().missing, func(n *syntax.Node) (err error) {
		e, err = (&checker{d: d.Traits(), s: s, src: text}).expr(n)
		return err
	})
	return e, err
}
