package firstengine

import (
	"strings"
	"testing"

	_ "github.com/agnes-data/da/internal/duckdb" // links the engine
)

func TestNeeded(t *testing.T) {
	for line, want := range map[string]bool{
		"da": false, "da version": false, "da help query": false, "da catalog --json": false,
		"da query": true, "da query SELECT": true, "da fetch t --name query": true, "da shell": true,
		"da query --remote SELECT": false, "da query --help": false, "da fetch t --estimate": false, "da query -h": false,
	} {
		if got := needed(strings.Fields(line)); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
