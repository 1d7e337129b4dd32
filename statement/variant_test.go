package statement

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestNoCastToVariant: such a cast of deeply nested text ends the process.
func TestNoCastToVariant(t *testing.T) {
	conn := engine(t)
	for _, sql := range []string{
		"SELECT '[]'::JSON::VARIANT", "SELECT TRY_CAST(x AS VARIANT) FROM t", "SELECT CAST([x] AS VARIANT[]) FROM t",
		"SELECT x::STRUCT(a VARIANT) FROM t",
	} {
		if _, err := Check(t.Context(), conn, sql); !api.CodeStatement.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := Check(t.Context(), conn, "SELECT x::JSON, y::INTEGER[] FROM t"); err != nil {
		t.Errorf("other casts: %v", err)
	}
}
