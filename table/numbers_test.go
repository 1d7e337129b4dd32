package table

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestNumbersThatAFloatChanges are kept as they are written, or counted where
// they are rounded.
func TestNumbersThatAFloatChanges(t *testing.T) {
	ts, dir := newTables(t)
	for i, c := range []struct{ text, want, warning string }{
		{`{"t":1.5}` + "\n" + `{"t":1e400}`, `[string] [["1.5"],["1e400"]]`, `column "t" is string, which keeps numbers that a float changes, the first in row 2: 1e400`},
		{`[{"t":[1.5]},{"t":[-1e400]}]`, `[json] [[[1.5]],[[-1e400]]]`, `column "t" is json, which keeps numbers that a float changes, the first in row 2: -1e400`},
		{`{"t":{"a":12345678901234567890123}}`, `[json] [[{"a":12345678901234567890123}]]`, `column "t" is json`},
		{`{"t":{"a":-12345678901234567890}}`, `[json] [[{"a":-12345678901234567890}]]`, `column "t" is json`},
		{`{"t":[123456789012345678901234567890123456789012]}`, `[json] [[[123456789012345678901234567890123456789012]]]`, `column "t" is json`},
		{`{"t":[9007199254740993,1.5]}`, `[json] [[[9007199254740993,1.5]]]`, `column "t" is json`},
		{`{"t":{"a":9007199254740993,"x":0.25}}`, `[struct] [[{"a":"9007199254740993","x":0.25}]]`, ""},
		{`{"t":{"a":18446744073709551615}}`, `[struct] [[{"a":"18446744073709551615"}]]`, ""},
		{`{"t":0.1000000000000000055511151231257827}` + "\n" + `{"t":2.5}`, `[decimal] [[0.1],[2.5]]`,
			`1 number has more digits than a float holds: rounded, the first in row 1, column "t": 0.1000000000000000055511151231257827`},
		{`{"t":[0.12345678901234567]}`, `[list] [[[0.12345678901234566]]]`, `1 number has more digits`},
		{`{"t":1e-400}`, `[integer] [[0]]`, `1 number has more digits`},
		{`{"t":0.10000000000000001,"u":14.41234567890123,"v":"1e400","w":1e22,"x":-0,"y":1.50000000000000000000}`,
			`[decimal float string float integer decimal] [[0.1,14.41234567890123,"1e400",1e+22,0,1.5]]`, ""},
	} {
		name := fmt.Sprintf("n%d.jsonl", i)
		if strings.HasPrefix(c.text, "[") {
			name = fmt.Sprintf("n%d.json", i)
		}
		write(t, dir, name, c.text)
		if got := answer(t, ts, name, "SELECT * FROM data"); got != c.want {
			t.Errorf("%s: %s", c.text, got)
		}
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if said := fmt.Sprint(m.Caveats); len(m.Caveats) > 0 != (c.warning != "") || !strings.Contains(said, c.warning) {
			t.Errorf("%s: warnings %s", c.text, said)
		}
	}
}
