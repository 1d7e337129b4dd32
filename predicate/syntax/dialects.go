package syntax

import (
	"strings"
	"sync"

	"github.com/agnes-data/da/internal/words/wordset"
)

// DuckDB is the syntax of DuckDB 1.5. All dialects are built when they are first needed.
var DuckDB = sync.OnceValue(func() *Dialect {
	return &Dialect{
		Title: "DuckDB", Ident: DoubleQuoted,
		digitSeparators: true, unicodeNames: true, dollarNames: true,
		stringPrefixes: "e x b n u&", dollarStrings: true,
		Reserved: wordset.New(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable
			desc describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading
			limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some
			summarize symmetric table then to trailing true union unique unpivot using variadic when where window with
			anti asof at authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is isnull join left like
			map natural notnull outer overlaps positional right semi similar struct tablesample try_cast unpack verbose`).All(),
		ClockWords:      wordset.New(`current_date current_timestamp current_time localtime localtimestamp`).All(),
		TypedLiterals:   wordset.New(`date time timestamp datetime timestamp_s timestamp_ms timestamp_us timestamp_ns timestamptz uuid`).All(),
		concatOperators: "|| ^@", productOperators: "* / // %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
		lackingOperators: map[string]string{
			"~*":  "Use regexp_matches(x, 'pattern', 'i').",
			"!~*": "Use regexp_matches(x, 'pattern', 'i').",
		},
		doubleEquals: true, castOperator: true, atTimeZone: true,
		postfixNull: true, isUnknown: true, ilike: true, EscapeClause: true, anyList: true, betweenSymmetric: true,
		SafeCast: "try_cast", keywordArguments: true, columnsStar: true, PartsAsText: true, ZonedTypes: true, listSuffix: true,
		intervalCount: countOperand, IntervalQuoted: true, intervalText: true,
		operatorHints: map[string]string{"regexp": "Write regexp_matches(x, 'pattern').", "rlike": "Write regexp_matches(x, 'pattern')."},
		subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
	}
})

// GoogleSQL is the syntax of BigQuery.
var GoogleSQL = sync.OnceValue(func() *Dialect {
	return &Dialect{
		Title: "GoogleSQL", Ident: backtickQuoted,
		hexNumbers: true, hashComments: true, BacktickNames: true,
		stringPrefixes: "r b rb br", backslashStrings: true,
		Reserved: wordset.New(`all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
			define desc distinct else end enum escape except exclude exists extract false fetch following for from full group grouping groups hash having
			if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no not null nulls of on or order outer
			over partition preceding proto qualify range recursive respect right rollup rows select set some struct tablesample then to treat true
			unbounded union unnest using when where window with within`).All(),
		ClockWords:       wordset.New(`current_date current_timestamp current_datetime current_time`).All(),
		TypedLiterals:    wordset.New(`date datetime time timestamp numeric decimal bignumeric bigdecimal json`).All(),
		productOperators: "* / ||",
		flatTests:        true, LikeAny: true, inUnnest: true,
		SafeCast: "safe_cast", AngleTypes: true,
		intervalCount: countExpression, intervalRange: true,
		operatorHints: map[string]string{
			"regexp": "Write REGEXP_CONTAINS(x, r'pattern').", "rlike": "Write REGEXP_CONTAINS(x, r'pattern').",
			"~": "Write REGEXP_CONTAINS(x, r'pattern').", "~*": "Write REGEXP_CONTAINS(x, r'pattern').",
			"!~": "Write NOT REGEXP_CONTAINS(x, r'pattern').",
			"//": "Write FLOOR(a / b).",
		},
		subscriptForm: "[OFFSET(n)] or [SAFE_OFFSET(n)]",
		subscriptHint: "Write arr[OFFSET(0)] for the first element, arr[SAFE_OFFSET(0)] if it may be missing.",
	}
})

// Postgres is the syntax of PostgreSQL.
var Postgres = sync.OnceValue(func() *Dialect {
	return &Dialect{
		Title: "PostgreSQL", Ident: DoubleQuoted,
		digitSeparators: true, unicodeNames: true, dollarNames: true,
		stringPrefixes: "e x b n u&", dollarStrings: true, unicodeEscapes: true,
		Reserved: wordset.New(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_catalog
			current_date current_role current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch
			for foreign from grant group having in initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
			order placing primary references returning select session_user some symmetric table then to trailing true union unique user using
			variadic when where window with authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join
			left like natural notnull outer overlaps right similar tablesample verbose`).All(),
		ClockWords:      wordset.New(`current_date current_timestamp current_time localtime localtimestamp`).All(),
		TypedLiterals:   wordset.New(`date time timestamp timestamptz uuid`).All(),
		concatOperators: "|| ^@", productOperators: "* / %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
		castOperator: true, atTimeZone: true, CollateC: true,
		postfixNull: true, isUnknown: true, ilike: true, EscapeClause: true, anyList: true, betweenSymmetric: true,
		keywordArguments: true, PartsAsText: true, ZonedTypes: true, listSuffix: true,
		IntervalQuoted: true, intervalText: true,
		operatorHints: map[string]string{
			"regexp": "Write x ~ 'pattern'.", "rlike": "Write x ~ 'pattern'.",
			"//": "The operator / on whole numbers already drops the remainder.",
		},
		subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
	}
})

