package needs

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
)

// TestATypeIsPlannedAsItIsRead: a statement is planned over columns of the types
// that the rows have once they are here.
func TestATypeIsPlannedAsItIsRead(t *testing.T) {
	conn := enginetest.Conn(t)
	scalars := []string{"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
		"FLOAT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(38,10)", "VARCHAR", "BLOB", "JSON", "UUID", "DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE",
		"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "BIT"}
	var types []string
	for _, s := range scalars {
		types = append(types, s, s+"[]", "STRUCT(a "+s+", b INTEGER)", "MAP(VARCHAR, "+s+")", "MAP("+s+", INTEGER)", "STRUCT(a MAP(VARCHAR, "+s+"[]))[]")
	}
	for _, typ := range types {
		there, err := duckdb.Project([]duckdb.Column{{Name: "c", Type: typ}})
		if err != nil {
			t.Fatal(err)
		}
		columns := []api.Column{{Name: "c", Type: there[0].Type}}
		if there[0].Type != typ {
			columns = append(columns, api.Column{Name: "own", Type: typ})
		}
		schema, err := predicate.NewSchema(predicate.DuckDB, columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range schema.Columns() {
			read, err := enginetest.Text(conn.Query(t.Context(), "SELECT typeof(NULL::"+there[0].Type+"), typeof(NULL::"+LocalType(f.Type)+")"))
			if err != nil {
				t.Errorf("%s: %v", typ, err)
			} else if want, got, _ := strings.Cut(read, "|"); got != want {
				t.Errorf("%s is read as %s and planned as %s", typ, want, got)
			}
		}
	}
}
