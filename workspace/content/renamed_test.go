package content

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestErrorsNameTheWorkspacesFile: neither the message nor a step names the copy
// that was read, since it is gone when somebody reads the error.
func TestErrorsNameTheWorkspacesFile(t *testing.T) {
	const path = "/tmp/copy/a.xlsx"
	err := Renamed(&api.Error{Message: "there is no table in " + path, Details: map[string]any{"path": path},
		Next: []api.Step{api.Do(api.ActionMap, "see how it was read", "path", path), api.Set(api.OptionSheet, "choose another sheet")}}, path, "b/a.xlsx")
	var e *api.Error
	if !errors.As(err, &e) || e.Message != "there is no table in 'b/a.xlsx'" || strings.Contains(string(mustJSON(t, e)), path) || len(e.Next) != 1 {
		t.Errorf("got %+v", e)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