// MySQL is only printed, so it has no grammar.
var MySQL = sync.OnceValue(func() *Dialect {
	return &Dialect{Title: "MariaDB", Ident: func(b *strings.Builder, name string) { WriteDoubled(b, name, '`') }}
})

// ClickHouse is printed, and read in whole statements. A backslash escapes in its names
// and its texts.
var ClickHouse = sync.OnceValue(func() *Dialect {
	return &Dialect{
		Title: "ClickHouse", Ident: func(b *strings.Builder, name string) { WriteBackslashed(b, name, '`') },
		BacktickNames: true, backslashStrings: true, plainStrings: true, doubleNames: true,
		Reserved: wordset.New(statementWords + ` any asof array final format global offset paste prewhere sample semi anti settings stream`).All(),
	}
})

// Trino is printed, and read in whole statements.
var Trino = sync.OnceValue(func() *Dialect {
	return &Dialect{Title: "Trino", Ident: DoubleQuoted, Reserved: wordset.New(statementWords + ` offset table values`).All()}
})

// Snowflake is only printed, so it has no grammar.
var Snowflake = sync.OnceValue(func() *Dialect { return &Dialect{Title: "Snowflake", Ident: DoubleQuoted} })

// WriteBackslashed writes s between two quotes, with a backslash before each quote and
// backslash in it.
func WriteBackslashed(b *strings.Builder, s string, quote byte) {
	b.WriteByte(quote)
	for i := range len(s) {
		if s[i] == quote || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte(quote)
}

// WriteSparkText writes a text for Spark. Spark replaces ${env:NAME}, even within a text, with
// a value of its environment or settings; it leaves an escaped dollar alone.
func WriteSparkText(b *strings.Builder, s string) {
	var plain strings.Builder
	WriteBackslashed(&plain, s, '\'')
	b.WriteString(strings.ReplaceAll(plain.String(), "$", `\u0024`))
}

// Spark is printed, and read in whole statements.
var Spark = sync.OnceValue(func() *Dialect {
	return &Dialect{
		Title: "Spark", Ident: func(b *strings.Builder, name string) { WriteDoubled(b, name, '`') },
		BacktickNames: true, backslashStrings: true, plainStrings: true,
		Reserved: wordset.New(statementWords + ` anti cluster distribute minus offset pivot semi sort table transform unpivot values`).All(),
	}
})

// statementWords are no names without quotes in any of the engines whose SQL is read in
// whole statements alone.
const statementWords = `all and as asc between by case cast cross cube current desc distinct else end escape except exists extract false fetch
	filter following for from full group grouping having ilike in inner intersect interval into is join lateral left like limit natural not null nulls
	on or order outer over partition preceding qualify range recursive right rollup rows select set some tablesample then true try_cast unbounded union
	unnest using when where window with`
