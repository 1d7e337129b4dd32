package table

import (
	"errors"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// TestALackOfMemoryIsNoBrokenFile tells a file that the engine has no room for
// from one that it cannot read.
func TestALackOfMemoryIsNoBrokenFile(t *testing.T) {
	var e *api.Error
	err := (&Tables{}).explain("big.xlsx", &duckdb.Error{Type: "Out of Memory", Message: "failed to allocate"})
	if !errors.As(err, &e) || e.Code != api.CodeBudget || e.Kind != "memory" {
		t.Errorf("%v", err)
	}
}
