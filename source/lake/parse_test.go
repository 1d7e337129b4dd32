package lake

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

func numbered(prefix string, n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint(prefix, i))
	}
	return strings.Join(names, ",")
}

// TestLongStatementsAreParsedElsewhere holds that a process of its own finds the same
// as this one, also about the largest statements.
func TestLongStatementsAreParsedElsewhere(t *testing.T) {
	l := newFolder(t).lake
	padding := strings.Repeat(" ", 10_000)
	for _, sql := range []string{
		"SELECT a, 'it''s ' || b AS \"é\\n\" FROM t JOIN u USING (c) WHERE d > $$x'y$$", "SELECT 1; SELECT 2", "SELECT é FRO t", "DROP TABLE t",
		"SELECT a FROM read_csv('x')", "DESCRIBE t", "SELECT $1",
	} {
		inspect := func(sql string) (source.Statement, map[string]any, string) {
			s, err := l.Inspect(t.Context(), sql)
			slices.Sort(s.Columns) // they have no order
			var e *api.Error
			if err == nil {
				return s, nil, ""
			} else if !errors.As(err, &e) {
				t.Fatalf("%.100s: %v", sql, err)
			}
			return s, e.Details, string(e.Code) + e.Kind + e.Message
		}
		want, details, message := inspect(sql)
		got, gotDetails, gotMessage := inspect(sql + padding)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotDetails, details) || gotMessage != message {
			t.Errorf("%s: %+v %v %s\nelsewhere: %+v %v %s", sql, want, details, message, got, gotDetails, gotMessage)
		}
	}
	for _, sql := range []string{
		"SELECT a IN (" + numbered("1", 80_000) + ") FROM t", "SELECT a FROM t WHERE a = 1" + strings.Repeat(" OR a = 1", 9_000),
		"SELECT '" + strings.Repeat("x", 1_000_000) + "' FROM t", "SELECT " + numbered("a", 9_000) + " FROM t",
	} {
		if s, err := l.Inspect(t.Context(), sql); err != nil || len(s.Tables) != 1 {
			t.Errorf("%.50s: %+v, %v", sql, s, err)
		}
	}
}

// TestTheMemoryOfTheParserIsBounded has the parser make 8,000 lists of up to 8,000
// groups, which no limit of the engine counts.
func TestTheMemoryOfTheParserIsBounded(t *testing.T) {
	_, err := newFolder(t).lake.Inspect(t.Context(), "SELECT 1 FROM t GROUP BY ROLLUP ("+numbered("a", 8_000)+")")
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindTooLong && e.Code != api.CodeBudget || e.Hint == "" ||
		!strings.Contains(e.Message, "memory") && !strings.Contains(e.Message, "time") { // which ends first on a busy machine
		t.Errorf("%v", err)
	}
}
