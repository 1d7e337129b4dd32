package mariadb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// texts reads one column of a relation, as Arrow writes its values.
func texts(t *testing.T, m *MariaDB, scan source.Scan) (values []string, warnings string, err error) {
	t.Helper()
	r, err := m.Scan(t.Context(), scan)
	if err != nil {
		return nil, "", err
	}
	defer r.Release()
	warnings = strings.Join(api.Texts(api.SchemaCaveats(r.Schema())), " ")
	for r.Next() {
		col := r.RecordBatch().Column(0)
		for i := range col.Len() {
			values = append(values, col.ValueStr(i))
		}
	}
	return values, warnings, r.Err()
}

func TestServer(t *testing.T) {
	server := mariatest.New(t)
	d := newDatabase(t, server)
	m := d.open(t, "root", "", "")
	t.Cleanup(func() { _ = m.Close() })
	t.Run("types", func(t *testing.T) { testColumns(t, d, m) })
	t.Run("texts are of one collation", func(t *testing.T) { testCollation(t, d, m) })
	t.Run("values that are none", func(t *testing.T) { testUnreadable(t, d, m) })
	t.Run("hidden rows cannot fail", func(t *testing.T) { testBarrier(t, d, m) })
	t.Run("relations", func(t *testing.T) { testRelations(t, d, m) })
	t.Run("nothing is written", func(t *testing.T) { testReadOnly(t, m) })
}

