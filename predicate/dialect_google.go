package predicate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
)

// googleSQL is GoogleSQL, the dialect of BigQuery.
func googleSQL() *traits { //nolint:funlen // a table
	return &traits{
		name: GoogleSQL, title: "GoogleSQL", parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00 UTC'",
			"interval_subtract": "DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY)",
			"regex":             "REGEXP_CONTAINS(field, r'pattern')",
			"cast":              "CAST(x AS INT64)",
		},
		lexing: lexing{
			hexNumbers: true, hashComments: true, backtickNames: true,
			stringPrefixes: "r b rb br", backslashStrings: true,
		},
		grammar: grammar{
			reserved: wordset.New(`all and any array as asc assert_rows_modified at between by case cast collate contains create cross cube current default
				define desc distinct else end enum escape except exclude exists extract false fetch following for from full group grouping groups hash having
				if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no not null nulls of on or order outer
				over partition preceding proto qualify range recursive respect right rollup rows select set some struct tablesample then to treat true
				unbounded union unnest using when where window with within`).All(),
			clockWords: wordset.New(`current_date current_timestamp current_datetime current_time`).All(),
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
		},
		names: names{
			foldName: strings.ToLower, clocksHideColumns: true,
			subscript: Offset, subscriptFunctions: map[string]IndexMode{"offset": Offset, "safe_offset": SafeOffset},
			subscriptForm: "[OFFSET(n)] or [SAFE_OFFSET(n)]",
			subscriptHint: "Write arr[OFFSET(0)] for the first element, arr[SAFE_OFFSET(0)] if it may be missing.",
			elementHint:   "tags[SAFE_OFFSET(0)] = 'a'",
		},
		types: types{
			structTypes: "struct record", listType: "array", bareStructs: true, typeNames: map[string]Type{
				"bool": kindOf(KindBool), "boolean": kindOf(KindBool),
				"int64": intType(64), "int": intType(64), "integer": intType(64), "bigint": intType(64), "smallint": intType(64), "tinyint": intType(64), "byteint": intType(64),
				"float64": {Kind: KindFloat, Bits: 64}, "float": {Kind: KindFloat, Bits: 64},
				"numeric": {Kind: KindDecimal, Precision: 38, Scale: 9}, "decimal": {Kind: KindDecimal, Precision: 38, Scale: 9},
				"bignumeric": {Kind: KindDecimal, Precision: 76, Scale: 38}, "bigdecimal": {Kind: KindDecimal, Precision: 76, Scale: 38},
				"string": kindOf(KindString), "bytes": kindOf(KindBytes), "date": kindOf(KindDate), "time": kindOf(KindTime),
				"datetime": kindOf(KindDateTime), "timestamp": kindOf(KindTimestamp), "interval": kindOf(KindInterval), "json": kindOf(KindJSON),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOL"}},
				{intType(64), []string{"INT64"}},
				{floatType(64), []string{"FLOAT64"}},
				{googleNumeric, []string{"NUMERIC", "decimal"}},
				{googleBigNumeric, []string{"BIGNUMERIC"}},
				{kindOf(KindString), []string{"STRING"}},
				{kindOf(KindBytes), []string{"BYTES"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME"}},
				{kindOf(KindDateTime), []string{"DATETIME"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMP"}},
			},
			castHint:              "The types are called INT64, FLOAT64, NUMERIC, BIGNUMERIC, STRING, BYTES, BOOL, DATE, DATETIME, TIME and TIMESTAMP.",
			castsTimestampsToTime: true, decimalLimit: googleDecimalLimit,
		},
		literals: literals{
			nulText: true, timeNeedsSeconds: true, zoneOffsets: true,
			floatNumber: func(string) bool { return true }, bigInteger: func(*big.Int) *Literal { return nil },
		},
		functions: functions{
			cell: func(r *row) string { return r.goog }, job: func(k *kin) string { return k.goog }, upperFunctions: true,
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "millisecond": PartMillisecond, "second": PartSecond, "minute": PartMinute, "hour": PartHour,
				"day": PartDay, "week": PartWeekSunday, "isoweek": PartWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear, "isoyear": PartISOYear,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
				"isoyear": PartISOYear, "dayofweek": PartDow1, "dayofyear": PartDayOfYear, "isoweek": PartISOWeek, "week": PartWeekNumber,
				"millisecond": PartMillisOfSec, "microsecond": PartMicrosOfSec, "date": PartDate, "time": PartTime,
			},
			weekdayWeeks: true, intervalArguments: true, intResult: 64,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "current_timestamp": ClockTimestamp, "current_datetime": ClockDateTime, "current_time": ClockTime,
			},
			clockInZone: true, re2: true, likeEscape: '\\',
		},
		printing: printing{
			clockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE()", ClockTimestamp: "CURRENT_TIMESTAMP()", ClockDateTime: "CURRENT_DATETIME()", ClockTime: "CURRENT_TIME()"},
			ident:         backtickQuoted, nullsFirst: nullsAreLowest,
			nullsOrder: true, nanGuard: " OR $1 <> $1",
			element: googleElement, pattern: backslashPattern,
			text: googleText, bytes: googleBytes, float: googleFloat, decimal: googleDecimal,
			datetimeWord: "DATETIME", timestampWord: "TIMESTAMP", timestampZone: "+00", interval: googleInterval,
		},
	}
}

// The two decimal types, by their digits in all and behind the point.
var (
	googleNumeric    = Type{Kind: KindDecimal, Precision: 38, Scale: 9}
	googleBigNumeric = Type{Kind: KindDecimal, Precision: 76, Scale: 38}
)

// backtickQuoted follows GoogleSQL, where backtick identifiers know the same
// escapes as strings.
func backtickQuoted(b *strings.Builder, name string) {
	b.WriteByte('`')
	writeGoogleEscaped(b, name, '`')
	b.WriteByte('`')
}

func googleText(b *strings.Builder, s string) {
	b.WriteByte('\'')
	writeGoogleEscaped(b, s, '\'')
	b.WriteByte('\'')
}

func googleBytes(b *strings.Builder, v []byte) {
	b.WriteString("b'")
	for _, c := range v {
		fmt.Fprintf(b, `\x%02x`, c)
	}
	b.WriteByte('\'')
}

func googleElement(b *strings.Builder, s Step) bool {
	switch {
	case s.Mode == Offset:
		fmt.Fprintf(b, "[OFFSET(%d)]", s.Index)
	case s.Mode == SafeOffset:
		fmt.Fprintf(b, "[SAFE_OFFSET(%d)]", s.Index)
	case s.Mode == OneBased && s.Index > 0:
		fmt.Fprintf(b, "[SAFE_OFFSET(%d)]", s.Index-1)
	default:
		return false
	}
	return true
}

// googleFloat writes numbers of common sizes without an exponent.
func googleFloat(f float64) string {
	s := exponentFloat(f)
	_, exponent, _ := strings.Cut(s, "e")
	if n, _ := strconv.Atoi(exponent); n <= -5 || n >= 16 {
		return s
	}
	if s = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// googleDecimalLimit returns the limit of NUMERIC or BIGNUMERIC.
func googleDecimalLimit(t Type) float64 {
	if t.Precision > 38 {
		return 5.7896e38
	}
	return 1e29
}

func googleDecimal(p *printer, r *big.Rat, digits int, t Type) string {
	word := "NUMERIC"
	if !fitsDecimal(r, 29, 9) || t.Precision > 38 {
		word = "BIGNUMERIC"
	}
	if !fitsDecimal(r, 38, 38) {
		p.refuse("a decimal of that many digits")
	}
	s := r.FloatString(digits)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return word + " '" + s + "'"
}

// googleInterval writes the one unit that is there, or all of them.
func googleInterval(b *strings.Builder, iv Interval) {
	switch {
	case iv.Days == 0 && iv.Micros == 0 && iv.Months != 0:
		fmt.Fprintf(b, "INTERVAL %d MONTH", iv.Months)
	case iv.Months == 0 && iv.Micros == 0:
		fmt.Fprintf(b, "INTERVAL %d DAY", iv.Days)
	case iv.Months == 0 && iv.Days == 0 && iv.Micros%1e6 == 0:
		fmt.Fprintf(b, "INTERVAL %d SECOND", iv.Micros/1e6)
	default:
		b.WriteString("INTERVAL '" + iv.googleText() + "' YEAR TO SECOND")
	}
}
