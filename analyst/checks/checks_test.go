package checks

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

func TestExpectations(t *testing.T) {
	for text, want := range map[string]Expectation{
		"empty":                   {Operator: "="},
		" rows = 5":               {Operator: "=", Rows: 5},
		"rows>=0":                 {Operator: ">=", Rows: 0},
		"rows <= 12":              {Operator: "<=", Rows: 12},
		"rows > 5":                {Operator: ">=", Rows: 6},
		"rows<5":                  {Operator: "<=", Rows: 4},
		"rows == 5":               {Operator: "=", Rows: 5},
		"\"rows\" > 5":            {Condition: "\"rows\" > 5"}, // a column
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
		if err := report(&b, nasty, outcomes); err != nil {
			t.Fatal(err)
		}
		switch {
		case name == GitHub && (strings.Count(b.String(), "\n") != 1 || !strings.HasPrefix(b.String(), "::warning file=a%0A%3A%3Aerror%3A%3Ab%2C <&\"'%250A]]>,title=a%0A%3A%3Aerror%3A%3Ab%2C ")):
			t.Error(b.String())
		case name == "x.sarif" && !strings.Contains(b.String(), `"uri": "./a%0A::error::b,%20%3C\u0026%22%27%250A%5D%5D%3E"`):
			t.Error(b.String())
		case name == "x.xml":
			var suite junitSuite
			if err := xml.Unmarshal([]byte(b.String()), &suite); err != nil || suite.Failures != 0 || suite.Cases[0].Name != nasty || !strings.Contains(suite.Cases[0].Out, "warning: "+nasty) {
				t.Errorf("%v: %+v", err, suite)
			}
		}
	}
}

func TestFreshness(t *testing.T) {
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	conn := enginetest.Conn(t)
	for _, c := range []struct {
		newest, age string
		fresh       bool
	}{
		{"DATE '2026-01-08'", "2d", true},
		{"DATE '2026-01-08'", "47h", false},
		{"TIMESTAMP '2026-01-09 12:00:00'", "12h", true},
		{"TIMESTAMPTZ '2026-01-09 14:00:00+02'", "12h", true},
		{"TIMESTAMPTZ '2026-01-09 13:59:59+02'", "12h", false},
		{"NULL::DATE", "1000d", false},
	} {
		compiled, err := Check{Freshness: &Freshness{"at", c.age}}.Compile(Table{}, now)
		if err != nil {
			t.Fatal(err)
		}
		var fresh bool
		if err := conn.QueryRow(t.Context(), "SELECT ("+compiled.Whole+") IS TRUE FROM (SELECT "+c.newest+" AS at)", nil, &fresh); err != nil || fresh != c.fresh {
			t.Errorf("%s is at most %s old: %v, %v", c.newest, c.age, fresh, err)
		}
	}
	for _, age := range []string{"", "7", "-1d", "soon", "0h"} {
		if _, err := ParseAge(age); err == nil {
			t.Errorf("%q is an age", age)
		}
	}
}
