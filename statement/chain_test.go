package statement

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestChains has long lists of pairs planned as they are, and refuses endless ones.
func TestChains(t *testing.T) {
	conn := engine(t)
	settings := func(sql string) map[string]string {
		sel, err := Check(t.Context(), conn, sql)
		if err != nil {
			t.Fatal(err)
		}
		return sel.Settings
	}
	pairs := func(n int) string {
		var terms []string
		for i := range n {
			terms = append(terms, fmt.Sprintf("(a = %d AND b = %d)", i, i))
		}
		return strings.Join(terms, " OR ")
	}
	for sql, want := range map[string]map[string]string{
		"SELECT a FROM t WHERE " + pairs(longChain):                                           nil,
		"SELECT a FROM t WHERE " + pairs(longChain+1):                                         unrewritten,
		"SELECT a FROM t WHERE c AND NOT (" + pairs(20) + " OR (" + pairs(20) + "))":          unrewritten,
		"SELECT a FROM (SELECT * FROM t JOIN u ON " + pairs(300) + ")":                        unrewritten,
		"SELECT a FROM t WHERE a IN (" + numbers(5000) + ")":                                  nil,
		"SELECT a FROM t WHERE " + strings.Repeat("a <> b AND ", 5000) + "true":               nil,
		"SELECT count(*) FROM t GROUP BY b HAVING " + strings.ReplaceAll(pairs(40), "a", "b"): unrewritten,
	} {
		if got := settings(sql); !maps.Equal(got, want) {
			t.Errorf("%.80s: settings %v, want %v", sql, got, want)
		}
	}
	for _, joined := range []string{pairs(maxChain + 1), strings.Repeat("a <> b AND ", maxChain) + "true"} {
		_, err := Check(t.Context(), conn, "SELECT a FROM t WHERE "+joined)
		if e := refusal(t, err); e.Kind != api.KindTooLong || e.Details["position"] == nil || e.Hint == "" {
			t.Errorf("%v, at %v", e, e.Details)
		}
	}
}
