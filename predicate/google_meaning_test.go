package predicate_test

import (
	"errors"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// googleFacts are true in GoogleSQL, by its reference. What they are printed as
// must be true in the other engines.
var googleFacts = []string{
	"DATE_ADD(DATE '2008-12-25', INTERVAL 5 DAY) = DATE '2008-12-30'",
	"DATE_SUB(DATE '2008-12-25', INTERVAL 5 DAY) = DATE '2008-12-20'",
	"DATE_ADD(DATE '2026-01-31', INTERVAL 1 MONTH) = DATE '2026-02-28'",
	"DATE_ADD(DATE '2026-11-30', INTERVAL 1 QUARTER) = DATE '2027-02-28'",
	"DATE_SUB(DATE '2024-02-29', INTERVAL 1 YEAR) = DATE '2023-02-28'",
	"DATE_ADD(DATE '2026-01-01', INTERVAL 2 WEEK) = DATE '2026-01-15'",
	"DATE_DIFF(DATE '2010-07-07', DATE '2008-12-25', DAY) = 559",
	"DATE_DIFF(DATE '2017-12-30', DATE '2014-12-30', YEAR) = 3",
	"DATE_DIFF(DATE '2026-02-01', DATE '2026-01-31', MONTH) = 1",
	"DATE_DIFF(DATE '2025-12-31', DATE '2026-01-01', YEAR) = -1",
	"DATE_TRUNC(DATE '2008-12-25', MONTH) = DATE '2008-12-01'",
	"DATE_TRUNC(DATE '2017-11-05', WEEK(MONDAY)) = DATE '2017-10-30'",
	"DATE_TRUNC(DATE '2026-05-15', QUARTER) = DATE '2026-04-01'",
	"EXTRACT(DAYOFWEEK FROM DATE '2026-01-04') = 1",
	"EXTRACT(DAYOFWEEK FROM DATE '2026-01-03') = 7",
	"EXTRACT(ISOWEEK FROM DATE '2016-01-01') = 53",
	"EXTRACT(ISOYEAR FROM DATE '2016-01-01') = 2015",
	"EXTRACT(DAYOFYEAR FROM DATE '2024-12-31') = 366",
	"EXTRACT(QUARTER FROM DATE '2026-12-31') = 4",
	"EXTRACT(DAY FROM TIMESTAMP '2008-12-25 05:30:00+00') = 25",
	"EXTRACT(DAY FROM TIMESTAMP '2008-12-25 05:30:00+00' AT TIME ZONE 'America/Los_Angeles') = 24",
	"EXTRACT(SECOND FROM TIMESTAMP '2026-01-01 00:00:59.999999+00') = 59",
	"EXTRACT(DATE FROM TIMESTAMP '2026-01-01 23:30:00-01') = DATE '2026-01-02'",
	"TIMESTAMP_ADD(TIMESTAMP '2008-12-25 15:30:00+00', INTERVAL 10 MINUTE) = TIMESTAMP '2008-12-25 15:40:00+00'",
	"TIMESTAMP_SUB(TIMESTAMP '2008-12-25 15:30:00+00', INTERVAL 10 MINUTE) = TIMESTAMP '2008-12-25 15:20:00+00'",
	"TIMESTAMP_TRUNC(TIMESTAMP '2008-12-25 15:30:00+00', DAY) = TIMESTAMP '2008-12-25 00:00:00+00'",
	"DATETIME_ADD(DATETIME '2008-12-25 15:30:00', INTERVAL 10 MINUTE) = DATETIME '2008-12-25 15:40:00'",
	"DATETIME_TRUNC(DATETIME '2008-12-25 15:30:00', DAY) = DATETIME '2008-12-25 00:00:00'",
	"DATETIME_SUB(DATETIME '2026-03-31 10:00:00', INTERVAL 1 MONTH) = DATETIME '2026-02-28 10:00:00'",
	"DATE(TIMESTAMP '2016-12-25 05:30:00+07', 'America/Los_Angeles') = DATE '2016-12-24'",
	"DATE(2016, 12, 25) = DATE '2016-12-25'",
	"DATE(DATETIME '2016-12-25 23:59:59') = DATE '2016-12-25'",
	"DATETIME(TIMESTAMP '2026-01-01 00:30:00+02') = DATETIME '2025-12-31 22:30:00'",
	"TIMESTAMP(DATETIME '2026-07-01 12:00:00', 'Europe/Prague') = TIMESTAMP '2026-07-01 10:00:00+00'",
	"TIMESTAMP '2026-07-01 12:00:00 Europe/Prague' = TIMESTAMP '2026-07-01 10:00:00 UTC'",
	"SUBSTR('apple', 2, 2) = 'pp'",
	"SUBSTR('apple', 2) = 'pple'",
	"TRIM('***apple***', '*') = 'apple'",
	"LTRIM('***apple***', '*') = 'apple***'",
	"RTRIM('***apple***', '*') = '***apple'",
	"REPLACE('dessert pie', 'pie', 'cobbler') = 'dessert cobbler'",
	"STARTS_WITH('bar', 'b')",
	"ENDS_WITH('apple', 'e')",
	"NOT ENDS_WITH('e', 'apple')",
	"LENGTH('абвгд') = 5",
	"CONCAT('T.P.', ' ', 'Bar') = 'T.P. Bar'",
	"CONCAT('a', NULLIF('b', 'b'), 'b') IS NULL",
	`REGEXP_CONTAINS('foo@example.com', r'@[a-zA-Z0-9-]+\.[a-zA-Z0-9-.]+')`,
	"NOT REGEXP_CONTAINS('www.example.net', '@')",
	"ROUND(2.5) = 3",
	"ROUND(-2.5) = -3",
	"ROUND(NUMERIC '2.55', 1) = NUMERIC '2.6'",
	"CEIL(NUMERIC '-1.5') = -1",
	"MOD(25, 12) = 1",
	"MOD(-7, 2) = -1",
	"7 / 2 = 3.5",
	"ABS(-5) = 5",
	"'Z' < 'a' AND 'A' < 'a' AND 'a' < 'b'",
	"'ž' > 'z'",
	`'10%' LIKE '10\\%' AND NOT '100' LIKE '10\\%'`,
	`'a\\b' LIKE 'a\\\\b'`,
	"'abc' LIKE ANY ('x%', 'a%') AND NOT 'abc' LIKE ALL ('x%', 'a%')",
	"NULLIF(1, 1) IS NULL AND NULLIF(1, 2) = 1",
	"IFNULL(NULL, 5) = 5 AND COALESCE(NULL, NULL, 6) = 6 AND IF(TRUE, 1, 2) = 1",
	"NULL IS DISTINCT FROM 1 AND NULL IS NOT DISTINCT FROM NULL",
	"CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END = 'b'",
	"(1 IN (2, NULL)) IS NULL AND 1 IN (1, NULL)",
	"(NULLIF(1, 1) = 1) IS NOT TRUE",
	"CAST(5 AS STRING) = '5'",
	"NUMERIC '1.50' = NUMERIC '1.5'",
	"DATE '2026-01-31' + 1 = DATE '2026-02-01'",
	"DATE '2026-01-31' + INTERVAL 1 MONTH = DATETIME '2026-02-28 00:00:00'",
	"TIMESTAMP '2026-01-01 00:00:00+00' - INTERVAL 90 MINUTE = TIMESTAMP '2025-12-31 22:30:00+00'",
	`'it\'s' = '''it's''' AND 'a\tb' LIKE 'a_b' AND '\u017e' = 'ž' AND r'\n' = '\\n'`,
	`b'\x00\xff' = b"\000\377"`,
}

// factsHold prints each fact for an engine, and asks the engine.
func factsHold(t *testing.T, d predicate.Dialect, e engine, atLeast int) {
	t.Helper()
	s := predicate.CorpusSchema(t, predicate.GoogleSQL)
	printed := 0
	for _, fact := range googleFacts {
		expr, err := predicate.Parse(predicate.GoogleSQL, fact, s)
		if err != nil {
			t.Errorf("%s: %v", fact, err)
			continue
		}
		sql, err := print.SQL(d, expr, predicate.Env{})
		if err != nil {
			var r *api.Error
			if !errors.As(err, &r) || r.Kind != api.KindNotPortable {
				t.Errorf("%s: %v", fact, err)
			}
			continue
		}
		printed++
		if got, err := e.scalar("SELECT CAST((" + sql + ") AS VARCHAR)"); err != nil || got != "true" {
			t.Errorf("%s\nprinted for %s: %s\nis %q (%v)", fact, d, sql, got, err)
		}
	}
	if printed < atLeast {
		t.Errorf("%s: only %d of %d facts were printed, want %d", d, printed, len(googleFacts), atLeast)
	}
}

func TestGoogleFactsHoldInDuckDB(t *testing.T) {
	factsHold(t, predicate.DuckDB, openDuck(t), len(googleFacts)-2)
}
