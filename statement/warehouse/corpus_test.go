package warehouse

import (
	_ "embed" // the statements
	"strings"
	"testing"
)

//go:embed testdata/ordinary.sql
var ordinaryText string

// TestOrdinaryStatementsPass holds the grammar to what analysts write over web
// analytics, orders and events: statements apart by empty lines.
func TestOrdinaryStatementsPass(t *testing.T) {
	list := strings.Split(strings.TrimSpace(ordinaryText), "\n\n")
	if len(list) != 200 {
		t.Errorf("there are %d statements, want 200", len(list))
	}
	for _, sql := range list {
		if _, err := Check(sql); err != nil {
			t.Errorf("%s\n\tis refused: %v", sql, err)
		}
	}
}
