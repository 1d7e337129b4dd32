package lake

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// TestWideDecimals: the engine reads such columns as floats, often wrong ones.
func TestWideDecimals(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"decimal_40_digits.parquet", "decimal_over_38_digits_17_bytes.parquet"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		f.write(t, name, string(data))
		_, err = f.lake.Schema(t.Context(), source.Relation{Name: name})
		refused(t, f, err, api.CodeSource, name, `column "d" is DECIMAL(`, "more than 38 digits", "as text")
	}
}

// TestListsBeginRows: the engine drops the first of the file's ten values. The file is of
// Apache's parquet-testing, where it is bad_data/ARROW-GH-45185.parquet.
func TestListsBeginRows(t *testing.T) {
	f := newFolder(t)
	const name = "list_before_first_row.parquet"
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, name, string(data))
	refused(t, f, f.failed(t, f.scan(t, name, "", "x")), api.CodeSource, name, "belong to no row")
}
