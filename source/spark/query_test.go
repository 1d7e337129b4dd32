package spark

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// statements are more than those that all engines run.
func statements(t *testing.T, f sourcetest.Fixture) {
	sourcetest.Statements(t, f, map[string]string{
		"SELECT count_if(id > 1) AS n, max_by(name, id) AS a, sum(id) FILTER (WHERE id > 1) AS s FROM staff":       "1|eve|3",
		"SELECT CASE WHEN id = 1 THEN \"it's\" ELSE 'a\\\\b\\n$' END AS c, id::STRING AS s FROM staff ORDER BY id": "it's|1\na\\b\n$|3",
		"SELECT DATE '2024-01-02' + INTERVAL '7' DAY AS d, year(DATE '2024-01-02') AS y FROM teams LIMIT 1":        "2024-01-09|2024",
		"SELECT id FROM staff LEFT ANTI JOIN teams ON staff.name = teams.boss ORDER BY id":                         "1\n3",
		"SELECT `team`, ID FROM staff WHERE name ILIKE 'E%'":                                                       "a|3",
		"SELECT '${env:PATH} ${spark.app.name}' AS x FROM teams LIMIT 1":                                           "${env:PATH} ${spark.app.name}",
	}, "SELECT TRANSFORM(id) USING 'id' FROM staff", "SELECT * FROM text.`/etc/hostname`", "SELECT * FROM `/etc/hostname`", "SELECT java_method('java.lang.System', 'getenv', 'PATH') FROM staff",
		"SELECT reflect('java.lang.System', 'getenv', 'PATH') FROM staff", "SELECT `${env:PATH}` FROM staff", "SELECT * FROM IDENTIFIER('staff')", "SELECT input_file_name() FROM staff", "SELECT id FROM staff CLUSTER BY id",
		"SELECT * FROM read_files('/etc')", "SELECT _metadata FROM teams", "SELECT * FROM da_table_1", "SELECT * FROM staff VERSION AS OF 1", "FROM staff SELECT id", "SELECT current_catalog() FROM staff", "SELECT * FROM staff LATERAL VIEW explode(array(1)) t AS x")
}

func TestSailStatements(t *testing.T) { statements(t, fixture(t, sparktest.Sail(t))) }

func TestSparkStatements(t *testing.T) { statements(t, fixture(t, sparktest.Spark(t))) }

func printedAlike(t *testing.T, server *sparktest.Server) {
	f := fixture(t, server)
	sourcetest.PrintedAlike(t, f, func(ctx context.Context, sql string) (array.RecordReader, error) {
		return f.Source.(*Spark).query(ctx, within(10, text(1, sql)), true)
	})
}

func TestSailPrintedAlike(t *testing.T) { printedAlike(t, sparktest.Sail(t)) }

func TestSparkPrintedAlike(t *testing.T) { printedAlike(t, sparktest.Spark(t)) }

// TestWideTexts reads texts that an engine sends with offsets of 64 bits.
func TestWideTexts(t *testing.T) {
	server := sparktest.Sail(t)
	exec(t, server, "CREATE TABLE default.wide AS SELECT id, CASE WHEN id % 3 = 0 THEN NULL ELSE md5(CAST(id AS STRING)) END AS h FROM range(5000)")
	src := opened(t, Options{URI: server.URI()})
	got, err := src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "default.wide"}, Select: []string{"h"}, OrderBy: []predicate.Order{{Column: "id"}}})
	rows, err := enginetest.Text(got, err)
	if want := "(null)\nc4ca4238a0b923820dcc509a6f75849b\nc81e728d9d4c2f636f067f89cc14862c\n(null)\n"; err != nil || !strings.HasPrefix(rows, want) || strings.Count(rows, "\n") != 4999 {
		t.Errorf("%.200s, %v", rows, err)
	}
}
