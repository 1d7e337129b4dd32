package agenthttp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
)

// TestACallGetsNoMoreOfTheServersMemoryThanOthers asks for more.
func TestACallGetsNoMoreOfTheServersMemoryThanOthers(t *testing.T) {
	var given []int64
	files := Files{Isolate: func(_ context.Context, _ FileRoot, _ json.RawMessage, memory int64, _ func(string)) (json.RawMessage, error) {
		given = append(given, memory)
		return json.RawMessage(`{}`), nil
	}}
	at := FileRoot{Root: t.TempDir(), Known: t.TempDir()}
	box, err := at.Box(tool.Config{Isolate: files.isolate(at), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Files.Close()
	for _, limit := range []string{"1GB", "500GB"} {
		box.Call(t.Context(), "table_query", json.RawMessage(`{"path":"a.csv","query":"SELECT 1","memory_limit":"`+limit+`"}`), nil)
	}
	if len(given) != 2 || given[0] != toolbox.CallMemory || given[1] != toolbox.CallMemory {
		t.Errorf("%d", given)
	}
}
