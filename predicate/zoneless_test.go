package predicate

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestTimesThatDoNotMixWithPointsInTime has the gate refuse what DuckDB refuses.
func TestTimesThatDoNotMixWithPointsInTime(t *testing.T) {
	s, err := NewSchema(DuckDB, []api.Column{{Name: "s", Type: "TIMESTAMP_S"}, {Name: "ns", Type: "TIMESTAMP_NS"}, {Name: "ts", Type: "TIMESTAMP"}, {Name: "tz", Type: "TIMESTAMP WITH TIME ZONE"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, hint := range map[string]string{
		"ns < tz": "CAST(ns AS TIMESTAMP)", "tz = s": "CAST(s AS TIMESTAMP)", "tz BETWEEN ts AND ns": "CAST(ns AS TIMESTAMP)",
		"ts < tz": "", "CAST(ns AS TIMESTAMP) < tz": "", "ns > '2026-01-31'": "", "ns = ts": "",
	} {
		_, err := Parse(DuckDB, text, s)
		var e *api.Error
		if hint == "" && err != nil || hint != "" && (!errors.As(err, &e) || !strings.Contains(e.Hint, hint)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
