package flightapi

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
)

func TestPatternsAreThoseOfLike(t *testing.T) {
	for pattern, want := range map[string]string{
		"%": "a ab a_b a.b", "a": "a", "a_": "ab", `a\_b`: "a_b", "a%b": "ab a_b a.b", "a.b": "a.b", "": "", `a\`: "a", "[a-z]": "", "%_b": "ab a_b a.b", "%a%b%": "ab a_b a.b", "A%": "a ab a_b a.b", "_": "a", "__%_": "a_b a.b", "%b_": "", `%\%`: "",
	} {
		var got []string
		for _, name := range []string{"a", "ab", "a_b", "a.b"} {
			if like(&pattern, name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", pattern, got, want)
		}
	}
}

// TestWhatIsNotToldIsLeftOut: drivers ask for more than every server has.
func TestWhatIsNotToldIsLeftOut(t *testing.T) {
	s := newStatements("1")
	for _, c := range []struct {
		asked toldInfo
		rows  int64
	}{
		{toldInfo{uint32(flightsql.SqlInfoFlightSqlServerName), 424242}, 1}, {toldInfo{424242}, 0}, {nil, int64(len(s.info))},
	} {
		_, chunks, err := s.DoGetSqlInfo(t.Context(), c.asked)
		if err != nil {
			t.Fatal(err)
		}
		rows := int64(0)
		for chunk := range chunks {
			rows += chunk.Data.NumRows()
			chunk.Data.Release()
		}
		if rows != c.rows {
			t.Errorf("%v: %d rows, want %d", c.asked, rows, c.rows)
		}
	}
}
