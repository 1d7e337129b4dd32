package predicate

import (
	"fmt"
	"slices"
	"strings"
)

// kin are functions for the same task in different dialects, whose meaning
// differs slightly, or that another form of the language replaces. The
// replacement for a missing function is a suggestion to people, not a
// translation.
type kin struct {
	names            string // names in any dialect
	about            string // the type of x, in DuckDB's notation
	duck, goog, post string // how the task is written; empty if it is not possible
}

func (k *kin) written(d *Traits) string {
	return d.job(k)
}

var kinds = []kin{
	{"regexp_contains regexp_matches regexp_like", "VARCHAR", "regexp_matches(x, 'pattern')", "REGEXP_CONTAINS(x, r'pattern')",
		"x ~ 'pattern'"},
	{"regexp_full_match", "VARCHAR", "regexp_full_match(x, 'pattern')", "REGEXP_CONTAINS(x, r'^(pattern)$')", "x ~ '^(pattern)$'"},
	{"regexp_extract regexp_substr", "VARCHAR", "regexp_extract(x, 'pattern') = 'text'", "REGEXP_EXTRACT(x, r'pattern') = 'text'",
		"x ~ 'pattern'"},
	{"contains_substr", "VARCHAR", "contains(lower(x), 'text')", "LOWER(x) LIKE '%text%'", "x ILIKE '%text%'"},
	{"contains strpos instr charindex locate position", "VARCHAR", "contains(x, 'text')", "x LIKE '%text%'", "strpos(x, 'text') > 0"},
	{"right suffix", "VARCHAR", "ends_with(x, 'text')", "ENDS_WITH(x, 'text')", "right(x, 4) = 'text'"},
	{"nvl isnull", "VARCHAR", "coalesce(x, 'none') = 'none'", "COALESCE(x, 'none') = 'none'", "coalesce(x, 'none') = 'none'"},
	{"iff iif", "DOUBLE", "CASE WHEN x > 1 THEN 2 ELSE 3 END = 2", "CASE WHEN x > 1 THEN 2 ELSE 3 END = 2",
		"CASE WHEN x > 1 THEN 2 ELSE 3 END = 2"},
	{"safe_divide", "DOUBLE", "x / nullif(y, 0) > 1", "x / NULLIF(y, 0) > 1", "x / nullif(y, 0) > 1"},
	{"is_nan isnan", "DOUBLE", "isnan(x)", "x <> x", "x = 'nan'::double precision"},
	{"div", "BIGINT", "x // 2 > 1", "FLOOR(x / 2) > 1", "x / 2 > 1"},
	{"concat_ws", "VARCHAR", "x || '-' || y = 'a-b'", "x || '-' || y = 'a-b'", "x || '-' || y = 'a-b'"},
	{"split string_split str_split", "VARCHAR", "split_part(x, ',', 1) = 'text'", "", "split_part(x, ',', 1) = 'text'"},
	{"lcase", "VARCHAR", "lower(x) = 'text'", "LOWER(x) = 'text'", "lower(x) = 'text'"},
	{"ucase", "VARCHAR", "upper(x) = 'TEXT'", "UPPER(x) = 'TEXT'", "upper(x) = 'TEXT'"},
	{"format_date format_timestamp format_datetime strftime to_char date_format", "DATE", "strftime(x, '%Y-%m') = '2026-01'",
		"FORMAT_DATE('%Y-%m', x) = '2026-01'", "to_char(x, 'YYYY-MM') = '2026-01'"},
	{"parse_date parse_timestamp strptime try_strptime to_date to_timestamp str_to_date", "VARCHAR",
		"strptime(x, '%Y-%m-%d') > TIMESTAMP '2026-01-31 00:00:00'", "PARSE_DATE('%Y-%m-%d', x) > DATE '2026-01-31'",
		"to_date(x, 'YYYY-MM-DD') > DATE '2026-01-31'"},
	{"unix_seconds unix_millis epoch epoch_ms", "TIMESTAMPTZ", "epoch(x) > 1700000000", "UNIX_SECONDS(x) > 1700000000",
		"EXTRACT(epoch FROM x) > 1700000000"},
	{"date_add datetime_add timestamp_add adddate dateadd", "TIMESTAMP", "x + INTERVAL 1 DAY > TIMESTAMP '2026-01-31 00:00:00'",
		"DATETIME_ADD(x, INTERVAL 1 DAY) > DATETIME '2026-01-31 00:00:00'", "x + INTERVAL '1 day' > TIMESTAMP '2026-01-31 00:00:00'"},
	{"date_sub datesub datetime_sub timestamp_sub subdate", "TIMESTAMP", "x - INTERVAL 1 DAY > TIMESTAMP '2026-01-31 00:00:00'",
		"DATETIME_SUB(x, INTERVAL 1 DAY) > DATETIME '2026-01-31 00:00:00'", "x - INTERVAL '1 day' > TIMESTAMP '2026-01-31 00:00:00'"},
	{"date_diff datediff datetime_diff timestamp_diff age timestampdiff", "DATE", "date_diff('day', x, DATE '2026-01-31') < 7",
		"DATE_DIFF(DATE '2026-01-31', x, DAY) < 7", "DATE '2026-01-31' - x < 7"},
	{"list_contains list_has array_contains array_has", "VARCHAR[]", "list_contains(x, 'text')", "", "'text' = ANY(x)"},
	{"cardinality array_length", "VARCHAR[]", "len(x) > 1", "", "cardinality(x) > 1"},
	{"dayname dayofweek weekday isodow", "DATE", "dayname(x) = 'Monday'", "EXTRACT(DAYOFWEEK FROM x) = 2", "EXTRACT(isodow FROM x) = 1"},
	{"monthname", "DATE", "monthname(x) = 'January'", "EXTRACT(MONTH FROM x) = 1", "EXTRACT(month FROM x) = 1"},
}

// equivalent says how a dialect does what a missing function does; "" if unknown.
func equivalent(d *Traits, name string) string {
	for i := range kinds {
		for known := range strings.FieldsSeq(kinds[i].names) {
			if known == name && kinds[i].written(d) != "" {
				return fmt.Sprintf("In this dialect: %s.", kinds[i].written(d))
			}
		}
	}
	return ""
}

// taken says how a dialect extracts a part of a date, as a replacement for
// another dialect's function named after the part. It returns "" if the name is
// not such a function, or if the dialect has no such part.
func taken(d *Traits, name string) string {
	for _, named := range dialects {
		other := named.traits()
		part := other.partFunctions[name]
		if part == "" {
			continue
		}
		var words []string
		for word, p := range d.fieldNames {
			if p == other.fieldNames[part] {
				words = append(words, word)
			}
		}
		if slices.Sort(words); len(words) > 0 {
			return fmt.Sprintf("In this dialect: EXTRACT(%s FROM x).", strings.ToUpper(words[0]))
		}
	}
	return ""
}
