package duckdb

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// TestErrorFields reads class, position and more of errors from all stages.
func TestErrorFields(t *testing.T) {
	c := connect(t, Options{MemoryLimit: "100MB"})
	must(t, c, "CREATE TABLE orders(id INTEGER, price INTEGER)")
	for sql, want := range map[string]Error{
		"SELEC 1":                  {Type: "Parser", Subtype: "SYNTAX_ERROR", Position: 0},
		"SELECT 'é', nope":         {Type: "Binder", Subtype: "COLUMN_NOT_FOUND", Position: 13, Name: "nope"},
		"SELECT prise FROM orders": {Type: "Binder", Subtype: "COLUMN_NOT_FOUND", Position: 7, Name: "prise", Candidates: []string{"price"}},
		"SELECT o.id FROM orders o WHERE o.prise = 1":                                   {Type: "Binder", Subtype: "COLUMN_NOT_FOUND", Position: 32, Name: "prise"},
		"SELECT * FROM order_":                                                          {Type: "Catalog", Subtype: "MISSING_ENTRY", Position: 14, Name: "order_", Candidates: []string{"orders"}},
		"SELECT lengthy('a')":                                                           {Type: "Catalog", Subtype: "MISSING_ENTRY", Position: 7, Name: "lengthy"},
		"SELECT CAST(i AS INTEGER) FROM (VALUES ('a')) v(i)":                            {Type: "Conversion", Position: 7},
		"SELECT error('{\"exception_type\":\"IO\"}')":                                   {Type: "Invalid Input", Position: -1},
		"SELECT i FROM read_parquet('/nope.parquet') AS t(i)":                           {Type: "IO", Position: 14},
		"SELECT NULL::INT[100000][100000][1000]":                                        {Type: "Out of Memory", Position: -1},
		"SELECT list(range) FROM range(100000000)":                                      {Type: "Out of Memory", Position: -1},
		"INSERT INTO orders SELECT range, range FROM range(4) WHERE error('x') IS NULL": {Type: "Invalid Input", Position: -1},
	} {
		for name, call := range calls {
			if name == "Import" {
				continue // it puts the statement into another
			}
			var e *Error
			if err := call(t.Context(), c, sql); !errors.As(err, &e) {
				t.Errorf("%s %s: %v", name, sql, err)
				continue
			}
			got := *e
			got.Message = ""
			if want.Candidates == nil {
				got.Candidates = nil
			}
			if !reflect.DeepEqual(got, want) || e.Message == "" || strings.Contains(e.Message, "exception_type\":\"Invalid") {
				t.Errorf("%s %s:\n got %#v\nwant %#v", name, sql, *e, want)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.duckdb")
	if _, err := OpenFile(file, true, Options{}); err == nil {
		t.Error("a missing file was opened for reading")
	}
	db, err := OpenFile(file, false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	must(t, session(t, db), "CREATE TABLE t AS SELECT 42 AS a")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = OpenFile(file, true, Options{}); err != nil {
		t.Fatal(err)
	}
	c := session(t, db)
	var e *Error
	if err := c.Exec(t.Context(), "CREATE TABLE u(a INTEGER)"); !errors.As(err, &e) || e.Type != "Invalid Input" {
		t.Errorf("a write to a file opened for reading: %v", err)
	}
	if one(t, c, "SELECT a FROM t") != "42" {
		t.Error("the table is not there")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	for _, opts := range []Options{
		{MemoryLimit: "much"}, {Settings: map[string]string{"no_such_setting": "1"}},
		{Settings: map[string]string{"access_mode": "maybe"}},
	} {
		if db, err := Open(opts); err == nil {
			t.Errorf("%+v was accepted: %v", opts, db.Close())
		}
	}
}

// TestFileIsLocked: another process has the file open for writing.
func TestFileIsLocked(t *testing.T) {
	const env = "DA_TEST_LOCK"
	if file := os.Getenv(env); file != "" {
		_, err := OpenFile(file, true, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Type != "IO" {
			t.Fatalf("%v", err)
		}
		return
	}
	file := filepath.Join(t.TempDir(), "a.duckdb")
	db, err := OpenFile(file, false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rerun(t, env+"="+file)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// rerun runs the calling test in another process.
func rerun(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIsDiskFull provokes what the text is read of: the engine's own messages.
func TestIsDiskFull(t *testing.T) {
	c := connect(t, Options{})
	rows := "(SELECT range AS a, repeat('x', 100) AS b FROM range(100000))"
	for _, sql := range []string{
		"COPY " + rows + " TO '/dev/full' (FORMAT parquet, USE_TMP_FILE false)",
		"COPY " + rows + " TO '/dev/full' (FORMAT csv, USE_TMP_FILE false)",
		"COPY (SELECT 1) TO '/dev/full' (FORMAT parquet, USE_TMP_FILE false)",
		"ATTACH '/dev/full' AS f",
	} {
		if err := c.Exec(t.Context(), sql); !IsDiskFull(err) || !IsDiskFull(fmt.Errorf("fetch: %w", err)) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	err := c.Import(t.Context(), "v", rowsOf(100), "COPY (SELECT * FROM v) TO '/dev/full' (FORMAT parquet, USE_TMP_FILE false)")
	if !IsDiskFull(err) {
		t.Errorf("Import: %v", err)
	}
	for _, sql := range []string{
		"SELECT error('Could not write file: No space left on device')",
		"COPY (SELECT 1) TO '/nope/: no space left on device'",
		"SELECT * FROM '/nope/: no space left on device.parquet'",
		"COPY (SELECT 1) TO '/nope/x.parquet'",
	} {
		if err := c.Exec(t.Context(), sql); err == nil || IsDiskFull(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, no := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}} {
		if !IsDiskFull(no) {
			t.Errorf("%v", no)
		}
	}
	if IsDiskFull(nil) || IsDiskFull(syscall.EACCES) || IsDiskFull(errors.New("no space left on device")) {
		t.Error("something else is taken for a full disk")
	}
}

// TestIsDiskFullInADatabase saves a database file over the process's limit.
func TestIsDiskFullInADatabase(t *testing.T) {
	const env = "DA_TEST_DATABASE_LIMIT"
	if os.Getenv(env) == "" {
		rerun(t, env+"=1")
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
		t.Fatal(err)
	}
	db, err := OpenFile(filepath.Join(t.TempDir(), "x.duckdb"), false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	if err = c.Exec(t.Context(), "CREATE TABLE t AS SELECT * FROM range(5)"); err == nil {
		err = c.Exec(t.Context(), "CHECKPOINT")
	}
	if !IsDiskFull(err) {
		t.Errorf("%v", err)
	}
}

// TestDatabaseFilesAreTheUsers whatever the umask says.
func TestDatabaseFilesAreTheUsers(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "x.duckdb")
	db, err := OpenFile(path, false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestIsDiskFullAtALimit grows a file over the process's limit.
func TestIsDiskFullAtALimit(t *testing.T) {
	const env = "DA_TEST_FILE_LIMIT"
	if os.Getenv(env) == "" {
		rerun(t, env+"=1")
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, Options{})
	out := filepath.Join(t.TempDir(), "out.parquet")
	err := c.Import(t.Context(), "v", rowsOf(500), "COPY (SELECT * FROM v) TO "+Literal(out)+" (FORMAT parquet)")
	if !IsDiskFull(err) {
		t.Errorf("%v", err)
	}
	nothingLeft(t, c)
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of the file is left: %v", err)
	}
}

func TestOneLine(t *testing.T) {
	for message, want := range map[string]string{
		"":    "",
		"one": "one",
		"not found in FROM clause!\nCandidate bindings: \"a\"": "not found in FROM clause! Candidate bindings: \"a\"",
		"no match.\n\tCandidates:\n\tsum(A)\r\n\n\tsum(B)\n":   "no match. Candidates: sum(A); sum(B)",
	} {
		if got := OneLine(message); got != want {
			t.Errorf("%q: %q, not %q", message, got, want)
		}
	}
}
