package predicate

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
)

// postgreSQL is PostgreSQL.
func postgreSQL() *traits { //nolint:funlen // a table
	return &traits{
		name: Postgres, title: "PostgreSQL", parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMPTZ '2026-01-01 00:00:00+00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL '30 days'",
			"regex":             "field ~ 'pattern'",
			"cast":              "CAST(x AS bigint)",
		},
		lexing: lexing{
			digitSeparators: true, unicodeNames: true, dollarNames: true,
			stringPrefixes: "e x b n u&", dollarStrings: true, unicodeEscapes: true,
		},
		grammar: grammar{
			reserved: wordset.New(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_catalog
				current_date current_role current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch
				for foreign from grant group having in initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
				order placing primary references returning select session_user some symmetric table then to trailing true union unique user using
				variadic when where window with authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join
				left like natural notnull outer overlaps right similar tablesample verbose`).All(),
			clockWords: wordset.New(`current_date current_timestamp current_time localtime localtimestamp`).All(),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "time": kindOf(KindTime), "timestamp": kindOf(KindDateTime), "timestamptz": kindOf(KindTimestamp),
				"uuid": kindOf(KindUUID),
			},
			concatOperators: "|| ^@", productOperators: "* / %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
			castOperator: true, atTimeZone: true, collateC: true,
			postfixNull: true, isUnknown: true, ilike: true, escapeClause: true, anyList: true, betweenSymmetric: true,
			keywordArguments: true, partsAsText: true, zonedTypes: true, listSuffix: true,
			intervalQuoted: true, intervalText: true,
			operatorHints: map[string]string{
				"regexp": "Write x ~ 'pattern'.", "rlike": "Write x ~ 'pattern'.",
				"//": "The operator / on whole numbers already drops the remainder.",
			},
		},
		names: names{
			foldName: func(name string) string { return name }, lowerNames: true, subscript: Subscript,
			subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
			elementHint: "'a' = ANY (tags) or tags[1] = 'a'",
		},
		types: types{
			structTypes: "struct", typeNames: map[string]Type{
				"boolean": kindOf(KindBool), "bool": kindOf(KindBool),
				"smallint": intType(16), "int2": intType(16), "integer": intType(32), "int": intType(32), "int4": intType(32),
				"bigint": intType(64), "int8": intType(64),
				"real": {Kind: KindFloat, Bits: 32}, "float4": {Kind: KindFloat, Bits: 32},
				"double precision": {Kind: KindFloat, Bits: 64}, "float8": {Kind: KindFloat, Bits: 64},
				"numeric": kindOf(KindDecimal), "decimal": kindOf(KindDecimal),
				"text": kindOf(KindString), "character varying": kindOf(KindString), "varchar": kindOf(KindString), "name": kindOf(KindString),
				"character": {Kind: KindString, Padded: true}, "char": {Kind: KindString, Padded: true}, "bpchar": {Kind: KindString, Padded: true},
				"bytea": kindOf(KindBytes), "date": kindOf(KindDate),
				"time": kindOf(KindTime), "time without time zone": kindOf(KindTime),
				"timestamp": kindOf(KindDateTime), "timestamp without time zone": kindOf(KindDateTime),
				"timestamptz": kindOf(KindTimestamp), "timestamp with time zone": kindOf(KindTimestamp),
				"interval": kindOf(KindInterval), "json": kindOf(KindJSON), "jsonb": kindOf(KindJSON), "uuid": kindOf(KindUUID),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN", "bool"}},
				{intType(16), []string{"SMALLINT", "int2"}},
				{intType(32), []string{"INTEGER", "int", "int4"}},
				{intType(64), []string{"BIGINT", "int8"}},
				{floatType(32), []string{"REAL", "float4"}},
				{floatType(64), []string{"DOUBLE PRECISION", "float8", "float"}},
				{kindOf(KindDecimal), []string{"NUMERIC", "decimal", "dec"}},
				{kindOf(KindString), []string{"TEXT", "varchar", "character varying"}},
				{kindOf(KindBytes), []string{"BYTEA"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME", "time without time zone"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP", "timestamp without time zone"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMPTZ", "timestamp with time zone"}},
				{kindOf(KindInterval), []string{"INTERVAL"}},
				{kindOf(KindUUID), []string{"UUID"}},
			},
			decimalDigits: 1000, castsAnything: true, castsBool32: true, castsTimestampsToTime: true, implicitZone: true, nanOrdered: true,
		},
		literals: literals{
			untypedText: true, floatNumber: func(string) bool { return false }, bigInteger: postgresBigInteger,
			readBytes: hexBytes, bytesExample: `'\xdead'`,
		},
		functions: functions{
			cell: func(r *row) string { return r.pg }, job: func(k *kin) string { return k.post },
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "millisecond": PartMillisecond, "milliseconds": PartMillisecond,
				"second": PartSecond, "seconds": PartSecond, "minute": PartMinute, "minutes": PartMinute, "hour": PartHour, "hours": PartHour,
				"day": PartDay, "days": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth, "quarter": PartQuarter,
				"year": PartYear, "years": PartYear, "decade": PartDecade, "century": PartCentury, "millennium": PartMillennium,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
				"decade": PartDecade, "century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0, "isodow": PartISODow,
				"doy": PartDayOfYear, "week": PartISOWeek, "milliseconds": PartMillis, "microseconds": PartMicros, "epoch": PartEpoch,
			},
			clockOfDate: true, intResult: 32,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "current_timestamp": ClockTimestamp, "now": ClockTimestamp, "transaction_timestamp": ClockTimestamp,
				"localtimestamp": ClockDateTime, "localtime": ClockTime,
			},
			likeEscape: '\\',
		},
		printing: printing{
			clockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE", ClockTimestamp: "now()", ClockDateTime: "LOCALTIMESTAMP", ClockTime: "LOCALTIME"},
			ident:         doubleQuoted, nullsFirst: nullsAreHighest,
			nullsOrder: true, nanGuard: " AND $1 <> CAST('NaN' AS DOUBLE PRECISION)",
			element: postgresElement, pattern: backslashPattern,
			text:  postgresText,
			bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, `CAST(E'\\x%x' AS BYTEA)`, v) },
			float: func(f float64) string { return "CAST('" + exponentFloat(f) + "' AS DOUBLE PRECISION)" }, decimal: postgresDecimal,
			bigIntegers: true, uuids: true,
			datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMPTZ", timestampZone: "+00", interval: textInterval,
		},
	}
}

// postgresBigInteger: a number of more than 64 bits is a decimal.
func postgresBigInteger(i *big.Int) *Literal {
	return &Literal{Value: new(big.Rat).SetInt(i), T: kindOf(KindDecimal)}
}

// hexBytes reads bytes as hexadecimal digits behind one \x.
func hexBytes(s string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(s, `\x`)
	if !ok {
		return nil, false
	}
	b, err := hex.DecodeString(digits)
	return b, err == nil
}

func postgresElement(b *strings.Builder, s Step) bool {
	fmt.Fprintf(b, "[%d]", s.Index)
	return s.Mode == Subscript
}

// postgresText escapes backslashes, which mean themselves in some sessions only.
func postgresText(b *strings.Builder, s string) {
	if strings.IndexByte(s, '\\') < 0 {
		quotedText(b, s)
		return
	}
	b.WriteString("E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'")
}

func postgresDecimal(_ *printer, r *big.Rat, digits int, _ Type) string {
	s := r.FloatString(digits)
	if digits == 0 {
		s += "e0" // without it, it would be an integer
	}
	return s
}