// testColumns covers the types that the kinds of the suite do not.
func testColumns(t *testing.T, d *database, m *MariaDB) {
	for _, c := range []struct{ declared, value, name, want, warning string }{
		{"TINYINT(1)", "2", "TINYINT", "2", ""},
		{"TINYINT UNSIGNED", "255", "UTINYINT", "255", ""},
		{"SMALLINT UNSIGNED", "65535", "USMALLINT", "65535", ""},
		{"MEDIUMINT", "-8388608", "INTEGER", "-8388608", ""},
		{"MEDIUMINT UNSIGNED ZEROFILL", "7", "UINTEGER", "7", ""},
		{"BIGINT UNSIGNED", "18446744073709551615", "UBIGINT", "18446744073709551615", ""},
		{"YEAR", "1999", "SMALLINT", "1999", ""},
		{"BIT(10)", "b'1000000001'", "UBIGINT", "513", ""},
		{"FLOAT", "0.1", "DOUBLE", "0.10000000149011612", ""},
		{"DECIMAL(38,10)", "1234567890123456789012345678.0123456789", "DECIMAL(38,10)", "1234567890123456789012345678.0123456789", ""},
		{"DECIMAL(65,2)", "123456789012345678901234567890123456789012345678901234567890123.45", "VARCHAR",
			"123456789012345678901234567890123456789012345678901234567890123.45", "more than 38 digits"},
		{"TIMESTAMP(6) NULL", "'2001-02-03 04:05:06.789'", "TIMESTAMPTZ", "2001-02-03T04:05:06.789Z", ""},
		{"TIME(3)", "'-838:59:58.999'", "VARCHAR", "-838:59:58.999", "838 hours"},
		{"ENUM('a','ž') CHARACTER SET utf8mb4", "'ž'", "VARCHAR", "ž", ""},
		{"SET('a','b')", "'a,b'", "VARCHAR", "a,b", ""},
		{"CHAR(5) CHARACTER SET latin2", "'ž'", "VARCHAR", "ž", ""},
		{"UUID", "'123E4567-e89b-12d3-a456-426614174000'", "VARCHAR", "123e4567-e89b-12d3-a456-426614174000", "uuid becomes text"},
		{"JSON", `'{"a": 1}'`, "VARCHAR", `{"a": 1}`, ""},
		{"INET6", "'::1'", "VARCHAR", "::1", "inet6 becomes text"},
		{"BINARY(3)", "'a'", "BLOB", "YQAA", ""},
		{"POINT", "ST_PointFromText('POINT(1 2)')", "BLOB", "AQEAAAAAAAAAAADwPwAAAAAAAABA", "WKB"},
	} {
		d.exec(t, "DROP TABLE IF EXISTS shop.one; CREATE TABLE shop.one (v "+c.declared+"); INSERT INTO shop.one VALUES ("+c.value+"), (NULL)")
		schema, err := m.Schema(t.Context(), source.Relation{Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		if col := schema.Columns[0]; col.Type != c.name || !col.Nullable {
			t.Errorf("%s is described as %+v", c.declared, col)
		}
		values, warnings, err := texts(t, m, source.Scan{Relation: source.Relation{Name: "one"}, Select: []string{"v"}})
		if err != nil || len(values) != 2 || values[0] != c.want || values[1] != "(null)" {
			t.Errorf("%s: %q, %v; want %s", c.declared, values, err, c.want)
		}
		if (c.warning == "") != (warnings == "") || !strings.Contains(warnings, c.warning) {
			t.Errorf("%s: warnings %q, want %q", c.declared, warnings, c.warning)
		}
	}
}

func (d *database) where(t *testing.T, m *MariaDB, name, text string) predicate.Expr {
	t.Helper()
	schema, err := m.Schema(t.Context(), source.Relation{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(m.Dialect(), schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	e, err := predicate.Parse(m.Dialect(), text, typed)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func testCollation(t *testing.T, d *database, m *MariaDB) {
	d.exec(t, `CREATE TABLE shop.words (w VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_ci) CHARACTER SET latin1;
		INSERT INTO shop.words VALUES ('a'), ('A'), ('a '), ('ä'), ('b')`)
	for where, want := range map[string]string{
		"w = 'a'":                        "a",
		"w IN ('A', 'x')":                "A",
		"w LIKE 'a%'":                    "a|a ",
		"w < 'b'":                        "A|a|a ",
		"w BETWEEN 'B' AND 'z'":          "a|a |b",
		"concat(w, '!') = 'a !'":         "a ",
		"coalesce(w, 'x') = 'ä'":         "ä",
		"CASE w WHEN 'A' THEN 1 END = 1": "A",
	} {
		scan := source.Scan{Relation: source.Relation{Name: "words"}, Select: []string{"w"}, Where: d.where(t, m, "words", where),
			OrderBy: []predicate.Order{{Column: "w"}}}
		values, _, err := texts(t, m, scan)
		if got := strings.Join(values, "|"); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", where, got, err, want)
		}
	}
}

func testUnreadable(t *testing.T, d *database, m *MariaDB) {
	d.exec(t, "CREATE TABLE shop.dates (n INT, day DATE); INSERT INTO shop.dates VALUES (1, '2001-02-03'), (2, '0000-00-00')")
	scan := source.Scan{Relation: source.Relation{Name: "dates"}, Select: []string{"day"}}
	_, _, err := texts(t, m, scan)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeQueryFailed || !strings.Contains(e.Message, "'day'") || !strings.Contains(e.Message, "0000-00-00") {
		t.Errorf("a date that is none: %v", err)
	}
	d.exec(t, "SET sql_mode = 'ALLOW_INVALID_DATES'; CREATE TABLE shop.late (day DATE); INSERT INTO shop.late VALUES ('2024-02-31')")
	if _, _, err := texts(t, m, source.Scan{Relation: source.Relation{Name: "late"}, Select: []string{"day"}}); err == nil || !strings.Contains(err.Error(), "the date 2024-02-31 is not in the calendar") {
		t.Errorf("a date of February: %v", err)
	}
	scan.Relation.Columns = []string{"day"}
	if _, _, err := texts(t, m, scan); err == nil || strings.Contains(err.Error(), "0000") {
		t.Errorf("under a rule the value is told: %v", err)
	}
	scan = source.Scan{Relation: source.Relation{Name: "dates"}, Select: []string{"day"}, Where: d.where(t, m, "dates", "n = 1")}
	if values, _, err := texts(t, m, scan); err != nil || len(values) != 1 {
		t.Errorf("without it: %v, %v", values, err)
	}
}

// testBarrier has a condition that fails on rows that the caller must not know
// of.
func testBarrier(t *testing.T, d *database, m *MariaDB) {
	d.exec(t, "CREATE TABLE shop.secret (n BIGINT); INSERT INTO shop.secret VALUES (1), (2), (9)")
	fails := "9223372036854775800 + n > 0"
	scan := source.Scan{Relation: source.Relation{Name: "secret"}, Select: []string{"n"}, Where: d.where(t, m, "secret", fails)}
	if _, _, err := texts(t, m, scan); !api.CodeQueryFailed.Is(err) {
		t.Fatalf("the condition does not fail at all: %v", err)
	}
	scan.Relation.Rule = d.where(t, m, "secret", "n < 5")
	values, _, err := texts(t, m, scan)
	if err != nil || fmt.Sprint(values) != "[1 2]" {
		t.Errorf("under the rule: %v, %v", values, err)
	}
}

func testRelations(t *testing.T, d *database, m *MariaDB) {
	d.exec(t, `CREATE TABLE shop.Mixed (n INT NOT NULL COMMENT 'how many') COMMENT 'a table'; INSERT INTO shop.Mixed VALUES (1), (2), (3); ANALYZE TABLE shop.Mixed; CREATE VIEW shop.seen AS SELECT n FROM shop.Mixed;
		CREATE DATABASE IF NOT EXISTS other; CREATE OR REPLACE TABLE other.far (n INT)`)
	for name, found := range map[string]bool{"Mixed": true, "shop.Mixed": true, "seen": true, "other.far": true, "mixed": false, "far": false,
		"": false, "a.b.c": false, "x`; DROP TABLE Mixed": false} {
		s, err := m.Schema(t.Context(), source.Relation{Name: name})
		if found && (err != nil || len(s.Columns) != 1) || !found && !api.CodeSource.Is(err) {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
	}
	d.exec(t, "CREATE TABLE shop.gone (n INT); CREATE VIEW shop.broken AS SELECT n FROM shop.gone; DROP TABLE shop.gone")
	if _, err := m.Schema(t.Context(), source.Relation{Name: "broken"}); err == nil || !strings.Contains(err.Error(), "View 'shop.broken' references invalid table") {
		t.Errorf("a view of nothing: %v", err)
	}
	s, err := m.Schema(t.Context(), source.Relation{Name: "Mixed"})
	if err != nil || s.Description != "a table" || s.Columns[0].Description != "how many" || s.Columns[0].Nullable || s.SizeBytes == nil || s.RowEstimate == nil || *s.RowEstimate != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	d.exec(t, `CREATE TABLE other.pair (a INT, b INT, PRIMARY KEY (a, b)) ENGINE=InnoDB; CREATE TABLE shop.one_of (id INT PRIMARY KEY) ENGINE=InnoDB;
		CREATE TABLE shop.leads (p INT, a INT, b INT, CONSTRAINT one FOREIGN KEY (p) REFERENCES shop.one_of (id), CONSTRAINT both_of FOREIGN KEY (b, a) REFERENCES other.pair (a, b)) ENGINE=InnoDB`)
	if s, err := m.Schema(t.Context(), source.Relation{Name: "leads"}); err != nil || fmt.Sprint(s.ForeignKeys) != "[{[other.pair] [{b a} {a b}]} {[shop.one_of one_of] [{p id}]}]" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := m.Schema(t.Context(), source.Relation{Name: "seen"}); err != nil || s.SizeBytes != nil || s.RowEstimate != nil {
		t.Errorf("a view: %+v, %v", s, err)
	}
}

func testReadOnly(t *testing.T, m *MariaDB) {
	if _, err := m.db.ExecContext(t.Context(), "DROP TABLE shop.secret"); err == nil {
		t.Error("a session of the source can change something")
	}
}
