package table

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/enginetest"
)

// TestDamagedParquet: a damaged file is no fault of the statement, and is not
// called by the handle that the engine reads it through.
func TestDamagedParquet(t *testing.T) {
	ts, dir := newTables(t)
	path := filepath.Join(dir, "a.parquet")
	enginetest.Parquet(t, path, "SELECT i AS k, hash(i)::VARCHAR AS x FROM range(200000) t(i)")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	for name, data := range map[string][]byte{
		"cut.parquet":   whole[:len(whole)/2],
		"short.parquet": whole[:8],
		"inner.parquet": append(whole[:footer/8:footer/8], whole[footer:]...), // its end is there
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ts.Query(t.Context(), QueryRequest{Source: Source{Path: name}, Query: "SELECT max(x), sum(k) FROM data"})
		var e *api.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Code != api.CodeReadFailed || strings.Contains(e.Message, "/proc/") || e.Hint == "" {
			t.Errorf("%s: %s: %s %s", name, e.Code, e.Message, e.Hint)
		}
	}
}
