package predicate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
)

// duckDB is DuckDB 1.5.
func duckDB() *traits { //nolint:funlen // a table
	return &traits{
		name: DuckDB, title: "DuckDB", parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL 30 DAY",
			"regex":             "regexp_matches(field, 'pattern')",
			"cast":              "CAST(x AS BIGINT)",
		},
		lexing: lexing{
			digitSeparators: true, unicodeNames: true, dollarNames: true,
			stringPrefixes: "e x b n u&", dollarStrings: true,
		},
		grammar: grammar{
			reserved: wordset.New(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable
				desc describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading
				limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some
				summarize symmetric table then to trailing true union unique unpivot using variadic when where window with
				anti asof at authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is isnull join left like
				map natural notnull outer overlaps positional right semi similar struct tablesample try_cast unpack verbose`).All(),
			clockWords: wordset.New(`current_date current_timestamp current_time localtime localtimestamp`).All(),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "time": kindOf(KindTime), "timestamp": kindOf(KindDateTime), "datetime": kindOf(KindDateTime),
				"timestamp_s": {Kind: KindDateTime, Bits: secondBits}, "timestamp_ms": {Kind: KindDateTime, Bits: milliBits},
				"timestamp_us": kindOf(KindDateTime), "timestamp_ns": {Kind: KindDateTime, Bits: nanoBits},
				"timestamptz": kindOf(KindTimestamp), "uuid": kindOf(KindUUID),
			},
			concatOperators: "|| ^@", productOperators: "* / // %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
			lackingOperators: map[string]string{
				"~*":  "Use regexp_matches(x, 'pattern', 'i').",
				"!~*": "Use regexp_matches(x, 'pattern', 'i').",
			},
			doubleEquals: true, castOperator: true, atTimeZone: true,
			postfixNull: true, isUnknown: true, ilike: true, escapeClause: true, anyList: true, betweenSymmetric: true,
			safeCast: "try_cast", keywordArguments: true, columnsStar: true, partsAsText: true, zonedTypes: true, listSuffix: true,
			intervalCount: countOperand, intervalQuoted: true, intervalText: true,
			operatorHints: map[string]string{"regexp": "Write regexp_matches(x, 'pattern').", "rlike": "Write regexp_matches(x, 'pattern')."},
		},
		names: names{
			foldName: asciiLower, fieldSubscript: true, subscript: OneBased,
			subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
			elementHint: "list_contains(tags, 'a') or tags[1] = 'a'",
		},
		types: types{
			structTypes: "struct", mapType: "map", typeNames: map[string]Type{
				"boolean": kindOf(KindBool), "bool": kindOf(KindBool), "logical": kindOf(KindBool),
				"tinyint": intType(8), "int1": intType(8), "smallint": intType(16), "int2": intType(16), "short": intType(16),
				"integer": intType(32), "int": intType(32), "int4": intType(32), "signed": intType(32),
				"bigint": intType(64), "int8": intType(64), "long": intType(64), "hugeint": intType(128), "int128": intType(128),
				"utinyint": {Kind: KindInt, Bits: 8, Unsigned: true}, "usmallint": {Kind: KindInt, Bits: 16, Unsigned: true},
				"uinteger": {Kind: KindInt, Bits: 32, Unsigned: true}, "ubigint": {Kind: KindInt, Bits: 64, Unsigned: true},
				"uhugeint": {Kind: KindInt, Bits: 128, Unsigned: true},
				"float":    {Kind: KindFloat, Bits: 32}, "real": {Kind: KindFloat, Bits: 32}, "float4": {Kind: KindFloat, Bits: 32},
				"double": {Kind: KindFloat, Bits: 64}, "float8": {Kind: KindFloat, Bits: 64}, "double precision": {Kind: KindFloat, Bits: 64},
				"decimal": {Kind: KindDecimal, Precision: 18, Scale: 3}, "numeric": {Kind: KindDecimal, Precision: 18, Scale: 3}, "dec": {Kind: KindDecimal, Precision: 18, Scale: 3},
				"varchar": kindOf(KindString), "text": kindOf(KindString), "string": kindOf(KindString), "char": kindOf(KindString), "bpchar": kindOf(KindString),
				"blob": kindOf(KindBytes), "bytea": kindOf(KindBytes), "binary": kindOf(KindBytes), "varbinary": kindOf(KindBytes),
				"date": kindOf(KindDate), "time": kindOf(KindTime), "time without time zone": kindOf(KindTime),
				"timestamp": kindOf(KindDateTime), "datetime": kindOf(KindDateTime), "timestamp without time zone": kindOf(KindDateTime),
				"timestamp_s": {Kind: KindDateTime, Bits: secondBits}, "timestamp_ms": {Kind: KindDateTime, Bits: milliBits}, "timestamp_us": kindOf(KindDateTime),
				"timestamp_ns": {Kind: KindDateTime, Bits: nanoBits},
				"timestamptz":  kindOf(KindTimestamp), "timestamp with time zone": kindOf(KindTimestamp),
				"interval": kindOf(KindInterval), "json": kindOf(KindJSON), "uuid": kindOf(KindUUID), "guid": kindOf(KindUUID),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN", "bool", "logical"}},
				{intType(8), []string{"TINYINT", "int1"}},
				{intType(16), []string{"SMALLINT", "int2", "short"}},
				{intType(32), []string{"INTEGER", "int", "int4", "signed"}},
				{intType(64), []string{"BIGINT", "int8", "long"}},
				{intType(128), []string{"HUGEINT"}},
				{floatType(32), []string{"FLOAT", "real", "float4"}},
				{floatType(64), []string{"DOUBLE", "float8", "double precision"}},
				{Type{Kind: KindDecimal, Precision: 18, Scale: 3}, []string{"DECIMAL", "numeric", "dec"}},
				{kindOf(KindString), []string{"VARCHAR", "text", "string", "char", "bpchar"}},
				{kindOf(KindBytes), []string{"BLOB", "bytea", "binary", "varbinary"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME", "time without time zone"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP", "datetime", "timestamp without time zone"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMPTZ", "timestamp with time zone"}},
				{kindOf(KindInterval), []string{"INTERVAL"}},
				{kindOf(KindUUID), []string{"UUID"}},
			},
			decimalDigits: 38, castsAnything: true, implicitZone: true, nanOrdered: true,
			zoneless: []string{"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"},
		},
		literals: literals{
			untypedText: true, roundsDecimals: true, floatNumber: duckDBFloat, bigInteger: duckDBBigInteger,
			readBytes: escapedBytes, bytesExample: `'\xDE\xAD'`,
		},
		functions: functions{
			cell: func(r *row) string { return r.duck }, job: func(k *kin) string { return k.duck },
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "us": PartMicrosecond, "millisecond": PartMillisecond,
				"milliseconds": PartMillisecond, "ms": PartMillisecond, "second": PartSecond, "seconds": PartSecond, "sec": PartSecond, "s": PartSecond,
				"minute": PartMinute, "minutes": PartMinute, "min": PartMinute, "hour": PartHour, "hours": PartHour, "h": PartHour,
				"day": PartDay, "days": PartDay, "d": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth, "mon": PartMonth,
				"quarter": PartQuarter, "quarters": PartQuarter, "year": PartYear, "years": PartYear, "y": PartYear, "isoyear": PartISOYear,
				"decade": PartDecade, "decades": PartDecade, "century": PartCentury, "centuries": PartCentury, "millennium": PartMillennium,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "years": PartYear, "month": PartMonth, "months": PartMonth, "day": PartDay, "days": PartDay, "hour": PartHour, "hours": PartHour,
				"minute": PartMinute, "minutes": PartMinute, "second": PartSecond, "seconds": PartSecond, "quarter": PartQuarter, "decade": PartDecade,
				"century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0, "dayofweek": PartDow0, "weekday": PartDow0,
				"isodow": PartISODow, "doy": PartDayOfYear, "dayofyear": PartDayOfYear, "week": PartISOWeek, "weekofyear": PartISOWeek,
				"millisecond": PartMillis, "milliseconds": PartMillis, "microsecond": PartMicros, "microseconds": PartMicros, "epoch": PartEpoch,
			},
			partFunctions: map[string]string{
				"year": "year", "month": "month", "day": "day", "dayofmonth": "day", "hour": "hour", "minute": "minute", "second": "second", "quarter": "quarter",
				"dayofweek": "dow", "weekday": "dow", "isodow": "isodow", "dayofyear": "doy", "week": "week", "weekofyear": "week", "isoyear": "isoyear",
				"decade": "decade", "century": "century", "millennium": "millennium", "millisecond": "millisecond", "microsecond": "microsecond",
			},
			clockOfDate: true, intResult: 64,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "today": ClockDate, "current_timestamp": ClockTimestamp, "now": ClockTimestamp,
				"get_current_timestamp": ClockTimestamp, "transaction_timestamp": ClockTimestamp, "localtimestamp": ClockDateTime, "localtime": ClockTime,
				"current_localtimestamp": ClockDateTime, "current_localtime": ClockTime,
			},
			re2: true, matchFunction: "regexp_full_match", ilikeFoldsEscape: true, likeForm: bounded,
		},
		printing: printing{
			clockSpelling: map[ClockKind]string{ClockDate: "current_date()", ClockTimestamp: "now()", ClockDateTime: "current_localtimestamp()", ClockTime: "current_localtime()"},
			ident:         doubleQuoted, nullsFirst: nullsLast,
			nullsOrder: true, rewrite: alternatives, comparison: (*printer).truncated, nanGuard: " AND NOT isnan($1)",
			element: duckDBElement, pattern: duckDBPattern,
			text: quotedText, bytes: duckDBBytes, float: exponentFloat, decimal: pointDecimal, bigIntegers: true, uuids: true,
			datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMPTZ", timestampZone: "+00", nanosecondWord: "TIMESTAMP_NS", interval: textInterval,
		},
	}
}

// duckDBFloat: 1.5 is a decimal, unless it has too many digits for one.
func duckDBFloat(text string) bool {
	return strings.ContainsAny(text, "eE") || len(strings.Trim(text, "0."))-strings.Count(strings.Trim(text, "0"), ".") > 38
}

func duckDBBigInteger(i *big.Int) *Literal {
	if i.BitLen() > 127 {
		return nil
	}
	return &Literal{Value: i, T: intType(128)}
}

// escapedBytes reads bytes as ASCII characters and escapes such as \xDE.
func escapedBytes(s string) ([]byte, bool) {
	var out []byte
	for i := 0; i < len(s); {
		if s[i] >= 0x80 {
			return nil, false
		}
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		if i+4 > len(s) || s[i+1] != 'x' || !isHex(s[i+2]) || !isHex(s[i+3]) {
			return nil, false
		}
		v, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
		out = append(out, byte(v))
		i += 4
	}
	return out, true
}

func duckDBBytes(b *strings.Builder, v []byte) {
	b.WriteString("CAST('")
	for _, c := range v {
		fmt.Fprintf(b, `\x%02X`, c)
	}
	b.WriteString("' AS BLOB)")
}

func duckDBElement(b *strings.Builder, s Step) bool {
	switch {
	case s.Mode == SafeOffset && s.Index >= 0:
		fmt.Fprintf(b, "[%d]", s.Index+1)
	case s.Mode == OneBased:
		fmt.Fprintf(b, "[%d]", s.Index)
	default:
		return false
	}
	return true
}

// duckDBPattern adds an ESCAPE clause if a pattern needs one, because DuckDB has
// no default escape.
func duckDBPattern(p *printer, e *Like, pattern Expr) {
	text, written := writtenPattern(pattern)
	escape, named := e.Escape, e.Escape != 0
	if written {
		escape = '\\'
		text, named = escapedPattern(text, e.Escape, escape)
		p.text(text)
	} else {
		p.expr(pattern, rankOperand)
	}
	if named {
		p.escapeClause(escape)
	}
}
