package statement

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/wordset"
)

// habits are what other engines write, with what stands for it here.
var habits = []struct {
	text func() *regexp.Regexp
	hint string
}{
	{lazyregexp.New(`(?i)\blimit\s+(\d+)\s*,\s*(\d+)`), "Write LIMIT $2 OFFSET $1."},
	{lazyregexp.New(`(?i)\bselect\s+(?:distinct\s+)?top\s*\(?\s*(\d+)`), "Write LIMIT $1 at the end."},
	{lazyregexp.New(`(?i)\bgroup_concat\s*\(\s*(?:distinct\s+)?([^()]*?)\s+separator\s+('[^']*')\s*\)`), "Write string_agg($1, $2)."},
	{lazyregexp.New(`(?i)\[\s*(?:safe_)?(?:offset|ordinal)\s*\([^()]*\)\s*\]`), "Elements are counted from 1: write list[1] for the first."},
	{lazyregexp.New(`(?i)\bdate_trunc\s*\(\s*([^(),']+?)\s*,\s*(year|quarter|month|week|day|hour|minute)\s*\)`),
		"Write date_trunc('$2', $1)."},
	{lazyregexp.New(`(?i)\b(?:date|datetime|timestamp)_diff\s*\(\s*([^(),']+?)\s*,\s*([^(),']+?)\s*,\s*(year|quarter|month|week|day|hour|minute|second)\s*\)`), "Write date_diff('$3', $2, $1)."},
	{lazyregexp.New(`(?i)\bdate_?diff\s*\(\s*(year|quarter|month|week|day|hour|minute|second)\s*,`), "Write date_diff('$1', start, end)."},
	{lazyregexp.New(`(?i)\blike\s+(?:any|all|some)\b`), "Join several LIKE with OR or AND."},
	{lazyregexp.New(`(?i)\bu&'`), "Write the characters themselves: the text is UTF-8."},
	{lazyregexp.New(`(?i)\*\s*except\s*\(([^()]*)\)`), "Write * EXCLUDE ($1)."},
}

// backtick is the operator for which the parser takes one behind a value.
const backtick = "`__postfix"

// functionsElsewhere names the replacement here for functions of other engines.
var functionsElsewhere = map[string]string{
	backtick:          `Names are quoted with ", as in "a name".`,
	"charindex":       "Write strpos(text, part).",
	"convert":         "Write CAST(x AS type).",
	"decode":          "Write CASE x WHEN a THEN b ELSE c END.",
	"initcap":         "Write upper(x[1]) || lower(x[2:]).",
	"overlay":         "Write left(x, start - 1) || part || substr(x, start + length).",
	"regexp_like":     "Write regexp_matches(text, pattern).",
	"regexp_substr":   "Write regexp_extract(text, pattern).",
	"safe_cast":       "Write TRY_CAST(x AS type).",
	"to_number":       "Write CAST(text AS DECIMAL(18, 2)).",
	"zeroifnull":      "Write coalesce(x, 0).",
	"iff":             "Write CASE WHEN condition THEN a ELSE b END.",
	"date_format":     "Write strftime(time, '%Y-%m').",
	"format_date":     "Write strftime(date, '%Y-%m').",
	"getdate":         "Write now(), or today().",
	"isnull":          "Write coalesce(a, b), or a IS NULL.",
	"nvl":             "Write coalesce(a, b).",
	"parse_date":      "Write strptime(text, '%Y-%m-%d').",
	"str_to_date":     "Write strptime(text, '%Y-%m-%d').",
	"to_char":         "Write strftime(time, '%Y-%m').",
	"to_date":         "Write strptime(text, '%Y-%m-%d').",
	"regexp_contains": "Write regexp_matches(text, pattern).",
	"safe_divide":     "Write a / nullif(b, 0).",
}

// reservedWords are those that are likely names of columns.
var reservedWords = map[string]bool{
	"at": true, "check": true, "column": true, "default": true, "desc": true, "end": true, "from": true, "group": true, "limit": true,
	"offset": true, "order": true, "row": true, "rows": true, "table": true, "to": true, "user": true, "when": true, "window": true,
}

// aliasWords are those of the engine's words, likely as names, that need quotes or AS where
// they stand behind an expression.
var aliasWords = wordset.New(`action before cache category class comment content cost current cycle data date day days document domain event
	exchange extension family filter first full function groups hour hours identity index key label language large last left level location
	match method minute minutes mode month months name names new next no none number object of off old only option others owner parameter
	partition percent plan policy position prior procedure quarter range rank read reference result right role rule sample schema search second
	seconds server set share show snapshot source start statement statistics storage system target text ties time timestamp transaction type
	types unknown value values version view volume week weeks work year years zone`)

var (
	wordBefore = lazyregexp.New(`(\w+)\s*$`)
	wordAfter  = lazyregexp.New(`^\w+`)
	// compared matches what a text is compared with, up to its opening quote.
	compared = lazyregexp.New(`(?i)(?:[=<>]|\bi?like|\bin\s*\(|\bin\s*\([^()]*,)\s*$`)
)

// Elsewhere is what to write instead of another engine's form at an offset of sql; -1:
// anywhere. It is empty without one.
func Elsewhere(sql string, offset int) string {
	for _, h := range habits {
		for _, at := range h.text().FindAllStringSubmatchIndex(sql, -1) {
			if offset < 0 || at[0] <= offset && offset <= at[1] {
				return string(h.text().ExpandString(nil, h.hint, sql, at))
			}
		}
	}
	if offset > 0 && offset < len(sql) && sql[offset] == '"' && compared().MatchString(sql[:offset]) {
		return `In double quotes are names. A text is written in single quotes, as in 'a'.`
	}
	return ""
}

// syntaxHint is what to write instead of what the parser did not understand at an
// offset of sql; -1: it did not say where.
func syntaxHint(sql string, offset int) string {
	if hint := Elsewhere(sql, offset); hint != "" {
		return hint
	}
	if offset >= 0 {
		words := []string{wordAfter().FindString(sql[offset:])}
		if before := wordBefore().FindStringSubmatch(sql[:offset]); before != nil {
			if words[0] != "" && (strings.EqualFold(before[1], "FROM") || strings.EqualFold(before[1], "JOIN")) {
				return "Behind " + strings.ToUpper(before[1]) + ` stands a table. If that is its name, write it as "` + words[0] + `".`
			}
			words = append(words, before[1])
			if strings.EqualFold(words[0], "FROM") { // it may well stand here
				slices.Reverse(words)
			}
		}
		if aliasWords.Has(strings.ToLower(words[0])) {
			return "Before " + words[0] + " as a name stands AS: it is a word of the language."
		}
		for i, w := range words {
			if by := strings.ToLower(w); i > 0 && (by == "order" || by == "group") && words[0] != "" && !strings.EqualFold(words[0], "by") {
				return "Behind " + strings.ToUpper(w) + " stands BY."
			}
			if reservedWords[strings.ToLower(w)] {
				return strings.ToUpper(w) + ` is a reserved word. As a name it is written "` + w + `".`
			}
		}
	}
	return Near(offset)
}

// Near is the hint that only says where a mistake is: at an offset, or -1 if that is unknown.
func Near(offset int) string {
	if offset < 0 {
		return "The engine does not say where: leave out parts of the statement to find it."
	}
	return "The mistake is at or just before this place."
}
