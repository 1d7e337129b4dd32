package checks

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestExpectations(t *testing.T) {
	for text, want := range map[string]Expectation{
		"empty":                   {Operator: "="},
		" rows = 5":               {Operator: "=", Rows: 5},
		"rows>=0":                 {Operator: ">=", Rows: 0},
		"rows <= 12":              {Operator: "<=", Rows: 12},
		"rows > 5":                {Condition: "rows > 5"}, // a column
		"rows=5 OR delay IS NULL": {Condition: "rows=5 OR delay IS NULL"},
	} {
		want.Text = strings.TrimSpace(text)
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "  ", "rows=99999999999999999999"} {
		if _, err := Parse(text); !api.CodeUsage.Is(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestACutResultIsNeverAllOfIt(t *testing.T) {
	for text, want := range map[string]Status{"rows=5": Failed, "rows<=5": Failed, "rows>=5": Passed, "rows>=6": Failed} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if o := e.Counted(5, true); o.Status != want || want == Failed && !strings.Contains(o.Message, "cut") {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

// Reports hold what came from data and from people without changing their own shape.
func TestReportsAreSafe(t *testing.T) {
	nasty := "a\n::error::b, <&\"'%0A]]>"
	row := api.Row{Columns: []string{nasty}, Values: []any{nasty}}
	outcomes := []Outcome{{Name: nasty, Of: nasty, Status: Failed, Severity: Warn, Message: nasty, Examples: []api.Row{row}}}
	for _, name := range []string{GitHub, "x.xml", "x.sarif"} {
		report, err := ReportFor(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := report(&b, outcomes); err != nil {
			t.Fatal(err)
		}
		switch {
		case name == GitHub && (strings.Count(b.String(), "\n") != 1 || !strings.HasPrefix(b.String(), "::warning title=a%0A%3A%3Aerror%3A%3Ab%2C ")):
			t.Error(b.String())
		case name == "x.xml":
			var suite junitSuite
			if err := xml.Unmarshal([]byte(b.String()), &suite); err != nil || suite.Failures != 0 || suite.Cases[0].Name != nasty || !strings.Contains(suite.Cases[0].Out, "warning: "+nasty) {
				t.Errorf("%v: %+v", err, suite)
			}
		}
	}
}
