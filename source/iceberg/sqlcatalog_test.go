package iceberg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// catalogSQL is what keeps the tables of a folder in the namespace a.b, as PyIceberg 0.12
// writes it: the statements of its SqlCatalog.
func catalogSQL(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name));\n"
	for _, e := range entries {
		file, _ := opentables.Newest(dir, e.Name())
		all += "INSERT INTO iceberg_tables VALUES ('prod', 'a.b', '" + e.Name() + "', 'file://" + file + "', NULL, 'TABLE');\n"
	}
	return all
}

func sqliteCatalog(t *testing.T, statements string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "catalog.db")
	db, err := sql.Open("sqlite", "file:"+file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), statements)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func databaseOver(t *testing.T, d Database, dir string) *listed.Source {
	t.Helper()
	src, err := OpenDatabase(d, listed.Options{Root: dir, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// TestTablesOfADatabase finds each table by a catalog in SQLite, and by one in PostgreSQL, as
// it is in its folder.
func TestTablesOfADatabase(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	folder, err := Open(listed.Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	statements := catalogSQL(t, dir)
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			d := Database{}
			if kind == "sqlite" {
				d.File = sqliteCatalog(t, statements)
			} else {
				cluster := pgtest.New(t, pgtest.Options{})
				if out, err := cluster.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres", "-c", statements).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				d.DSN = cluster.DSN("") + " dbname=postgres"
			}
			src := databaseOver(t, d, dir)
			names, _, err := src.Tables(t.Context())
			if entries, _ := os.ReadDir(dir); err != nil || len(names) != len(entries) || !slices.Contains(names, "a.b.plain") {
				t.Errorf("%d tables, %v", len(names), err)
			}
			if err := src.Probe(t.Context()); err != nil {
				t.Error(err)
			}
			for _, name := range names {
				want, unlike := folder.Version(t.Context(), source.Relation{Name: strings.TrimPrefix(name, "a.b.")})
				got, err := src.Version(t.Context(), source.Relation{Name: name})
				if got != want || (err == nil) != (unlike == nil) {
					t.Errorf("%s: version %s, %v; in its folder %s, %v", name, got, err, want, unlike)
				}
			}
			rel := source.Relation{Name: "a.b.plain"}
			schema, err := src.Schema(t.Context(), rel)
			if err != nil {
				t.Fatal(err)
			}
			r, err := src.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{schema.Columns[0].Name}})
			if rows, err := enginetest.Text(r, err); err != nil || strings.Count(rows, "\n") < 10 {
				t.Errorf("%v: %s", err, rows)
			}
		})
	}
}

// TestManyTablesOfADatabase lists a catalog of 100,000 tables.
func TestManyTablesOfADatabase(t *testing.T) {
	of := catalogSQL(t, t.TempDir()) + fmt.Sprintf("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) INSERT INTO iceberg_tables SELECT 'prod', 'a.b', 't' || n, 'file:///t', NULL, NULL FROM c", sourcetest.ManyTables)
	src := databaseOver(t, Database{File: sqliteCatalog(t, of)}, t.TempDir())
	sourcetest.Many(t, func(ctx context.Context) ([]string, error) {
		tables, _, err := src.Tables(ctx)
		return tables, err
	})
}

// TestDatabasesThatRefuse holds what is said of a catalog that does not answer.
func TestDatabasesThatRefuse(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	statements := catalogSQL(t, dir)
	view := filepath.Join(dir, "plain", "metadata", "v.metadata.json")
	if err := os.WriteFile(view, []byte(`{"format-version": 1, "view-uuid": "u", "location": "x", "schemas": [{"schema-id": 0, "fields": []}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	statements += "INSERT INTO iceberg_tables VALUES ('prod', 'a', 'view', 'file://" + view + "', NULL, 'VIEW'), ('prod', 'a', 'away', 'file:///elsewhere/1.metadata.json', NULL, NULL), ('prod', 'a', 'none', NULL, NULL, NULL);"
	one, two := sqliteCatalog(t, statements), sqliteCatalog(t, statements+"INSERT INTO iceberg_tables VALUES ('test', 'a.b', 'other', NULL, NULL, NULL);")
	for name, c := range map[string]struct {
		d     Database
		table string
		kind  string
		word  string
	}{
		"table":     {Database{File: one}, "a.b.nothing", api.KindNoRelation, "a.b.nothing"},
		"located":   {Database{File: one}, "a.none", api.KindNoRelation, "a.none"},
		"spaceless": {Database{File: one}, "plain", api.KindBadPath, "namespace"},
		"view":      {Database{File: one}, "a.view", api.KindUnlikeFiles, "a view"},
		"elsewhere": {Database{File: one}, "a.away", api.KindOutsideRoot, "below the root"},
		"name":      {Database{File: one, Name: "test"}, "a.b.plain", api.KindNoRelation, "a.b.plain"},
		"catalogs":  {Database{File: two}, "a.b.plain", "", ""},
		"listed":    {Database{File: two}, "", api.KindBadPath, "prod, or test"},
		"named":     {Database{File: two, Name: "prod"}, "a.b.plain", "", ""},
		"no such":   {Database{File: sqliteCatalog(t, "CREATE TABLE x (a)")}, "a.b.plain", api.KindUnreadable, "iceberg_tables"},
		"nobody":    {Database{DSN: "postgres://reader:" + "hidden-50" + "@127.0.0.1:1/db"}, "a.b.plain", api.KindUnreachable, "cannot be asked"},
	} {
		src := databaseOver(t, c.d, dir)
		var err error
		if c.table == "" {
			_, _, err = src.Tables(t.Context())
		} else {
			_, err = src.Version(t.Context(), source.Relation{Name: c.table})
		}
		var e *api.Error
		if c.kind == "" && err == nil {
			continue
		}
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message+e.Hint, c.word) {
			t.Errorf("%s: %v", name, err)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "hidden-50") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := OpenDatabase(Database{DSN: "postgres://u:" + "hidden-51" + "@h:port/x"}, listed.Options{Root: dir}); !api.CodeConfig.Is(err) || strings.Contains(err.Error(), "hidden-51") {
		t.Error(err)
	}
}
