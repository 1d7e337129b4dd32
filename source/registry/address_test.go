package registry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/config"
)

// TestAddressesOfFiles looks at what a file begins with, whatever it is called.
func TestAddressesOfFiles(t *testing.T) {
	dir := t.TempDir()
	for head, typ := range map[string]string{"SQLite format 3\x00": "sqlite", "\x00\x00\x00\x00\x00\x00\x00\x00DUCK\x40\x00\x00\x00": "duckdb", "v\n1\n": ""} {
		file := filepath.Join(dir, "a.dat")
		if err := os.WriteFile(file, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Address{Text: file, Name: "a", Dir: dir}.Keys(t.Context())
		if typ == "" {
			if err == nil {
				t.Errorf("%q is %+v", head, got)
			}
			continue
		}
		if want := "a: { type: " + typ + ", file: ./a.dat }"; err != nil || config.SourceLine("a", got.Keys) != want {
			t.Errorf("%q: %+v, %v, want %s", head, got.Keys, err, want)
		}
	}
}

// TestAddressesOfTables begins the source above a folder that is itself a table.
func TestAddressesOfTables(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "sales", "orders", "_delta_log")
	if err := os.MkdirAll(log, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(log, "00000000000000000000.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for of, table := range map[string]string{"sales": "", "sales/orders": "orders"} {
		got, err := Address{Text: filepath.Join(dir, of), Name: "a", Dir: dir}.Keys(t.Context())
		if want := "a: { type: delta, root: ./sales }"; err != nil || config.SourceLine("a", got.Keys) != want || got.Table != table {
			t.Errorf("%s: %+v, %v, want %s", of, got, err, want)
		}
	}
}
