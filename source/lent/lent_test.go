package lent_test

import (
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
func sources(t *testing.T, kind, dir string, engine *sparktest.Server, keys string) (here, there source.Source) {
	t.Helper()
	all := opened(t, fmt.Sprintf("here: { type: %s, root: %q }", kind, dir), fmt.Sprintf("there: { type: %s, root: %q, engine: spark%s }", kind, dir, keys), spark(engine))
	return all["here"], all["there"]
}

func spark(engine *sparktest.Server) string {
	return fmt.Sprintf("spark: { type: spark, uri: %q, token: %q }", engine.URI(), sparktest.Token)
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
	engine, dir := sparktest.Sail(t), t.TempDir()
	t.Run("delta", func(t *testing.T) { testDelta(t, engine) })
	t.Run("iceberg", func(t *testing.T) {
		testIceberg(t, engine, dir, "", "CREATE TABLE t (id BIGINT, f DOUBLE, s STRING) USING iceberg LOCATION 'file://"+dir+"/t'", "t")
	})
}

func TestSpark(t *testing.T) {
	engine, dir := sparktest.Spark(t), t.TempDir()
	for _, set := range []string{"ice=org.apache.iceberg.spark.SparkCatalog", "ice.type=hadoop", "ice.warehouse=" + dir} {
		exec(t, engine, "SET spark.sql.catalog."+set)
	}
	for space, keys := range map[string]string{"placed": "", "named": ", engine_catalog: ice.named"} {
		table, below := "ice."+space+".t", filepath.Join(dir, space)
		if err := os.Mkdir(below, 0o700); err != nil {
			t.Fatal(err)
		}
		testIceberg(t, engine, below, keys, "CREATE TABLE "+table+" (id BIGINT, f DOUBLE, s STRING) USING iceberg", table)
	}
	t.Run("delta", func(t *testing.T) { testDelta(t, engine) })
}

func exec(t *testing.T, engine *sparktest.Server, sql string) {
	t.Helper()
	if err := engine.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// testDelta holds that an engine reads the same rows of each table and of each version
// as the one in this process.
func testDelta(t *testing.T, engine *sparktest.Server) {
	here, there := sources(t, "delta", opentables.Unpack(t, "delta"), engine, "")
	opentables.Each(t, "delta", func(t *testing.T, name string, q opentables.Question) {
		condition := ""
		if m := where.FindStringSubmatch(q.SQL); m != nil {
			condition = m[1]
		}
		alike(t, here, there, name, condition)
	})
}

// testIceberg holds the same of a table that the engine writes itself, whose snapshots
// are numbered at random.
func testIceberg(t *testing.T, engine *sparktest.Server, dir, keys, create, table string) {
	here, there := sources(t, "iceberg", dir, engine, keys)
	names := []string{"t"}
	for _, sql := range []string{create, "INSERT INTO " + table + " VALUES (1, 1.5, 'a'), (2, double('NaN'), NULL)", "INSERT INTO " + table + " VALUES (3, NULL, '')"} {
		exec(t, engine, sql)
		version, err := there.Version(t.Context(), source.Relation{Name: "t"})
		if err != nil {
			t.Fatal(err)
		}
		snapshot, _, _ := strings.Cut(version, "-")
		names = append(names, "t@"+snapshot)
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
		"engine: x":                        `there is no other source "x"`,
		"engine: y":                        `the source "y" reads no tables of others`,
		"engine_catalog: prod":             "are for a source with engine",
		"engine: y, engine_root: s3://b/p": `the source "y" reads no tables of others`,
	} {
		text := fmt.Sprintf("sources:\n  x: { type: delta, root: %q, %s }\n  y: { type: delta, root: %[1]q }\n", t.TempDir(), keys)
		inst, err := config.ParseInstance(filepath.Join(t.TempDir(), "instance.yaml"), []byte(text), registry.Types())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Open(inst, registry.With{TempDir: t.TempDir()}); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}

// TestAnotherTable is one that the engine finds at the place, with other columns.
func TestAnotherTable(t *testing.T) {
	dir, other, engine := t.TempDir(), t.TempDir(), sparktest.Sail(t)
	for i, at := range []string{dir, other} {
		exec(t, engine, fmt.Sprintf("CREATE TABLE t%d USING delta LOCATION 'file://%s/t' AS SELECT 1L AS n%[1]d", i, at))
	}
	there := opened(t, fmt.Sprintf("there: { type: delta, root: %q, engine: spark, engine_root: 'file://%s' }", dir, other), spark(engine))["there"]
	if _, err := read(t, there, "t", ""); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("%v", err)
	}
}
