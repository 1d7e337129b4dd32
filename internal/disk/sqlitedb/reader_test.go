package sqlitedb

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
)

func TestReadersSeeEachChange(t *testing.T) {
	files := fstest.MapFS{"001_t.sql": {Data: []byte("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2), (3);")}}
	d, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{Migrations: files, Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	largest := func() (n int) {
		t.Helper()
		// Two rows more are left unread: they must hold nothing.
		if err := d.Read.QueryRow("SELECT a FROM t ORDER BY a DESC").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for want := 3; want < 50; want++ {
		if got := largest(); got != want {
			t.Fatalf("the reader sees %d, want %d", got, want)
		}
		if err := d.Change(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO t VALUES (?)", want+1)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	// A statement that is kept outlives a change of the schema.
	if _, err := d.Write.Exec("ALTER TABLE t ADD COLUMN b INTEGER"); err != nil {
		t.Fatal(err)
	}
	if got := largest(); got != 50 {
		t.Errorf("after a change of the schema: %d", got)
	}
	if n := len(d.Read.kept); n != 1 {
		t.Errorf("one text is kept as %d statements", n)
	}
}

func TestReadersKeepABoundedNumberOfStatements(t *testing.T) {
	d, err := OpenMemory(Options{Migrations: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	var all sync.WaitGroup
	for i := range 2 * maxKept {
		all.Go(func() {
			var n int
			if err := d.Read.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d + ?", i), 1).Scan(&n); err != nil || n != i+1 {
				t.Errorf("%d: %d, %v", i, n, err)
			}
		})
	}
	all.Wait()
	if n := len(d.Read.kept); n != maxKept {
		t.Errorf("%d statements are kept", n)
	}
	if err := d.Read.QueryRow("SELECT nothing FROM nowhere").Scan(new(int)); err == nil {
		t.Error("a statement that is wrong has no error")
	}
}
