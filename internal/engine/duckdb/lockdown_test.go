package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLockdown tries every door to a file outside, from the connection that
// locked, from one that was open before and from one opened after.
func TestLockdown(t *testing.T) {
	inside, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.csv")
	writeFile(t, secret, "word\nplugh\n")
	writeFile(t, filepath.Join(inside, "open.csv"), "word\nxyzzy\n")
	for link, to := range map[string]string{"link.csv": secret, "dir": outside} {
		if err := os.Symlink(to, filepath.Join(inside, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, Options{TempDir: filepath.Join(t.TempDir(), "tmp")})
	must(t, c, "CREATE TABLE t(a VARCHAR)", "COPY (SELECT 1 AS a) TO "+Literal(filepath.Join(outside, "a.parquet")),
		"ATTACH "+Literal(filepath.Join(outside, "a.duckdb"))+" AS a", "CREATE TABLE a.t(a INTEGER)", "DETACH a")
	before := session(t, c.db)
	if err := c.Lockdown(t.Context(), []string{inside}); err != nil {
		t.Fatal(err)
	}
	after := session(t, c.db)
	in := func(name string) string { return Literal(filepath.Join(inside, name)) }
	for _, conn := range []*Conn{c, before, after} {
		for _, sql := range append(doors(secret, outside),
			"SELECT * FROM "+in("link.csv"), "SELECT * FROM read_csv("+in("link.csv")+")", "SELECT * FROM read_text("+in("link.csv")+")",
			"SELECT * FROM read_text("+in("dir/secret.csv")+")", "SELECT * FROM read_text("+in("../../"+filepath.Base(outside)+"/secret.csv")+")",
			"COPY (SELECT 1) TO "+in("dir/b.csv"), "ATTACH "+in("dir/a.duckdb")) {
			if err := conn.Exec(t.Context(), sql); err == nil {
				t.Errorf("%s was run", sql)
			}
		}
		if got := one(t, conn, "SELECT word FROM "+in("open.csv")); got != "xyzzy" {
			t.Errorf("a file inside: %s", got)
		}
	}
	if err := c.Import(t.Context(), "v", rowsOf(3), "COPY (SELECT * FROM v) TO "+in("out.parquet")); err != nil {
		t.Errorf("Import: %v", err)
	}
	// What Lockdown says that it does not stop.
	must(t, c, "COPY (SELECT 'overwritten' AS word) TO "+in("open.csv"), "DROP TABLE t", "ATTACH ':memory:' AS m")
}

// doors are statements that read or write a file, or reach the network.
func doors(file, dir string) []string {
	f, other := Literal(file), Literal(filepath.Join(dir, "new"))
	sql := []string{
		"SELECT * FROM " + f, "SELECT * FROM read_csv(" + f + ")", "SELECT * FROM read_csv_auto([" + f + "])", "SELECT * FROM read_text(" + f + ")",
		"SELECT * FROM read_blob(" + f + ")", "SELECT * FROM read_json(" + f + ")", "SELECT * FROM read_ndjson_objects(" + f + ")",
		"SELECT * FROM sniff_csv(" + f + ")", "SELECT * FROM glob(" + Literal(dir+"/*") + ")", "SELECT * FROM read_text(" + Literal(dir+"/*") + ")",
		"SELECT * FROM read_parquet(" + Literal(dir+"/a.parquet") + ")", "SELECT * FROM parquet_metadata(" + Literal(dir+"/a.parquet") + ")",
		"SELECT * FROM parquet_schema(" + Literal(dir+"/a.parquet") + ")", "SELECT * FROM parquet_kv_metadata(" + Literal(dir+"/a.parquet") + ")",
		"SELECT * FROM read_text(" + Literal("file://"+file) + ")", "SELECT * FROM read_text('/proc/self/environ')", "SELECT * FROM '/etc/passwd'",
		"SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM read_csv('/dev/stdin')",
		"SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')", "SELECT * FROM query_table(['/etc/passwd'])",
		"COPY t TO " + other, "COPY t FROM " + f, "COPY (SELECT 1) TO " + other + " (USE_TMP_FILE false)", "COPY (SELECT 1) TO '/dev/stderr'",
		"EXPORT DATABASE " + other, "IMPORT DATABASE " + Literal(dir), "ATTACH " + Literal(dir+"/a.duckdb") + " (READ_ONLY)", "ATTACH " + other,
		"SELECT * FROM 'https://example.com/x.parquet'", "SELECT * FROM read_parquet('s3://bucket/x.parquet')", "ATTACH 'https://example.com/x.duckdb'",
		"INSTALL httpfs", "LOAD httpfs", "LOAD " + f, "FORCE INSTALL spatial FROM community", "INSTALL " + f,
		"CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
	}
	for _, setting := range []string{
		"lock_configuration = false", "enable_external_access = true", "allowed_directories = ['/']", "allowed_paths = ['/etc/passwd']",
		"temp_directory = '/'", "memory_limit = '1TB'", "threads = 64", "autoload_known_extensions = true", "autoinstall_known_extensions = true",
		"extension_directory = '/tmp'", "errors_as_json = false", "TimeZone = 'Asia/Tokyo'", "allowed_configs = ['threads']",
		"log_query_path = '/tmp/x'", "profile_output = '/tmp/x'", "secret_directory = '/tmp'", "home_directory = '/'",
	} {
		sql = append(sql, "SET "+setting, "SET GLOBAL "+setting, "SET SESSION "+setting, "PRAGMA "+setting)
	}
	return append(sql, "RESET lock_configuration", "RESET enable_external_access", "RESET GLOBAL threads", "RESET memory_limit")
}

// TestLockdownRefusesWhatItCannotDo: half a lock is an error.
func TestLockdownRefusesWhatItCannotDo(t *testing.T) {
	c := connect(t, Options{})
	if err := c.Lockdown(t.Context(), []string{"a\x00b"}); !errors.Is(err, errNUL) {
		t.Errorf("a NUL byte: %v", err)
	}
	must(t, c, "SET lock_configuration = true")
	var e *Error
	if err := c.Lockdown(t.Context(), nil); !errors.As(err, &e) {
		t.Errorf("a locked instance: %v", err)
	}
}

// TestLockdownOfNothing allows no directory at all, and odd names.
func TestLockdownOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's [a] \"dir\", ok")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.csv")
	writeFile(t, file, "a\n1\n")
	none, odd := connect(t, Options{}), connect(t, Options{})
	if err := none.Lockdown(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := none.Exec(t.Context(), "SELECT * FROM read_text("+Literal(file)+")"); err == nil {
		t.Error("a file was read")
	}
	if err := odd.Lockdown(t.Context(), []string{dir}); err != nil {
		t.Fatal(err)
	}
	if got := one(t, odd, "SELECT content FROM read_text("+PathLiteral(file)+")"); got != "a\n1\n" {
		t.Errorf("%q", got)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
