package predicate

import (
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate/syntax"
)

// The functions that GoogleSQL predicates may use. The list is closed: to add
// one is to change the contract, here and in docs/predicates.md.
const (
	firstList = `CURRENT_DATE CURRENT_TIMESTAMP CURRENT_TIME DATE DATETIME TIMESTAMP TIME DATE_ADD DATE_SUB DATE_DIFF DATE_TRUNC EXTRACT
		FORMAT_DATE FORMAT_TIMESTAMP PARSE_DATE PARSE_TIMESTAMP UNIX_SECONDS UNIX_MILLIS
		CONCAT LENGTH LOWER UPPER SUBSTR SUBSTRING TRIM LTRIM RTRIM REPLACE STARTS_WITH ENDS_WITH CONTAINS_SUBSTR REGEXP_CONTAINS REGEXP_EXTRACT
		ABS CEIL FLOOR ROUND MOD POWER SQRT LOG LN EXP SIGN GREATEST LEAST IF IFNULL COALESCE NULLIF`
	additions = `CURRENT_DATETIME TIMESTAMP_ADD TIMESTAMP_SUB TIMESTAMP_DIFF TIMESTAMP_TRUNC DATETIME_ADD DATETIME_SUB DATETIME_DIFF DATETIME_TRUNC`
	castList  = `INT64 FLOAT64 NUMERIC STRING BYTES BOOL DATE DATETIME TIMESTAMP TIME DECIMAL BIGNUMERIC`
)

func TestGoogleListIsClosed(t *testing.T) {
	want := strings.Fields(strings.ToLower(firstList + " " + additions))
	sort.Strings(want)
	var got []string
	for name := range operations().byName[GoogleSQL] {
		if regexp.MustCompile(`^[a-z_0-9]+$`).MatchString(name) && name != "neg" {
			got = append(got, name)
		}
	}
	for name := range GoogleSQL.Traits().clocks {
		got = append(got, name)
	}
	sort.Strings(got)
	if a, b := strings.Join(got, " "), strings.Join(want, " "); a != b {
		t.Errorf("callable: %s\nlisted:   %s", a, b)
	}
	texts := strings.ToUpper(strings.Join(Corpus(t, GoogleSQL), "\n"))
	for _, name := range want {
		if !regexp.MustCompile(`\b` + strings.ToUpper(name) + `\(`).MatchString(texts) {
			t.Errorf("no accepted predicate of the corpus calls %s", strings.ToUpper(name))
		}
	}
	targets := strings.Fields(strings.ToLower(castList))
	known := 0
	for _, ct := range GoogleSQL.Traits().casts {
		known += len(ct.names)
	}
	if known != len(targets) {
		t.Errorf("%d cast targets, listed are %d", known, len(targets))
	}
	for _, name := range targets {
		if !strings.Contains(texts, " AS "+strings.ToUpper(name)) {
			t.Errorf("no accepted predicate of the corpus casts to %s", name)
		}
		if _, ok := GoogleSQL.Traits().castTo(name); !ok {
			t.Errorf("%s is no cast target", name)
		}
	}
}

// TestMostNamesAreWritten holds the same for the other dialects, whose lists
// are the catalogue itself.
func TestMostNamesAreWritten(t *testing.T) {
	for _, d := range []Dialect{DuckDB, Postgres} {
		texts := strings.ToLower(strings.Join(Corpus(t, d), "\n"))
		missing := 0
		for name := range operations().byName[d] {
			if syntax.IsWordByte(name[0]) && !strings.Contains(name, " ") && name != "neg" && !strings.Contains(texts, name+"(") {
				missing++
			}
		}
		if total := len(operations().byName[d]); missing > total/2 {
			t.Errorf("%s: the corpus calls only %d of %d functions", d, total-missing, total)
		}
	}
}
