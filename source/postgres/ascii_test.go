package postgres

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestTextsThatAreNotUTF8 holds that a text of a database that does not know its
// encoding is refused by its column, wherever it stands, and that what the hint
// says leads around it.
func TestTextsThatAreNotUTF8(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, "CREATE DATABASE "+d.Name+"_texts ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
	d.Name += "_texts"
	d.connect(t)
	d.source = d.open(t, "")
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TYPE mood AS ENUM (E'a\xff'); CREATE TYPE pair AS (a int, b text);
		CREATE TABLE odd (id int, plain text, fixed char(3), list text[], pair pair, mood mood, json json);
		INSERT INTO odd VALUES (1, 'Zoe', 'ab', '{x}', (1, 'x'), NULL, '"x"'), (2, E'caf\xe9', E'a\xff', ARRAY[E'a\xff'], (1, E'a\xff'), E'a\xff', NULL);
		CREATE VIEW mended AS SELECT id, convert_from(convert(plain::bytea, 'LATIN1', 'UTF8'), 'SQL_ASCII') AS plain FROM odd`)
	parse := parser(t, d.source, "odd")
	for _, column := range []string{"plain", "fixed", "list", "pair", "mood"} {
		simple := column == "plain" || column == "fixed"
		scan := source.Scan{Relation: source.Relation{Name: "odd"}, Select: []string{"id", column}}
		_, scanned := enginetest.Text(d.source.Scan(t.Context(), scan))
		_, queried := enginetest.Text(d.source.Query(t.Context(), "SELECT "+column+" FROM odd", map[string]source.Relation{"odd": {Name: "odd"}}))
		for _, err := range []error{scanned, queried} {
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeQueryFailed || e.Details["column"] != column || !strings.Contains(e.Message, "not UTF-8") ||
				strings.Contains(e.Hint, column+" !~ '[^ -~]'") != simple || strings.Contains(e.Hint, "convert("+column+"::bytea") != simple || !strings.Contains(e.Hint, "a view instead") || !utf8.ValidString(show(err)) {
				t.Errorf("%s: %v", column, err)
			}
		}
	}
	scan := source.Scan{Relation: source.Relation{Name: "odd"}, Select: []string{"plain"}, Where: parse("plain !~ '[^ -~]'")}
	if got, err := enginetest.Text(d.source.Scan(t.Context(), scan)); got != "Zoe" {
		t.Errorf("where the hint leads: %s, %v", got, err)
	}
	if got, err := scanAll(t, d.source, "mended", "plain"); got != "Zoe\ncafé" {
		t.Errorf("a view that the hint names: %s, %v", got, err)
	}
	_, err := d.source.Query(t.Context(), "SELECT 'žluťoučký kůň', id, nope FROM odd", map[string]source.Relation{"odd": {Name: "odd"}})
	var e *api.Error
	if !errors.As(err, &e) || e.Details["position"] != 29 || e.Details["column"] != 29 {
		t.Errorf("the place behind texts of several bytes: %v, %v", show(err), e.Details)
	}
	_, err = enginetest.Text(d.source.Query(t.Context(), "SELECT CAST(plain AS int) FROM odd WHERE id = 2", map[string]source.Relation{"odd": {Name: "odd"}}))
	if !api.CodeQueryFailed.Is(err) || !utf8.ValidString(show(err)) {
		t.Errorf("%q", show(err))
	}
}
