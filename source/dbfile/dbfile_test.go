package dbfile

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

func TestMain(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "write" {
		if err := write(os.Args[2]); err != nil {
			_, _ = os.Stdout.WriteString(err.Error())
		}
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// write adds a row to a file of DuckDB, and holds the file open until its input ends.
func write(file string) error {
	db, err := duckdb.OpenFile(file, false, duckdb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := db.Conn()
	if err == nil {
		err = c.Exec(context.Background(), "INSERT INTO t VALUES (2)")
	}
	if err != nil {
		return err
	}
	_, _ = os.Stdout.WriteString("ready\n")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// rowsOf reads all columns of a table.
func rowsOf(t *testing.T, src source.Source, table string) (string, error) {
	t.Helper()
	scan := source.Scan{Relation: source.Relation{Name: table}}
	schema, err := src.Schema(t.Context(), scan.Relation)
	if err != nil {
		return "", err
	}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	r, err := src.Scan(t.Context(), scan)
	if err != nil {
		return "", err
	}
	text, err := enginetest.Text(r, nil)
	for _, c := range api.SchemaCaveats(r.Schema()) {
		text += "\n! " + c.Text
	}
	return text, err
}

func open1(t *testing.T, how func(string, listed.Options) (*listed.Source, error), file string) *listed.Source {
	t.Helper()
	src, err := how(file, listed.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

func is(t *testing.T, what, got string, err error, want string) {
	t.Helper()
	if err != nil || strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s: %v\n%s\nwant\n%s", what, err, got, want)
	}
}

func TestSQLiteTypes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b?.sqlite")
	writeSQLite(t, file,
		`CREATE TABLE mixed(i INTEGER, r REAL, d DATE, n NUMERIC, b BLOB, x, none DOUBLE, "we""ird" INT)`,
		`INSERT INTO mixed VALUES(1, 1, '2024-02-29', 1, 'text', x'00ff', NULL, 9007199254740993), ('not a number', 2.5, '2024-02-30', 1.5, x'01', 7, NULL, 0.5)`,
		`CREATE TABLE gen(a INT, b INT GENERATED ALWAYS AS (a*2) VIRTUAL, c INT GENERATED ALWAYS AS (a*3) STORED)`, `INSERT INTO gen(a) VALUES(2)`,
		`CREATE TABLE keyed(k TEXT PRIMARY KEY, v INT) WITHOUT ROWID`, `INSERT INTO keyed VALUES('a', 1)`,
		`CREATE VIEW v AS SELECT * FROM mixed`, `CREATE VIRTUAL TABLE ft USING fts5(a)`)
	src := open1(t, OpenSQLite, file)
	names, views, err := src.Tables(t.Context())
	is(t, "tables", strings.Join(names, " ")+"; "+strings.Join(views, " "), err, "gen keyed mixed; ft v")
	got, err := rowsOf(t, src, "mixed")
	is(t, "mixed", got, err, `
1|1|2024-02-29|1|text|x'00ff'|(null)|9007199254740993
not a number|2.5|2024-02-30|1.5|x'01'|7|(null)|0.5
! column "i" holds values of several types (integer: 1, text: 1): all are shown as text, bytes as x'…'
! column "b" holds values of several types (text: 1, bytes: 1): all are shown as text, bytes as x'…'
! column "x" holds values of several types (integer: 1, bytes: 1): all are shown as text, bytes as x'…'
! column "we\"ird" holds values of several types (integer: 1, float: 1): all are shown as text, bytes as x'…'`)
	got, err = rowsOf(t, src, "gen")
	is(t, "generated", got, err, "2|4|6")
	got, err = rowsOf(t, src, "keyed")
	is(t, "without rowid", got, err, "a|1")
	for _, name := range []string{"v", "ft", "ft_data", "sqlite_schema", "Mixed"} {
		if _, err := src.Schema(t.Context(), source.Relation{Name: name}); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSQLiteLog reads what only the log has, writes nothing beside the file, and sees
// a change.
func TestSQLiteLog(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.sqlite")
	db := writeSQLite(t, file, `PRAGMA journal_mode = WAL`, `PRAGMA wal_autocheckpoint = 0`, `CREATE TABLE t(i INTEGER)`, `INSERT INTO t VALUES(1)`)
	src := open1(t, OpenSQLite, file)
	got, err := rowsOf(t, src, "t")
	is(t, "log", got, err, "1")
	before, err := src.Version(t.Context(), source.Relation{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO t VALUES(2)`); err != nil {
		t.Fatal(err)
	}
	got, err = rowsOf(t, src, "t")
	is(t, "changed log", got, err, "1\n2")
	if after, err := src.Version(t.Context(), source.Relation{Name: "t"}); err != nil || after == before {
		t.Errorf("%s is the version before and after: %v", after, err)
	}
	if err := db.Close(); err != nil { // takes the log in
		t.Fatal(err)
	}
	got, err = rowsOf(t, src, "t")
	is(t, "closed", got, err, "1\n2")
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

func TestSQLiteRefused(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.sqlite")
	db := writeSQLite(t, locked, `CREATE TABLE t(i TEXT)`, `INSERT INTO t VALUES(CAST(x'ff00' AS TEXT))`)
	src := open1(t, OpenSQLite, locked)
	if _, err := rowsOf(t, src, "t"); !errors.Is(err, &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue}) {
		t.Errorf("no UTF-8: %v", err)
	}
	if _, err := db.Exec("BEGIN EXCLUSIVE; UPDATE t SET i = 'x'"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := src.Tables(t.Context()); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile}) {
		t.Errorf("locked: %v", err)
	}
	other := filepath.Join(dir, "other.sqlite")
	if err := os.WriteFile(other, []byte("SQLite format 2 and no more than that"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open1(t, OpenSQLite, other).Probe(t.Context()); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable}) {
		t.Errorf("other: %v", err)
	}
}

func TestDuckDBTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.duckdb")
	writeDuckDB(t, file, `CREATE SCHEMA s; CREATE TABLE s.t(i INTEGER, e ENUM('a', 'b')); INSERT INTO s.t VALUES (1, 'b');
		CREATE TABLE "a.b"(x INTEGER, y INTEGER AS (x * 2)); INSERT INTO "a.b"(x) VALUES (4); CREATE TABLE "a""b"(z INTEGER); INSERT INTO "a""b" VALUES (7); CREATE VIEW v AS SELECT * FROM read_text('/etc/hostname')`)
	src := open1(t, OpenDuckDB, file)
	names, views, err := src.Tables(t.Context())
	is(t, "tables", strings.Join(names, " ")+"; "+strings.Join(views, " "), err, `a"b a.b s.t; v`)
	got, err := rowsOf(t, src, "s.t")
	is(t, "s.t", got, err, "1|b\n! column \"e\": ENUM becomes text: the order and the list of its values are lost")
	got, err = rowsOf(t, src, "a.b")
	is(t, "a.b", got, err, "4|8")
	got, err = rowsOf(t, src, `a"b`)
	is(t, `a"b`, got, err, "7")
	if _, err := src.Schema(t.Context(), source.Relation{Name: "v"}); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation}) {
		t.Errorf("view: %v", err)
	}
}

// TestDuckDBWriter reads a file that a writer has left with its log, and refuses one
// that is being written.
func TestDuckDBWriter(t *testing.T) {
	dir := t.TempDir()
	file, left := filepath.Join(dir, "x.duckdb"), filepath.Join(dir, "left.duckdb")
	writeDuckDB(t, file, "CREATE TABLE t(i INTEGER)", "INSERT INTO t VALUES (1)")
	// The system drops a process's locks on a file that it closes anywhere.
	writer := exec.Command(os.Args[0], "write", file) //nolint:gosec // this program
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), writer.Wait() }()
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "ready\n" {
		t.Fatal(said, err)
	}
	for _, end := range []string{"", ".wal"} {
		b, err := os.ReadFile(file + end)
		if err == nil {
			err = os.WriteFile(left+end, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rowsOf(t, open1(t, OpenDuckDB, file), "t"); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile}) {
		t.Errorf("written: %v", err)
	}
	got, err := rowsOf(t, open1(t, OpenDuckDB, left), "t")
	is(t, "left", got, err, "1\n2")
}

func TestDuckDBRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.duckdb")
	writeDuckDB(t, file, "CREATE TABLE t AS SELECT range AS i FROM range(100000)")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte){
		"storage version 999": func(b []byte) { binary.LittleEndian.PutUint64(b[12:], 999) },
		"not of DuckDB":       func(b []byte) { b[8] = 'X' },
		"cannot be read":      func(b []byte) { clear(b[len(b)/2:]) },
	} {
		damaged := append([]byte{}, b...)
		change(damaged)
		file := filepath.Join(dir, "damaged.duckdb")
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := rowsOf(t, open1(t, OpenDuckDB, file), "t"); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable}) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
