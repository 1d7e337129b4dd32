package table

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/table/intake"
)

// TestFilesAsPeopleSendThem pins the rows of files whose reading was once wrong, and
// what is said of them.
func TestFilesAsPeopleSendThem(t *testing.T) {
	for name, want := range map[string]struct {
		types  map[string]string
		rows   int64
		header bool
		says   string
		never  string
	}{
		"headerless_after_comments.tab": {nil, 312, false, "line 39 may name the columns, and was read as data", ""},
		"ragged_without_header.csv":     {nil, 4, false, "line 1 may name the columns, and was read as data", ""},
		"total_row_summed.csv":          {nil, 4, true, `1 row has a word for a sum, the first in line 5: "Total"`, ""},
		"forced_types_double_count.csv": {map[string]string{"amount": "decimal", "at": "timestamp", "event_id": "integer"}, 54, true,
			"5 cells have no value of the type that was given, and are null", "could name the columns"},
	} {
		ts, dir := newTables(t)
		data, err := os.ReadFile(filepath.Join("testdata", "sent", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name, Options: intake.Options{Types: want.types}}})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(warningsOf(m), "\n")
		if m.RowCount != want.rows || m.HasHeader != want.header || !strings.Contains(said, want.says) || want.never != "" && strings.Contains(said, want.never) {
			t.Errorf("%s: %d rows, header %v, %s", name, m.RowCount, m.HasHeader, said)
		}
	}
}
