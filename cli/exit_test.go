package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
)

// TestErrorsAreHarmless holds that what a terminal acts on reaches none in an
// error, in either form, and can be read back from JSON.
func TestErrorsAreHarmless(t *testing.T) {
	t.Parallel()
	hostile := "\x1b[8m\u202e\u009b 'é'"
	for _, asJSON := range []bool{false, true} {
		var b bytes.Buffer
		exit.Write(&b, 0, &api.Error{Code: api.CodeSource, Message: hostile, Hint: hostile, Details: map[string]any{"cause": hostile}}, "", asJSON)
		for _, bad := range []string{"\x1b", "\u202e", "\u009b"} {
			if bytes.Contains(b.Bytes(), []byte(bad)) {
				t.Errorf("as JSON %t: %q", asJSON, b.String())
			}
		}
		if !asJSON {
			continue
		}
		var got map[string]exit.JSON
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || got["error"].Message != hostile || got["error"].Details["cause"] != hostile || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%q: %v", b.String(), err)
		}
	}
}
