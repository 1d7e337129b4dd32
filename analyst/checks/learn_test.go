package checks

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/internal/engine/profile"
)

// TestLearnedChecksAreAFile reads what was learned as a person's file.
func TestLearnedChecksAreAFile(t *testing.T) {
	value := func(text string, n int64) profile.Value { return profile.Value{Value: json.RawMessage(text), N: n} }
	p := &profile.Profile{Rows: 1000, Sampled: 1000, Columns: []profile.Column{
		{Name: "id", Type: "BIGINT", Distinct: 1000, Key: true, Bounds: []float64{1, 500, 1000}, Up: []int64{1, 500, 1000}},
		{Name: "no", Type: "VARCHAR", Distinct: 2, Top: []profile.Value{value(`"yes: 'no'"`, 600), value(`"no"`, 300)}, Nulls: 100},
		{Name: "n", Type: "DOUBLE", Distinct: 50, Bounds: []float64{0, 1e-7, 5, 9}, Up: []int64{300, 400, 700, 1000}},
	}}
	text, err := yaml.Marshal(File{Tables: map[string]Table{"t": Learn(p)}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile("t.yaml", string(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var kinds []string
	for _, c := range f.Tables["t"].Checks {
		switch {
		case c.AcceptedValues != nil:
			kinds = append(kinds, "accepted_values "+c.AcceptedValues.Values[0].(string))
		case c.Drift != nil:
			kinds = append(kinds, "drift "+c.Drift.Column)
			if c.Drift.Column == "n" && !slices.Equal(c.Drift.Shares, []float64{0.4, 0.3, 0.3}) {
				t.Errorf("shares %v", c.Drift.Shares)
			}
		case c.NullShare != nil:
			kinds = append(kinds, "null_share "+c.NullShare.Column)
		}
	}
	want := []string{"null_share no", "accepted_values yes: 'no'", "drift no", "drift n"}
	if !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
}
