package predicate

import "strings"

// googleSQL is GoogleSQL, the dialect of BigQuery.
func googleSQL() *traits {
	return &traits{
		name: GoogleSQL, title: "GoogleSQL", parsed: true,
		lexing: lexing{
			hexNumbers: true, hashComments: true, backtickNames: true,
			stringPrefixes: "r b rb br", backslashStrings: true,
		},
		grammar: grammar{
			reserved: set(`all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
				define desc distinct else end enum escape except exclude exists extract false fetch following for from full group grouping groups hash having
				if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no not null nulls of on or order outer
				over partition preceding proto qualify range recursive respect right rollup rows select set some struct tablesample then to treat true
				unbounded union unnest using when where window with within`),
			clockWords: set(`current_date current_timestamp current_datetime current_time`),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "datetime": kindOf(KindDateTime), "time": kindOf(KindTime), "timestamp": kindOf(KindTimestamp),
				"numeric": googleNumeric, "decimal": googleNumeric, "bignumeric": googleBigNumeric, "bigdecimal": googleBigNumeric,
				"json": kindOf(KindJSON),
			},
			productOperators: "* / ||",
			flatTests:        true, likeAny: true, inUnnest: true,
			safeCast: "safe_cast", angleTypes: true,
			intervalCount: countExpression, intervalRange: true,
			operatorHints: map[string]string{
				"regexp": "Write REGEXP_CONTAINS(x, r'pattern').", "rlike": "Write REGEXP_CONTAINS(x, r'pattern').",
				"//": "Write FLOOR(a / b).",
			},
			subscriptForm: "[OFFSET(n)] or [SAFE_OFFSET(n)]",
			subscriptHint: "Write arr[OFFSET(0)] for the first element, arr[SAFE_OFFSET(0)] if it may be missing.",
		},
		printing: printing{quoteIdent: backtickQuoted, nullsFirst: nullsAreLowest},
	}
}

// The two decimal types, by their digits in all and behind the point.
var (
	googleNumeric    = Type{Kind: KindDecimal, Precision: 38, Scale: 9}
	googleBigNumeric = Type{Kind: KindDecimal, Precision: 76, Scale: 38}
)

// backtickQuoted follows GoogleSQL, where backtick identifiers know the same
// escapes as strings.
func backtickQuoted(name string) string {
	var b strings.Builder
	b.WriteByte('`')
	writeGoogleEscaped(&b, name, '`')
	b.WriteByte('`')
	return b.String()
}
