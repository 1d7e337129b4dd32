package lent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/internal/testing/trinotest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/registry"
)

func TestMain(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// opened opens the sources of an instance.
func opened(t *testing.T, lines ...string) map[string]source.Source {
	t.Helper()
	inst, err := config.ParseInstance(filepath.Join(t.TempDir(), "instance.yaml"), []byte("sources:\n  "+strings.Join(lines, "\n  ")+"\n"), registry.Types())
	if err != nil {
		t.Fatal(err)
	}
	all, err := registry.Open(inst, registry.With{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range all {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

// sources opens the tables of a folder twice: read here, and by an engine.
func sources(t *testing.T, kind, dir string, e engine, keys string) (here, there source.Source) {
	t.Helper()
	all := opened(t, fmt.Sprintf("here: { type: %s, root: %q }", kind, dir), fmt.Sprintf("there: { type: %s, root: %q, engine: engine%s }", kind, dir, keys), e.line)
	return all["here"], all["there"]
}

// engine runs statements, and is a source.
type engine struct {
	exec func(ctx context.Context, sql string) error
	line string // of the instance
}

func spark(s *sparktest.Server) engine {
	return engine{s.Exec, fmt.Sprintf("engine: { type: spark, uri: %q, token: %q }", s.URI(), sparktest.Token)}
}

// read reads all rows of a table that a condition selects, in any order.
func read(t *testing.T, src source.Source, name, condition string) ([]string, error) {
	t.Helper()
	rel := source.Relation{Name: name}
	schema, err := src.Schema(t.Context(), rel)
	if err != nil {
		return nil, err
	}
	scan := source.Scan{Relation: rel}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	if condition != "" {
		typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
		if err != nil {
			t.Fatal(err)
		}
		if scan.Where, err = predicate.Parse(src.Dialect(), condition, typed); err != nil {
			return nil, err
		}
	}
	r, err := src.Scan(t.Context(), scan)
	if err != nil {
		return nil, err
	}
	if v := r.(source.Versioned).RowsVersion(); v != schema.Version {
		t.Errorf("%s: the rows are of the version %s, not %s", name, v, schema.Version)
	}
	rows, err := enginetest.Rows(r)
	slices.Sort(rows)
	return rows, err
}

var where = regexp.MustCompile(` WHERE (.*)$`)

// alike holds that both read the same rows of a table.
func alike(t *testing.T, here, there source.Source, name, condition string) {
	t.Helper()
	want, err := read(t, here, name, condition)
	if err != nil {
		t.Fatal(err)
	}
	switch got, err := read(t, there, name, condition); {
	case err != nil:
		t.Errorf("%s WHERE %s: %v", name, condition, err)
	case !slices.Equal(got, want):
		t.Errorf("%s WHERE %s: %d rows, want %d: %.300s", name, condition, len(got), len(want), got)
	}
}

func TestSail(t *testing.T) {
	engine, dir := spark(sparktest.Sail(t)), t.TempDir()
	t.Run("delta", func(t *testing.T) { testDelta(t, engine) })
	t.Run("iceberg", func(t *testing.T) {
		testWritten(t, engine, dir, "", "CREATE TABLE t (id BIGINT, f DOUBLE, s STRING) USING iceberg LOCATION 'file://"+dir+"/t'", "t", "t")
	})
}

func TestSpark(t *testing.T) {
	engine, dir := spark(sparktest.Spark(t)), t.TempDir()
	for _, set := range []string{"ice=org.apache.iceberg.spark.SparkCatalog", "ice.type=hadoop", "ice.warehouse=" + dir} {
		exec(t, engine, "SET spark.sql.catalog."+set)
	}
	for space, keys := range map[string]string{"placed": "", "named": ", engine_catalog: ice.named"} {
		table, below := "ice."+space+".t", filepath.Join(dir, space)
		if err := os.Mkdir(below, 0o700); err != nil {
			t.Fatal(err)
		}
		testWritten(t, engine, below, keys, "CREATE TABLE "+table+" (id BIGINT, f DOUBLE, s STRING) USING iceberg", "t", table)
	}
	t.Run("delta", func(t *testing.T) { testDelta(t, engine) })
}

// TestTrino has a Trino of make trino read tables that it writes itself.
func TestTrino(t *testing.T) {
	server, dir := os.Getenv("DA_TRINO"), os.Getenv("DA_TRINO_TABLES")
	if server == "" {
		t.Skip("make trino starts a server for it")
	}
	engine := engine{func(_ context.Context, sql string) error { return trinotest.Exec(server, sql) }, fmt.Sprintf("engine: { type: trino, dsn: \"http://da@%s\" }", server)}
	exec(t, engine, "CREATE SCHEMA ice.shop")
	testWritten(t, engine, dir, ", engine_catalog: ice", "CREATE TABLE ice.shop.t (id BIGINT, f DOUBLE, s VARCHAR)", "shop/t", "ice.shop.t")
}

func exec(t *testing.T, e engine, sql string) {
	t.Helper()
	if err := e.exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// testDelta holds that an engine reads the same rows of each table and of each version
// as the one in this process.
func testDelta(t *testing.T, engine engine) {
	here, there := sources(t, "delta", opentables.Unpack(t, "delta"), engine, "")
	opentables.Each(t, "delta", func(t *testing.T, name string, q opentables.Question) {
		condition := ""
		if m := where.FindStringSubmatch(q.SQL); m != nil {
			condition = m[1]
		}
		alike(t, here, there, name, condition)
	})
}

// testWritten holds the same of a table of Iceberg that the engine writes itself:
// its snapshots are numbered at random.
func testWritten(t *testing.T, engine engine, dir, keys, create, path, table string) {
	here, there := sources(t, "iceberg", dir, engine, keys)
	names := []string{path}
	for _, sql := range []string{create, "INSERT INTO " + table + " VALUES (1, 1.5, 'a'), (2, CAST('NaN' AS DOUBLE), NULL)", "INSERT INTO " + table + " VALUES (3, NULL, '')"} {
		exec(t, engine, sql)
		version, err := there.Version(t.Context(), source.Relation{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		snapshot, _, _ := strings.Cut(version, "-")
		names = append(names, path+"@"+snapshot)
	}
	for _, name := range append(names[:1], names[2:]...) { // at first there is none
		for _, condition := range []string{"", "f > 1", "s IS NULL OR id = 3"} {
			alike(t, here, there, name, condition)
		}
	}
	if got, err := read(t, there, names[1], ""); len(got) != 2 || err != nil {
		t.Errorf("the first snapshot has %q, %v", got, err)
	}
}

// TestWhatAnEngineReadsNot is refused with what is wrong.
func TestWhatAnEngineReadsNot(t *testing.T) {
	for keys, says := range map[string]string{
		"engine: nothing":                  `there is no other source "nothing"`,
		"type: lake, engine: spark":        "read by the engine inside da alone",
		"type: lake, engine: trino":        "read by the engine inside da alone",
		"type: lake, engine: house":        "read by the engine inside da alone",
		"engine: x":                        `there is no other source "x"`,
		"engine: y":                        `the source "y" reads no tables of others`,
		"engine: house":                    `the source "house" reads no tables of others`,
		"engine_catalog: prod":             "are for a source with engine",
		"engine: y, engine_root: s3://b/p": `the source "y" reads no tables of others`,
	} {
		if !strings.HasPrefix(keys, "type") {
			keys = "type: delta, " + keys
		}
		text := fmt.Sprintf("sources:\n  x: { root: %q, %s }\n  y: { type: delta, root: %[1]q }\n  house: { type: clickhouse, dsn: \"http://127.0.0.1:1\" }\n"+
			"  spark: { type: spark, uri: \"sc://127.0.0.1:1\" }\n  trino: { type: trino, dsn: \"http://da@127.0.0.1:1\" }\n", t.TempDir(), keys)
		inst, err := config.ParseInstance(filepath.Join(t.TempDir(), "instance.yaml"), []byte(text), registry.Types())
		if err != nil {
			t.Fatal(err)
		}
		_, err = registry.Open(inst, registry.With{TempDir: t.TempDir()})
		var e *api.Error
		if !api.CodeConfig.Is(err) || !errors.As(err, &e) || !strings.Contains(err.Error(), says) || strings.HasSuffix(keys, "delta, engine: house") && !strings.Contains(e.Hint, "ClickHouse cannot be one") {
			t.Errorf("%s: %#v", keys, err)
		}
	}
}

// TestWhatTrinoReadsWrong is refused before it is asked.
func TestWhatTrinoReadsWrong(t *testing.T) {
	all := opened(t, fmt.Sprintf("here: { type: delta, root: %q, engine: engine, engine_catalog: lake }", opentables.Unpack(t, "delta")), `engine: { type: trino, dsn: "http://da@127.0.0.1:1" }`)
	if _, err := read(t, all["here"], "plain", ""); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), "cut to milliseconds") {
		t.Error(err)
	}
	trino, _ := all["engine"].(source.Borrower)
	for says, table := range map[string]*source.Schema{
		"small letters": {Columns: []api.Column{{Name: "Id", Type: "BIGINT"}}},
		"infinity":      {Columns: []api.Column{{Name: "f", Type: "DOUBLE"}}, PartitionBy: []string{"f"}},
		"":              {Columns: []api.Column{{Name: "id", Type: "BIGINT"}, {Name: "f", Type: "DOUBLE"}}, PartitionBy: []string{"id"}},
	} {
		if err := trino.Borrows("iceberg", table); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// TestAnotherTable is one that the engine finds at the place, with other columns.
func TestAnotherTable(t *testing.T) {
	dir, other, engine := t.TempDir(), t.TempDir(), spark(sparktest.Sail(t))
	for i, at := range []string{dir, other} {
		exec(t, engine, fmt.Sprintf("CREATE TABLE t%d USING delta LOCATION 'file://%s/t' AS SELECT 1L AS n%[1]d", i, at))
	}
	there := opened(t, fmt.Sprintf("there: { type: delta, root: %q, engine: engine, engine_root: 'file://%s' }", dir, other), engine.line)["there"]
	if _, err := read(t, there, "t", ""); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("%v", err)
	}
}
