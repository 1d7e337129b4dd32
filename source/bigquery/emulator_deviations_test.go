//go:build emulator

package bigquery

import (
	"regexp"
	"slices"
	"strings"
)

// deviation is what the emulator is known to do otherwise than BigQuery's
// documentation says. It covers a statement with the construct if the emulator
// answered in the way that is described, and in no other.
type deviation struct {
	name string
	// rule is what the documentation says.
	rule      string
	construct *regexp.Regexp
	answer    func(c corpusCase, rows []string, err error) bool
	seen      int
}

// lacks is an answer that names a function or an operator which the emulator's
// engine does not have.
func lacks(text string) func(corpusCase, []string, error) bool {
	return func(_ corpusCase, _ []string, err error) bool {
		return err != nil && strings.Contains(err.Error(), text)
	}
}

// overlooks is an answer where the documentation, and the test server, has an
// error of the words.
func overlooks(text string) func(corpusCase, []string, error) bool {
	return func(c corpusCase, _ []string, err error) bool {
		return err == nil && c.err != nil && strings.Contains(c.err.Error(), text)
	}
}

// misses is an answer with fewer rows than there are.
func misses(c corpusCase, rows []string, err error) bool {
	return err == nil && c.err == nil && len(rows) < len(c.rows) && !slices.ContainsFunc(rows, func(r string) bool { return !slices.Contains(c.rows, r) })
}

// differs is an answer with other rows.
func differs(c corpusCase, _ []string, err error) bool { return err == nil && c.err == nil }

// bareJSON is an answer that is like ours but for what the emulator writes
// without quotes, and for true.
func bareJSON(c corpusCase, rows []string, err error) bool {
	want := make([]string, len(c.rows))
	for i, r := range c.rows {
		want[i] = strings.ReplaceAll(quotedNumber.ReplaceAllString(r, "$1"), ":true", ":1")
	}
	return err == nil && slices.Equal(rows, want)
}

var quotedNumber = regexp.MustCompile(`"(-?[0-9][0-9.-]*)"`)

func construct(text string) *regexp.Regexp { return regexp.MustCompile(text) }

// deviations are those of the version in emulator/go.mod.
var deviations = []*deviation{
	{name: "NULL IS NOT FALSE is NULL", rule: "IS NOT FALSE is TRUE for NULL: the IS operators never return NULL",
		construct: construct(`IS NOT FALSE`), answer: misses},
	{name: "_ in LIKE matches no character", rule: "an underscore in a pattern of LIKE matches one character; behind a backslash, itself",
		construct: construct(`LIKE '[^']*_`), answer: differs},
	{name: "SAFE_CAST('' AS INT64) is not NULL", rule: "a text that is no number cannot be cast to INT64; SAFE_CAST returns NULL then",
		construct: construct("SAFE_CAST\\(`name` AS INT64\\) IS NULL"), answer: misses},
	{name: "INT64 wraps around", rule: "operators and ABS return an error where the result overflows (SAFE_ADD and its like are there to return NULL)",
		construct: construct(` \* 2|ABS\(`), answer: overlooks("Overflow")},
	{name: "days before the first date", rule: "DATE_SUB returns an error where the result is no date",
		construct: construct("DATE_SUB\\(`d`, INTERVAL `n` WEEK\\)"), answer: overlooks("Overflow in negation")},
	{name: "roots of negative numbers", rule: "SQRT generates an error if its argument is less than 0",
		construct: construct(`SQRT\(`), answer: overlooks("square root of a negative number")},
	{name: "logarithms of negative numbers", rule: "LN and LOG generate an error if their argument is less than or equal to 0",
		construct: construct(`(LN|LOG)\(`), answer: overlooks("logarithm of a negative number")},
	{name: "EXP that overflows", rule: "EXP generates an error if the result overflows",
		construct: construct(`EXP\(`), answer: overlooks("Floating point error")},
	{name: "what is no NUMERIC becomes one", rule: "a cast to NUMERIC fails for infinities, texts that are no numbers and values out of its range",
		construct: construct("CAST\\(`(f|name)` AS NUMERIC"), answer: overlooks("Bad value for a cast to NUMERIC")},
	{name: "no unary minus of a column", rule: "-X is an operator for all numeric types",
		construct: construct("\\(-`n`\\)"), answer: lacks("no such function: googlesqlite_unary_minus")},
	{name: "no EXTRACT(TIME FROM …)", rule: "TIME is a part that EXTRACT takes out of a DATETIME",
		construct: construct(`EXTRACT\(TIME FROM`), answer: lacks("no such function: googlesqlite_extract_time")},
	{name: "no EXTRACT(WEEK(MONDAY) FROM …)", rule: "WEEK(<WEEKDAY>) is a part that EXTRACT takes out of a DATE",
		construct: construct(`EXTRACT\(WEEK\(MONDAY\) FROM`), answer: lacks("unexpected part WEEK_MONDAY")},
	{name: "no comparisons of INTERVAL", rule: "INTERVAL is comparable",
		construct: construct("`iv` (<|>|<>|=) INTERVAL"), answer: lacks("operator for interval value")},
	{name: "no order of INTERVAL", rule: "INTERVAL is orderable",
		construct: construct("ORDER BY src\\.`iv`"), answer: differs},
	{name: "no pseudo-columns in backticks", rule: "a name in backticks is the same name (the emulator replaces the word by its clock)",
		construct: construct("`_PARTITION(TIME|DATE)`"), answer: lacks("Unrecognized name: _PARTITION")},
	{name: "TO_JSON_STRING quotes less", rule: "decimals with a fraction, whole numbers beyond 2^53 and dates are JSON strings, BOOL is true or false",
		construct: construct(`TO_JSON_STRING\(`), answer: bareJSON},
}

// deviates finds the deviation that an answer is; nil: none that is known.
func deviates(c corpusCase, rows []string, err error) *deviation {
	for _, d := range deviations {
		if d.construct.MatchString(c.sql) && d.answer(c, rows, err) {
			return d
		}
	}
	return nil
}
