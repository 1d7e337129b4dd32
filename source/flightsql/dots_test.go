package flightsql

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestDotsCallNothing holds that a name behind a dot runs no function, whatever
// else in the statement has the name that the engine gives to what has none: of
// a plain value t, the engine takes t.f for f(t).
func TestDotsCallNothing(t *testing.T) {
	f, tables := staff(t)
	for _, sql := range []string{
		"SELECT unnest.lo_import FROM unnest(ARRAY['/etc/hostname']) WHERE (SELECT true FROM (SELECT 1 AS lo_import) AS unnest)",
		"SELECT CAST(unnest.ts_stat AS text) FROM unnest(ARRAY['SELECT to_tsvector(''simple'', name || '' '' || pay) FROM public.staff']) WHERE (SELECT true FROM (SELECT 1 AS ts_stat) AS unnest)",
		"SELECT unnest.current_setting FROM unnest(ARRAY['data_directory']) WHERE (SELECT true FROM (SELECT 1 AS current_setting) AS unnest)",
		"SELECT unnest.current_setting FROM ROWS FROM (unnest(ARRAY['data_directory'])) WHERE (SELECT true FROM (SELECT 1 AS current_setting) AS unnest)",
		"SELECT (SELECT unnest.current_setting FROM unnest(ARRAY['data_directory'])) FROM (SELECT 1 AS current_setting) AS unnest",
		"WITH c AS (SELECT unnest.current_setting AS x FROM unnest(ARRAY['data_directory'])), unnest AS (SELECT 1 AS current_setting) SELECT x FROM c, unnest",
		"SELECT unnest.evil FROM unnest(ARRAY['x']) WHERE (SELECT true FROM teams AS unnest LIMIT 1)",
		`VALUES ('x'), ((SELECT 'y' FROM (SELECT 1 AS evil) AS "*VALUES*")) ORDER BY "*VALUES*".evil`,
	} {
		if got, err := ask(t, f, sql, tables); !api.CodeStatement.Is(err) {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT u.v FROM unnest(ARRAY['x']) AS u(v)":                                   "x",
		"SELECT s.id, unnest FROM staff s, unnest(ARRAY['x']) ORDER BY s.id":           "1|x\n3|x",
		"SELECT j.boss FROM (staff JOIN teams USING (team)) AS j WHERE j.name = 'zoe'": "zed",
	} {
		if got, err := ask(t, f, sql, tables); err != nil || got != want {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
}
